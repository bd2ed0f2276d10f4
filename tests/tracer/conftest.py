"""Lists at the end of a run what the chapters say and the tracer does not know yet."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for outcome, title in (("xfailed", "still to do"), ("xpassed", "done, and marked as to do")):
        reports = [
            report
            for report in terminalreporter.getreports(outcome)
            if "tests/tracer/" in report.nodeid
        ]
        if reports:
            terminalreporter.section(f"the tracer's chapters: {len(reports)} blocks {title}")
            for report in reports:
                terminalreporter.line(report.nodeid.partition("[")[2].removesuffix("]"))
