"""What a notebook keeps around its code: what a cell showed when it ran, and the text beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_MOST = 20_000
"""Characters of what one cell showed that are kept."""

_NEAR = 800
"""Characters of the text above a cell, and below it, that are about the cell."""


@dataclass(frozen=True)
class Stored:
    """By the number of a code cell.

    Attributes:
        outputs: what it showed.
        prose: the text cells right above and below it, as far as they are near.
    """

    outputs: Mapping[int, str] = field(default_factory=dict)
    prose: Mapping[int, str] = field(default_factory=dict)


def stored_with(cells: Sequence[Any]) -> Stored:
    """What is stored with the cells of a notebook, as JSON has them."""
    read = [cell if isinstance(cell, dict) else {} for cell in cells]
    texts = [_joined(each.get("source")) if _is_text(each) else "" for each in read]
    outputs, prose = {}, {}
    for at, cell in enumerate(read):
        if cell.get("cell_type") == "code":
            outputs[at + 1] = "\n".join(_shown(cell))[:_MOST]
            above, below = texts[max(at - 1, 0) : at], texts[at + 1 : at + 2]
            prose[at + 1] = "".join(above)[-_NEAR:] + "\n" + "".join(below)[:_NEAR]
    return Stored(outputs, prose)


def _is_text(cell: Mapping[str, Any]) -> bool:
    return cell.get("cell_type") in ("markdown", "raw")


def _shown(cell: Mapping[str, Any]) -> Iterator[str]:
    """The text of what a cell showed; pictures have a text that says only what they are."""
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, dict):
            yield _joined(output.get("text"))
            data = output.get("data")
            yield _joined(data.get("text/plain")) if isinstance(data, dict) else ""


def _joined(text: Any) -> str:
    """A text of the format, which may be a list of its lines."""
    lines = text if isinstance(text, list) else [text]
    return "".join(line for line in lines if isinstance(line, str))
