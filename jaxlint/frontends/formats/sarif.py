"""SARIF 2.1.0, for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jaxlint
from jaxlint.findings import ABOUT_THE_RUN, Finding, Note
from jaxlint.frontends.formats.report import Report, name_and_summary
from jaxlint.rules.registry import all_rules, find_rule
from jaxlint.rules.rule import Rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def write(report: Report) -> str:
    """The report as SARIF, with every rule's metadata and page."""
    rules = [_rule(rule) for rule in all_rules()]
    known = {entry["id"] for entry in rules}
    rules += [_plain_rule(code) for code in sorted(report.counts()) if code not in known]
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
        "originalUriBaseIds": {"SRCROOT": {"uri": Path.cwd().as_uri() + "/"}},
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


def _rule(rule: Rule) -> dict[str, Any]:
    page = rule.page()
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary[:1].upper() + rule.summary[1:] + "."},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": rule.severity, "enabled": rule.default},
        "properties": {"tags": ["jax"], "precision": "very-high"},
    }


def _plain_rule(code: str) -> dict[str, Any]:
    name, summary = name_and_summary(code)
    return {"id": code, "name": name, "shortDescription": {"text": summary}}


def _result(report: Report, finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    region = {
        "startLine": finding.line,
        "startColumn": finding.column + 1,
        "endLine": finding.end_line,
        "endColumn": finding.end_column + 1,
    }
    text = report.line(finding.filename, finding.cell, finding.line)
    if text:
        region["snippet"] = {"text": text}  # type: ignore[assignment]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": finding.severity,
        "message": {"text": finding.message},
        "locations": [_location(finding.filename, region, finding.cell)],
    }
    if finding.notes:
        result["relatedLocations"] = [
            _related(finding.filename, number, note) for number, note in enumerate(finding.notes, 1)
        ]
    rule = find_rule(finding.code)
    if rule is not None:
        result["properties"] = {"name": rule.name}
    return result


def _related(filename: str, number: int, note: Note) -> dict[str, Any]:
    region = {"startLine": note.line, "startColumn": note.column + 1}
    location = _location(filename, region, note.cell)
    return {"id": number, **location, "message": {"text": note.text}}


def _location(filename: str, region: dict[str, Any], cell: int) -> dict[str, Any]:
    path = os.path.relpath(filename)
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


def _notification(finding: Finding) -> dict[str, Any]:
    region = {"startLine": finding.line, "startColumn": finding.column + 1}
    return {
        "level": finding.severity,
        "message": {"text": finding.message},
        "locations": [_location(finding.filename, region, finding.cell)],
    }
