"""The first thing on the page: what must be fixed, where, in which order, what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from jaxlint.confirm.places import shown
from jaxlint.confirm.program.page.markup import MISSED, badge, code, place, seconds, slug_of
from jaxlint.confirm.program.ranking import GROUPS, TO_FIX, Ranked, ranking
from jaxlint.confirm.program.report import Report
from jaxlint.confirm.program.verdicts import Verdict
from jaxlint.confirm.program.words import count
from jaxlint.rules.registry import find_rule

_MOST_SHOWN = 8
"""Of what this run does not tell: more are folded."""


def ranked_list(report: Report) -> Iterator[str]:
    """All findings, and what no finding predicted, under a heading for each group."""
    ranked = ranking(report.verdicts, report.missed)
    if not ranked:
        files = count(len(report.linted.files), "file")
        yield f"<section><h2>Nothing to fix</h2><p>No findings in {files}.</p></section>"
        return
    to_fix = [each for each in ranked if each.group in TO_FIX]
    heading = f"To fix, in this order: {len(to_fix)}" if to_fix else "Nothing to fix was seen"
    yield f"<section class=ranked aria-label='What to fix'><h2>{heading}</h2>"
    for group, items in groupby(ranked, key=lambda each: each.group):
        yield from _group(report, group, list(items))
    yield "</section>"


def _group(report: Report, group: str, items: list[Ranked]) -> Iterator[str]:
    heading = f"{GROUPS[group]} <small>({len(items)})</small>"
    folds = group not in TO_FIX and len(items) > _MOST_SHOWN
    yield f"<details><summary>{heading}</summary>" if folds else f"<h3>{heading}</h3>"
    yield f"<ol start={items[0].number}>"
    before = None
    for each in items:
        yield _item(report, each, _cost(each, before))
        before = each
    yield "</ol></details>" if folds else "</ol>"


def _cost(each: Ranked, before: Ranked | None) -> str:
    """The seconds; of the same traces as those of the item before they are said once."""
    if not each.seconds:
        return ""
    place_of = (each.file, each.line, each.seconds)
    if before is not None and place_of == (before.file, before.line, before.seconds):
        return f"<small class=cost>in those of {before.number}</small>"
    return f"<span class=cost>{seconds(each.seconds)}</span>"


def _item(report: Report, each: Ranked, cost: str) -> str:
    where = place(report, each.file, each.line)
    what = each.what
    if isinstance(what, Verdict):
        slug, finding = slug_of(what.outcome), what.finding
        wrong, do = finding.parts
        rule = find_rule(finding.code)
        name = rule.name if rule is not None else ""
        label = f"{shown(each.file)}:{each.line}:{finding.column + 1}"
        where = place(report, each.file, each.line, label)
        head = f"<a href='#rule-{finding.code}'>{finding.code}</a> <span class=name>{name}</span>"
        todo = f"<p class=do>{code(do[:1].upper() + do[1:])}</p>" if do else ""
        body = f"<p>{code(wrong)}</p>{todo}"
    else:
        slug, head, body = MISSED, "", f"<p>{code(what.text)}</p>"
    return (
        f"<li value={each.number} data-kind={slug}><div class=head>{badge(slug)} "
        f"<span class=where>{where}</span> {head}{cost}</div>{body}</li>"
    )
