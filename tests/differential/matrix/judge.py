"""JAX and jaxlint on one program, and the counts over many."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from jaxlint.check import check
from jaxlint.config import Options
from jaxlint.findings import Finding
from jaxlint.source import source_from
from tests.differential.judge import is_covered
from tests.differential.matrix.compose import Composer, Program
from tests.differential.matrix.watch import Run, run

OPTIONS = Options(
    select=("JXL1", "JXL301", "JXL302", "JXL303", "JXL305", "JXL306", "JXL307"),
    ignore=("JXL118",),
)
"""What is asked: refusals and effects. A leak (JXL118) shows in no single run."""


@dataclass
class Verdict:
    """One program.

    Attributes:
        discarded: why JAX cannot judge it; empty when it can.
        expected: whether a finding belongs on the marked line; None when either is right.
        missed: whether it is not there.
        wrong: findings on lines that ran and that JAX had nothing against.
    """

    discarded: str = ""
    expected: bool | None = False
    missed: bool = False
    wrong: list[Finding] = field(default_factory=list)


def judge(program: Program) -> Verdict:
    """Run a program, lint it, compare."""
    ran = run(program.text, program.unseen)
    expected, discarded = expectation(program, ran)
    if discarded:
        return Verdict(discarded)
    findings = check(source_from(program.text, "program.py"), OPTIONS)
    if depends(program, expected):
        return Verdict("", None)
    flagged = {finding.line for finding in findings}
    missed = bool(expected) and not flagged & program.lines
    wrong = [] if ran.error else [f for f in findings if _is_wrong(f, program, ran)]
    return Verdict("", expected, missed, wrong)


def depends(program: Program, expected: bool | None) -> bool:
    """Whether it depends on who calls the program what JAX has against it."""
    for call in program.otherwise:
        otherwise, discarded = expectation(program, run(program.text, call))
        if otherwise if not expected else otherwise is False and not discarded:
            return True
    return False


def expectation(program: Program, ran: Run) -> tuple[bool | None, str]:
    """Whether a finding is due, as JAX has it; or why that cannot be said."""
    if ran.error is not None:
        here = ran.line in program.lines
        if here and any(map(is_covered, _with_causes(ran.error))):
            unknown = program.calls == "not called" and not ran.is_traced(ran.line)
            return (None if unknown else True), ""  # Others may give it NumPy arrays.
        reason = str(ran.error).strip().split("\n")[0][:60]
        where = "there" if here else "elsewhere"
        return None, f"{where}: {type(ran.error).__name__}: {reason}"
    if not program.lines & ran.traces.keys():
        return None, "the line did not run"
    if program.construct.kind != "effect":
        return False, ""
    if any(ran.is_staged(line) for line in program.lines):
        only_traced = any(form.traces_only for form in program.forms)
        return (None if only_traced else True), ""
    shown = program.construct.name.startswith("print")
    if shown and any(ran.is_batched(line) for line in program.lines):
        return True, ""
    return (None if any(ran.is_traced(line) for line in program.lines) else False), ""


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it came from: NumPy puts errors of its own around JAX's."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_wrong(finding: Finding, program: Program, ran: Run) -> bool:
    """Whether a finding is on a line that ran, in a program in which nothing was raised.

    One that speaks of a call that passes ``n`` is right: only such a call would raise.
    """
    if finding.line not in ran.traces or LATENT in finding.message:
        return False
    return finding.code.startswith("JXL1") or not ran.is_traced(finding.line)


LATENT = "as soon as a call passes `n`"
"""What a message says of a parameter with a default that no call in view passes."""

MISSED_AT_MOST = 0.01
"""Share of the findings due that may be missed. No finding may be wrong."""


@dataclass
class Count:
    """How many programs, findings due, misses, wrong findings, and how many say nothing."""

    programs: int = 0
    discarded: int = 0
    due: int = 0
    missed: int = 0
    wrong: int = 0

    def add(self, verdict: Verdict) -> None:
        """One program more."""
        if verdict.discarded:
            self.discarded += 1
            return
        self.programs += 1
        self.due += bool(verdict.expected)
        self.missed += verdict.missed
        self.wrong += bool(verdict.wrong)


@dataclass
class Tally:
    """The counts of many programs, by what went into them; why some say nothing."""

    total: Count = field(default_factory=Count)
    by: dict[str, dict[str, Count]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Count))
    )
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def agrees(self) -> bool:
        """Whether jaxlint is as good as it must be."""
        return not self.total.wrong and self.total.missed <= MISSED_AT_MOST * self.total.due

    def add(self, program: Program, verdict: Verdict) -> None:
        """One program more."""
        if verdict.discarded:
            self.reasons[verdict.discarded] += 1
        self.total.add(verdict)
        forms = [form.title for form in program.forms]
        for kind, names in {
            "form, alone": forms if len(forms) == 1 else [],
            "form, anywhere": forms,
            "outermost form": forms[-1:],
            "construct": [program.construct.name],
            "distance": [program.distance],
            "style": [program.style],
            "spelling": [program.spelling],
            "place": [program.place],
            "called": [program.calls],
            "depth": [str(len(forms))],
        }.items():
            for name in set(names):
                self.by[kind][name].add(verdict)


def programs(first: int, count: int) -> Iterator[tuple[int, Program]]:
    """Programs, each with its number."""
    for seed in range(first, first + count):
        yield seed, Composer(random.Random(seed)).program()
