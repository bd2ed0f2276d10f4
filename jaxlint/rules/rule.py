"""What a rule is: which events deserve a diagnostic, in which words, on what evidence."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Generic, TypeGuard, TypeVar, get_args, get_origin

from jaxlint.edits import Fix
from jaxlint.events import Event, Kind
from jaxlint.findings import Severity
from jaxlint.fixes.code import Code
from jaxlint.knowledge.exceptions import ALL, ANYTHING, caught
from jaxlint.knowledge.releases import asked, not_confirmed, releases
from jaxlint.project import Releases
from jaxlint.rules.exhibits import is_exhibit
from jaxlint.rules.facts import FileFacts


@dataclass(frozen=True, slots=True)
class Difference:
    """What older releases of JAX do differently.

    Attributes:
        before: the first release that does what the rule says.
        what: what those before it do, as a clause after "before jax 0.4.27".
        silent: nothing is raised there: messages say so to projects that run on them.
        of: the events that it is about; all of the rule's when empty.
    """

    before: str
    what: str
    silent: bool = False
    of: tuple[type[Event], ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """What newer releases of JAX no longer do.

    Attributes:
        since: the first release that does not do what the rule says.
        what: what it does instead, as a clause after "from jax 0.12 on".
    """

    since: str
    what: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What real JAX must show for a rule, checked by ``jaxlint confirm``.

    Attributes:
        kind: one of those in ``confirm/evidence``: the name of the file that says what JAX
            must show, and where a run shows it.
        exceptions: names of the exception types that count, for kinds that raise or warn.
        effects: kinds of effect that count, for ``effect``: ``output``, ``mutation``,
            ``rebinding``, ``attribute``.
        setting: of JAX, for ``raises_under``.
        strict: what it is set to in all that a fixture does; None: fixtures set it themselves,
            around what must raise or must not.
        measured: what JAX did when the rule was written, for the rule's page.
        differs: what older releases do.
        ended: what newer releases do, where they no longer do what the rule says: it is silent in
            projects that run on none before them.
    """

    kind: str
    measured: str
    exceptions: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    setting: str = ""
    strict: bool | None = None
    differs: tuple[Difference, ...] = ()
    ended: Ended | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """An event that a rule wants reported.

    Attributes:
        rule: which.
        event: what happened.
        message: gives one line: what is wrong, why, and what to write instead.
        cause: gives what the event has in common with others that are the same mistake;
            None: it stands alone.
        fix: gives what mends it; None when there is nothing that a program could do.

    ``message``, ``cause`` and ``fix`` can be asked once the event's sites have places.
    """

    rule: Rule
    event: Event
    message: Callable[[], str]
    cause: Callable[[], Hashable | None]
    fix: Callable[[Code], Fix | None]


class Rule(ABC):
    """What everybody but its author sees of a rule. The docstring of a subclass is its page.

    Attributes:
        code: permanent, three letters and three digits.
        name: reads as "allow <name>".
        summary: one line.
        severity: ``error`` when JAX raises, ``warning`` when nothing does.
        listens_to: the events that it judges.
        default: whether it speaks without being asked for.
        in_tests: whether it speaks in test files, where odd things are done on purpose.
        in_timings: whether it speaks of lines that a magic repeats to time them.
        even_if_guarded: whether it speaks where the program catches the exception, or asserts it.
        evidence: what real JAX must show.
        fixes: what is mended automatically, for the rule's page; empty when nothing is.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    severity: ClassVar[Severity] = "error"
    listens_to: ClassVar[tuple[type[Event], ...]]
    default: ClassVar[bool] = True
    in_tests: ClassVar[bool] = True
    in_timings: ClassVar[bool] = True
    even_if_guarded: ClassVar[bool] = False
    evidence: ClassVar[Evidence]
    fixes: ClassVar[str] = ""

    @abstractmethod
    def verdict(self, event: Event, file: FileFacts) -> Verdict | None:
        """What it says of an event of its own; None when the event is fine."""

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of the events that it judges."""
        return frozenset(event.kind for event in self.listens_to)

    def speaks_in(self, file: FileFacts) -> bool:
        """Whether the user wants to hear of it in this file."""
        options = file.options
        on = self.default or options.enables(self.code)
        here = self.in_tests or not options.silent_in_tests or not file.is_test
        wanted = on and here and options.wants(self.code, file.source.filename)
        return wanted and not self._is_over(file)

    def _is_over(self, file: FileFacts) -> bool:
        """Whether all releases that the project allows no longer do what the rule says."""
        ended = self.evidence.ended
        if ended is None or not file.releases.text:
            return False
        return not Releases(f"{file.releases.text},<{ended.since}").satisfiable

    def expected(self, event: Event, file: FileFacts) -> bool:
        """Whether it is done knowingly: an exhibit, what a caller catches, a timed line.

        The event's sites must have places.
        """
        # What the code around it catches the rule has looked at itself.
        expected = event.context.expected & (ANYTHING if event.guarded else ALL)
        if self.severity == "error" and caught(self.evidence.exceptions, expected):
            return True
        if is_exhibit(event, file):
            return True
        cells = file.cells
        if cells is None or self.in_timings:
            return False
        places = [
            site.place for site in event.sites() if site.place is not None and not site.place.file
        ]
        lines = [cells.program_line(place.cell, place.line) for place in places]
        return any(cells.is_timed(line) for line in lines)

    @classmethod
    def exceptions_for(cls, event: Event, releases: Releases) -> str:
        """What a message adds for a project that also runs on releases that raise nothing."""
        for difference in cls.evidence.differs:
            applies = not difference.of or isinstance(event, difference.of)
            if difference.silent and applies and releases.allow_before(difference.before):
                return f" (before jax {difference.before} {difference.what})"
        return ""

    @classmethod
    def page(cls) -> str:
        """The rule's page in Markdown."""
        body = inspect.getdoc(cls) or ""
        speaks = "yes" if cls.in_tests else "no"
        default = (
            "yes"
            if cls.default
            else f"no (--extend-select {cls.code}; in flake8: jaxlint-enable = {cls.code})"
        )
        return (
            f"# {cls.code} {cls.name}\n\n{cls.summary}\n\n{body}\n\n"
            f"## Evidence\n\n{cls.evidence.measured}\n\n{_releases(cls)}\n{_fixes(cls)}"
            f"Severity: {cls.severity}. On by default: {default}. "
            f"Speaks in test files: {speaks}.\n"
        )


def _fixes(rule: type[Rule]) -> str:
    """What ``--fix`` does about it."""
    return f"## Fix\n\n{rule.fixes}\n\n" if rule.fixes else ""


def _releases(rule: type[Rule]) -> str:
    """On which releases of JAX the fixtures were confirmed, and what the others do."""
    ran = [release for release in releases() if asked(rule.code, release)]
    full = [release for release in ran if not not_confirmed(rule.code, release)]
    lines = [f"All fixtures that were run confirmed on jax {', '.join(full)}." if full else ""]
    lines += [] if ran else ["Not run yet on other releases of JAX than the one named above."]
    lines += [f"Before jax {each.before} {each.what}." for each in rule.evidence.differs]
    ended = rule.evidence.ended
    lines += [f"From jax {ended.since} on {ended.what}."] if ended is not None else []
    if len(full) < len(ran):
        lines.append("The other releases, fixture by fixture: docs/releases.md.")
    return "".join(f"{line}\n" for line in lines if line)


E = TypeVar("E", bound=Event)


class RuleOn(Rule, Generic[E]):
    """Base of all rules: ``class ChangedInPlace(RuleOn[events.ItemAssignment])``.

    A rule on several events is a ``RuleOn[events.A | events.B]``.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for base in vars(cls).get("__orig_bases__", ()):
            if get_origin(base) is RuleOn:
                (about,) = get_args(base)
                cls.listens_to = get_args(about) or (about,)

    def judge(self, event: E, file: FileFacts) -> bool:
        """Whether the event deserves a diagnostic."""
        return True

    def began(self, event: E) -> str:
        """The first release of JAX that does what the rule says of an event; empty: all do.

        It is silent in projects that run on none from there on.
        """
        return ""

    def message(self, event: E) -> str:
        """One line: what is wrong, why, and what to write instead."""
        raise NotImplementedError

    def same_cause(self, event: E) -> Hashable | None:
        """What events have in common that are one mistake, reported once; None: nothing."""
        return None

    def fix(self, event: E, code: Code) -> Fix | None:
        """The edits that mend it; None where only a person can."""
        return None

    def verdict(self, event: Event, file: FileFacts) -> Verdict | None:
        """What it says of an event of its own; None when the event is fine."""
        if event.guarded and not self.even_if_guarded:
            return None
        if not self._is_mine(event) or not self.judge(event, file):
            return None
        began = self.began(event)
        if began and not file.releases.allow_from(began):
            return None
        return Verdict(
            self,
            event,
            partial(self.message, event),
            partial(self.same_cause, event),
            partial(self.fix, event),
        )

    def _is_mine(self, event: Event) -> TypeGuard[E]:
        return isinstance(event, self.listens_to)
