"""What is wrong with the ``# noqa`` comments of a file: codes that there are not, or no use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from jaxlint.config import Options
from jaxlint.edits import Edit, Fix
from jaxlint.findings import UNUSED_NOQA, Checked, Finding
from jaxlint.rules.codes import advice, problem_with
from jaxlint.source import Noqa, Source

_OURS = "JXL"


def about_comments(found: Checked, source: Source, options: Options) -> list[Finding]:
    """The findings about comments.

    Args:
        found: all findings of the file, silenced or not.
        source: the file.
        options: codes that are not wanted are not asked of the comments either.
    """
    if _OURS not in source.text.upper():
        return []
    findings = [*_unknown(source)]
    if options.unused_noqa and found.complete:
        findings += _unused(found.findings, source, options)
    return findings


def _unknown(source: Source) -> Iterator[Finding]:
    """A finding for each comment with codes that jaxlint does not have."""
    for comment in source.noqa_comments:
        unknown = [code for code in _ours(comment) if problem_with(code)]
        if unknown:
            said = "; ".join(f"there is no {code}, {advice(code)}" for code in unknown)
            yield _finding(comment, f"this noqa comment silences nothing: {said}", source)


def _unused(findings: Iterable[Finding], source: Source, options: Options) -> Iterator[Finding]:
    """A finding for each comment with codes of jaxlint's that silences nothing."""
    places = {
        (source.program_line(finding.cell, finding.line), finding.code) for finding in findings
    }
    for comment in source.noqa_comments:
        idle = [
            code
            for code in _ours(comment)
            if not problem_with(code)
            and options.wants(code, source.filename)
            and not any(at in comment.lines and c.startswith(code) for at, c in places)
        ]
        if idle:
            codes = ", ".join(idle)
            message = f"`# noqa: {codes}` silences nothing here; delete it"
            yield replace(_finding(comment, message, source), fix=_without(source, comment, idle))


def _without(source: Source, comment: Noqa, idle: list[str]) -> Fix:
    """Takes codes out of a comment; the comment too when nothing is left of it."""
    cell, line, column = source.at(comment.line, comment.column)
    text, end = source.line(comment.line), comment.column + comment.width
    kept = [code for code in comment.listed if code.upper() not in idle]
    if kept:
        start = comment.column + text[comment.column : end].index(comment.listed[0])
        edit = Edit(line, start, line, end, ", ".join(kept), cell)
        return Fix("Take the codes out of the comment", (edit,), True)
    start, rest = comment.column, text[end:].lstrip()
    end = len(text) - len(rest)
    if not rest:
        start = len(text[:start].rstrip())
    # What the comment says besides is a comment still.
    new = "# " if rest and not rest.startswith("#") else ""
    shift = column - comment.column
    edit = Edit(line, start + shift, line, end + shift, new, cell)
    return Fix("Delete the comment", (edit,), True)


def _ours(comment: Noqa) -> list[str]:
    return [code for code in sorted(comment.codes) if code.startswith(_OURS)]


def _finding(comment: Noqa, message: str, source: Source) -> Finding:
    cell, line, column = source.at(comment.line, comment.column)
    place = (line, column, line, column + comment.width)
    return Finding(UNUSED_NOQA, message, source.filename, *place, "warning", cell=cell)
