"""A run of the command, or of several that ran together: how it ended, and what was observed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from jaxlint.confirm.observation import Observation, Process

_MOST_NAMES = 4


@dataclass(slots=True)
class Ending:
    """How the command ended.

    Attributes:
        command: as the user gave it.
        code: its exit code; 128 and the signal's number when it was killed.
        said: one line for the user when it did not simply run; else empty.
        seconds: wall time.
        began: when, in seconds since the epoch.
    """

    command: list[str]
    code: int
    said: str
    seconds: float
    began: float = field(default_factory=time.time)


@dataclass
class Member:
    """One run of the command, with all Python processes that it started.

    Attributes:
        ending: how it ended.
        observation: what was observed in it alone.
        launched: its number among those that were started together; None: it ran by itself.
        of: how many were started together; 0: nothing says it.
        host: the machine; empty for this one.
        cluster: the same for those that ran together.
        unwatched: numbers of findings that were not looked for.
        is_over: whether it had ended; its exit code says nothing before.
    """

    ending: Ending
    observation: Observation
    launched: int | None = None
    of: int = 0
    host: str = ""
    cluster: str = ""
    unwatched: frozenset[int] = frozenset()
    is_over: bool = True

    @cached_property
    def process(self) -> Process | None:
        """Its process of the cluster of ``jax.distributed``; else the first one that has JAX."""
        with_jax = [each for each in self.observation.processes if each.jax]
        of_cluster = [each for each in with_jax if each.index is not None]
        return next(iter([*of_cluster, *with_jax]), None)

    @property
    def number(self) -> int | None:
        """Its number as JAX says it, else as its launcher does."""
        process = self.process
        said = process.index if process is not None else None
        return self.launched if said is None else said


@dataclass
class Ran:
    """All that ran.

    Attributes:
        members: the runs of the command; one, unless several ran together or were joined.
        observation: what was observed in all of them.
        ending: how all of it ended.
        written: the files in which the runs are kept.
        problem: why they are not all there; empty when they are.
    """

    members: list[Member]
    observation: Observation
    ending: Ending

    written: list[Path] = field(default_factory=list)
    problem: str = ""

    @property
    def observations(self) -> list[Observation]:
        """That of all, and that of each: of one run these are the same."""
        apart = [each.observation for each in self.members]
        return [self.observation, *(each for each in apart if each is not self.observation)]


def names_of(members: Sequence[Member]) -> list[str]:
    """What each is called in a report: ``process 1``, ``process 1 on node7``, ``run 3``."""
    names = [
        f"run {place + 1}" if each.number is None else f"process {each.number}"
        for place, each in enumerate(members)
    ]
    hosts = {each.host for each in members}
    clusters = list(dict.fromkeys(each.cluster for each in members if each.number is not None))
    found = []
    for name, each in zip(names, members, strict=True):
        within = f" of cluster {clusters.index(each.cluster) + 1}" if len(clusters) > 1 else ""
        where = f" on {each.host}" if len(hosts) > 1 else ""
        found.append(f"{name}{within if each.number is not None else ''}{where}")
    return found


def in_words(names: Sequence[str], of: int) -> str:
    """Some of several members: ``process 1``, ``all 4``, ``17 of 64: process 3, ...``."""
    if len(names) == of:
        return f"in all {of}"
    shown = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
    return f"in {shown}" if len(names) <= _MOST_NAMES else f"in {len(names)} of {of}: {shown}"
