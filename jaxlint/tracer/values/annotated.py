"""What the annotation of an array says of its dtype and shape."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.knowledge.annotations import ANNOTATED_DTYPES
from jaxlint.program import nodes as n
from jaxlint.tracer.values.avals import UNKNOWN_AVAL, Aval
from jaxlint.tracer.values.sizes import Dim, Shape

_JAXTYPING = "jaxtyping."


def annotated_aval(annotation: n.Node | None, resolve: Callable[[n.Node], str | None]) -> Aval:
    """What ``Float[Array, "batch 3"]`` says: a kind of dtypes, a rank, and a size.

    That two axes of one name have one size is not read: nobody checks it when JAX runs.
    """
    if not isinstance(annotation, n.Subscript) or not isinstance(annotation.index, n.Display):
        return UNKNOWN_AVAL
    name = resolve(annotation.value) or ""
    kind = name.removeprefix(_JAXTYPING)
    if kind == name or kind not in ANNOTATED_DTYPES:
        return UNKNOWN_AVAL
    said = annotation.index.elements[-1]
    text = said.value if isinstance(said, n.Constant) else None
    shape = _shape(text) if isinstance(text, str) else None
    return Aval(shape, ANNOTATED_DTYPES[kind])


def _shape(text: str) -> Shape:
    """The axes that a text lists; None where some of them may be any number of axes."""
    axes = text.split()
    if any("..." in axis or "*" in axis[:2] for axis in axes):
        return None
    return tuple(map(_size, axes))


def _size(axis: str) -> Dim:
    """A number, also behind a name: ``channels=3``."""
    number = axis.rpartition("=")[2]
    return int(number) if number.isdecimal() and not axis.startswith("#") else None
