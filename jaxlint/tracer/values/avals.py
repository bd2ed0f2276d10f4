"""Abstract values of arrays, as JAX has them: shape, dtype, weak type."""

from __future__ import annotations

from dataclasses import dataclass


class Size:
    """The unknown size of an axis; the same object is the same size."""

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name = name


Dim = int | Size | None


@dataclass(frozen=True, slots=True)
class Aval:
    """What JAX knows of an array while tracing, as far as jaxlint knows it."""

    shape: tuple[Dim, ...] | None = None
    dtype: str | None = None
    weak: bool | None = None

    @property
    def rank(self) -> int | None:
        """Number of axes; None when unknown."""
        return len(self.shape) if self.shape is not None else None
