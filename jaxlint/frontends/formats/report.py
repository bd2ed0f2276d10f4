"""What a run has to say, whatever the format."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.findings import CANNOT_CHECK, NOT_FINISHED, UNUSED_NOQA, Finding
from jaxlint.pages import SITE, page_address
from jaxlint.project import Releases
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
        releases: those of JAX for which the files were linted, each kind once.
        docs_url: the address of the site that links of codes lead to; empty: no links.
    """

    linted: list[Linted]
    sources: dict[str, Source] = field(default_factory=dict)
    suppressed: int = 0
    fixed: int = 0
    releases: tuple[Releases, ...] = ()
    docs_url: str = SITE

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

    def page(self, code: str) -> str:
        """The address of the page about a code; empty when there are to be no links."""
        return page_address(code, self.docs_url)

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


def name_and_summary(code: str) -> tuple[str, str]:
    """Name and summary of what a code stands for."""
    if code in _ABOUT_JAXLINT:
        return _ABOUT_JAXLINT[code]
    from jaxlint.rules.registry import find_rule

    rule = find_rule(code)
    assert rule is not None
    return rule.name, rule.summary
