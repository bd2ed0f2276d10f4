"""What the fixes changed, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from jaxlint.confirm.places import shown
from jaxlint.confirm.program.comparison import Compared, ComparedFunction, Comparison, Work, work_of
from jaxlint.confirm.program.report import Report
from jaxlint.confirm.program.verdicts import Verdict


def comparison_as_data(comparison: Comparison) -> dict[str, Any]:
    """JSON types only. Files are those of the project; lines and columns count from 1."""
    return {
        "applied": [
            {"file": shown(file), "code": code, "title": title, "count": count}
            for file, titles in comparison.mended.titles.items()
            for (code, title), count in titles.items()
        ],
        "remarks": comparison.remarks,
        "before": _run(comparison.before),
        "after": _run(comparison.after),
        "counts": comparison.fates,
        "findings": [_finding(each) for each in comparison.findings],
        "functions": [_function(each) for each in comparison.functions if each.differs],
    }


def _run(report: Report) -> dict[str, Any]:
    return {
        "exit_code": report.ending.code,
        "seconds": round(report.ending.seconds, 3),
        "counts": {**report.counts, "missed": len(report.missed)},
        "work": _work(work_of(report, libraries=False)),
        "work_of_libraries": _work(work_of(report, libraries=True)),
    }


def _work(work: Work) -> dict[str, Any]:
    return {**asdict(work), "seconds": round(work.seconds, 6)}


def _finding(compared: Compared) -> dict[str, Any]:
    return {
        "code": compared.any.finding.code,
        "file": shown(compared.file),
        "message": compared.any.finding.message,
        "fate": compared.fate,
        "before": _verdict(compared.before),
        "after": _verdict(compared.after),
    }


def _verdict(verdict: Verdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    return {
        "line": verdict.finding.line,
        "column": verdict.finding.column + 1,
        "verdict": verdict.outcome,
        "evidence": verdict.evidence,
    }


def _function(function: ComparedFunction) -> dict[str, Any]:
    return {
        "name": function.name,
        "file": shown(function.file) if function.file else "",
        "library": function.library,
        "before": _work(function.before),
        "after": _work(function.after),
    }
