"""The report as one self-contained HTML page: nothing is loaded from anywhere."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import jaxlint
from jaxlint.confirm.places import shown
from jaxlint.confirm.program.function_costs import FunctionCost
from jaxlint.confirm.program.report import OUTCOMES, Report, count
from jaxlint.confirm.program.surprises import Surprise
from jaxlint.confirm.program.verdicts import Verdict
from jaxlint.findings import Finding, Note
from jaxlint.rules.registry import find_rule

_AROUND = 4
_MOST_FUNCTIONS = 200
_MOST_TRACES = 30
_NAMES = {
    "confirmed": ("confirmed", "JAX did what the finding says"),
    "refuted": ("refuted", "ran as the finding supposes, and nothing happened"),
    "not-reached": ("not reached", "this run did not bring it about"),
    "missed": ("not predicted", "JAX did it and no finding said so"),
}


def as_page(report: Report) -> str:
    """The whole page."""
    assets = Path(__file__).parent
    style = assets.joinpath("page.css").read_text("utf-8")
    script = assets.joinpath("page.js").read_text("utf-8")
    body = [
        *_header(report), *_cards(report), *_remarks(report), *_functions(report),
        *_missed(report), *_files(report), *_expected(report), *_rules(report),
    ]  # fmt: skip
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>jaxlint confirm: {escape(shlex.join(report.ending.command))}</title>\n"
        f"<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + f"\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _header(report: Report) -> Iterator[str]:
    ending, processes = report.ending, report.observation.processes
    engines = ", ".join(sorted({process.engine for process in report.processes_with_jax}))
    facts = [
        f"exit code {ending.code}",
        f"{ending.seconds:.1f} s",
        f"{count(len(processes), 'Python process')}, {len(report.processes_with_jax)} with jax",
        f"jax {report.jax}" if report.jax else "no jax",
        engines,
        f"jaxlint {jaxlint.__version__}",
    ]
    yield "<header><h1>jaxlint confirm</h1>"
    yield f"<p class=command><code>{escape(shlex.join(ending.command))}</code></p>"
    yield f"<p class=facts>{' · '.join(escape(fact) for fact in facts if fact)}</p></header>"


def _cards(report: Report) -> Iterator[str]:
    counts = {_slug(name): report.counts[name] for name in OUTCOMES}
    counts["missed"] = len(report.missed)
    yield "<main><section class=cards aria-label='Verdicts'>"
    for slug, number in counts.items():
        name, meaning = _NAMES[slug]
        yield (
            f"<button class='card {slug}' data-filter={slug} aria-pressed=true>"
            f"<b>{number}</b><span>{name}</span><small>{meaning}</small></button>"
        )
    yield "</section>"


def _remarks(report: Report) -> Iterator[str]:
    yield from (f"<p class=remark>{escape(remark)}</p>" for remark in report.remarks)


def _functions(report: Report) -> Iterator[str]:
    if not report.costs:
        return
    longest = max(cost.seconds for cost in report.costs) or 1.0
    own = [cost for cost in report.costs if not cost.library]
    libraries = [cost for cost in report.costs if cost.library]
    yield "<section><h2>Compiled functions</h2>"
    yield (
        "<p class=legend><i class='swatch tracing'></i> tracing "
        "<i class='swatch compiling'></i> lowering and compiling. "
        f"In all {sum(c.traces for c in report.costs)} traces, "
        f"{sum(c.compilations for c in report.costs)} compilations, "
        f"{sum(c.seconds for c in report.costs):.2f} s.</p>"
    )
    if own:
        yield from _table(own, longest)
    if libraries:
        seconds = sum(cost.seconds for cost in libraries)
        yield (
            f"<details><summary>{len(libraries)} functions of JAX and of libraries, "
            f"{seconds:.2f} s</summary>"
        )
        yield from _table(libraries, longest)
        yield "</details>"
    yield "</section>"


def _table(costs: list[FunctionCost], longest: float) -> Iterator[str]:
    yield (
        "<table><thead><tr><th>function<th class=number>traces<th class=number>compiled"
        "<th class=number>seconds<th class=bars><th>why not from the cache</thead><tbody>"
    )
    for cost in costs[:_MOST_FUNCTIONS]:
        where = f"{shown(cost.at.file)}:{cost.at.line}" if cost.at is not None else cost.library
        called = "called at " if cost.library else ""
        yield (
            f"<tr><td><b>{escape(cost.name)}</b> <small>{called}{escape(where)}</small>"
            f"{''.join(_traces(cost))}"
            f"<td class=number>{cost.traces}<td class=number>{cost.compilations}"
            f"<td class=number>{cost.seconds:.3f}<td class=bars>{_bar(cost, longest)}"
            f"<td>{' '.join(_reasons(cost))}</tr>"
        )
    yield "</tbody></table>"
    if len(costs) > _MOST_FUNCTIONS:
        yield f"<p>and {len(costs) - _MOST_FUNCTIONS} more</p>"


def _bar(cost: FunctionCost, longest: float) -> str:
    parts = (("tracing", cost.trace_seconds), ("compiling", cost.compile_seconds))
    label = f"{cost.trace_seconds:.3f} s tracing, {cost.compile_seconds:.3f} s compiling"
    bars = "".join(
        f"<i class={name} style='width:{100 * seconds / longest:.2f}%'></i>"
        for name, seconds in parts
    )
    return f"<span class=bar role=img aria-label='{label}' title='{label}'>{bars}</span>"


def _reasons(cost: FunctionCost) -> Iterator[str]:
    for kind, number in cost.reasons.most_common():
        example = escape(cost.examples.get(kind, ""), quote=True)
        quiet = " quiet" if kind == "first trace" else ""
        yield f"<span class='chip{quiet}' title=\"{example}\">{kind} {number}</span>"


def _traces(cost: FunctionCost) -> Iterator[str]:
    traces = [work for work in cost.work if work.what == "trace"]
    if len(traces) < 2:
        return
    yield f"<details><summary>{len(traces)} traces</summary><ol>"
    for work in traces[:_MOST_TRACES]:
        at = f"{shown(work.stack[0].file)}:{work.stack[0].line}" if work.stack else "elsewhere"
        why = "; ".join(f"{kind}: {text}" if text else kind for kind, text in work.reasons)
        yield f"<li>{escape(at)}, {work.seconds:.4f} s: {escape(why)}</li>"
    if len(traces) > _MOST_TRACES:
        yield f"<li>and {len(traces) - _MOST_TRACES} more</li>"
    yield "</ol></details>"


def _missed(report: Report) -> Iterator[str]:
    if not report.missed:
        return
    yield "<section class=missed-list data-kind=missed><h2>What no finding predicted</h2><ul>"
    for surprise in report.missed:
        place = _link(report, surprise.at.file, surprise.at.line)
        yield f"<li>{place} {escape(surprise.text)}</li>"
    yield "</ul></section>"


def _expected(report: Report) -> Iterator[str]:
    if not report.expected:
        return
    heading = f"Where no finding was to be expected: {len(report.expected)}"
    yield f"<section><details><summary>{heading}</summary><ul>"
    for surprise in report.expected:
        at, why = surprise.at, escape(surprise.expected)
        yield f"<li>{escape(shown(at.file))}:{at.line} {escape(surprise.text)} <em>{why}</em></li>"
    yield "</ul></details></section>"


def _files(report: Report) -> Iterator[str]:
    notes: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for verdict in report.verdicts:
        finding = verdict.finding
        notes[finding.filename][finding.line].append(_finding(report, verdict))
    for surprise in report.missed:
        notes[surprise.at.file][surprise.at.line].append(_surprise(surprise))
    for file in sorted(notes):
        yield f"<section class=file><h2>{escape(shown(file))}</h2><div class=source>"
        yield from _source(report, file, notes[file])
        yield "</div></section>"


def _source(report: Report, file: str, notes: dict[int, list[str]]) -> Iterator[str]:
    """The lines of a file; stretches without notes are folded."""
    lines = report.linted.texts[file].split("\n")
    near = {n for line in notes for n in range(line - _AROUND, line + _AROUND + 1)}
    near |= {note.line for verdict in report.verdicts if verdict.finding.filename == file
             for note in verdict.finding.notes if not note.file}  # fmt: skip
    folded: list[str] = []
    for number, text in enumerate(lines, 1):
        row = _line(report, file, number, text, notes.get(number, ()))
        if number in near:
            yield from _fold(folded)
            folded = []
            yield row
        else:
            folded.append(row)
    yield from _fold(folded)


def _fold(rows: list[str]) -> Iterator[str]:
    if len(rows) <= 2:
        yield from rows
        return
    yield f"<details class=fold><summary>{len(rows)} lines</summary>"
    yield from rows
    yield "</details>"


def _line(report: Report, file: str, number: int, text: str, notes: Iterable[str]) -> str:
    marked, anchor = " marked" if notes else "", _anchor(report, file, number)
    return (
        f"<div class='line{marked}' id='{anchor}'><span class=no>{number}</span>"
        f"<code>{escape(text) or ' '}</code></div>{''.join(notes)}"
    )


def _finding(report: Report, verdict: Verdict) -> str:
    finding, slug = verdict.finding, _slug(verdict.outcome)
    links = [_reason_link(report, finding, note) for note in finding.notes]
    reasons = "".join(
        f"<li>{link}: {_code(note.text)}</li>"
        for link, note in zip(links, finding.notes, strict=True)
    )
    chain = f"<ol class=reasons>{reasons}</ol>" if reasons else ""
    return (
        f"<div class='note {slug}' data-kind={slug}><span class=badge>{verdict.outcome}</span> "
        f"<a href='#rule-{finding.code}'>{finding.code}</a> {_code(finding.message)}"
        f"<p class=evidence>{escape(verdict.evidence)}</p>{chain}</div>"
    )


def _reason_link(report: Report, finding: Finding, note: Note) -> str:
    """The place of a reason; without a link where its file is not on the page."""
    file = finding.path(note.file)
    text = f"{shown(file)}:{note.line}" if note.file else f"line {note.line}"
    return _link(report, file, note.line, text) if file in report.linted.files else escape(text)


def _surprise(surprise: Surprise) -> str:
    return (
        "<div class='note missed' data-kind=missed><span class=badge>not predicted</span> "
        f"{escape(surprise.text)}</div>"
    )


def _rules(report: Report) -> Iterator[str]:
    codes = sorted({verdict.finding.code for verdict in report.verdicts})
    if codes:
        yield "<section><h2>The rules</h2>"
    for code in codes:
        rule: Any = find_rule(code)
        yield (
            f"<details id='rule-{code}' class=rule><summary>{code} {escape(rule.name)}: "
            f"{escape(rule.summary)}</summary><pre>{escape(rule.page())}</pre></details>"
        )
    if codes:
        yield "</section>"
    yield "</main>"


def _slug(outcome: str) -> str:
    return outcome.replace(" ", "-")


def _anchor(report: Report, file: str, line: int) -> str:
    number = list(report.linted.files).index(file)
    return f"f{number}-{line}"


def _link(report: Report, file: str, line: int, text: str = "") -> str:
    label = escape(text or f"{shown(file)}:{line}")
    return f"<a href='#{_anchor(report, file, line)}'>{label}</a>"


def _code(message: str) -> str:
    """Escaped text; what stands between backticks becomes code."""
    parts = escape(message).split("`")
    return "".join(
        f"<code>{part}</code>" if number % 2 and number < len(parts) - 1 else part
        for number, part in enumerate(parts)
    )
