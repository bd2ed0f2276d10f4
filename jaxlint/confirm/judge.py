"""Compares what real JAX showed with what a rule promises.

Evidence first (:class:`jaxlint.rules.rule.Evidence`), then its absence: a bad
fixture must show it on every marked line and on no other, a good one nowhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from jaxlint.confirm.fixtures import Fixture
from jaxlint.rules.rule import Evidence, Rule

Outcome = Literal["confirmed", "refuted", "failed"]
_SLOW = 1.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """What confirm mode says of one fixture."""

    rule: str
    fixture: str
    expected: str
    observed: str
    outcome: Outcome


def judge(fixture: Fixture, rule: Rule, answer: dict[str, Any], ends: dict[int, int]) -> Verdict:
    """Judge one fixture by the worker's answer.

    ``ends`` maps the first line of an expression that spans several to its last.
    """
    expected = _expected(rule.evidence, fixture)
    if "failure" in answer:
        reason = answer["failure"].strip().splitlines()[-1]
        return Verdict(rule.code, fixture.name, expected, reason, "failed")
    triggers = answer["triggers"]
    if not triggers:
        return Verdict(rule.code, fixture.name, expected, "it has no trigger()", "failed")
    shown: dict[int, str] = {}
    elsewhere: list[str] = []
    for name, seen in triggers.items():
        for line, what in _shown(rule.evidence, seen, fixture):
            mark = _mark_for(line, fixture.marked_lines, ends)
            if mark is None:
                elsewhere.append(f"line {line}: {what}")
            else:
                shown[mark] = what
        if seen["error"] and not _is_evidence(rule.evidence, seen):
            text = _last_error(seen)
            return Verdict(rule.code, fixture.name, expected, f"{name}() raised {text}", "failed")
    return _conclude(fixture, rule, expected, shown, elsewhere)


def _conclude(
    fixture: Fixture, rule: Rule, expected: str, shown: dict[int, str], elsewhere: list[str]
) -> Verdict:
    code, name = rule.code, fixture.name
    if elsewhere:
        return Verdict(code, name, expected, "; ".join(elsewhere[:2]), "refuted")
    missing = [line for line in fixture.marked_lines if line not in shown]
    if missing:
        lines = ", ".join(map(str, missing))
        return Verdict(code, name, expected, f"no such evidence on line {lines}", "refuted")
    if fixture.is_bad and not fixture.marked_lines:
        return Verdict(code, name, expected, "a bad fixture without a mark", "failed")
    if not shown:
        return Verdict(code, name, expected, "nothing of the kind", "confirmed")
    parts = [f"line {line}: {what}" for line, what in sorted(shown.items())]
    more = f" (and {len(parts) - 1} more)" if len(parts) > 1 else ""
    return Verdict(code, name, expected, parts[0] + more, "confirmed")


def _expected(evidence: Evidence, fixture: Fixture) -> str:
    what = {
        "raises": " or ".join(evidence.exceptions),
        "effect": f"{' or '.join(evidence.effects)} while tracing",
        "retraces": "a trace each time",
        "slow_dispatch": f"no retrace, {_SLOW} times slower",
        "stale": "another result than eager",
        "no_effect": "same result without the line",
    }[evidence.kind]
    if not fixture.is_bad:
        return "runs clean" if evidence.kind == "no_effect" else f"not: {what}"
    return what


def _shown(evidence: Evidence, seen: dict[str, Any], fixture: Fixture) -> list[tuple[int, str]]:
    """(line, what) wherever a run shows the evidence."""
    first = seen["runs"][0]
    marks = fixture.marked_lines
    if evidence.kind == "raises":
        return [
            (line, names[0])
            for names, line, _ in first["exceptions"]
            if set(names) & set(evidence.exceptions)
        ]
    if seen["error"]:
        return []
    if evidence.kind == "effect":
        return _effects(evidence, seen)
    if evidence.kind == "retraces":
        return _retraces(seen, marks)
    if evidence.kind == "slow_dispatch":
        return _slow_dispatch(seen, marks)
    if evidence.kind == "stale":
        if not seen["differs"]:
            return []
        jitted, eager = seen["results"]
        what = f"{jitted} compiled, {eager} eager"
        return [(line, what) for line in _ran(first, marks, traced=True) or [0]]
    if evidence.kind == "no_effect" and marks and not seen.get("differs", True):
        return [(line, "same result without it") for line in _ran(first, marks)]
    return []


def _effects(evidence: Evidence, seen: dict[str, Any]) -> list[tuple[int, str]]:
    first, second = seen["runs"][0], seen["runs"][1]
    found = []
    for kind, line, traced, leaks, _ in first["effects"]:
        if traced and kind in evidence.effects:
            counts = [
                sum(entry[4] for entry in run["effects"] if entry[0] == kind and entry[1] == line)
                for run in (first, second)
            ]
            tracer = ", a tracer" if leaks else ""
            found.append(
                (line, f"{kind}{tracer}: {counts[0]} in the first run, {counts[1]} in the second")
            )
    return found


def _retraces(seen: dict[str, Any], marks: list[int]) -> list[tuple[int, str]]:
    hits = _hits(seen["runs"][1], marks)
    count = max(seen["traces"], seen["compiles"])
    if not marks:
        return [(0, f"{count} new traces in a second run")] if count else []
    what = f"{count} traces, the line ran {{}} times"
    return [(line, what.format(ran)) for line, ran in hits.items() if ran >= 2 and count >= ran]


def _slow_dispatch(seen: dict[str, Any], marks: list[int]) -> list[tuple[int, str]]:
    ratio = seen.get("ratio")
    if not marks or ratio is None or ratio < _SLOW or seen["traces"]:
        return []
    hits = _hits(seen["runs"][1], marks)
    what = f"no new trace in {{}} calls, {ratio:.1f} times slower than a kept wrapper"
    return [(line, what.format(ran)) for line, ran in hits.items() if ran >= 2]


def _hits(run: dict[str, Any], marks: list[int]) -> dict[int, int]:
    """Mark -> how often it ran, not counting a lambda's body on the same line."""
    counts = dict.fromkeys(marks, 0)
    for line, traced, count in run["hits"]:
        if line in counts and not traced:
            counts[line] += count
    return counts


def _ran(run: dict[str, Any], marks: list[int], traced: bool = False) -> list[int]:
    lines = {line for line, was_traced, _ in run["hits"] if was_traced or not traced}
    return [line for line in marks if line in lines]


def _mark_for(line: int, marks: list[int], ends: dict[int, int]) -> int | None:
    for mark in marks:
        if mark <= line <= ends.get(mark, mark):
            return mark
    return None


def _is_evidence(evidence: Evidence, seen: dict[str, Any]) -> bool:
    """Whether what a trigger raised is what the rule promises."""
    if evidence.kind != "raises":
        return False
    return any(
        names[0] == seen["error"] and set(names) & set(evidence.exceptions)
        for names, _, _ in seen["runs"][0]["exceptions"]
    )


def _last_error(seen: dict[str, Any]) -> str:
    exceptions = seen["runs"][0]["exceptions"]
    if not exceptions:
        return str(seen["error"])
    names, line, message = exceptions[-1]
    return f"{names[0]} on line {line}: {message}"
