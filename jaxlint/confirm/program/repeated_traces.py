"""Functions that were traced again and again without a finding that says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from jaxlint.confirm.event_kinds import RETRACE, RETRACE_CAUSES, kinds_of
from jaxlint.confirm.observation import At, Occurrence, Work
from jaxlint.confirm.program.function_costs import FunctionCost, seconds_again
from jaxlint.findings import Finding
from jaxlint.rules.registry import find_rule

MOST = 10
"""Default number of repeated traces above which a function is reported."""

_NAMES_SHOWN = 3


def repeated_traces(
    findings: list[Finding], costs: list[FunctionCost], most: int
) -> Iterator[Occurrence]:
    """One for each of the user's functions, and for each line that makes libraries retrace.

    Args:
        findings: all findings, with absolute file names.
        costs: the functions.
        most: functions with more repeated traces than this are reported.
    """
    predicted = _predicted_lines(findings)
    at_lines: dict[At, list[tuple[FunctionCost, list[Work]]]] = {}
    for cost in costs:
        if _places(cost.traced) & predicted:
            continue
        if not cost.library:
            if cost.repeated > most and cost.at is not None:
                yield _occurrence(cost.at, [(cost, cost.work)], direct=True)
            continue
        # A function of a library is used in many places: each line counts for itself.
        for at, works in _by_line(cost.work).items():
            if sum(work.what == "trace" for work in works) - 1 > most:
                at_lines.setdefault(at, []).append((cost, works))
    for at, parts in at_lines.items():
        yield _occurrence(at, parts, direct=False)


def _predicted_lines(findings: list[Finding]) -> set[tuple[str, int]]:
    lines = set()
    for finding in findings:
        rule = find_rule(finding.code)
        if rule is not None and kinds_of(rule) & RETRACE_CAUSES:
            lines |= {(finding.filename, n) for n in range(finding.line, finding.end_line + 1)}
    return lines


def _places(traces: list[Work]) -> set[tuple[str, int]]:
    places = {(at.file, at.line) for work in traces for at in work.stack}
    return places | {(w.wrapped.file, w.wrapped.line) for w in traces if w.wrapped is not None}


def _by_line(works: list[Work]) -> dict[At, list[Work]]:
    found: dict[At, list[Work]] = {}
    for work in works:
        if work.stack:
            found.setdefault(work.stack[0], []).append(work)
    return found


def _occurrence(at: At, parts: list[tuple[FunctionCost, list[Work]]], direct: bool) -> Occurrence:
    everything = [work for _, some in parts for work in some]
    works = [work for work in everything if work.what == "trace"]
    reasons = Counter(kind for work in works for kind in {kind for kind, _ in work.reasons})
    first = reasons.pop("first trace", 0)
    names = [cost.name for cost, _ in parts]
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    examples = [text for work in works for _, text in work.reasons if text]
    return Occurrence(
        RETRACE,
        at,
        ", ".join(names[:_NAMES_SHOWN]) + more,
        len(works) - min(first, len(works)),
        direct,
        callers=() if _made_where_called(works) else _outermost(works),
        reasons=dict(sorted(reasons.items(), key=lambda each: (-each[1], each[0]))),
        example=examples[-1] if examples else "",
        seconds=seconds_again(everything),
    )


def _outermost(works: list[Work]) -> tuple[str, ...]:
    """The files in which the calls began that led to the traces."""
    return tuple(sorted({work.stack[-1].file for work in works if work.stack}))


def _made_where_called(works: list[Work]) -> bool:
    """Whether one function makes the new function objects and calls them too.

    Then it is to blame, whoever calls it; else who asks for new ones may well have to.
    """
    new = [work for work in works if work.of_a_new_function]
    return bool(new) and all(_is_made_where_called(work) for work in new)


def _is_made_where_called(work: Work) -> bool:
    if work.wrapped is None or work.defined is None or not work.stack:
        return False
    called = work.stack[0]
    here = (called.file, called.scope)
    return here == (work.wrapped.file, work.wrapped.scope) and work.defined.file == called.file
