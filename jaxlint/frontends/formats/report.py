"""What a run has to say, whatever the format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.findings import CANNOT_CHECK, NOT_FINISHED, UNUSED_NOQA, Finding
from jaxlint.imports.missing import missing
from jaxlint.imports.modules import Library
from jaxlint.project import Releases
from jaxlint.rules.registry import find_rule
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
        releases: those of JAX for which the files were linted, each kind once.
    """

    linted: list[Linted]
    sources: dict[str, Source] = field(default_factory=dict)
    suppressed: int = 0
    releases: tuple[Releases, ...] = ()

    @property
    def findings(self) -> list[Finding]:
        """All findings, file by file."""
        return [finding for linted in self.linted for finding in linted.findings]

    @property
    def mistakes(self) -> list[Finding]:
        """The findings that are no mere notes."""
        return [finding for finding in self.findings if finding.severity != "note"]

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
    rule = find_rule(code)
    assert rule is not None
    return rule.name, rule.summary


_SHOWN = 5
"""Modules that are named."""


def statistics(report: Report) -> Iterator[str]:
    """How often each code was found, the most frequent first; and what was not followed."""
    counts = report.counts()
    width = len(str(max(counts.values(), default=0)))
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        name, summary = name_and_summary(code)
        yield f"{count:>{width}}  {code}  {name:<26}  {summary}"
    library = Library()
    unknown = sorted({name for each in report.linted for name in missing(each.probed, library)})
    if unknown:
        some = ", ".join(map(on_one_line, unknown[:_SHOWN])) + ", ..." * (len(unknown) > _SHOWN)
        plural = "s" * (len(unknown) > 1)
        yield f"{len(unknown)} module{plural} of the project could not be found or read: {some}"
    for each in report.releases:
        yield f"JAX {each.text}, {_who_says(each)}"


def _who_says(releases: Releases) -> str:
    """Where a project states the releases that it runs on."""
    if not releases.declared:
        return "as the settings say"
    return "by " + " and ".join(
        f"{on_one_line(each.file)} ({on_one_line(each.text)})" for each in releases.declared
    )
