"""What the processes of a cluster did differently: in SPMD code all of them do the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from jaxlint.confirm.observation import At, Wait, Work
from jaxlint.confirm.places import shown
from jaxlint.confirm.program.ran import Member, in_words, names_of
from jaxlint.confirm.program.words import count

What = Literal["waited", "ended", "arguments", "traces", "compilations"]
"""*Waited*: some stood still in JAX when they were ended. *Ended*: with other exit codes.
*Arguments*: one function was traced for others. *Traces*, *compilations*: another number."""

_MOST_ARGUMENTS = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which the processes of a cluster differ.

    Attributes:
        what: in which respect.
        subject: what it is about, in words; a function, or the processes themselves.
        at: where that is defined or called; None: nowhere in the linted files.
        each: name of a member -> what it did, in words.
    """

    what: What
    subject: str
    at: At | None
    each: Mapping[str, str]

    @property
    def text(self) -> str:
        """In one line; those that did the same are named together."""
        groups: dict[str, list[str]] = {}
        for name, did in self.each.items():
            groups.setdefault(did, []).append(name)
        said = "; ".join(
            f"{did} {in_words(names, len(self.each))}" for did, names in groups.items()
        )
        return f"{self.subject}: {said}"


def differences(members: Sequence[Member]) -> Iterator[Difference]:
    """All of them, those that matter most first."""
    clusters: dict[str, list[tuple[str, Member]]] = {}
    for name, each in zip(names_of(members), members, strict=True):
        if each.number is not None:
            clusters.setdefault(each.cluster, []).append((name, each))
    found = [one for each in clusters.values() if len(each) > 1 for one in _within(each)]
    order: list[What] = ["waited", "ended", "arguments", "traces", "compilations"]
    yield from sorted(found, key=lambda each: order.index(each.what))


def _within(members: list[tuple[str, Member]]) -> Iterator[Difference]:
    names = [name for name, _ in members]

    def differ(what: What, subject: str, at: At | None, did: Sequence[str]) -> Iterator[Difference]:
        if len(set(did)) > 1:
            yield Difference(what, subject, at, dict(zip(names, did, strict=True)))

    stuck = [each.process.stuck if each.process is not None else None for _, each in members]
    if any(stuck):
        at = next((wait.stack[0] for wait in stuck if wait is not None and wait.stack), None)
        did = [
            _ended(each) if wait is None else f"waited {where(wait)}"
            for wait, (_, each) in zip(stuck, members, strict=True)
        ]
        yield Difference("waited", "when they were ended", at, dict(zip(names, did, strict=True)))
    else:
        yield from differ("ended", "the processes", None, [_ended(m) for _, m in members])
    traced = [_by_function(each, "trace") for _, each in members]
    compiled = [_by_function(each, "compilation") for _, each in members]
    for function in dict.fromkeys(one for each in traced for one in each):
        works = [each.get(function, []) for each in traced]
        counts = [len(each) for each in works]
        yield from differ("traces", function.name, function.at, [count(n, "trace") for n in counts])
        for given in zip(*works, strict=False):
            different = _arguments(given)
            if different is not None:
                yield from differ("arguments", f"{function.name} got", function.at, different)
                break
    for function in dict.fromkeys(one for each in compiled for one in each):
        counts = [len(each.get(function, [])) for each in compiled]
        if [len(each.get(function, [])) for each in traced] != counts:
            did = [count(n, "compilation") for n in counts]
            yield from differ("compilations", function.name, function.at, did)


@dataclass(frozen=True, slots=True)
class _Function:
    """A function of the user's, or what a line of theirs has libraries do."""

    name: str
    at: At | None


def _by_function(member: Member, what: str) -> dict[_Function, list[Work]]:
    found: dict[_Function, list[Work]] = {}
    for work in member.observation.work:
        at = work.defined or (work.stack[0] if work.stack else None)
        if work.what == what and at is not None:
            found.setdefault(_Function(work.name, At(at.file, at.line)), []).append(work)
    return found


def _arguments(works: Sequence[Work]) -> list[str] | None:
    """What each was given in which they differ; None when they do not."""
    given = [dict(work.given) for work in works]
    names = [
        name for name in dict.fromkeys(one for each in given for one in each)
        if _differ([each.get(name) for each in given])
    ]  # fmt: skip
    if not names:
        return None
    return [
        ", ".join(f"{name} {each.get(name, 'not')}" for name in names[:_MOST_ARGUMENTS])
        for each in given
    ]


def _differ(values: Sequence[Hashable]) -> bool:
    return len(Counter(values)) > 1


def where(wait: Wait) -> str:
    """Where a process stood still, in words."""
    if wait.stack:
        return f"at {shown(wait.stack[0].file)}:{wait.stack[0].line}"
    if not wait.outside:
        return "at its end"
    file, _, line = wait.outside.rpartition(":")
    return f"at {shown(file)}:{line}"


def _ended(member: Member) -> str:
    if not member.is_over:
        return "had not ended"
    return f"ended with exit code {member.ending.code}"
