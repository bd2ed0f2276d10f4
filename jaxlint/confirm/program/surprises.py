"""What JAX did that no finding predicted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from jaxlint.confirm.program.costs import FunctionCost
from jaxlint.confirm.program.observation import At, Observation
from jaxlint.events import Event, Kind, Place, Site
from jaxlint.findings import Finding
from jaxlint.rules.registry import all_rules, by_kind, find_rule

RETRACES = 10
"""Default number of repeated traces from which a function is reported."""

_RETRACE_KINDS = frozenset(
    {Kind.FRESH_TRANSFORM, Kind.CHANGING_STATIC, Kind.CHANGING_SHAPE, Kind.RETRACE}
)


@dataclass(frozen=True, slots=True)
class Surprise:
    """An event that real JAX showed and the linter did not predict.

    Attributes:
        event: what happened; ``detail["file"]`` says in which file.
        text: in words.
        expected: why no finding was to be expected: the code catches it, a comment
            silences it, a rule that stays silent in tests. Empty: the linter missed it.
    """

    event: Event
    text: str
    expected: str

    @property
    def at(self) -> At:
        """Where."""
        return At(self.event.detail["file"], self.event.site.line)


Excuse = Callable[[Event, tuple[str, ...]], str]
"""Says why no finding was to be expected for an event that these rules would report."""


def surprises(
    findings: list[Finding],
    names: list[set[str]],
    observation: Observation,
    costs: list[FunctionCost],
    excuse: Excuse,
    retraces: int = RETRACES,
) -> list[Surprise]:
    """All that no finding predicted, the linter's own misses first.

    Args:
        findings: all findings, with absolute file names.
        names: for each finding the names that it is about.
        observation: what was seen.
        costs: the functions, as :func:`function_costs` has them.
        excuse: looks at the code around an event.
        retraces: report functions with more repeated traces than this.
    """
    predictions = Predictions(findings, names)
    events = [event for event in observation.events if not predictions.cover(event)]
    events += _retraces(findings, costs, retraces)
    found = [
        Surprise(event, _describe(event), excuse(event, _rules_for(event))) for event in events
    ]
    return sorted(found, key=lambda s: (bool(s.expected), s.at.file, s.at.line, s.text))


def _rules_for(event: Event) -> tuple[str, ...]:
    """The rules that would have reported the event."""
    codes = [rule.code for rule in by_kind().get(event.kind, ())]
    codes += [
        rule.code
        for rule in all_rules()
        if event.kind is not Kind.INVALID_ARGUMENT and event.construct in rule.evidence.exceptions
    ]
    if event.kind is Kind.RETRACE:
        codes = [rule.code for kind in _RETRACE_KINDS for rule in by_kind().get(kind, ())]
    return tuple(sorted(set(codes)))


class Predictions:
    """The findings, by what they predict.

    Args:
        findings: all findings, with absolute file names.
        names: for each finding the names that it is about.
    """

    def __init__(self, findings: list[Finding], names: list[set[str]]) -> None:
        self._findings = list(zip(findings, names, strict=True))

    def cover(self, event: Event) -> bool:
        """Whether a finding has predicted the event."""
        detail = event.detail
        if event.kind is Kind.KEPT_TRACER:
            return self._predict_leak(detail["file"], event.construct)
        places = [(detail["file"], event.site.line), *map(tuple, detail.get("callers", ()))]
        if "other_file" in detail and event.kind is Kind.INVALID_ARGUMENT:
            places.append((detail["other_file"], detail["other_line"]))
        wanted = set(_rules_for(event))
        if event.kind is Kind.KEY_REUSE and "other_file" in detail:
            # A key whose new keys were thrown away is used again: that is said at the first use.
            places.append((detail["other_file"], detail["other_line"]))
            wanted |= {rule.code for rule in by_kind()[Kind.DISCARDED_UPDATE]}
        if event.construct.endswith("Error"):
            # Where JAX raises as predicted, it may do so through several of its exceptions.
            wanted |= {rule.code for rule in all_rules() if rule.evidence.kind == "raises"}
        return any(self._at(file, line, wanted) for file, line in places)

    def _at(self, file: str, line: int, codes: set[str]) -> bool:
        return any(
            finding.code in codes
            and finding.filename == file
            and finding.line <= line <= finding.end_line
            for finding, _ in self._findings
        )

    def _predict_leak(self, file: str, path: str) -> bool:
        root = re.split(r"[.\[]", path, maxsplit=1)[0]
        return any(
            finding.filename == file and root in names and _leaves_tracers(finding)
            for finding, names in self._findings
        )


def _leaves_tracers(finding: Finding) -> bool:
    rule = find_rule(finding.code)
    return rule is not None and rule.evidence.kind == "effect"


def _retraces(findings: list[Finding], costs: list[FunctionCost], most: int) -> list[Event]:
    found = []
    for cost in costs:
        at, count = _repeated_at(cost)
        if at is None or count <= most or _retrace_is_predicted(cost, findings):
            continue
        reasons = {kind: n for kind, n in cost.reasons.most_common() if kind != "first trace"}
        detail = {
            "file": at.file,
            "count": count,
            "direct": not cost.library,
            "reasons": reasons,
            "example": next(iter(cost.examples.values()), ""),
        }
        site = Site(None, Place(at.line, 0, at.line, 0))
        found.append(Event(Kind.RETRACE, site, cost.name, detail=detail))
    return found


def _repeated_at(cost: FunctionCost) -> tuple[At | None, int]:
    """Where to report a function, and how often it was traced again.

    A function of a library is used in many places: the line counts that makes it
    trace most often.
    """
    if not cost.library:
        return cost.at, cost.repeated
    lines = Counter(w.stack[0] for w in cost.work if w.what == "trace" and w.stack)
    return lines.most_common(1)[0] if lines else (None, 0)


def _retrace_is_predicted(cost: FunctionCost, findings: list[Finding]) -> bool:
    traces = [work for work in cost.work if work.what == "trace"]
    places = {(at.file, at.line) for work in traces for at in work.stack}
    places |= {(w.wrapped.file, w.wrapped.line) for w in traces if w.wrapped is not None}
    for finding in findings:
        rule = find_rule(finding.code)
        if rule is not None and set(rule.listens_to) & _RETRACE_KINDS:
            lines = range(finding.line, finding.end_line + 1)
            if any((finding.filename, line) in places for line in lines):
                return True
    return False


def _describe(event: Event) -> str:
    detail = event.detail
    times = "" if detail["count"] == 1 else f", {detail['count']} times"
    inside = "" if detail["direct"] else ", in a library called here"
    if event.kind is Kind.RETRACE:
        reasons = ", ".join(f"{kind} {count}" for kind, count in detail["reasons"].items())
        example = f" ({detail['example']})" if detail["example"] else ""
        return f"{event.construct} was traced again {detail['count']} times: {reasons}{example}"
    if event.kind is Kind.KEPT_TRACER:
        return f"{event.construct} still holds a tracer at the end of the program"
    if event.kind is Kind.KEY_REUSE:
        first = detail.get("other_line")
        where = f", first used on line {first}" if first else ""
        return f"jax.random.{event.construct} got a key that was used before{where}{times}{inside}"
    if event.kind is Kind.WIDE_DTYPE:
        return f"{event.construct} was narrowed: x64 is off{times}{inside}"
    if event.kind is Kind.REMOVED_API:
        return f"{event.construct} is deprecated{times}{inside}"
    if event.kind is Kind.DONATED_USE:
        return f"an array was used after its buffer had been deleted or donated{times}{inside}"
    return f"{event.construct}{times}{inside}"
