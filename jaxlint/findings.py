"""Findings, and the one place where selection and suppression are applied."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from jaxlint.config import Options
from jaxlint.edits import Fix
from jaxlint.source import Source, SourceError

if TYPE_CHECKING:
    from jaxlint.events import Place
    from jaxlint.imports.modules import Probed

CANNOT_CHECK = "JXL000"
"""Code of the finding that says: this file, or cell, was not checked. Never deselected."""

UNUSED_NOQA = "JXL001"
"""Code of the finding that says: this comment silences nothing."""

NOT_FINISHED = "JXL002"
"""Code of the note that says: the file was followed only up to here. Never deselected."""

ABOUT_THE_RUN = frozenset({CANNOT_CHECK, NOT_FINISHED})
"""Codes that say how far the run got, not what is wrong with the file."""

Severity = Literal["error", "warning", "note"]
"""``error``: JAX raises. ``warning``: it runs, and is wrong or slow. ``note``: no mistake."""


@dataclass(frozen=True, slots=True)
class Note:
    """One step of the chain of reasons, at its place.

    Attributes:
        again: the same mistake once more.
        file: the module that it is in, from the folder of the linted file; empty: that file.
        end_line, end_column: where the place ends; 0: it is not known.
    """

    line: int
    column: int
    text: str
    cell: int = 0
    again: bool = False
    file: str = ""
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A place in a module that the linted file imports; ``file``: from the folder of that file."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic.

    Lines count from 1, columns from 0, in characters. In a notebook they are those of
    the cell, whose number counts from 1 and cells of every type; else it is 0.
    ``happens_at``: the place of what goes wrong in another module, reached from here.
    ``fix``: edits that mend it, when a program can.
    """

    code: str
    message: str
    filename: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: Severity = "error"
    notes: tuple[Note, ...] = field(default=())
    cell: int = 0
    happens_at: Elsewhere | None = None
    fix: Fix | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.code} {self.message}"

    @property
    def where(self) -> str:
        """File, cell of a notebook, line and column (from 1)."""
        cell = f"cell {self.cell}:" if self.cell else ""
        return f"{self.filename}:{cell}{self.line}:{self.column + 1}"

    def path(self, file: str) -> str:
        """The path of a module that the finding names, as the linted file's is written."""
        if not file:
            return self.filename
        return os.path.normpath(os.path.join(os.path.dirname(self.filename), file))

    @property
    def parts(self) -> tuple[str, str]:
        """The message in two: what is wrong, and what to do about it (may be empty)."""
        return split(self.message)

    @property
    def places(self) -> list[tuple[int, int]]:
        """Cell and line of the mistake, and of each place where it is made again."""
        again = [(note.cell, note.line) for note in self.notes if note.again and not note.file]
        return [(self.cell, self.line), *again]


def split(message: str) -> tuple[str, str]:
    """A message in two: what is wrong, and what to do about it (may be empty)."""
    quoted = False
    for index, character in enumerate(message):
        quoted ^= character == "`"
        if not quoted and message.startswith("; ", index):
            return message[:index], message[index + 2 :]
    return message, ""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in one file, and how far jaxlint got.

    Attributes:
        filename: as the user wrote it.
        findings: by position.
        gave_up_at: where the abstract tracer had spent its steps: what runs from there on
            was not followed. None: it got to the end.
        probed: the modules of its project that it depends on.
    """

    filename: str
    findings: list[Finding]
    gave_up_at: Place | None = None
    probed: Probed | None = None

    @property
    def complete(self) -> bool:
        """Whether the whole file was followed."""
        return self.gave_up_at is None

    @property
    def note(self) -> Finding | None:
        """What users are told when the file was not followed to its end."""
        at = self.gave_up_at
        if at is None:
            return None
        place = (at.line, at.column, at.end_line, at.end_column)
        return Finding(NOT_FINISHED, _GAVE_UP, self.filename, *place, "note", cell=at.cell)

    @property
    def shown(self) -> list[Finding]:
        """The findings, and the note if there is one."""
        return self.findings if self.note is None else _sorted([*self.findings, self.note])


_GAVE_UP = (
    "jaxlint followed the file only to here, where its budget of steps was spent or code is "
    "nested too deeply; what runs later may hold more"
)


def settle(
    found: Checked, source: Source, options: Options, probed: Probed | None = None
) -> Checked:
    """Drop what the user does not want to see; sort the rest by position."""
    kept = [
        finding
        for finding in set(found.findings)
        if options.wants(finding.code, finding.filename)
        and not (
            options.noqa == "respected"
            and source.is_silenced(finding.code, finding.line, finding.cell)
        )
    ]
    mended = [each if options.mends(each.code) else replace(each, fix=None) for each in kept]
    return replace(found, findings=_sorted(mended), probed=probed)


def _sorted(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda f: (f.cell, f.line, f.column, f.code, f.message))


def internal_error(filename: str, error: BaseException) -> Finding:
    """The one finding for a file on which jaxlint itself failed."""
    reason = f"{type(error).__name__}: {error}".splitlines()[0][:120]
    message = (
        f"jaxlint failed on this file ({reason}); the other files were checked. "
        "Please report it with the file"
    )
    return Finding(CANNOT_CHECK, message, filename, 1, 0, 1, 0)


def not_checked(error: SourceError) -> Finding:
    """The one finding for a file that is not Python, or cannot be read."""
    line, column = max(error.line, 1), max(error.column, 0)
    message = f"{error.reason}; the file was not checked"
    return Finding(
        CANNOT_CHECK, message, error.filename, line, column, line, column, cell=error.cell
    )


def bad_cells(source: Source) -> list[Finding]:
    """A finding for each cell of a notebook that was left out."""
    findings = []
    for cell, line, column, reason in source.bad_cells:
        message = f"{reason}; the cell was not checked"
        name = source.filename
        findings.append(Finding(CANNOT_CHECK, message, name, line, column, line, column, cell=cell))
    return findings
