"""What JAX does otherwise since some release, though the names and the ways of calling stay.

For who carries a program from one release to another: nothing raises and nothing warns there, or
not where the cause is. The releases are the changelog's, and each row was seen on the releases
before and after (``tests/test_behaviours.py`` asks the installed one).
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.knowledge.history import came_in


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One thing that changed.

    Attributes:
        release: the first that does it the new way.
        names: qualified names that are touched.
        what: what is different, as a sentence.
        instead: how to have it as before, or what to do; empty when there is nothing to do.
    """

    release: str
    names: tuple[str, ...]
    what: str
    instead: str = ""

    def touches(self, name: str) -> bool:
        """Whether code that uses a name is touched."""
        return name in self.names


_DRAWS = (
    "ball", "bernoulli", "beta", "bits", "categorical", "cauchy", "choice", "dirichlet",
    "exponential", "gamma", "gumbel", "laplace", "loggamma", "logistic", "maxwell",
    "multivariate_normal", "normal", "orthogonal", "pareto", "permutation", "poisson",
    "rademacher", "randint", "split", "t", "truncated_normal", "uniform", "weibull_min",
)  # fmt: skip
_SPECS = ("jax.sharding.PartitionSpec", "jax.P")

BEHAVIOURS: tuple[Behaviour, ...] = (
    Behaviour(
        "0.5.0",
        tuple(f"jax.random.{name}" for name in _DRAWS),
        "samplers draw other numbers from the same key",
        "jax.config.update('jax_threefry_partitionable', False) draws the old ones",
    ),
    Behaviour(
        "0.5.0",
        ("jax.numpy.linalg.solve",),
        "a batch of vectors is taken for a matrix",
        "write solve(a, b[..., None]).squeeze(-1)",
    ),
    Behaviour(
        "0.6.1", _SPECS[:1], "a PartitionSpec is no tuple", "test for PartitionSpec before tuple"
    ),
    Behaviour(
        "0.8.0",
        ("jax.pmap",),
        "results of pmap are sharded as those of jax.jit and jax.shard_map are",
    ),
    Behaviour(
        "0.9.0",
        ("jax.make_mesh",),
        "the axes of a mesh are Explicit, where they were Auto",
        "pass axis_types=(jax.sharding.AxisType.Auto,) * len(axis_names)",
    ),
    Behaviour(
        "0.10.0", _SPECS, "a PartitionSpec does not equal a tuple", "compare PartitionSpecs"
    ),
    Behaviour(
        "0.10.0",
        tuple(
            f"jax.numpy.{name}"
            for name in (
                "hstack", "vstack", "dstack", "column_stack", "atleast_1d", "atleast_2d",
                "atleast_3d",
            )
        ),
        "lists in place of arrays are refused",
        "make arrays of them first",
    ),
    Behaviour(
        "0.10.0", ("jax.scipy.stats.rankdata",), "ranks are floating point numbers", ".astype(int)"
    ),
    Behaviour(
        "0.10.0",
        ("jax.devices", "jax.local_devices"),
        "a CPU device is called cpu:0, where it was TFRT_CPU_0",
    ),
    Behaviour(
        "0.11.0",
        ("jax.numpy.empty", "jax.numpy.empty_like"),
        "the elements are not initialized, where they were zero",
        "use jax.numpy.zeros or zeros_like",
    ),
    Behaviour(
        "0.12.0",
        ("jax.numpy.cross",),
        "vectors of two elements are refused",
        "append a zero to each, or write x[0] * y[1] - x[1] * y[0]",
    ),
)  # fmt: skip
"""The oldest first."""


def behaviours_between(old: str, new: str) -> tuple[Behaviour, ...]:
    """What changes for a program that ran on ``old`` and is to run on ``new``."""
    first, last = _order(old), _order(new)
    return tuple(each for each in BEHAVIOURS if first < _order(each.release) <= last)


def touched(name: str, old: str, new: str) -> tuple[Behaviour, ...]:
    """What changes about one name between two releases that both have it."""
    since = came_in(name)
    return tuple(
        each
        for each in behaviours_between(old, new)
        if each.touches(name) and (not since or _order(since) < _order(each.release))
    )


def _order(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))
