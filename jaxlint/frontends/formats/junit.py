"""JUnit XML, for CI systems that show test results."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from jaxlint.findings import CANNOT_CHECK, Finding
from jaxlint.frontends.formats.report import Report
from jaxlint.one_line import on_one_line
from jaxlint.workspace.lint import Linted


def write(report: Report) -> str:
    """The report as XML: a suite for each file, a case for each finding or clean file."""
    root = ET.Element("testsuites", name="jaxlint")
    tests = failures = errors = 0
    for linted in report.linted:
        suite = _suite(linted)
        root.append(suite)
        tests += int(suite.attrib["tests"])
        failures += int(suite.attrib["failures"])
        errors += int(suite.attrib["errors"])
    root.attrib.update(tests=str(tests), failures=str(failures), errors=str(errors))
    ET.indent(root)
    return ET.tostring(root, "unicode", xml_declaration=True) + "\n"


def _suite(linted: Linted) -> ET.Element:
    findings = linted.findings
    outcomes = [_outcome(finding) for finding in findings]
    suite = ET.Element(
        "testsuite",
        name=_plain(linted.filename),
        tests=str(max(len(findings), 1)),
        failures=str(outcomes.count("failure")),
        errors=str(outcomes.count("error")),
        skipped=str(outcomes.count("skipped")),
    )
    if not findings:
        ET.SubElement(suite, "testcase", name="clean", classname=_plain(linted.filename))
    for finding, kind in zip(findings, outcomes, strict=True):
        name = f"{finding.code} {finding.where[len(finding.filename) + 1 :]}"
        case = ET.SubElement(
            suite, "testcase", name=name, classname=_plain(linted.filename),
            file=_plain(linted.filename), line=str(finding.line),
        )  # fmt: skip
        outcome = ET.SubElement(case, kind, message=_plain(finding.message), type=finding.code)
        outcome.text = _plain(on_one_line(str(finding)))
    return suite


def _outcome(finding: Finding) -> str:
    if finding.severity == "note":
        return "skipped"
    return "error" if finding.code == CANNOT_CHECK else "failure"


def _plain(text: str) -> str:
    """Text without what XML 1.0 cannot hold."""
    return _NOT_IN_XML.sub("", text)


_NOT_IN_XML = re.compile("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
