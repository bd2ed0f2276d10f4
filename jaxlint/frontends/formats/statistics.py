"""How often each code was found, instead of the findings; and what could not be followed."""

from __future__ import annotations

import json

from jaxlint.frontends.formats.report import Report, name_and_summary, on_one_line
from jaxlint.imports.missing import missing
from jaxlint.imports.modules import Library

_SHOWN = 5
"""Modules that are named."""


def as_text(report: Report) -> str:
    """For people: the most frequent code first, then what there is in all."""
    counts = _counts(report)
    width = len(str(len(report.findings)))
    lines = [
        f"{count:>{width}}  {code}  {name:<26}  {summary}"
        for code, count in counts.items()
        for name, summary in [name_and_summary(code)]
    ]
    if counts:
        where = _times(len(_files_with_findings(report)), "file")
        lines.append(
            f"{len(report.findings):>{width}}  in all: {_severities(report)}; in {where} of "
            f"{len(report.linted)}"
        )
    unknown = _not_found(report)
    if unknown:
        some = ", ".join(map(on_one_line, unknown[:_SHOWN])) + ", ..." * (len(unknown) > _SHOWN)
        what = _times(len(unknown), "module")
        lines.append(f"{what} of the project could not be found or read: {some}")
    return "".join(f"{line}\n" for line in lines)


def as_json(report: Report) -> str:
    """For programs."""
    rules = [
        {"code": code, "name": name_and_summary(code)[0], "count": count}
        for code, count in _counts(report).items()
    ]
    data = {
        "codes": rules,
        "total": len(report.findings),
        "files": len(report.linted),
        "files_with_findings": len(_files_with_findings(report)),
        "in_baseline": report.suppressed,
        "modules_not_found": _not_found(report),
    }
    return json.dumps(data, indent=2) + "\n"


def _counts(report: Report) -> dict[str, int]:
    counts = report.counts()
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _files_with_findings(report: Report) -> set[str]:
    return {finding.filename for finding in report.findings}


def _severities(report: Report) -> str:
    found = [finding.severity for finding in report.findings]
    kinds = ((found.count(each), each) for each in ("error", "warning", "note"))
    return ", ".join(_times(count, kind) for count, kind in kinds if count)


def _times(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _not_found(report: Report) -> list[str]:
    library = Library()
    return sorted({name for each in report.linted for name in missing(each.probed, library)})
