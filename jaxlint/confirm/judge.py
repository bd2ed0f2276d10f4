"""Compares what real JAX showed with what a rule promises.

Evidence first (:class:`jaxlint.rules.rule.Evidence`), then its absence: a bad
fixture must show it on every marked line and on no other, a good one nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from jaxlint.confirm.fixtures import Fixture
from jaxlint.rules.rule import Evidence, Rule

Outcome = Literal["confirmed", "refuted", "failed"]
_SLOW = 1.5
_ENDS_EARLY = 2.0
_FEWEST_ITERATIONS = 50
_FUNCTION_IN_MESSAGE = re.compile(r"<function ([\w.<>]+) at")


@dataclass(slots=True)
class Layout:
    """What lines belong together in a fixture.

    Attributes:
        ends: first line of an expression -> its last line.
        functions: line of a ``def`` or of one of its decorators -> the function's name.
    """

    ends: dict[int, int] = field(default_factory=dict)
    functions: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What confirm mode says of one fixture."""

    rule: str
    fixture: str
    expected: str
    observed: str
    outcome: Outcome


def judge(fixture: Fixture, rule: Rule, answer: dict[str, Any], layout: Layout) -> Verdict:
    """Judge one fixture by the worker's answer."""
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
        for line, what in _shown(rule.evidence, seen, fixture, layout):
            mark = _mark_for(line, fixture.marked_lines, layout.ends)
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
    named = " or ".join(evidence.exceptions)
    what = {
        "raises": named,
        "raises_when_called": f"{named} at each call",
        "warns": named,
        "effect": f"{' or '.join(evidence.effects)} while tracing",
        "retraces": "a trace each time",
        "retraces_in_one_run": "a trace each time",
        "slow_dispatch": f"no retrace, {_SLOW} times slower",
        "stale": "another result than eager",
        "no_effect": "same result without the line",
        "key_reuse": "KeyReuseError under jax.debug_key_reuse",
        "repeats": "the same result at each call",
        "unrolls": "one line traced again and again in one trace",
        "ends_early": f"{_ENDS_EARLY} times longer with block_until_ready",
        "waits": "the host reads an array at each iteration",
        "convention": "runs: a convention only",
    }[evidence.kind]
    if not fixture.is_bad and evidence.kind != "convention":
        return "runs clean" if evidence.kind == "no_effect" else f"not: {what}"
    return what


Shown = list[tuple[int, str]]
"""(line, what) wherever a run shows the evidence."""


def _shown(evidence: Evidence, seen: dict[str, Any], fixture: Fixture, layout: Layout) -> Shown:
    marks = fixture.marked_lines
    if evidence.kind in ("raises", "warns"):
        return _raised(evidence, seen)
    if evidence.kind == "raises_when_called":
        return _raised_by_calls(evidence, seen, marks, layout)
    if evidence.kind == "key_reuse":
        return _key_reuse(seen, marks)
    if seen["error"]:
        return []
    if evidence.kind == "effect":
        return _effects(evidence, seen)
    return _BY_KIND[evidence.kind](seen, marks)


def _raised(evidence: Evidence, seen: dict[str, Any]) -> Shown:
    return [
        (line, names[0])
        for names, line, _ in seen["runs"][0]["exceptions"]
        if set(names) & set(evidence.exceptions)
    ]


def _raised_by_calls(
    evidence: Evidence, seen: dict[str, Any], marks: list[int], layout: Layout
) -> Shown:
    """Exceptions at a call, laid at the door of the function that they name."""
    found: Shown = []
    for names, line, message in seen["runs"][0]["exceptions"]:
        if not set(names) & set(evidence.exceptions):
            continue
        match = _FUNCTION_IN_MESSAGE.search(message)
        called = match[1].rpartition(".")[2] if match else ""
        guilty = [mark for mark in marks if layout.functions.get(mark) == called]
        found += [(mark, f"{names[0]} at line {line}") for mark in guilty or [line]]
    return found


def _key_reuse(seen: dict[str, Any], marks: list[int]) -> Shown:
    """JAX names no line for a reuse inside compiled code: it is that of the mark that ran."""
    found: Shown = []
    for names, line, message in seen["runs"][0]["exceptions"]:
        if "KeyReuseError" in names:
            ran = _ran(seen["runs"][0], marks)
            lines = [line] if line in marks else ran or [line]
            found += [(each, f"{names[0]}: {message[:60]}") for each in lines]
    return found


def _stale(seen: dict[str, Any], marks: list[int]) -> Shown:
    if not seen["differs"]:
        return []
    jitted, eager = seen["results"]
    what = f"{jitted} compiled, {eager} eager"
    return [(line, what) for line in _ran(seen["runs"][0], marks, traced=True) or [0]]


def _no_effect(seen: dict[str, Any], marks: list[int]) -> Shown:
    if not marks or seen.get("differs", True):
        return []
    return [(line, "same result without it") for line in _ran(seen["runs"][0], marks)]


def _repeats(seen: dict[str, Any], marks: list[int]) -> Shown:
    if not seen["repeats"]:
        return []
    ran = _ran(seen["runs"][0], marks)
    return [(line, f"{seen['results'][0]} each time") for line in ran or [0]]


def _unrolls(seen: dict[str, Any], marks: list[int]) -> Shown:
    traces = max(seen["first_traces"], 1)
    found: Shown = []
    for line, traced, count in seen["runs"][0]["hits"]:
        if traced and count >= _FEWEST_ITERATIONS * traces:
            if not marks or line in marks:
                found.append((line, f"traced {count} times in {traces} traces"))
    return found


def _ends_early(seen: dict[str, Any], marks: list[int]) -> Shown:
    ratio = seen.get("ratio")
    if ratio is None or ratio < _ENDS_EARLY:
        return []
    what = f"{ratio:.0f} times longer with block_until_ready"
    return [(line, what) for line in _ran(seen["runs"][0], marks) or [0]]


def _waits(seen: dict[str, Any], marks: list[int]) -> Shown:
    found: Shown = []
    reads = dict(seen["runs"][0]["reads"])
    for line, traced, count in seen["runs"][0]["hits"]:
        if not traced and count >= 3 and reads.get(line, 0) >= count - 1:
            if not marks or line in marks:
                found.append((line, f"{reads[line]} reads in {count} runs of the line"))
    return found


def _retraces_in_one_run(seen: dict[str, Any], marks: list[int]) -> Shown:
    hits = _hits(seen["runs"][0], marks)
    count = seen["first_traces"]
    if not marks:
        calls = max((n for _, traced, n in seen["runs"][0]["hits"] if not traced), default=0)
        return [(0, f"{count} traces")] if count >= max(calls, 3) else []
    what = f"{count} traces, the line ran {{}} times"
    return [(line, what.format(ran)) for line, ran in hits.items() if ran >= 3 and count >= ran]


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


def _convention(seen: dict[str, Any], marks: list[int]) -> Shown:
    return [(line, "runs") for line in marks]


_BY_KIND: dict[str, Callable[[dict[str, Any], list[int]], Shown]] = {
    "retraces": _retraces,
    "retraces_in_one_run": _retraces_in_one_run,
    "slow_dispatch": _slow_dispatch,
    "stale": _stale,
    "no_effect": _no_effect,
    "repeats": _repeats,
    "unrolls": _unrolls,
    "ends_early": _ends_early,
    "waits": _waits,
    "convention": _convention,
}


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
    if evidence.kind == "key_reuse":
        return bool(seen["error"] == "KeyReuseError")
    if evidence.kind not in ("raises", "raises_when_called", "warns"):
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
