"""What libraries of neural networks do with the classes that a program derives from theirs."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.knowledge import jax_api


@dataclass(frozen=True, slots=True)
class ModuleMethod:
    """A method that a library adds to a module class, and that runs its ``__call__``.

    Attributes:
        first: how many positional arguments come before those of ``__call__``.
        options: keyword arguments that are not passed on.
    """

    first: int
    options: frozenset[str] = frozenset()


_LINEN_OPTIONS = frozenset({"rngs", "mutable", "method", "capture_intermediates"})

MODULE_METHODS: dict[tuple[str, str], ModuleMethod] = {
    ("flax.linen.Module", "apply"): ModuleMethod(1, _LINEN_OPTIONS),
    ("flax.linen.Module", "init"): ModuleMethod(1, _LINEN_OPTIONS),
}
"""Base class and method -> what it does."""


@dataclass(frozen=True, slots=True)
class KeyUse:
    """A function or method that uses up the PRNG key it is given.

    Attributes:
        position: of the key; None where only a keyword gives it.
        keywords: by which it is given.
    """

    position: int | None
    keywords: tuple[str, ...] = ()


_BY_KEY = KeyUse(None, ("key",))

KEY_FUNCTIONS: dict[str, KeyUse] = {
    "numpyro.sample": KeyUse(None, ("rng_key",)),
    **{
        f"equinox.nn.{name}": _BY_KEY
        for name in (
            "Conv", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose", "ConvTranspose1d",
            "ConvTranspose2d", "ConvTranspose3d", "Embedding", "GRUCell", "LSTMCell", "Linear",
            "MLP", "MultiheadAttention",
        )
    },
}  # fmt: skip
"""Functions and classes of libraries that use up a PRNG key."""

KEY_METHODS: dict[str, KeyUse] = {
    "init": KeyUse(0, ("rngs", "rng")),
    "init_with_output": KeyUse(0, ("rngs",)),
    "apply": KeyUse(None, ("rngs",)),
    "sample": KeyUse(0, ("seed", "rng_key", "rng", "key")),
    "sample_and_log_prob": KeyUse(None, ("seed",)),
    "reset": KeyUse(0, ("key", "rng")),
    "step": KeyUse(0, ("key", "rng")),
}
"""Methods of modules, distributions and environments (flax, haiku, distrax, numpyro, gymnax,
brax) that use up what they are given, if it is a PRNG key."""

FOLDS_KEYS = frozenset({".init", ".init_with_output", ".apply"})
"""Those of them that fold a place into the key: it is drawn from again by the same method alone."""

INITIALIZER_MODULES = ("jax.nn.initializers", "flax.linen.initializers", "flax.nnx.initializers")
"""Where the initializers of parameters are."""

INITIALIZER_FACTORIES = frozenset(
    {"delta_orthogonal", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform",
     "kaiming_normal", "kaiming_uniform", "lecun_normal", "lecun_uniform", "normal", "orthogonal",
     "truncated_normal", "uniform", "variance_scaling", "xavier_normal", "xavier_uniform"}
)  # fmt: skip
"""Functions there that make an initializer which draws from the PRNG key it is given."""

INITIALIZER = "jax.nn.initializers.<initializer>"
"""What they make."""

KEY_EVIDENCE = jax_api.KEY_FUNCTIONS | KEY_METHODS.keys() | {"initializers"}
"""Names of which a file that uses PRNG keys reads at least one."""
