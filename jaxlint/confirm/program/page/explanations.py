"""The pages of the rules that are named on the page, and where each was found."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from jaxlint.confirm.program.page.colouring import markdown
from jaxlint.confirm.program.page.markup import badge, place, slug_of
from jaxlint.confirm.program.report import Report
from jaxlint.confirm.program.verdicts import Verdict
from jaxlint.rules.registry import find_rule

_MOST_PLACES = 30


def explanations(report: Report) -> Iterator[str]:
    """A folded page for each rule."""
    found: dict[str, list[Verdict]] = {}
    for verdict in report.verdicts:
        found.setdefault(verdict.finding.code, []).append(verdict)
    if not found:
        return
    yield "<section><h2>The rules</h2>"
    for code in sorted(found):
        rule = find_rule(code)
        assert rule is not None
        text = rule.page().partition("\n\n")[2]
        yield (
            f"<details id=rule-{code} class=rule><summary><b>{code}</b> {escape(rule.name)}: "
            f"{escape(rule.summary)}</summary><div class=text>{markdown(text)}"
        )
        yield from _in_this_run(report, found[code])
        yield "</div></details>"
    yield "</section>"


def _in_this_run(report: Report, verdicts: list[Verdict]) -> Iterator[str]:
    yield "<h4>In this run</h4><ul>"
    for verdict in verdicts[:_MOST_PLACES]:
        finding = verdict.finding
        said = f"<pre class=said>{escape(verdict.said)}</pre>" if verdict.said else ""
        where = place(report, finding.filename, finding.line)
        outcome = badge(slug_of(verdict.outcome))
        yield f"<li>{outcome} {where}: {escape(verdict.evidence)}{said}</li>"
    if len(verdicts) > _MOST_PLACES:
        yield f"<li>and {len(verdicts) - _MOST_PLACES} more</li>"
    yield "</ul>"
