"""SARIF 2.1.0, for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jaxlint
from jaxlint.edits import Edit, Fix
from jaxlint.findings import ABOUT_THE_RUN, Elsewhere, Finding, Note
from jaxlint.frontends.formats.paths import top_of_repository
from jaxlint.frontends.formats.report import Report, name_and_summary
from jaxlint.rules.registry import all_rules, find_rule
from jaxlint.rules.rule import Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def write(report: Report) -> str:
    """The report as SARIF, with every rule's metadata and page."""
    rules = [_rule(rule, report) for rule in all_rules()]
    known = {entry["id"] for entry in rules}
    rules += [_plain_rule(code, report) for code in sorted(report.counts()) if code not in known]
    index = {entry["id"]: number for number, entry in enumerate(rules)}
    problems = [f for f in report.findings if f.code in ABOUT_THE_RUN]
    results = [f for f in report.findings if f.code not in ABOUT_THE_RUN]
    run = {
        "tool": {
            "driver": {
                "name": "jaxlint",
                "version": jaxlint.__version__,
                "rules": rules,
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"uri": _root().as_uri() + "/"}},
        "invocations": [
            {
                "executionSuccessful": not report.failed,
                "toolExecutionNotifications": [_notification(each) for each in problems],
            }
        ],
        "results": [_result(report, f, index) for f in results],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2) + "\n"


def _rule(rule: Rule, report: Report) -> dict[str, Any]:
    page = rule.page()
    return {
        "id": rule.code,
        **_help_address(rule.code, report),
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary[:1].upper() + rule.summary[1:] + "."},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": rule.severity, "enabled": rule.default},
        "properties": {"tags": ["jax"], "precision": "very-high"},
    }


def _plain_rule(code: str, report: Report) -> dict[str, Any]:
    name, summary = name_and_summary(code)
    about = {"id": code, "name": name, "shortDescription": {"text": summary}}
    return about | _help_address(code, report)


def _help_address(code: str, report: Report) -> dict[str, str]:
    page = report.page(code)
    return {"helpUri": page} if page else {}


def _result(report: Report, finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    region = _region(finding)
    text = report.line(finding.filename, finding.cell, finding.line)
    if text:
        region["snippet"] = {"text": text}
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": finding.severity,
        "message": {"text": finding.message},
        "locations": [_location(finding.filename, region, finding.cell)],
    }
    related = [*_happening(finding), *(_reason(finding, note) for note in finding.notes)]
    if related:
        result["relatedLocations"] = [{"id": n, **each} for n, each in enumerate(related, 1)]
    # A region is one of the file, which a place in a cell is not.
    if finding.fix is not None and not finding.cell:
        result["fixes"] = [_fix(finding, finding.fix)]
    rule = find_rule(finding.code)
    if rule is not None:
        result["properties"] = {"name": rule.name}
    return result


def _fix(finding: Finding, fix: Fix) -> dict[str, Any]:
    location = _location(finding.filename, {}, 0)["physicalLocation"]
    replacements = [
        {"deletedRegion": _region(edit), "insertedContent": {"text": edit.text}}
        for edit in fix.edits
    ]
    return {
        "description": {"text": fix.title if fix.safe else f"{fix.title} (unsafe)"},
        "artifactChanges": [
            {"artifactLocation": location["artifactLocation"], "replacements": replacements}
        ],
    }


def _region(at: Finding | Elsewhere | Edit) -> dict[str, Any]:
    return {
        "startLine": at.line,
        "startColumn": at.column + 1,
        "endLine": at.end_line,
        "endColumn": at.end_column + 1,
    }


def _happening(finding: Finding) -> Iterator[dict[str, Any]]:
    """Where it happens, when that is in another module than the one reported."""
    at = finding.happens_at
    if at is not None:
        location = _location(finding.path(at.file), _region(at), 0)
        yield {**location, "message": {"text": "happens here"}}


def _reason(finding: Finding, note: Note) -> dict[str, Any]:
    region = {"startLine": note.line, "startColumn": note.column + 1}
    if note.end_line:
        region |= {"endLine": note.end_line, "endColumn": note.end_column + 1}
    location = _location(finding.path(note.file), region, note.cell)
    return {**location, "message": {"text": note.text}}


def _location(filename: str, region: dict[str, Any], cell: int) -> dict[str, Any]:
    path = os.path.relpath(filename, _root())
    # A name need not be text: its bytes are what is quoted.
    uri = quote(os.fsencode(Path(path).as_posix()))
    artifact: dict[str, Any] = {"uri": uri, "uriBaseId": "SRCROOT"}
    if path.startswith(".."):
        artifact = {"uri": Path(filename).absolute().as_uri()}
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": artifact, "region": region}
    }
    if cell:
        location["logicalLocations"] = [{"name": f"cell {cell}", "kind": "member"}]
    return location


def _root() -> Path:
    """What paths count from: code scanning wants the top of the repository."""
    return Path(top_of_repository() or Path.cwd())


def _notification(finding: Finding) -> dict[str, Any]:
    region = {"startLine": finding.line, "startColumn": finding.column + 1}
    return {
        "level": finding.severity,
        "message": {"text": finding.message},
        "locations": [_location(finding.filename, region, finding.cell)],
    }
