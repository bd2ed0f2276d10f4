"""What the fixes changed: the run of the project as it is against that of its mended copy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal

from jaxlint.confirm.program.function_costs import FunctionCost
from jaxlint.confirm.program.mending import Mended
from jaxlint.confirm.program.report import Report
from jaxlint.confirm.program.verdicts import Verdict

Fate = Literal["gone", "left", "new"]
FATES: tuple[Fate, ...] = ("gone", "left", "new")


@dataclass(frozen=True, slots=True)
class Compared:
    """A finding in both runs.

    Attributes:
        file: of the project.
        before: what became of it there; None: it was not there.
        after: what became of it in the copy; None: it is not there.
    """

    file: str
    before: Verdict | None
    after: Verdict | None

    @property
    def fate(self) -> Fate:
        """What the fixes did to it."""
        if self.after is None:
            return "gone"
        return "new" if self.before is None else "left"

    @property
    def any(self) -> Verdict:
        """As it was; of a new one as it is."""
        found = self.before or self.after
        assert found is not None
        return found


@dataclass(slots=True)
class Work:
    """Traces, compilations, and the seconds that both took."""

    traces: int = 0
    compilations: int = 0
    seconds: float = 0.0

    def add(self, cost: FunctionCost) -> None:
        """Count a function in."""
        self.traces += cost.traces
        self.compilations += cost.compilations
        self.seconds += cost.seconds


def work_of(report: Report, libraries: bool) -> Work:
    """What the user's functions took together in a run, or those of JAX and of libraries."""
    work = Work()
    for cost in report.costs:
        if bool(cost.library) == libraries:
            work.add(cost)
    return work


@dataclass(slots=True)
class ComparedFunction:
    """A compiled function in both runs; several of one name in one file count together.

    Attributes:
        file: where it is defined, or called from, in the project; empty when neither is known.
        library: the file that it is defined in when that is not a linted one.
    """

    name: str
    file: str
    library: str
    before: Work = field(default_factory=Work)
    after: Work = field(default_factory=Work)

    @property
    def differs(self) -> bool:
        """Whether it was traced or compiled another number of times."""
        before, after = self.before, self.after
        return (before.traces, before.compilations) != (after.traces, after.compilations)


@dataclass
class Comparison:
    """Two runs of one command.

    Attributes:
        before: in the project.
        after: in the copy; file names are those of the copy.
        mended: the copy.
    """

    before: Report
    after: Report
    mended: Mended

    @cached_property
    def findings(self) -> list[Compared]:
        """All findings, by file and line."""
        files: dict[str, tuple[list[Verdict], list[Verdict]]] = defaultdict(lambda: ([], []))
        for each in self.before.verdicts:
            files[each.finding.filename][0].append(each)
        for each in self.after.verdicts:
            files[self.mended.copy.original(each.finding.filename)][1].append(each)
        old = self.before.linted.texts
        new = {self.mended.copy.original(p): text for p, text in self.after.linted.texts.items()}
        return [
            found
            for file, (before, after) in files.items()
            for found in _compared(file, before, after, old.get(file, ""), new.get(file, ""))
        ]

    @property
    def fates(self) -> dict[Fate, int]:
        """How many findings are gone, left and new."""
        return {fate: sum(each.fate == fate for each in self.findings) for fate in FATES}

    @cached_property
    def functions(self) -> list[ComparedFunction]:
        """All compiled functions, those of the user's files first."""
        found: dict[tuple[str, str], ComparedFunction] = {}
        for report, is_after in ((self.before, False), (self.after, True)):
            for cost in report.costs:
                library = self.mended.copy.original(cost.library)
                file = self.mended.copy.original(cost.at.file) if cost.at is not None else ""
                function = found.setdefault(
                    (cost.name, library or file), ComparedFunction(cost.name, file, library)
                )
                (function.after if is_after else function.before).add(cost)
        return sorted(found.values(), key=lambda each: bool(each.library))

    @property
    def remarks(self) -> list[str]:
        """What the user must know about the second run and the fixes."""
        return [*self.mended.problems, *self.after.remarks]


def _compared(
    file: str, before: list[Verdict], after: list[Verdict], old: str, new: str
) -> Iterator[Compared]:
    """The findings of a file, in the order of its lines before, the new ones last."""
    lines = _Lines(old, new)
    left: dict[tuple[object, ...], list[Verdict]] = defaultdict(list)
    for each in after:
        left[lines.place_after(each)].append(each)
    for each in sorted(before, key=_position):
        same = left[lines.place_before(each)]
        yield Compared(file, each, same.pop(0) if same else None)
    for each in sorted((each for rest in left.values() for each in rest), key=_position):
        yield Compared(file, None, each)


def _position(verdict: Verdict) -> tuple[int, int]:
    return verdict.finding.line, verdict.finding.column


class _Lines:
    """Which line of a text after the fixes is which of the text before.

    A finding on a line that stayed is known by line and column; one on lines that changed by
    what it says.
    """

    def __init__(self, old: str, new: str) -> None:
        matcher = SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
        self._before: dict[int, tuple[str, int]] = {}
        self._after: dict[int, tuple[str, int]] = {}
        for number, (tag, i1, i2, j1, j2) in enumerate(matcher.get_opcodes()):
            for line in range(i1, i2):
                self._before[line + 1] = ("same", line) if tag == "equal" else ("edited", number)
            for line in range(j1, j2):
                stayed = ("same", line - j1 + i1)
                self._after[line + 1] = stayed if tag == "equal" else ("edited", number)

    def place_before(self, verdict: Verdict) -> tuple[object, ...]:
        """By what a finding before the fixes is known."""
        return self._place(verdict, self._before)

    def place_after(self, verdict: Verdict) -> tuple[object, ...]:
        """By what a finding after the fixes is known."""
        return self._place(verdict, self._after)

    def _place(self, verdict: Verdict, lines: dict[int, tuple[str, int]]) -> tuple[object, ...]:
        finding = verdict.finding
        how, number = lines.get(finding.line, ("same", finding.line))
        what = finding.column if how == "same" else finding.message
        return finding.code, how, number, what
