"""Work that JAX does later, and clocks."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.events.event import Event, Kind, Site


@dataclass(frozen=True, slots=True)
class UnsyncedTiming(Event):
    """A clock is read while the work that it times may still run.

    ``waits_for`` is what dispatched it, as the code that has the clock read calls it;
    ``returns``: it is known to give the arrays that are worked on.
    """

    kind = Kind.UNSYNCED_TIMING
    clock: str
    dispatched_at: Site
    started_at: Site
    waits_for: Site | None = None
    returns: bool = False


@dataclass(frozen=True, slots=True)
class HostSync(Event):
    """The host waits for the device on every iteration of a loop."""

    kind = Kind.HOST_SYNC
    construct: str
    loop_at: Site
