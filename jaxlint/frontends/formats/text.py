"""For people: the source with a caret, the chain of reasons as numbered notes, a help line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import StringIO

from rich.console import Console
from rich.text import Text

from jaxlint.findings import Elsewhere, Finding, Note, on_one_line
from jaxlint.frontends.formats.report import Report

_CONTEXT = 1
_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
_TAB = 4


def write(report: Report, colours: bool = False) -> str:
    """The report as text, with terminal colours when asked for."""
    console = Console(
        file=StringIO(), force_terminal=colours, no_color=not colours, highlight=False,
        soft_wrap=True, color_system="standard" if colours else None, emoji=False, markup=False,
    )  # fmt: skip
    for finding in report.findings:
        for line in _frame(report, finding):
            console.print(line)
        console.print()
    console.print(summary(report))
    out = console.file
    assert isinstance(out, StringIO)
    return out.getvalue()


def summary(report: Report) -> str:
    """How much was found, in one line."""
    findings = report.mistakes
    count = len(findings)
    short = len(report.findings) - count
    rest = f"; {_files(short)} not followed to the end" if short else ""
    old = f"; {report.suppressed} in the baseline" if report.suppressed else ""
    where = len({finding.filename for finding in findings})
    if not count:
        return f"No findings in {_files(len(report.linted))}{old}{rest}."
    errors = sum(finding.severity == "error" for finding in findings)
    kinds = f"{_times(errors, 'error')}, {_times(count - errors, 'warning')}"
    return (
        f"Found {_times(count, 'finding')} ({kinds}) in {where} of "
        f"{_files(len(report.linted))}{old}{rest}. What a code means: jaxlint rule CODE"
    )


def _times(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _files(number: int) -> str:
    return _times(number, "file")


def _frame(report: Report, finding: Finding) -> Iterator[Text]:
    what, advice = map(on_one_line, finding.parts)
    yield Text.assemble((finding.code, _STYLES[finding.severity]), " ", (what, "bold"))
    happens = finding.happens_at
    width = len(str(max(finding.line, happens.line if happens else 0) + _CONTEXT))
    margin = " " * width
    yield Text.assemble((f"{margin}--> ", "blue"), on_one_line(finding.where))
    yield from _source(report, finding, width)
    if happens is not None:
        there = _as_found_there(finding, happens)
        yield Text.assemble((f"{margin}--> ", "blue"), f"happens at {on_one_line(there.where)}")
        yield from _source(report, there, width)
    for number, note in enumerate(finding.notes, 1):
        at = on_one_line(f"{_inside(finding, note)}line {note.line}: {note.text}")
        yield Text.assemble((f"{margin} {number}. ", "blue"), at)
    if advice:
        yield Text.assemble((f"{margin} = ", "blue"), ("help: ", "bold"), advice)


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


def _source(report: Report, finding: Finding, width: int) -> Iterator[Text]:
    """The line, those around it, and a caret below; nothing for a line that is not there."""
    name, cell, line = finding.filename, finding.cell, finding.line
    own = report.line(name, cell, line)
    if not own.strip():
        return
    margin = " " * width
    yield Text(f"{margin} |", "blue")
    around = range(max(line - _CONTEXT, 1), line + _CONTEXT + 1)
    for number in around:
        text = report.line(name, cell, number)
        if number != line and not text.strip():
            continue
        yield Text.assemble((f"{number:>{width}} | ", "blue"), _shown(text))
        if number == line:
            before = len(_shown(own[: finding.column]))
            end = finding.end_column if finding.end_line == line else len(own.rstrip())
            carets = "^" * max(len(_shown(own[:end])) - before, 1)
            style = _STYLES[finding.severity]
            yield Text.assemble((f"{margin} | ", "blue"), " " * before, (carets, style))
    yield Text(f"{margin} |", "blue")


def _shown(text: str) -> str:
    """Text as a terminal can show it: tabs as blanks, control characters as dots."""
    text = text.rstrip("\r\n").replace("\t", " " * _TAB)
    return "".join(c if c.isprintable() else "." for c in text)
