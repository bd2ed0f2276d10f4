"""What was compiled: how often, how long, and why not from the cache."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from jaxlint.confirm.places import shown
from jaxlint.confirm.program.function_costs import FunctionCost
from jaxlint.confirm.program.page.markup import place, seconds, times
from jaxlint.confirm.program.report import Report

_MOST_FUNCTIONS = 200
_MOST_TRACES = 30


def functions(report: Report) -> Iterator[str]:
    """The user's that were traced more than once; the others are folded."""
    if not report.costs:
        return
    longest = max(cost.seconds for cost in report.costs) or 1.0
    own = [cost for cost in report.costs if not cost.library]
    often = [cost for cost in own if cost.traces > 1 or cost.compilations > 1]
    once = [cost for cost in own if cost not in often]
    libraries = [cost for cost in report.costs if cost.library]
    traces = times(sum(cost.traces for cost in report.costs), "trace")
    compilations = times(sum(cost.compilations for cost in report.costs), "compilation")
    yield "<section><h2>Compiled functions</h2>"
    yield (
        "<p class=legend><i class='swatch tracing'></i> tracing "
        "<i class='swatch compiling'></i> lowering and compiling. "
        f"In all {traces}, {compilations}, {seconds(sum(c.seconds for c in report.costs))}.</p>"
    )
    if often:
        yield from _table(report, often, longest)
    for costs, what in (
        (once, "traced once"),
        (libraries, "of JAX and of libraries"),
    ):
        if costs:
            took = seconds(sum(cost.seconds for cost in costs))
            number = times(len(costs), "function")
            yield f"<details class=more><summary>{number} {what}, {took}</summary>"
            yield from _table(report, costs, longest)
            yield "</details>"
    yield "</section>"


def _table(report: Report, costs: list[FunctionCost], longest: float) -> Iterator[str]:
    yield (
        "<table><thead><tr><th>function<th class=number>traces<th class=number>compiled"
        "<th class=number>time<th class=bars><th>why not from the cache</thead><tbody>"
    )
    for cost in costs[:_MOST_FUNCTIONS]:
        where = place(report, cost.at.file, cost.at.line) if cost.at else escape(cost.library)
        called = "called at " if cost.library else ""
        yield (
            f"<tr><td><b>{escape(cost.name)}</b> <small>{called}{where}</small>"
            f"{''.join(_traces(cost))}"
            f"<td class=number data-name=traces>{cost.traces}"
            f"<td class=number data-name=compiled>{cost.compilations}"
            f"<td class=number data-name=time>{seconds(cost.seconds)}"
            f"<td class=bars>{_bar(cost, longest)}<td>{' '.join(_reasons(cost))}</tr>"
        )
    yield "</tbody></table>"
    if len(costs) > _MOST_FUNCTIONS:
        yield f"<p>and {len(costs) - _MOST_FUNCTIONS} more</p>"


def _bar(cost: FunctionCost, longest: float) -> str:
    parts = (("tracing", cost.trace_seconds), ("compiling", cost.compile_seconds))
    label = f"{cost.trace_seconds:.3f} s tracing, {cost.compile_seconds:.3f} s compiling"
    bars = "".join(
        f"<i class={name} style='width:{100 * part / longest:.2f}%'></i>" for name, part in parts
    )
    return f"<span class=bar role=img aria-label='{label}' title='{label}'>{bars}</span>"


def _reasons(cost: FunctionCost) -> Iterator[str]:
    for kind, number in cost.reasons.most_common():
        example = escape(cost.examples.get(kind, ""), quote=True)
        quiet = " quiet" if kind == "first trace" else ""
        yield f"<span class='chip{quiet}' title=\"{example}\">{escape(kind)} {number}</span>"


def _traces(cost: FunctionCost) -> Iterator[str]:
    if cost.traces < 2:
        return
    yield f"<details><summary>{cost.traces} traces</summary><ol>"
    for work in cost.traced[:_MOST_TRACES]:
        at = f"{shown(work.stack[0].file)}:{work.stack[0].line}" if work.stack else "elsewhere"
        why = "; ".join(f"{kind}: {text}" if text else kind for kind, text in work.reasons)
        yield f"<li>{escape(at)}, {seconds(work.seconds)}: {escape(why)}</li>"
    if cost.traces > _MOST_TRACES:
        yield f"<li>and {cost.traces - _MOST_TRACES} more</li>"
    yield "</ol></details>"
