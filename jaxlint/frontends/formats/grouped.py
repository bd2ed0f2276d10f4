"""For people who work file by file: each file once, its findings below it."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.findings import Finding
from jaxlint.frontends.formats.painting import link, paint
from jaxlint.frontends.formats.report import Report
from jaxlint.frontends.formats.text import STYLES, summary
from jaxlint.one_line import on_one_line


def write(report: Report, colours: bool = False, hyperlinks: bool = False) -> str:
    """The report as text, with terminal colours, and codes that are links, when asked for."""
    pages = {code: report.page(code) for code in report.counts()} if hyperlinks else {}
    lines = [line for linted in report.linted for line in _file(linted.findings, colours, pages)]
    return "".join(f"{line}\n" for line in [*lines, summary(report)])


def _file(findings: list[Finding], colours: bool, pages: dict[str, str]) -> Iterator[str]:
    if not findings:
        return
    yield paint(on_one_line(findings[0].filename), "bold", colours)
    places = [each.where[len(each.filename) + 1 :] for each in findings]
    width = max(map(len, places))
    for finding, place in zip(findings, places, strict=True):
        code = paint(finding.code, STYLES[finding.severity], colours)
        code = link(code, pages.get(finding.code, ""))
        yield f"  {place:>{width}}  {code} {on_one_line(finding.message)}"
    yield ""
