"""What a run has to say, whatever the format."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.findings import CANNOT_CHECK, NOT_FINISHED, UNUSED_NOQA, Finding
from jaxlint.source import Source, SourceError, read_source
from jaxlint.workspace.lint import Linted

_ABOUT_JAXLINT = {
    CANNOT_CHECK: ("not-checked", "a file or cell that could not be checked"),
    NOT_FINISHED: ("not-finished", "a file that jaxlint did not follow to its end"),
    UNUSED_NOQA: ("unused-noqa", "a noqa comment that silences nothing"),
}
"""Codes that no rule has: they are about the run itself."""


@dataclass
class Report:
    """A run.

    Attributes:
        linted: every file, in order.
        sources: files whose text is known already, such as standard input.
        suppressed: findings that the baseline holds.
        fixed: how many findings were mended, which are left out.
    """

    linted: list[Linted]
    sources: dict[str, Source] = field(default_factory=dict)
    suppressed: int = 0
    fixed: int = 0

    @property
    def findings(self) -> list[Finding]:
        """All findings, file by file."""
        return [finding for linted in self.linted for finding in linted.findings]

    @property
    def mistakes(self) -> list[Finding]:
        """The findings that are no mere notes."""
        return [finding for finding in self.findings if finding.severity != "note"]

    @property
    def fixable(self) -> str:
        """How much of it a program can mend, and by which option; empty when nothing."""
        fixes = [finding.fix for finding in self.mistakes if finding.fix is not None]
        safe = sum(fix.safe for fix in fixes)
        options = [(safe, "--fix"), (len(fixes) - safe, "--fix --unsafe-fixes")]
        return ", ".join(f"{count} with {option}" for count, option in options if count)

    @property
    def failed(self) -> bool:
        """Whether jaxlint itself failed on some file."""
        return any(linted.failed for linted in self.linted)

    def counts(self) -> Counter[str]:
        """How often each code was found."""
        return Counter(finding.code for finding in self.findings)

    def line(self, filename: str, cell: int, line: int) -> str:
        """A line as its author wrote it; empty where there is none."""
        if filename not in self.sources:
            try:
                self.sources[filename] = read_source(Path(filename))
            except SourceError:
                self.sources[filename] = Source("", filename)
        return self.sources[filename].original(cell, line)


def on_one_line(text: str) -> str:
    """Text as a line of a terminal or log can show it: what would steer it is spelt out.

    File names and what a program says may hold line ends and escape sequences.
    """
    return "".join(
        c if c.isprintable() or "\ud800" <= c <= "\udfff" else ascii(c)[1:-1] for c in text
    )


def name_and_summary(code: str) -> tuple[str, str]:
    """Name and summary of what a code stands for."""
    if code in _ABOUT_JAXLINT:
        return _ABOUT_JAXLINT[code]
    from jaxlint.rules.registry import find_rule

    rule = find_rule(code)
    assert rule is not None
    return rule.name, rule.summary
