"""What is compiled again, or keeps what was."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.events.event import Again, Event, Holder, Kind, Site

ANY_FUNCTION = "any function"
"""What a transform wraps in a function of its own at each call."""


@dataclass(frozen=True, slots=True)
class FreshTransform(Event):
    """A transform is applied again where it has been applied before.

    Attributes:
        wrapped: what is wrapped: lambda, inner function, partial, bound method,
            transformed function, same function or any function.
        repeated: by a ``loop``, or at each ``call`` of ``owner``.
        transform: its name.
        owner: the function in whose body it is made.
        repeated_at: the loop.
        argument: the expression that is wrapped.
    """

    kind = Kind.FRESH_TRANSFORM
    whoever_traces = True
    wrapped: str
    repeated: Again
    transform: str
    owner: str = ""
    repeated_at: Site | None = None
    argument: Site | None = None


@dataclass(frozen=True, slots=True)
class ChangingStatic(Event):
    """A static argument takes a new value on every iteration of a loop.

    ``fresh``: it is a function or an object made anew, which equals no other. ``inside``: where in
    the subject it lies, as Python writes it (``.step``).
    """

    kind = Kind.CHANGING_STATIC
    function: str
    transform: str
    loop_at: Site
    fresh: bool = False
    inside: str = ""


@dataclass(frozen=True, slots=True)
class ChangingShape(Event):
    """An argument of a compiled function has a new shape on every iteration of a loop."""

    kind = Kind.CHANGING_SHAPE
    function: str
    transform: str
    loop_at: Site


@dataclass(frozen=True, slots=True)
class UnrolledLoop(Event):
    """A Python loop of many iterations runs while tracing."""

    kind = Kind.UNROLLED_LOOP
    count: int


@dataclass(frozen=True, slots=True)
class StaleRead(Event):
    """Traced code reads a value that changes after the trace was cached.

    ``holder``: global, closure or attribute; ``changed_at`` where it changes, if known.
    """

    kind = Kind.STALE_READ
    name: str
    holder: Holder
    changed_at: Site | None = None


@dataclass(frozen=True, slots=True)
class CapturedConstant(Event):
    """A compiled function computes with an array of so many ``megabytes`` that it is not given."""

    kind = Kind.CAPTURED_CONSTANT
    name: str
    megabytes: int
