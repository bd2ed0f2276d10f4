"""What libraries of neural networks do with the classes that a program derives from theirs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModuleMethod:
    """A method that a library adds to a module class, and that runs its ``__call__``.

    Attributes:
        first: how many positional arguments come before those of ``__call__``.
        options: keyword arguments that are not passed on.
        key: position and keyword of a PRNG key that it uses up.
        returns: it gives back what ``__call__`` returns.
    """

    first: int
    options: frozenset[str] = frozenset()
    key: tuple[int, str] | None = None
    returns: bool = True


_LINEN_OPTIONS = frozenset({"rngs", "mutable", "method", "capture_intermediates"})

MODULE_METHODS: dict[tuple[str, str], ModuleMethod] = {
    ("flax.linen.Module", "apply"): ModuleMethod(1, _LINEN_OPTIONS),
    ("flax.linen.Module", "init"): ModuleMethod(1, _LINEN_OPTIONS, key=(0, "rngs"), returns=False),
}
"""Base class and method -> what it does."""
