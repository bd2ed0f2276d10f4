"""For people: the source with a caret, the chain of reasons as numbered notes, a help line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from jaxlint.findings import Elsewhere, Finding, Note
from jaxlint.frontends.formats.painting import assemble, link, paint
from jaxlint.frontends.formats.report import Report
from jaxlint.one_line import on_one_line

_CONTEXT = 1
STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
_TAB = 4


def write(report: Report, colours: bool = False, hyperlinks: bool = False) -> str:
    """The report as text, with terminal colours, and codes that are links, when asked for."""
    lines = []
    for finding in report.findings:
        lines += [*_Frame(report, colours, hyperlinks).draw(finding), ""]
    return "".join(f"{line}\n" for line in [*lines, summary(report)])


def summary(report: Report) -> str:
    """How much was found, in one line."""
    findings = report.mistakes
    count = len(findings)
    short = len(report.findings) - count
    rest = f"; {_files(short)} not followed to the end" if short else ""
    old = f"; {report.suppressed} in the baseline" if report.suppressed else ""
    old += f"; {report.fixed} fixed" if report.fixed else ""
    fixable = f" Can be fixed: {report.fixable}." if report.fixable else ""
    where = len({finding.filename for finding in findings})
    if not count:
        return f"No findings in {_files(len(report.linted))}{old}{rest}."
    errors = sum(finding.severity == "error" for finding in findings)
    kinds = f"{_times(errors, 'error')}, {_times(count - errors, 'warning')}"
    return (
        f"Found {_times(count, 'finding')} ({kinds}) in {where} of "
        f"{_files(len(report.linted))}{old}{rest}.{fixable} What a code means: jaxlint rule CODE"
    )


def _times(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _files(number: int) -> str:
    return _times(number, "file")


class _Frame:
    """Draws findings."""

    def __init__(self, report: Report, colours: bool, hyperlinks: bool) -> None:
        self._report = report
        self._colours = colours
        self._hyperlinks = hyperlinks

    def draw(self, finding: Finding) -> Iterator[str]:
        """The lines of one."""
        what, advice = map(on_one_line, finding.parts)
        yield self._line(self._code(finding), " ", (what, "bold"))
        happens = finding.happens_at
        width = len(str(max(finding.line, happens.line if happens else 0) + _CONTEXT))
        margin = " " * width
        yield self._line((f"{margin}--> ", "blue"), on_one_line(finding.where))
        yield from self._source(finding, width)
        if happens is not None:
            there = _as_found_there(finding, happens)
            yield self._line((f"{margin}--> ", "blue"), f"happens at {on_one_line(there.where)}")
            yield from self._source(there, width)
        for number, note in enumerate(finding.notes, 1):
            at = on_one_line(f"{_inside(finding, note)}line {note.line}: {note.text}")
            yield self._line((f"{margin} {number}. ", "blue"), at)
        if advice:
            yield self._line((f"{margin} = ", "blue"), ("help: ", "bold"), advice)

    def _code(self, finding: Finding) -> str:
        code = paint(finding.code, STYLES[finding.severity], self._colours)
        return link(code, self._report.page(finding.code)) if self._hyperlinks else code

    def _line(self, *parts: str | tuple[str, str]) -> str:
        return assemble(self._colours, *parts)

    def _source(self, finding: Finding, width: int) -> Iterator[str]:
        """The line, those around it, and a caret below; nothing for a line that is not there."""
        name, cell, line = finding.filename, finding.cell, finding.line
        own = self._report.line(name, cell, line)
        if not own.strip():
            return
        margin = " " * width
        yield self._line((f"{margin} |", "blue"))
        for number in range(max(line - _CONTEXT, 1), line + _CONTEXT + 1):
            text = self._report.line(name, cell, number)
            if number != line and not text.strip():
                continue
            yield self._line((f"{number:>{width}} | ", "blue"), _shown(text)).rstrip()
            if number == line:
                before = len(_shown(own[: finding.column]))
                end = finding.end_column if finding.end_line == line else len(own.rstrip())
                carets = "^" * max(len(_shown(own[:end])) - before, 1)
                style = STYLES[finding.severity]
                yield self._line((f"{margin} | ", "blue"), " " * before, (carets, style))
        yield self._line((f"{margin} |", "blue"))


def _as_found_there(finding: Finding, happens: Elsewhere) -> Finding:
    """A finding as it would be in the module in which it happens."""
    return replace(
        finding, filename=finding.path(happens.file), cell=0, line=happens.line,
        column=happens.column, end_line=happens.end_line, end_column=happens.end_column,
    )  # fmt: skip


def _inside(finding: Finding, note: Note) -> str:
    """What a note names before its line, when that is not in the file of the finding."""
    if note.file:
        return f"{finding.path(note.file)}, "
    return f"cell {note.cell}, " if note.cell else ""


def _shown(text: str) -> str:
    """Text as a terminal can show it: tabs as blanks, control characters as dots."""
    text = text.rstrip("\r\n").replace("\t", " " * _TAB)
    return "".join(c if c.isprintable() else "." for c in text)
