"""The vocabulary that both tracers speak.

The abstract tracer predicts events, real JAX (confirm mode) shows them, rules
judge them. An event is permanent vocabulary and knows no rule, no code and no
message. Version of the JSON form: :data:`VERSION`.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    SCALAR_CONVERSION = "scalar-conversion"
    """Python asked a tracer for a number. ``construct``: float(), .item(), a format spec, ..."""
    ARRAY_CONVERSION = "array-conversion"
    """A tracer was to become a NumPy array. ``construct``: the function, or what was done."""
    HASH_CONVERSION = "hash-conversion"
    """A tracer was to be hashed. ``construct``: dict key, set element, hash()."""
    TRACED_SIZE = "traced-size"
    """A size or shape that must be static came from a tracer. ``detail["parameter"]``."""
    DATA_DEPENDENT_SHAPE = "data-dependent-shape"
    """A result whose shape depends on the values of a tracer."""
    STATIC_ARGUMENT = "static-argument"
    """A JAX function got a tracer for a parameter that must be static."""
    LIST_ARGUMENT = "list-argument"
    """A JAX function got a Python list or tuple where it wants an array."""
    INVALID_ARGUMENT = "invalid-argument"
    """A compiled function got something that JAX has no type for. ``construct``: what."""
    UNHASHABLE_STATIC = "unhashable-static"
    """A static argument that cannot be hashed."""
    UNKNOWN_PARAMETER = "unknown-parameter"
    """An option of a transform names a parameter that the function does not have."""
    UNTRACEABLE = "untraceable"
    """A transform was given a function that gives no arrays. ``construct``: generator, ..."""
    STRUCTURE_MISMATCH = "structure-mismatch"
    """The functions of a ``scan``, ``cond``, ``while_loop`` return what they must not."""
    BAD_GRADIENT = "bad-gradient"
    """``grad`` of something that is not real-valued or not a scalar. ``construct``: which."""
    DONATED_USE = "donated-use"
    """A value was used after its buffers had been donated."""
    LEAKED_USE = "leaked-use"
    """A tracer was used after its trace had ended."""
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
    CHANGING_STATIC = "changing-static"
    """A static argument takes a new value on every iteration of a loop."""
    CHANGING_SHAPE = "changing-shape"
    """An argument of a compiled function has a new shape on every iteration of a loop."""
    UNROLLED_LOOP = "unrolled-loop"
    """A Python loop of many iterations ran while tracing. ``detail["count"]``."""
    HOST_OUTPUT = "host-output"
    """Output written while tracing. ``construct``: print, logging, write, ..."""
    OUTER_MUTATION = "outer-mutation"
    """A container from outside the trace was changed while tracing."""
    OUTER_REBINDING = "outer-rebinding"
    """A global or nonlocal name was rebound while tracing."""
    OUTER_ATTRIBUTE = "outer-attribute"
    """An attribute of an object from outside the trace was set while tracing."""
    HOST_INPUT = "host-input"
    """Something that differs at each call was read while tracing: a clock, a random number."""
    OUTER_ITERATION = "outer-iteration"
    """An iterator from outside the trace was advanced while tracing."""
    KEY_REUSE = "key-reuse"
    """A PRNG key was consumed a second time. ``detail["repeated"]``: call or loop."""
    CONSTANT_KEY = "constant-key"
    """A PRNG key made from a constant was consumed while tracing."""
    UNSYNCED_TIMING = "unsynced-timing"
    """A clock was read while the work that it times may still run."""
    HOST_SYNC = "host-sync"
    """The host waited for the device on every iteration of a loop."""
    WIDE_DTYPE = "wide-dtype"
    """A 64 bit type was asked for, which JAX narrows while x64 is off."""
    REMOVED_API = "removed-api"
    """A name or parameter that is gone from JAX, or will be. ``detail["removed"]``."""
    NUMPY_ALIAS = "numpy-alias"
    """``jax.numpy`` was imported under NumPy's usual name."""
    STALE_READ = "stale-read"
    """Traced code read a value that changes after the trace was cached."""
    RETRACE = "retrace"
    """A compiled function was traced again and again. Only real JAX shows it: the abstract
    tracer predicts the causes. ``detail["count"]``, ``detail["reasons"]``."""
    KEPT_TRACER = "kept-tracer"
    """A tracer was still held by a name of the program at its end. Only real JAX shows it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where: lines count from 1, columns from 0, in characters."""

    line: int
    column: int
    end_line: int
    end_column: int
    cell: int = 0
    """Of a notebook, from 1; 0 in other files."""


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

    @property
    def where(self) -> str:
        """ "line 7", or "line 2 of cell 3", for messages; empty while not located."""
        if self.place is None:
            return ""
        cell = f" of cell {self.place.cell}" if self.place.cell else ""
        return f"line {self.place.line}{cell}"


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
    detail: dict[str, Any] = field(default_factory=dict)

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
