"""What JAX did that no finding predicted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from jaxlint.confirm.event_kinds import (
    DISCARDED_UPDATE,
    DONATED_USE,
    FORK_AFTER_START,
    HOST_OUTPUT,
    INVALID_ARGUMENT,
    INVALID_RECEIVER,
    KEPT_TRACER,
    KEY_REUSE,
    LATE_SETTING,
    LOST_STATE,
    REMOVED_API,
    RETRACE,
    RETRACE_CAUSES,
    SINGULAR_GRADIENT,
    STALE_OPTIMIZER,
    STALE_READ,
    UNHASHABLE_STATIC,
    WIDE_DTYPE,
    rules_for,
)
from jaxlint.confirm.evidence.effect import Effect
from jaxlint.confirm.evidence.raises import Raises
from jaxlint.confirm.evidence.registry import all_kinds
from jaxlint.confirm.observation import At, Observation, Occurrence
from jaxlint.confirm.program.function_costs import FunctionCost
from jaxlint.confirm.program.repeated_traces import MOST, repeated_traces
from jaxlint.findings import Finding
from jaxlint.rules.registry import all_rules, find_rule
from jaxlint.rules.rule import Rule

_USE_OF_LEAKED = "UnexpectedTracerError"


@dataclass(frozen=True, slots=True)
class Surprise:
    """Something that JAX minded and the linter did not predict.

    Attributes:
        occurrence: what happened.
        text: in words.
        expected: why no finding was to be expected: the code catches it, a comment
            silences it, a rule that stays silent in tests. Empty: the linter missed it.
    """

    occurrence: Occurrence
    text: str
    expected: str

    @property
    def at(self) -> At:
        """Where."""
        return self.occurrence.at


Excuse = Callable[[Occurrence, tuple[str, ...]], str]
"""Says why no finding was to be expected for what these rules would report."""


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
        excuse: looks at the code around a place.
        retraces: report functions with more repeated traces than this.
    """
    predictions = Predictions(findings, names)
    missed = [each for each in observation.occurrences if not predictions.cover(each)]
    missed = [*_merge_keys(missed), *repeated_traces(findings, costs, retraces)]
    found = [Surprise(each, _describe(each), excuse(each, _codes_for(each))) for each in missed]
    return sorted(found, key=lambda s: (bool(s.expected), s.at.file, s.at.line, s.text))


def _codes(rules: Iterable[Rule]) -> set[str]:
    return {rule.code for rule in rules}


def _codes_for(occurrence: Occurrence) -> tuple[str, ...]:
    """The rules that would have reported it."""
    if occurrence.kind == RETRACE:
        return tuple(sorted(_codes(rule for kind in RETRACE_CAUSES for rule in rules_for(kind))))
    codes = _codes(rules_for(occurrence.kind))
    if occurrence.kind == INVALID_ARGUMENT:
        # JAX refuses the `self` of a compiled method as it does any argument.
        return tuple(sorted(codes | _codes(rules_for(INVALID_RECEIVER))))
    exception = occurrence.construct
    codes |= _codes(rule for rule in all_rules() if exception in rule.evidence.exceptions)
    return tuple(sorted(codes))


def _merge_keys(occurrences: list[Occurrence]) -> list[Occurrence]:
    """One occurrence for all keys that are used again on one line."""
    found: list[Occurrence] = []
    kept: dict[tuple[At, tuple[str, ...]], Occurrence] = {}
    for each in occurrences:
        key = (each.at, each.callers)
        if each.kind != KEY_REUSE or not each.through:
            found.append(each)
        elif key in kept:
            kept[key] = replace(kept[key], count=kept[key].count + each.count)
        else:
            kept[key] = each
    return [*found, *kept.values()]


class Predictions:
    """The findings, by what they predict.

    Args:
        findings: all findings, with absolute file names.
        names: for each finding the names that it is about.
    """

    def __init__(self, findings: list[Finding], names: list[set[str]]) -> None:
        self._findings = list(zip(findings, names, strict=True))

    def cover(self, occurrence: Occurrence) -> bool:
        """Whether a finding has predicted it."""
        if occurrence.kind == KEPT_TRACER:
            return self._predict_leak(occurrence.at.file, occurrence.construct)
        places = [occurrence.at, *occurrence.through]
        wanted = set(_codes_for(occurrence))
        if occurrence.kind == STALE_OPTIMIZER:
            # It is told where the new state is dropped: the loop may be somewhere else.
            return any(finding.code in wanted for finding, _ in self._findings)
        if occurrence.other is not None and occurrence.kind in (INVALID_ARGUMENT, KEY_REUSE):
            places.append(occurrence.other)
            if occurrence.kind == KEY_REUSE:
                # A key whose new keys were thrown away is used again: that is said at the
                # first use.
                wanted |= _codes(rules_for(DISCARDED_UPDATE))
        if occurrence.construct.endswith("Error"):
            # Where JAX raises as predicted, it may do so through several of its exceptions.
            wanted |= _codes(rule for rule in all_rules() if _is_shown_by(rule, Raises))
        return any(self._at(place, wanted) for place in places)

    def _at(self, place: At, codes: set[str]) -> bool:
        return any(
            finding.code in codes
            and finding.filename == place.file
            and finding.line <= place.line <= finding.end_line
            for finding, _ in self._findings
        )

    def _predict_leak(self, file: str, path: str) -> bool:
        root = re.split(r"[.\[]", path, maxsplit=1)[0]
        return any(
            finding.filename == file and root in names and _leaves_tracers(finding)
            for finding, names in self._findings
        )


def _is_shown_by(rule: Rule, kind: type) -> bool:
    return isinstance(all_kinds()[rule.evidence.kind], kind)


def _leaves_tracers(finding: Finding) -> bool:
    """Whether it says that a tracer gets out, or that one has got out."""
    rule = find_rule(finding.code)
    if rule is None:
        return False
    return _is_shown_by(rule, Effect) or _USE_OF_LEAKED in rule.evidence.exceptions


def _describe(occurrence: Occurrence) -> str:
    kind, construct = occurrence.kind, occurrence.construct
    if kind == RETRACE:
        return _describe_retrace(occurrence)
    if kind == KEPT_TRACER:
        return f"{construct} still holds a tracer at the end of the program"
    times = "" if occurrence.count == 1 else f", {occurrence.count} times"
    inside = "" if occurrence.direct else ", in a library called here"
    if kind == KEY_REUSE:
        first = occurrence.other
        where = f", first used on line {first.line}" if first is not None else ""
        return f"jax.random.{construct} got a key that was used before{where}{times}{inside}"
    if kind == HOST_OUTPUT:
        return f"{construct} ran while JAX was tracing{times}, and not when the compiled code ran"
    if kind == STALE_READ:
        return f"compiled code keeps {construct} as it was while tracing: it {occurrence.example}"
    what = {
        SINGULAR_GRADIENT: f"the gradient of {construct} came back as NaN, and its value did not",
        UNHASHABLE_STATIC: "ValueError: an argument that is static cannot be hashed",
        WIDE_DTYPE: f"{construct} was narrowed: x64 is off",
        REMOVED_API: f"{construct} is deprecated",
        LATE_SETTING: f"{construct} was set when JAX had read it",
        LOST_STATE: f"{construct}, a copy that JAX has made for a trace, was changed there",
        STALE_OPTIMIZER: f"{construct}, the state of an optimizer, was what it had been the time "
        "before, and other arguments were not",
        FORK_AFTER_START: "a process was forked in which JAX runs: the new one may hang",
        DONATED_USE: "an array was used after its buffer had been deleted or donated",
    }.get(kind, construct)
    return f"{what}{times}{inside}"


def _describe_retrace(occurrence: Occurrence) -> str:
    inside = "" if occurrence.direct else " by this line"
    reasons = ", ".join(because(kind, count) for kind, count in occurrence.reasons.items())
    example = f"; at last {occurrence.example}" if occurrence.example else ""
    again = f"was traced again {times_again(occurrence.count)}{inside}"
    return f"{occurrence.construct} {again}: {reasons}{example}"


def because(kind: str, count: int) -> str:
    """Why JAX's cache had no entry, and how often, in words."""
    return f"{times_again(count)} for {_REASONS.get(kind, kind)}"


def times_again(count: int) -> str:
    """ "once", "twice", "5 times"."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


_REASONS = {
    "shape": "a new shape",
    "dtype": "a new dtype",
    "weak type": "another weak type",
    "static value": "a new static value",
    "tree structure": "another structure of the arguments",
    "new function object": "a new function object",
    "context": "the same arguments under other settings or another trace",
}
