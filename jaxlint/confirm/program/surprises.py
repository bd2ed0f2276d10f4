"""What JAX did that no finding predicted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from jaxlint.confirm.program.costs import FunctionCost
from jaxlint.confirm.program.observation import At, Observation
from jaxlint.confirm.program.retraces import CAUSES, MOST, unpredicted_retraces
from jaxlint.events import Event, Kind
from jaxlint.findings import Finding
from jaxlint.rules.registry import all_rules, by_kind, find_rule


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
    retraces: int = MOST,
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
    events = [*_merge_keys(events), *unpredicted_retraces(findings, costs, retraces)]
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
        codes = [rule.code for kind in CAUSES for rule in by_kind().get(kind, ())]
    return tuple(sorted(set(codes)))


def _merge_keys(events: list[Event]) -> list[Event]:
    """One event for all keys that are used again on one line."""
    found: list[Event] = []
    kept: dict[tuple[str, int, tuple[str, ...]], Event] = {}
    for event in events:
        detail = event.detail
        key = (detail["file"], event.site.line, tuple(detail.get("callers", ())))
        if event.kind is not Kind.KEY_REUSE or "through" not in detail:
            found.append(event)
        elif key in kept:
            kept[key].detail["count"] += detail["count"]
        else:
            kept[key] = event
    return [*found, *kept.values()]


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
        places = [(detail["file"], event.site.line), *map(tuple, detail.get("through", ()))]
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


def _describe(event: Event) -> str:
    detail = event.detail
    times = "" if detail["count"] == 1 else f", {detail['count']} times"
    inside = "" if detail["direct"] else ", in a library called here"
    if event.kind is Kind.RETRACE:
        inside = " by this line" if not detail["direct"] else ""
        reasons = ", ".join(f"{kind} {count}" for kind, count in detail["reasons"].items())
        example = f" ({detail['example']})" if detail["example"] else ""
        again = f"traced again {detail['count']} times{inside}"
        return f"{event.construct}: {again}: {reasons}{example}"
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
