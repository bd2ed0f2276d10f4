"""What functions that stayed do otherwise since a release: no name went, nothing warns.

Each row has a probe: an expression that gives one thing before the release and another since.
``python -m tools.behaviours FOLDER`` asks the releases around it. Source: JAX's changelog.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Something that code may rely on and that changed.

    Attributes:
        since: the first release that does the new thing.
        touches: names of JAX; one that ends with a dot stands for all below it.
        what: what is different, for users.
        probe: an expression, with ``jax``, ``jnp`` and ``np``, whose text differs.
    """

    since: str
    touches: tuple[str, ...]
    what: str
    probe: str


_DRAWS = (
    "ball", "bernoulli", "beta", "bits", "categorical", "cauchy", "choice", "dirichlet",
    "exponential", "gamma", "gumbel", "laplace", "loggamma", "logistic", "maxwell",
    "multivariate_normal", "normal", "orthogonal", "pareto", "permutation", "poisson",
    "rademacher", "randint", "split", "t", "truncated_normal", "uniform", "weibull_min",
)  # fmt: skip

BEHAVIOURS = (
    Behaviour(
        "0.5.0",
        tuple(f"jax.random.{name}" for name in _DRAWS),
        "the same keys give other numbers (jax_threefry_partitionable is on): results that were "
        "stored do not come out again",
        "np.asarray(jax.random.normal(jax.random.PRNGKey(0), (3,))).tolist()",
    ),
    Behaviour(
        "0.5.0",
        ("jax.numpy.linalg.solve",),
        "a batch of vectors `b` is taken for a matrix: write `solve(a, b[..., None])`, squeezed",
        "jnp.linalg.solve(jnp.ones((2, 3, 3)) + jnp.eye(3), jnp.ones((2, 3))).shape",
    ),
    Behaviour(
        "0.8.0",
        ("jax.pmap",),
        "`jax.pmap` is made of `jax.jit` and `jax.shard_map`: what it returns is sharded "
        "otherwise, and moving it costs more",
        "type(jax.pmap(lambda x: x)(jnp.ones((1, 2))).sharding).__name__",
    ),
    Behaviour(
        "0.9.0",
        ("jax.make_mesh",),
        "the axes of the mesh are explicit unless `axis_types` says otherwise",
        "str(jax.make_mesh((1,), ('a',)).axis_types)",
    ),
    Behaviour(
        "0.10.0",
        ("jax.sharding.PartitionSpec", "jax.P"),
        "a `PartitionSpec` is never equal to a tuple",
        "jax.sharding.PartitionSpec('a') == ('a',)",
    ),
    Behaviour(
        "0.11.0",
        ("jax.numpy.empty", "jax.numpy.empty_like"),
        "the array is not filled with zeros: write `jnp.zeros`",
        "'broadcast' in str(jax.make_jaxpr(lambda: jnp.empty(3))())",
    ),
)
"""In the order of the releases."""


def touching(name: str, after: str, until: str) -> list[Behaviour]:
    """What became different of a name after one release, up to another one."""
    return [
        row
        for row in BEHAVIOURS
        if _key(after) < _key(row.since) <= _key(until) and name in row.touches
    ]


def _key(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split(".") if part.isdigit())
