"""The processes that ran together, or the runs that were joined, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from jaxlint.confirm.program.member_facts import facts_of
from jaxlint.confirm.program.page.markup import place, times
from jaxlint.confirm.program.report import Report

_MOST_SHOWN = 32
_MOST_DIFFERENCES = 200


def members(report: Report) -> Iterator[str]:
    """A row for each, and what they did differently; nothing when one ran alone."""
    facts = facts_of(report.members)
    if not facts:
        return
    yield "<section class=members aria-label='Processes'><h2>Processes</h2>"
    yield from _differences(report)
    table = [
        "<table><thead><tr><th>process<th class=number>exit code<th class=number>traces"
        "<th class=number>compiled<th class=number>waited<th>device<th>when it was ended</thead>",
        "<tbody>",
    ]
    for each in facts:
        code = "-" if each.exit_code is None else each.exit_code
        stands = f"waited {escape(each.stands)}" if each.stands else ""
        table.append(
            f"<tr><td><b>{escape(each.name)}</b><td class=number data-name='exit code'>{code}"
            f"<td class=number data-name=traces>{each.traces}"
            f"<td class=number data-name=compiled>{each.compilations}"
            f"<td class=number data-name=waited>{each.waited:.1f} s"
            f"<td>{escape(each.devices)}<td>{stands}</tr>"
        )
    table.append("</tbody></table>")
    folds = len(facts) > _MOST_SHOWN
    yield f"<details><summary>{times(len(facts), 'process')}</summary>" if folds else ""
    yield from table
    yield "</details></section>" if folds else "</section>"


def _differences(report: Report) -> Iterator[str]:
    if not report.differences:
        yield "<p>They did the same, as far as JAX tells.</p>"
        return
    yield "<h3>What they did differently</h3><ul>"
    for each in report.differences[:_MOST_DIFFERENCES]:
        where = f"{place(report, each.at.file, each.at.line)} " if each.at is not None else ""
        yield f"<li>{where}{escape(each.text)}</li>"
    yield "</ul>"
    if len(report.differences) > _MOST_DIFFERENCES:
        yield f"<p>and {len(report.differences) - _MOST_DIFFERENCES} more</p>"
