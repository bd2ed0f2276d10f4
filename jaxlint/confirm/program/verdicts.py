"""Findings against what JAX did: confirmed, refuted, or not reached."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.confirm.evidence.case import Case, Judgement, Outcome
from jaxlint.confirm.evidence.registry import all_kinds
from jaxlint.confirm.observation import Observation
from jaxlint.findings import Finding
from jaxlint.rules.registry import find_rule


@dataclass(frozen=True, slots=True)
class Verdict:
    """What really happened at one finding.

    Attributes:
        finding: the prediction.
        outcome: whether it came true.
        evidence: what was seen, in words.
    """

    finding: Finding
    outcome: Outcome
    evidence: str


def verdicts(findings: list[Finding], observation: Observation) -> list[Verdict]:
    """Judge every finding.

    Args:
        findings: numbered as in the watch list; file names as the journals have them.
        observation: what was seen.
    """
    judged = []
    for number, finding in enumerate(findings):
        rule = find_rule(finding.code)
        assert rule is not None
        case = Case(finding, rule, observation.of(number), observation)
        judged.append(Verdict(finding, *_judge(case)))
    return judged


def _judge(case: Case) -> Judgement:
    file, observation = case.finding.filename, case.observation
    if file in observation.loaded:
        return all_kinds()[case.rule.evidence.kind].judge(case)
    if file in observation.copies:
        copy = observation.copies[file]
        return "not reached", f"another copy of the file was run: {copy}"
    return "not reached", "the file was not run"
