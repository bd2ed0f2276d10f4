"""``jaxlint check --add-noqa``: a comment at every finding, for an old code base."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.findings import ABOUT_THE_RUN, UNUSED_NOQA, Finding
from jaxlint.frontends.complaints import fail, warn
from jaxlint.source import Source, is_notebook
from jaxlint.workspace.noqa_comments import with_noqa

if TYPE_CHECKING:
    from jaxlint.frontends.formats.report import Report
    from jaxlint.workspace.lint import Linted

_CLEAN, _TROUBLE = 0, 2


def add_comments(report: Report) -> int:
    """Write the comments into the files; returns the exit code."""
    added = left = 0
    for linted in report.linted:
        wanted = [f for f in linted.findings if f.code not in {UNUSED_NOQA, *ABOUT_THE_RUN}]
        if not wanted:
            continue
        written = 0 if is_notebook(linted.filename) else _add(linted, wanted)
        if written < 0:
            return _TROUBLE
        added += written
        left += len(wanted) - written
    rest = f"; {left} findings are in notebooks, or have no place for one" if left else ""
    warn(f"{added} findings silenced by a noqa comment{rest}")
    return _TROUBLE if report.failed else _CLEAN


def _add(linted: Linted, findings: list[Finding]) -> int:
    """How many findings of a file are silenced now; -1: it cannot be written."""
    path = Path(linted.filename)
    try:
        # As bytes: line ends and encoding stay as they are, in what is not touched.
        data = path.read_bytes()
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return 0
    written = 0
    for finding in sorted(findings, key=lambda each: each.line, reverse=True):
        if not Source(text).is_silenced(finding.code, finding.line):
            insertion = with_noqa(text, finding.code, finding.line)
            if insertion is None:
                continue
            text = insertion.apply(text)
        written += 1
    try:
        path.write_bytes(text.encode("utf-8"))
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}")
        return -1
    return written
