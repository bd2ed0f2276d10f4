"""What must be fixed, in which order: what raises, what is wrong in silence, what costs time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from jaxlint.confirm.event_kinds import RETRACE
from jaxlint.confirm.evidence.registry import all_kinds
from jaxlint.confirm.observer.probes import ERRORS
from jaxlint.confirm.program.surprises import Surprise
from jaxlint.confirm.program.verdicts import Verdict
from jaxlint.rules.registry import find_rule

GROUPS = {
    "raises": "Raises: the program stops there",
    "wrong": "Raises nothing, but does not do what it says",
    "slow": "Costs time",
    "open": "Not reached: this run does not tell",
    "refuted": "Refuted: it ran, and nothing happened",
}
"""Group -> heading, the most urgent first."""

TO_FIX = ("raises", "wrong", "slow")
"""Groups of what JAX really did."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A finding with its verdict, or what no finding predicted, at its rank.

    Attributes:
        number: from 1.
        group: one of :data:`GROUPS`.
        what: a verdict, or a surprise.
        file, line: where it is to be fixed.
        seconds: what it cost in this run; 0: nothing, or it cannot be told.
    """

    number: int
    group: str
    what: Verdict | Surprise
    file: str
    line: int
    seconds: float


def ranking(verdicts: list[Verdict], missed: list[Surprise]) -> list[Ranked]:
    """All of them: by group, then the first to raise, the most seconds, the place."""
    found = [*map(_of_verdict, verdicts), *map(_of_surprise, missed)]
    numbers = count(1)
    return [
        Ranked(next(numbers), each.group, each.what, each.file, each.line, each.seconds)
        for each in sorted(found, key=_order)
    ]


def ranks(ranked: list[Ranked]) -> Iterator[tuple[int, int]]:
    """(identity of a verdict or surprise, its rank)."""
    for each in ranked:
        yield id(each.what), each.number


def _order(each: Ranked) -> tuple[object, ...]:
    verdict = each.what if isinstance(each.what, Verdict) else None
    severe = verdict is not None and verdict.finding.severity == "error"
    turn = verdict.turn if verdict is not None and each.group == "raises" else 0
    code = verdict.finding.code if verdict is not None and each.group == "wrong" else ""
    return (
        list(GROUPS).index(each.group), verdict is None, turn, not severe, -each.seconds,
        code, each.file, each.line,
    )  # fmt: skip


def _of_verdict(verdict: Verdict) -> Ranked:
    finding = verdict.finding
    return Ranked(0, _group(verdict), verdict, finding.filename, finding.line, verdict.seconds)


def _group(verdict: Verdict) -> str:
    if verdict.outcome != "confirmed":
        return "refuted" if verdict.outcome == "refuted" else "open"
    rule = find_rule(verdict.finding.code)
    if rule is not None and all_kinds()[rule.evidence.kind].costs_time:
        return "slow"
    return "raises" if verdict.finding.severity == "error" else "wrong"


def _of_surprise(surprise: Surprise) -> Ranked:
    occurrence, at = surprise.occurrence, surprise.at
    if occurrence.kind == RETRACE:
        group = "slow"
    else:
        is_error = occurrence.kind in ERRORS.values() or occurrence.construct.endswith("Error")
        group = "raises" if is_error else "wrong"
    return Ranked(0, group, surprise, at.file, at.line, occurrence.seconds)
