"""What Python does while JAX traces."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.events.event import Event, Kind, Shown, Site


@dataclass(frozen=True, slots=True)
class HostOutput(Event):
    """Output is written while tracing.

    Attributes:
        construct: print, logging, write.
        function: its qualified name.
        shows: ``tracer``, ``unknown`` results of code out of view that was given tracers,
            ``static`` facts of the trace, or ``text`` alone.
        text: the constant text in it.
        once: it happens once, when JAX traces; else at each call, and shows a whole batch.
        traced: the expressions in it that are not known before the program runs.
        plain: those that are numbers, shapes, dtypes, or text without braces, while tracing.
        in_branch: a test around it in its function leads there.
        beside: the constant text in what else its function writes in the same way.
    """

    kind = Kind.HOST_OUTPUT
    construct: str
    function: str
    shows: Shown
    text: str
    once: bool = True
    traced: tuple[Site, ...] = ()
    plain: tuple[Site, ...] = ()
    in_branch: bool = False
    beside: str = ""


@dataclass(frozen=True, slots=True)
class BranchEffect(Event):
    """A ``function`` with an effect in a branch of a ``transform`` that asks a whole batch.

    ``called_at``: where the branches are given; ``mapped``: what makes the batch.
    """

    kind = Kind.BRANCH_EFFECT
    function: str
    transform: str
    called_at: Site
    mapped: str


@dataclass(frozen=True, slots=True)
class FormattedTracer(Event):
    """A tracer is made a text while tracing, for a ``function`` that shows it at each run."""

    kind = Kind.FORMATTED_TRACER
    function: str


@dataclass(frozen=True, slots=True)
class OuterMutation(Event):
    """A container from outside the trace is changed while tracing, by ``how`` (append, ...)."""

    kind = Kind.OUTER_MUTATION
    how: str
    leaks: bool


@dataclass(frozen=True, slots=True)
class OuterRebinding(Event):
    """A global or nonlocal name is rebound while tracing."""

    kind = Kind.OUTER_REBINDING
    declaration: str
    name: str
    leaks: bool


@dataclass(frozen=True, slots=True)
class OuterAttribute(Event):
    """An attribute of an object from outside the trace is set while tracing."""

    kind = Kind.OUTER_ATTRIBUTE
    attribute: str
    leaks: bool


@dataclass(frozen=True, slots=True)
class HostInput(Event):
    """Something that differs at each call is read while tracing: ``what`` (a clock, ...)."""

    kind = Kind.HOST_INPUT
    what: str
    function: str


@dataclass(frozen=True, slots=True)
class ImpureCallback(Event):
    """What is called back as a pure function gives something else at each call.

    Attributes:
        does: what makes it so: it ``draws a number``, ``takes the next element``.
        function: that is called back.
    """

    kind = Kind.IMPURE_CALLBACK
    does: str
    function: str


@dataclass(frozen=True, slots=True)
class OuterIteration(Event):
    """An iterator from outside the trace is advanced while tracing."""

    kind = Kind.OUTER_ITERATION
