"""What a rule may know of a file besides its events."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from jaxlint.cells import Cells
from jaxlint.config import Options
from jaxlint.events import Place, RemovedApi, Site
from jaxlint.knowledge.jax_api import PACKAGE
from jaxlint.project import Releases, may_use_x64, releases_for
from jaxlint.source import Source

_NEAR = 30
"""Lines between two places of which a comment may speak."""

_ABOVE = 8
"""Lines above a place, with none between that is empty, in which a comment may speak of it."""

_SAME = re.compile(
    r"#.*\b(?:same|identical|reused?|reusing)\b.*"
    r"\b(?:\w*keys?|\w*rngs?|seeds?|nois\w*|random\w*|numbers|results?|samples?)\b",
    re.IGNORECASE,
)
_SAME_IN_PROSE = re.compile(
    r"\b(?:same|identical|reused?|reusing)\s+(?:\w+\s+)?`?"
    r"(?:\w*keys?|\w*rngs?|seeds?|states?|(?:random )?numbers)\b",
    re.IGNORECASE,
)
_DUMMY = re.compile(
    r"#.*\b(?:dummy|placeholder|unused|(?:not|never) (?:\w+ )?(?:used|needed)|irrelevant|"
    r"do(?:es)?(?:n't| not) matter)\b",
    re.IGNORECASE,
)
"""A comment which says that one key is used again on purpose."""


_COMPLAINS = re.compile(
    r"#.*\b(?:bug|fixme|todo|xxx|wrong\w*|mistake\w*|broken|oops|"
    r"(?:not|never|n't) (?:\w+ ){0,3}(?:same|identical|reus\w+))\b",
    re.IGNORECASE,
)
"""A comment which says that it should not be so."""


@dataclass(frozen=True)
class FileFacts:
    """A file and the options that hold for it; what costs a look at other files is looked up once.

    Attributes:
        source: the file.
        options: what the user asked for.
    """

    source: Source
    options: Options

    @cached_property
    def releases(self) -> Releases:
        """The releases of JAX that the project allows."""
        return self.releases_of(PACKAGE)

    def releases_of(self, package: str) -> Releases:
        """Those of a package that the project allows."""
        if package == PACKAGE:
            return releases_for(self.source.filename, self.options.jax)
        declared, bounds = (
            releases_for(self.source.filename, "", package),
            self.options.library_bounds,
        )
        if bounds == "both":
            return declared
        return Releases(f">={declared.lowest}" if declared.lowest and bounds == "lower" else "")

    @cached_property
    def may_use_x64(self) -> bool:
        """Whether 64 bit types may be on where the file runs."""
        return may_use_x64(self.source.filename, self.source.text)

    @cached_property
    def is_test(self) -> bool:
        """Whether the file is a test."""
        return self.options.is_test_file(self.source.filename)

    def says_same(self, first: Site, last: Site) -> bool:
        """Whether a comment at or above one of two places, or between them, says "same key".

        Above is the block of lines that the first one is in, as far as it is near. In a notebook
        the text beside one of their cells may say it, too.

        Or that it is a dummy, whose numbers are of no use. The sites must have places.
        """
        if first.place is None or last.place is None or first.place.file or last.place.file:
            return False
        lines = self.lines_at(first.place, last.place)
        if any(map(_is_on_purpose, lines)):
            return True
        return any(_SAME_IN_PROSE.search(self.prose_at(each)) for each in (first.place, last.place))

    def prose_at(self, place: Place) -> str:
        """The text cells beside a cell of a notebook; empty in other files."""
        return self.cells.stored.prose.get(place.cell, "") if self.cells is not None else ""

    def comments_at(self, place: Place) -> list[str]:
        """The comments at a place of the file, and in the block of lines above it."""
        return [line[line.find("#") :] for line in self.lines_at(place, place) if "#" in line]

    def lines_at(self, first: Place, last: Place) -> list[str]:
        """The lines from the block that a place is in to another place, if they are near."""
        end = self._number(last)
        start = self._number(first)
        start = start if end - _NEAR <= start <= end else end
        return [*self._above(start), *self._from(start, end)]

    def lines_above(self, place: Place) -> list[str]:
        """The lines before a place, of the block that it is in."""
        return self._above(self._number(place))

    def lines_from(self, first: Place, last: Place) -> list[str]:
        """The lines from one place to another; of many the last ones."""
        end = self._number(last)
        return self._from(max(self._number(first), end - _NEAR), end)

    def lines_behind(self, place: Place, count: int) -> list[str]:
        """So many lines after a place."""
        end = self._number(place)
        return [self.source.line(end + number) for number in range(1, count + 1)]

    def _number(self, place: Place) -> int:
        return self.source.program_line(place.cell, place.line)

    def _above(self, start: int) -> list[str]:
        above = start
        while above > max(start - _ABOVE, 1) and self.source.line(above - 1).strip():
            above -= 1
        above = max(min(above, start - 2), 1)
        return [self.source.line(number) for number in range(above, start)]

    def _from(self, start: int, end: int) -> list[str]:
        lines = [self.source.line(number) for number in range(start, end + 1)]
        after = self.source.line(end + 1)
        if after.lstrip().startswith((")", "]", "}")):
            lines.append(after)  # Where a formatter puts what stands behind a long call.
        return lines

    @property
    def cells(self) -> Cells | None:
        """The cells of a notebook or percent script; None in other files."""
        return self.source.cells

    def may_lack(self, went: RemovedApi, since: str) -> bool:
        """Whether the project allows a release from ``since`` on; no release is empty."""
        if not since or not self.releases.allow_from(went.needs or since):
            return False
        return went.package == PACKAGE or self.releases_of(went.package).allow_from(since)


def _is_on_purpose(line: str) -> bool:
    """Whether the comment of a line says that one key is used again on purpose."""
    says = _SAME.search(line) or _DUMMY.search(line)
    return says is not None and _COMPLAINS.search(line) is None
