"""Applies the fixes of a file's findings, until none is left: text in, text out, then written.

A pass takes the fixes that do not touch the same text; the next one lints what came out.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.config import Options
from jaxlint.edits import Edit, overlapping
from jaxlint.findings import Finding
from jaxlint.source import SourceError, decode, read_bytes
from jaxlint.workspace.lint import Linted, Task, lint
from jaxlint.workspace.written import CannotWrite, edited, write_over

_MOST_PASSES = 100
_NEW_NAME = re.compile(r"^[ \t]*(\w+) = ", re.MULTILINE)

_GENERATED = re.compile(
    rb"(?:[ \t]*(?:#[^\r\n]*)?[\r\n]+)*?[ \t]*#[^\r\n]*(?:@generated|DO NOT EDIT)"
)
"""A comment above the first line of code that says that a program writes the file."""


@dataclass
class Fixed(Linted):
    """A file after its fixes. ``findings`` are those that are left.

    Attributes:
        applied: the findings that were mended, in the order of the passes.
        before, after: the bytes of the file.
        problem: why the file was left as it is; empty when it was not.
    """

    applied: list[Finding] = field(default_factory=list)
    before: bytes = b""
    after: bytes = b""
    problem: str = ""

    @property
    def changed(self) -> bool:
        """Whether anything was mended."""
        return self.after != self.before

    def diff(self) -> str:
        """What changes, as a unified diff."""
        try:
            before, after = (_text(data, self.filename) for data in (self.before, self.after))
        except SourceError:
            return ""
        lines = difflib.unified_diff(before, after, self.filename, self.filename)
        return "".join(line if line.endswith("\n") else f"{line}\n{_NO_END}" for line in lines)


_NO_END = "\\ No newline at end of file\n"


def _text(data: bytes, name: str) -> list[str]:
    """The lines of a file for a diff; of a notebook those of its cells, not of its JSON."""
    return decode(data, name).text.splitlines(keepends=True)


@dataclass(frozen=True)
class FixTask(Task):
    """A file to be mended.

    Attributes:
        write: the file is written; else it only comes out what would be.
    """

    write: bool = True

    def run(self) -> Fixed:
        """Mend the file."""
        try:
            data = read_bytes(Path(self.path), self.path)
        except SourceError as error:
            return Fixed(self.path, problem=error.reason)
        fixed = fix_bytes(self.path, data, self.options)
        if self.write and fixed.changed:
            try:
                write_over(Path(self.path), fixed.before, fixed.after)
            except CannotWrite as error:
                return Fixed(self.path, before=data, after=data, problem=str(error))
        return fixed


def wanted(finding: Finding, options: Options) -> bool:
    """Whether a finding can be mended, by what the user allows."""
    return finding.fix is not None and (finding.fix.safe or options.unsafe_fixes)


def fix_bytes(name: str, data: bytes, options: Options) -> Fixed:
    """Mend a file that has been read.

    Args:
        name: as the user wrote it; tells what kind of file it is.
        data: what it holds.
        options: which rules speak, and mend.
    """
    fixed = Fixed(name, before=data, after=data)
    seen = {data}
    for _ in range(_MOST_PASSES):
        linted = lint(name, lambda: decode(fixed.after, name), options)
        fixed.findings, fixed.failed, fixed.probed = linted.findings, linted.failed, linted.probed
        chosen = that_fit([each for each in linted.findings if wanted(each, options)])
        if chosen and _GENERATED.match(data):
            fixed.problem = "it says that it is generated: mend what it is made from"
            return fixed
        try:
            data, chosen = _after(fixed.after, name, chosen)
        except CannotWrite as error:
            fixed.problem = str(error)
            return fixed
        if data in seen:
            break
        seen.add(data)
        fixed.after = data
        fixed.applied += chosen
    return fixed


def that_fit(findings: Iterable[Finding]) -> list[Finding]:
    """Findings whose fixes do not touch the same text, the first ones of the file first.

    Nor bind the same new name: each has taken one that nobody had.
    """
    chosen: list[Finding] = []
    edits: list[Edit] = []
    names: set[str] = set()
    for finding in findings:
        assert finding.fix is not None
        # What several fixes need, such as an import, is added once.
        new = [edit for edit in finding.fix.edits if edit not in edits]
        bound = {name for edit in new for name in _NEW_NAME.findall(edit.text) if edit.adds}
        if not overlapping([*edits, *new]) and names.isdisjoint(bound):
            chosen.append(finding)
            edits += new
            names |= bound
    return chosen


def _after(data: bytes, name: str, findings: list[Finding]) -> tuple[bytes, list[Finding]]:
    """A file after some fixes, and which: one after which it is no Python any more is left out.

    Raises:
        CannotWrite: the file cannot be written as it was.
    """
    new = edited(data, name, _edits(findings))
    unread = _unread_cells(data, name)
    if _unread_cells(new, name) == unread:
        return new, findings
    kept: list[Finding] = []
    for finding in findings:
        if _unread_cells(edited(data, name, _edits([*kept, finding])), name) == unread:
            kept.append(finding)
    return edited(data, name, _edits(kept)), kept


def _edits(findings: Iterable[Finding]) -> list[Edit]:
    found = [edit for finding in findings if finding.fix for edit in finding.fix.edits]
    return list(dict.fromkeys(found))


def _unread_cells(data: bytes, name: str) -> int:
    """How many cells of a notebook Python does not accept; -1 for a file that it does not."""
    try:
        source = decode(data, name)
        return len(source.bad_cells) if source.tree else -1
    except SourceError:
        return -1
