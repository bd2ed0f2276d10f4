"""What is said of each of several processes: a row of a table, on the terminal and on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxlint.confirm.program.differences import where
from jaxlint.confirm.program.ran import Member, names_of


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """One row.

    Attributes:
        name: of the process, or of the run.
        exit_code: of its command; None: it had not ended.
        devices: what JAX computed on there.
        traces, compilations: of the user's functions and of those that their lines call.
        waited: seconds for which it stood still in JAX, and then went on.
        stands: where it stood still when it was ended; empty when it did not.
        host: the machine; empty for this one.
    """

    name: str
    exit_code: int | None
    devices: str
    traces: int
    compilations: int
    waited: float
    stands: str
    host: str


def facts_of(members: Sequence[Member]) -> list[MemberFacts]:
    """One for each member, when there are several."""
    if len(members) < 2:
        return []
    names = names_of(members)
    return [_facts(name, each) for name, each in zip(names, members, strict=True)]


def _facts(name: str, member: Member) -> MemberFacts:
    work, process = member.observation.work, member.process
    devices = process.devices if process is not None else {}
    stuck = process.stuck if process is not None else None
    waits = process.waits if process is not None else []
    return MemberFacts(
        name,
        member.ending.code if member.is_over else None,
        ", ".join(f"{n} x {kind}" if n > 1 else kind for kind, n in devices.items()),
        sum(each.what == "trace" for each in work),
        sum(each.what == "compilation" for each in work),
        round(sum(each.seconds or 0.0 for each in waits if each.in_jax), 1),
        where(stuck) if stuck is not None else "",
        member.host,
    )
