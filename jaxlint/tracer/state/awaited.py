"""Registries of other modules that nobody has asked yet for what was put in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.tracer.values.value import Value

if TYPE_CHECKING:
    from jaxlint.tracer.state.frames import Frame


@dataclass(slots=True)
class Awaited:
    """Registries of other modules that nobody has asked yet for what was put in.

    Each with the names of what a module uses that puts something in.

    Attributes:
        names: by the variables of their module and their name, with what they are.
        of_classes: by the attribute of a class that holds one.
        neighbours: the modules that are imported with each, as far as anybody asked.
    """

    names: dict[tuple[Frame, str], tuple[Value, frozenset[str]]] = field(default_factory=dict)
    of_classes: dict[str, frozenset[str]] = field(default_factory=dict)
    neighbours: dict[Path, list[Path]] = field(default_factory=dict)
