"""The report as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import jaxlint
from jaxlint.confirm.observation import Led
from jaxlint.confirm.places import shown
from jaxlint.confirm.program.differences import Difference
from jaxlint.confirm.program.function_costs import FunctionCost
from jaxlint.confirm.program.member_facts import facts_of
from jaxlint.confirm.program.ranking import ranking, ranks
from jaxlint.confirm.program.report import Report
from jaxlint.confirm.program.surprises import Surprise
from jaxlint.confirm.program.verdicts import Verdict

VERSION = 1
"""Of the form of the JSON; grows when a field changes its meaning or goes away."""


def as_data(report: Report) -> dict[str, Any]:
    """JSON types only. Lines and columns count from 1."""
    ending = report.ending
    rank = dict(ranks(ranking(report.verdicts, report.missed)))
    return {
        "version": VERSION,
        "jaxlint": jaxlint.__version__,
        "date": report.date,
        "commit": report.commit,
        "devices": report.devices,
        "command": ending.command,
        "exit_code": report.exit_code,
        "seconds": round(ending.seconds, 3),
        "remarks": report.remarks,
        "processes": [asdict(process) for process in report.observation.processes],
        "counts": {**report.counts, "missed": len(report.missed)},
        "findings": [
            {**_finding(verdict), "rank": rank[id(verdict)]} for verdict in report.verdicts
        ],
        "missed": [
            {**_surprise(surprise), "rank": rank[id(surprise)]} for surprise in report.missed
        ],
        "expected": [_surprise(surprise) for surprise in report.expected],
        "functions": [_function(cost) for cost in report.costs],
        "elsewhere": dict(report.observation.elsewhere),
        "members": [asdict(each) for each in facts_of(report.members)],
        "differences": [_difference(each) for each in report.differences],
    }


def _finding(verdict: Verdict) -> dict[str, Any]:
    finding = verdict.finding
    return {
        "code": finding.code,
        "file": shown(finding.filename),
        "line": finding.line,
        "column": finding.column + 1,
        "message": finding.message,
        "verdict": verdict.outcome,
        "evidence": verdict.evidence,
        "seconds": round(verdict.seconds, 6),
        "said": verdict.said,
        "triggered_by": _led(verdict.led),
        "reasons": [
            {
                "file": shown(finding.path(note.file)),
                "line": note.line,
                "column": note.column + 1,
                "text": note.text,
            }
            for note in finding.notes
        ],
    }


def _led(led: Led | None) -> dict[str, Any] | None:
    if led is None:
        return None
    lines = [{"file": shown(at.file), "line": at.line} for at in led.stack]
    return {"test": led.test, "lines": lines}


def _surprise(surprise: Surprise) -> dict[str, Any]:
    occurrence = surprise.occurrence
    return {
        "kind": occurrence.kind,
        "file": shown(surprise.at.file),
        "line": surprise.at.line,
        "what": occurrence.construct,
        "text": surprise.text,
        "count": occurrence.count,
        "seconds": round(occurrence.seconds, 6),
        "in_a_library": not occurrence.direct,
        "expected_because": surprise.expected,
    }


def _difference(difference: Difference) -> dict[str, Any]:
    at = difference.at
    return {
        "what": difference.what,
        "file": shown(at.file) if at is not None else "",
        "line": at.line if at is not None else 0,
        "text": difference.text,
        "each": dict(difference.each),
    }


def _function(cost: FunctionCost) -> dict[str, Any]:
    return {
        "name": cost.name,
        "file": shown(cost.at.file) if cost.at is not None else "",
        "line": cost.at.line if cost.at is not None else 0,
        "library": cost.library,
        "traces": cost.traces,
        "compilations": cost.compilations,
        "trace_seconds": round(cost.trace_seconds, 6),
        "compile_seconds": round(cost.compile_seconds, 6),
        "reasons": dict(cost.reasons),
        "examples": cost.examples,
    }
