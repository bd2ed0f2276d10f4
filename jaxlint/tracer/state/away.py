"""What calls from the file into other modules cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

Errand = Literal["plain", "alone", "named", "handed", "own", "traced"]
"""What a call into another module has with it: nothing of the file, when it has given numbers and
when it may give something to be called; names of what is to be done; functions of other modules
that the file hands on; something of its own; a trace."""


@dataclass(slots=True)
class Away:
    """What calls from the file into other modules cost.

    Attributes:
        left_at: the steps that were left when the one that runs began, without those given.
        made_for: what the one that runs was made for; None: it is no call of the file.
        paid_before: what calls made for that had cost before it.
        given: steps that came with the modules that were imported meanwhile.
        spent: by all of them, by what they are made for; what is traced on the way by itself.
        all_spent: by all of them together.
        payer: whose steps they are that run; None: nobody's.
        called_library: whose they were where what stands in for a library was called.
        paid_at: the steps that were left when they were counted last, without those given.
        handed: functions of other modules, by the identity of their code, that the file names
            where it calls into another one: it may see what becomes of them.
        plain: functions, by the identity of their code, that gave nothing that is called.
        costs: what calls into other modules took, of those that are like each other the most.
        runs: of tests that have several, but for the first.
        new: the one that runs is not like one that took many steps.
        what_for: the one that runs was made for, or goes on now for.
    """

    left_at: int = 0
    given: int = 0
    spent: Counter[Errand] = field(default_factory=Counter)
    all_spent: int = 0
    handed: set[int] = field(default_factory=set)
    plain: set[int] = field(default_factory=set)
    costs: dict[object, int] = field(default_factory=dict)
    runs: int = 0
    new: bool = True
    what_for: Errand = "traced"
    made_for: Errand | None = None
    paid_before: int = 0
    payer: Errand | None = None
    called_library: Errand | None = None
    paid_at: int = 0

    def count(self, left: int) -> None:
        """Count the steps since they were counted last; so many are left, with those given."""
        left -= self.given
        if self.payer is not None:
            self.spent[self.payer] += self.paid_at - left
            self.all_spent += self.paid_at - left
        self.paid_at = left

    def taken(self, left: int) -> int:
        """The steps that the call into another module has taken that runs."""
        return self.left_at + self.given - left

    def paid(self, left: int) -> int:
        """Those of the call that runs, or of the module, but for what is traced on the way."""
        if self.made_for is None:
            return self.taken(left)
        return self.spent[self.made_for] - self.paid_before

    @contextmanager
    def going_on(self, what_for: Errand) -> Iterator[None]:
        """Go on for another reason than a call was made for."""
        before, self.what_for = self.what_for, what_for
        try:
            yield
        finally:
            self.what_for = before
