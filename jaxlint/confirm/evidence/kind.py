"""What a kind of evidence is: how a fixture shows it, and what the user's program says of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

from jaxlint.confirm.evidence.case import Case, Judgement
from jaxlint.confirm.places import Position, names_in
from jaxlint.rules.rule import Evidence, Rule

if TYPE_CHECKING:
    from jaxlint.confirm.evidence.trial import Trial
    from jaxlint.confirm.fixtures.apart import Apart
    from jaxlint.confirm.fixtures.outcome import Outcome

Shown = list[tuple[int, str]]
"""(line, what) wherever the run of a fixture shows the evidence.

Line 0 stands for a fixture without marks: JAX does it somewhere in there.
"""


class EvidenceKind:
    """Base of all kinds. The docstring of a subclass says what JAX shows.

    Attributes:
        values_stay: what a program returns is the same after a fix: no random numbers, no times.
    """

    values_stay: ClassVar[bool] = True

    costs_time: ClassVar[bool] = False
    """Whether the program does what it says, and only takes longer."""

    apart: ClassVar[bool] = False
    """Whether each trigger runs in processes of its own: what counts is what came before."""

    def promise(self, evidence: Evidence) -> str:
        """What a bad fixture must show, in a few words."""
        raise NotImplementedError

    def absence(self, evidence: Evidence) -> str:
        """What a good fixture must show."""
        return f"not: {self.promise(evidence)}"

    def look(self, rule: Rule) -> str:
        """What the observer has to look at besides the line itself; see ``Watch.look``."""
        return ""

    def names(self, tree: ast.Module, first: Position, last: Position) -> list[str]:
        """The names that a finding between two places is about."""
        return names_in(tree, first, last)

    processes: ClassVar[int] = 1
    """How many processes of one cluster run each trigger, where it runs :attr:`apart`."""

    watched: ClassVar[bool] = False
    """Whether it is noticed when one of those processes stands still."""

    @contextmanager
    def conditions(self, trial: Trial) -> Iterator[None]:
        """What JAX and Python are told to mind while a fixture runs."""
        yield

    def is_promised_exception(self, trial: Trial) -> bool:
        """Whether what the trigger raised is the evidence itself."""
        return False

    def is_promised_outcome(self, found: Outcome, evidence: Evidence) -> bool:
        """The same of a run :attr:`apart` that did not come to its end."""
        return not set(found.raised).isdisjoint(evidence.exceptions)

    def is_as_meant(self, trial: Trial) -> bool:
        """Whether a fixed fixture's trigger gives what its author meant."""
        return not self.values_stay or trial.gives_what_the_bad_one_gives

    def shown(self, trial: Trial) -> Shown:
        """Where a fixture shows the evidence. Called in the process that has JAX."""
        raise NotImplementedError

    def shown_apart(self, trial: Apart, evidence: Evidence) -> Shown:
        """The same of a fixture that runs :attr:`apart`."""
        raise NotImplementedError

    def judge(self, case: Case) -> Judgement:
        """What the user's program says of a finding: its file has been run."""
        raise NotImplementedError
