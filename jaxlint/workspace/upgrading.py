"""From one release of JAX to another: what is asked of a file, and what it uses that changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from jaxlint.config import Options
from jaxlint.fixes.bindings import Bindings
from jaxlint.knowledge import behaviours
from jaxlint.knowledge.behaviours import Behaviour
from jaxlint.knowledge.history import releases
from jaxlint.program import nodes as n
from jaxlint.program.lower_ast import lower_ast
from jaxlint.program.spots import Spot
from jaxlint.project import parse_version, releases_for
from jaxlint.source import Source, SourceError

CODES = ("JXL601", "JXL602")
"""The rules about names, parameters and ways of calling that went, or are going."""


@dataclass(frozen=True)
class Upgrade:
    """Which releases the code is for.

    Attributes:
        since: the oldest release that it must run on; empty: what its project states.
        until: the newest.
        new_only: the older ones need not run it any more.
    """

    since: str
    until: str
    new_only: bool = False

    def oldest(self, filename: str) -> str:
        """The oldest release that a file has run on; empty when nobody says."""
        return self.since or releases_for(filename).lowest

    def options(self, filename: str, options: Options) -> Options:
        """The options of a file for this upgrade: those of its project otherwise."""
        oldest = self.oldest(filename)
        allowed = f"=={self.until}"
        if oldest and not self.new_only:
            allowed = f">={oldest},<={self.until}"
        return replace(
            options, select=CODES, extend_select=(), ignore=(), per_file_ignores=(),
            jax=allowed, library_bounds="none" if self.new_only else "lower", silent_in_tests=False,
        )  # fmt: skip


def release_like(text: str) -> str:
    """The newest release that a version such as ``0.12`` stands for; empty when none is known."""
    wanted = parse_version(text)
    fits = [each for each in releases() if parse_version(each)[: len(wanted)] == wanted]
    return fits[-1] if wanted and fits else ""


@dataclass(frozen=True)
class Touched:
    """Something in a file whose behaviour changed, at a line of it (of a cell of a notebook)."""

    behaviour: Behaviour
    name: str
    cell: int
    line: int


def touched(source: Source, upgrade: Upgrade) -> list[Touched]:
    """What of a file does something else on the newest release than on the oldest."""
    oldest = upgrade.oldest(source.filename)
    if not oldest or not source.uses_jax:
        return []
    try:
        program = lower_ast(source)
    except (SourceError, RecursionError):
        return []
    found = {
        Touched(behaviour, name, *source.at(line, 0)[:2])
        for name, line in _names(program)
        for behaviour in behaviours.touched(name, oldest, upgrade.until)
    }
    return sorted(found, key=lambda each: (each.behaviour.release, each.cell, each.line, each.name))


def _names(program: n.Module) -> Iterator[tuple[str, int]]:
    """The full names of what a file imports and uses, and the lines."""
    bindings = Bindings(program)
    for name, nodes in bindings.reads.items():
        qualified = bindings.imports_at_the_top(name)
        for node in nodes if qualified.startswith("jax") else ():
            yield from _above(qualified, node, bindings)


def _above(qualified: str, node: n.Node, bindings: Bindings) -> Iterator[tuple[str, int]]:
    """A name, and every longer one that attributes of it make."""
    at: n.Node | None = node
    while at is not None:
        assert isinstance(at.origin, Spot)
        yield qualified, at.origin.line
        at = bindings.attributes.get(id(at))
        if isinstance(at, n.Attribute):
            qualified = f"{qualified}.{at.attr}"
