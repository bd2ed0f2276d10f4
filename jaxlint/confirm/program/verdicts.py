"""Findings against what JAX did: confirmed, refuted, or not reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jaxlint.confirm.evidence.case import Case, Judgement, Outcome
from jaxlint.confirm.evidence.registry import all_kinds
from jaxlint.confirm.observation import Led
from jaxlint.confirm.program.function_costs import seconds_again
from jaxlint.confirm.program.ran import Member, in_words, names_of
from jaxlint.findings import Finding
from jaxlint.rules.registry import find_rule

OUTCOMES: tuple[Outcome, ...] = ("confirmed", "refuted", "not reached")
"""What outweighs what comes first."""

NOT_LOOKED_FOR: Judgement = ("not reached", "was not looked for in this run")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What really happened at one finding.

    Attributes:
        finding: the prediction.
        outcome: whether it came true.
        evidence: what was seen, in words.
        seconds: what tracing and compiling again took because of it.
        said: what JAX, NumPy or Python said; empty when nothing was raised.
        led: the test and the lines that led there, the first time; None: nothing did.
        turn: how many findings raised before it did; those that never raise come last.
    """

    finding: Finding
    outcome: Outcome
    evidence: str
    seconds: float = 0.0
    said: str = ""
    led: Led | None = None
    turn: int = 0


def verdicts(findings: list[Finding], members: Sequence[Member]) -> list[Verdict]:
    """Judge every finding.

    Args:
        findings: numbered as in the watch list; file names as the journals have them.
        members: what ran; each is judged by itself.
    """
    judged = [_verdicts_of(findings, each) for each in members]
    if len(members) == 1:
        return judged[0]
    names = names_of(members)
    return [_joined(each, names) for each in zip(*judged, strict=True)]


def _joined(found: Sequence[Verdict], names: Sequence[str]) -> Verdict:
    """One verdict of those of all members: what came true in one has come true."""
    outcome = next(each for each in OUTCOMES if any(one.outcome == each for one in found))
    alike = [n for n, each in enumerate(found) if each.outcome == outcome]
    first = found[alike[0]]
    same = [n for n in alike if found[n].evidence == first.evidence]
    others = [each for each in found if each.led is not None]
    return replace(
        first,
        evidence=f"{first.evidence} ({in_words([names[n] for n in same], len(found))})",
        seconds=sum(found[n].seconds for n in alike),
        said=next((each.said for each in found if each.said), ""),
        led=first.led or next((each.led for each in others), None),
        turn=min(each.turn for each in found),
    )


def _verdicts_of(findings: list[Finding], member: Member) -> list[Verdict]:
    judged, observation = [], member.observation
    raised = (number for number, seen in observation.seen.items() if "raised" in seen.led)
    turns = {number: turn for turn, number in enumerate(raised)}
    for number, finding in enumerate(findings):
        rule = find_rule(finding.code)
        assert rule is not None
        case = Case(finding, rule, observation.of(number), observation)
        found = NOT_LOOKED_FOR if number in member.unwatched else _judge(case)
        judged.append(_verdict(case, found, turns.get(number, len(turns))))
    return judged


def _verdict(case: Case, judgement: Judgement, turn: int) -> Verdict:
    outcome, evidence = judgement
    seen = case.seen
    again = outcome == "confirmed" and all_kinds()[case.rule.evidence.kind].costs_time
    said = [f"{name}: {text}" for name, text in seen.said.items() if text]
    led = next((seen.led[how] for how in ("raised", "traced", "ran") if how in seen.led), None)
    seconds = seconds_again(case.work) if again else 0.0
    return Verdict(case.finding, outcome, evidence, seconds, said[0] if said else "", led, turn)


def _judge(case: Case) -> Judgement:
    file, observation = case.finding.filename, case.observation
    if file in observation.loaded:
        return all_kinds()[case.rule.evidence.kind].judge(case)
    if file in observation.copies:
        copy = observation.copies[file]
        return "not reached", f"another copy of the file was run: {copy}"
    return "not reached", "the file was not run"
