"""The vocabulary that both tracers speak.

The abstract tracer predicts events, real JAX (confirm mode) shows them, rules
judge them. An event is permanent vocabulary and knows no rule, no code and no
message. Version of the JSON form: :data:`VERSION`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

VERSION = 1


class Kind(str, Enum):
    """What happened. The value is the permanent id."""

    BOOL_CONVERSION = "bool-conversion"
    """Python asked a tracer for its truth value. ``construct``: if, elif, while, ..."""
    INDEX_CONVERSION = "index-conversion"
    """Python asked a tracer for an integer. ``construct``: range."""
    SCALAR_ITERATION = "scalar-iteration"
    """A loop over an array without axes."""
    ITEM_ASSIGNMENT = "item-assignment"
    """``x[i] = v``, ``x[i] += v`` or ``del x[i]`` on a JAX array."""
    DISCARDED_UPDATE = "discarded-update"
    """The new array or keys made by a pure function were thrown away."""
    FRESH_TRANSFORM = "fresh-transform"
    """A transform was applied again where it had been applied before.

    ``construct`` says what was wrapped: lambda, inner function, partial, bound
    method, transformed function, or same function. ``detail["repeated"]`` is
    ``loop`` or ``call``."""
    HOST_OUTPUT = "host-output"
    """Output written while tracing. ``construct``: print, logging, write, ..."""
    OUTER_MUTATION = "outer-mutation"
    """A container from outside the trace was changed while tracing."""
    OUTER_REBINDING = "outer-rebinding"
    """A global or nonlocal name was rebound while tracing."""
    OUTER_ATTRIBUTE = "outer-attribute"
    """An attribute of an object from outside the trace was set while tracing."""
    STALE_READ = "stale-read"
    """Traced code read a value that changes after the trace was cached."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where: lines count from 1, columns from 0, in characters."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(slots=True, eq=False)
class Site:
    """A spot in the program.

    The abstract tracer knows only ``origin``, a handle on the syntax; ``place``
    and ``text`` are filled in for the few sites that get reported.
    """

    origin: object
    place: Place | None = None
    text: str = ""

    @property
    def line(self) -> int:
        """The line, from 1; 0 while the site has not been located."""
        return self.place.line if self.place is not None else 0


@dataclass(slots=True, eq=False)
class Reason:
    """One link of the chain that says why a value is traced.

    Attributes:
        role: ``parameter`` of a traced function, ``argument`` handed on to a
            helper, ``name`` it was bound to, or ``result`` of a JAX function
            called while tracing.
        subject: the parameter, name or function.
        owner: the function whose parameter it is; else empty.
        transform: for the first link, what traces the function (``jax.jit``).
        site: where.
        parent: the link before this one; None for the first.
    """

    role: str
    subject: str
    site: Site
    owner: str = ""
    transform: str = ""
    transform_site: Site | None = None
    parent: Reason | None = None

    def chain(self) -> list[Reason]:
        """All links, the first cause first."""
        links = list(self._upwards())
        links.reverse()
        return links

    @property
    def root(self) -> Reason:
        """The first cause."""
        *_, last = self._upwards()
        return last

    def _upwards(self) -> Iterator[Reason]:
        link: Reason | None = self
        while link is not None:
            yield link
            link = link.parent


@dataclass(slots=True, eq=False)
class Event:
    """Something that JAX minds, at one place.

    Attributes:
        kind: what happened.
        site: where.
        construct: the piece of Python or JAX that did it.
        subject: the value it happened to.
        reason: why that value is traced; None when tracedness plays no part.
        transforms: names of the transforms in force, outermost first.
        guarded: the code around it catches the exception or asserts it.
        detail: more facts, per kind; JSON types and :class:`Site` only.
    """

    kind: Kind
    site: Site
    construct: str = ""
    subject: Site | None = None
    reason: Reason | None = None
    transforms: tuple[str, ...] = ()
    guarded: bool = False
    detail: Mapping[str, Any] = field(default_factory=dict)

    def sites(self) -> Iterator[Site]:
        """Every spot that a message about this event may name."""
        yield self.site
        if self.subject is not None:
            yield self.subject
        for link in self.reason.chain() if self.reason else ():
            yield link.site
            if link.transform_site is not None:
                yield link.transform_site
        for value in self.detail.values():
            if isinstance(value, Site):
                yield value
