"""The vocabulary that both tracers speak.

The abstract tracer predicts events, real JAX (confirm mode) shows them, rules
judge them. An event is permanent vocabulary and knows no rule, no code and no
message: one frozen dataclass for each :class:`Kind`. Version of the JSON form:
:data:`VERSION`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import ClassVar, Literal

VERSION = 2


Again = Literal["call", "loop"]
"""How something happens again: by another call, or at each iteration of a loop."""

Shown = Literal["tracer", "unknown", "static", "text"]
"""What output shows: a tracer, unknown values, static facts of the trace, or text alone."""

Holder = Literal["global", "closure", "attribute"]
"""What holds a value that a trace reads."""


class Kind(str, Enum):
    """The permanent id of what happened; the dataclass of that kind says more."""

    BOOL_CONVERSION = "bool-conversion"
    INDEX_CONVERSION = "index-conversion"
    SCALAR_CONVERSION = "scalar-conversion"
    ARRAY_CONVERSION = "array-conversion"
    HASH_CONVERSION = "hash-conversion"
    TRACED_SIZE = "traced-size"
    DATA_DEPENDENT_SHAPE = "data-dependent-shape"
    STATIC_ARGUMENT = "static-argument"
    LIST_ARGUMENT = "list-argument"
    INVALID_ARGUMENT = "invalid-argument"
    INVALID_RECEIVER = "invalid-receiver"
    UNHASHABLE_STATIC = "unhashable-static"
    UNKNOWN_PARAMETER = "unknown-parameter"
    AXES_MISMATCH = "axes-mismatch"
    UNTRACEABLE = "untraceable"
    STRUCTURE_MISMATCH = "structure-mismatch"
    BAD_GRADIENT = "bad-gradient"
    DONATED_USE = "donated-use"
    LEAKED_USE = "leaked-use"
    SCALAR_ITERATION = "scalar-iteration"
    ITEM_ASSIGNMENT = "item-assignment"
    DISCARDED_UPDATE = "discarded-update"
    FRESH_TRANSFORM = "fresh-transform"
    CHANGING_STATIC = "changing-static"
    CHANGING_SHAPE = "changing-shape"
    UNROLLED_LOOP = "unrolled-loop"
    HOST_OUTPUT = "host-output"
    OUTER_MUTATION = "outer-mutation"
    OUTER_REBINDING = "outer-rebinding"
    OUTER_ATTRIBUTE = "outer-attribute"
    HOST_INPUT = "host-input"
    OUTER_ITERATION = "outer-iteration"
    KEY_REUSE = "key-reuse"
    CONSTANT_KEY = "constant-key"
    UNSYNCED_TIMING = "unsynced-timing"
    HOST_SYNC = "host-sync"
    WIDE_DTYPE = "wide-dtype"
    REMOVED_API = "removed-api"
    UNKNOWN_API = "unknown-api"
    NUMPY_ALIAS = "numpy-alias"
    STALE_READ = "stale-read"
    RETRACE = "retrace"
    """Only real JAX shows it: the abstract tracer predicts the causes."""
    KEPT_TRACER = "kept-tracer"
    """Only real JAX shows it: a name still holds a tracer when the program ends."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where: lines count from 1, columns from 0, in characters."""

    line: int
    column: int
    end_line: int
    end_column: int
    cell: int = 0
    """Of a notebook, from 1; 0 in other files."""
    file: str = ""
    """Of what is not in the linted file: the path from that file's folder."""

    @property
    def where(self) -> str:
        """ "line 7", "line 2 of cell 3" or "line 7 of utils.py", for messages."""
        inside = f"cell {self.cell}" if self.cell else self.file
        return f"line {self.line}" + (f" of {inside}" if inside else "")


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
        """The place for messages; empty while not located."""
        return self.place.where if self.place is not None else ""


@dataclass(frozen=True, slots=True, eq=False)
class Reason:
    """One link of the chain that says why a value is traced.

    Attributes:
        role: ``parameter`` of a traced function, ``argument`` handed on to a
            helper, ``name`` it was bound to, or ``result`` of a JAX function
            called while tracing.
        subject: the parameter, name or function.
        owner: the function whose parameter it is; else empty.
        transform: for the first link, what traces the function (``jax.jit``); empty where
            only a caller out of view can.
        site: where.
        parent: the link before this one; None for the first.
        latent: nobody in view passes the parameter, which has a default.
    """

    role: Literal["parameter", "argument", "name", "result"]
    subject: str
    site: Site
    owner: str = ""
    transform: str = ""
    transform_site: Site | None = None
    parent: Reason | None = None
    latent: bool = False

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


@dataclass(frozen=True, slots=True)
class Tracing:
    """The innermost transform in force: its name, the function that it traces, where it is made."""

    transform: str
    function: str
    site: Site


@dataclass(frozen=True, slots=True)
class Context:
    """Where something happens and under which transforms.

    Attributes:
        site: where.
        subject: the expression of the value that it happens to.
        reason: why that value is traced; None when tracedness plays no part.
        transforms: names of the transforms in force, outermost first.
        tracing: the innermost of them; None outside of any trace.
        guarded: the code around it catches the exception, or asserts it.
        expected: it happens in a cell that is meant to raise, or is called from there.
        latent: it happens the moment anyone passes the parameter of this name, which nobody in
            view does; else empty.
        reached: of what happens in a module that the linted file imports, the place in the file
            that leads there; None for what happens in the file itself.
    """

    site: Site
    subject: Site | None = None
    reason: Reason | None = None
    transforms: tuple[str, ...] = ()
    tracing: Tracing | None = None
    guarded: bool = False
    expected: bool = False
    latent: str = ""
    reached: Site | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that JAX minds, at one place.

    Attributes:
        of_the_text: what stands there is all that matters, whoever runs it.
    """

    kind: ClassVar[Kind]
    of_the_text: ClassVar[bool] = False
    context: Context

    @property
    def site(self) -> Site:
        """Where."""
        return self.context.site

    @property
    def subject(self) -> Site | None:
        """The expression of the value that it happens to."""
        return self.context.subject

    @property
    def reason(self) -> Reason | None:
        """Why that value is traced."""
        return self.context.reason

    @property
    def reported_at(self) -> Site:
        """The place in the linted file at which it is reported."""
        return self.context.reached or self.site

    @property
    def guarded(self) -> bool:
        """Whether the program catches the exception, or asserts it."""
        return self.context.guarded

    def sites(self) -> Iterator[Site]:
        """Every spot that a message about this event may name."""
        if self.context.reached is not None:
            yield self.context.reached
        yield from self.causes()

    def causes(self) -> Iterator[Site]:
        """Every spot that has a part in what happens, where it happens first."""
        yield self.site
        if self.subject is not None:
            yield self.subject
        if self.context.tracing is not None:
            yield self.context.tracing.site
        for link in self.reason.chain() if self.reason else ():
            yield link.site
            if link.transform_site is not None:
                yield link.transform_site
        for each in fields(self):
            value = getattr(self, each.name)
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, Site):
                    yield item


# -------------------------------------------------- a tracer is asked for its value


@dataclass(frozen=True, slots=True)
class BoolConversion(Event):
    """Python asks a tracer for its truth value. ``construct``: if, elif, while, not, max(), ...

    ``chain`` is the ``if`` at whose head the ``if`` or ``elif`` stands; ``dtype`` the type of the
    tracer, if known; ``of_array``: a builtin asks the elements of an array, one by one.
    """

    kind = Kind.BOOL_CONVERSION
    construct: str
    chain: Site | None = None
    dtype: str = ""
    of_array: bool = False


@dataclass(frozen=True, slots=True)
class IndexConversion(Event):
    """Python asks a tracer for an integer. ``construct``: range(), list, tuple, math.gcd, ..."""

    kind = Kind.INDEX_CONVERSION
    construct: str


@dataclass(frozen=True, slots=True)
class ScalarConversion(Event):
    """Python asks a tracer for a number. ``construct``: float(), .item(), a format spec, ..."""

    kind = Kind.SCALAR_CONVERSION
    construct: str


@dataclass(frozen=True, slots=True)
class ArrayConversion(Event):
    """A tracer is to become a NumPy array. ``construct``: the function, index, item assignment."""

    kind = Kind.ARRAY_CONVERSION
    construct: str


@dataclass(frozen=True, slots=True)
class HashConversion(Event):
    """A tracer is to be hashed. ``construct``: dict key, set element, in, hash(), lru_cache."""

    kind = Kind.HASH_CONVERSION
    construct: str


@dataclass(frozen=True, slots=True)
class ScalarIteration(Event):
    """A loop over an array without axes."""

    kind = Kind.SCALAR_ITERATION


# ------------------------------------------------------------- arguments of functions


@dataclass(frozen=True, slots=True)
class TracedSize(Event):
    """A size or shape that must be static comes from a tracer.

    ``function`` is the qualified name, ``.method`` or ``slice``.
    """

    kind = Kind.TRACED_SIZE
    function: str
    parameter: str


@dataclass(frozen=True, slots=True)
class DataDependentShape(Event):
    """The shape of a result depends on the values of a tracer.

    ``function`` is the qualified name, or ``mask``; ``cures`` are parameters that
    make the size static; ``at`` is True for a mask in ``x.at[mask]``.
    """

    kind = Kind.DATA_DEPENDENT_SHAPE
    function: str
    cures: tuple[str, ...] = ()
    at: bool = False


@dataclass(frozen=True, slots=True)
class StaticArgument(Event):
    """A JAX function gets a tracer for a parameter that must be static."""

    kind = Kind.STATIC_ARGUMENT
    function: str
    parameter: str


@dataclass(frozen=True, slots=True)
class ListArgument(Event):
    """A JAX function or operator gets a Python list or tuple, or a Ref, where it wants an array."""

    kind = Kind.LIST_ARGUMENT
    function: str
    list_kind: str


@dataclass(frozen=True, slots=True)
class InvalidArgument(Event):
    """A compiled function gets something that JAX has no type for: ``what`` (string, ...).

    ``parameter`` is the one that gets it; empty when it is a part of what that gets.
    """

    kind = Kind.INVALID_ARGUMENT
    what: str
    function: str
    wrapped_at: Site
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class InvalidReceiver(Event):
    """A compiled method whose ``self`` is neither static nor a pytree."""

    kind = Kind.INVALID_RECEIVER
    transform: str
    owner: str
    function: str


@dataclass(frozen=True, slots=True)
class UnhashableStatic(Event):
    """A static argument that cannot be hashed: ``what`` (list, dict, JAX array, ...)."""

    kind = Kind.UNHASHABLE_STATIC
    what: str
    function: str


@dataclass(frozen=True, slots=True)
class UnknownParameter(Event):
    """``option`` of a transform names a parameter, or position, that the function does not have.

    ``count`` is the number of positional parameters.
    """

    kind = Kind.UNKNOWN_PARAMETER
    option: str
    unknown: str
    function: str
    count: int


@dataclass(frozen=True, slots=True)
class AxesMismatch(Event):
    """``in_axes`` has another number of entries than the call has arguments."""

    kind = Kind.AXES_MISMATCH
    entries: int
    function: str
    count: int


@dataclass(frozen=True, slots=True)
class Untraceable(Event):
    """A transform is given a function that gives no arrays: ``what`` (a string, ...)."""

    kind = Kind.UNTRACEABLE
    what: str
    transform: str


@dataclass(frozen=True, slots=True)
class StructureMismatch(Event):
    """The functions of ``scan``, ``cond``, ``while_loop`` return what they must not."""

    kind = Kind.STRUCTURE_MISMATCH
    part: Literal["scan", "carry", "branches"]
    transform: str


@dataclass(frozen=True, slots=True)
class BadGradient(Event):
    """``grad`` of something that is not real-valued (``input``) or not a scalar (``output``)."""

    kind = Kind.BAD_GRADIENT
    part: Literal["input", "output"]
    type: str
    transform: str
    function: str


# ---------------------------------------------------------------- arrays and buffers


@dataclass(frozen=True, slots=True)
class DonatedUse(Event):
    """A value is used after its buffers were donated."""

    kind = Kind.DONATED_USE
    function: str
    donated_at: Site


@dataclass(frozen=True, slots=True)
class LeakedUse(Event):
    """A tracer is used after its trace has ended."""

    kind = Kind.LEAKED_USE


@dataclass(frozen=True, slots=True)
class ItemAssignment(Event):
    """``x[i] = v``, ``x[i] += v`` or ``del x[i]`` on a JAX array.

    ``construct``: item assignment, augmented item assignment, del; ``operator`` of an
    augmented one.
    """

    kind = Kind.ITEM_ASSIGNMENT
    construct: str
    operator: str = ""


@dataclass(frozen=True, slots=True)
class DiscardedUpdate(Event):
    """An update that changes nothing that anyone sees.

    ``construct`` is ``.at[...].set``, a method as ``.sort`` or a qualified name: the new array or
    keys of a pure function are thrown away. With ``copied`` it is how a container is changed
    (append, ...): an argument, of which the traced function has a copy.
    """

    kind = Kind.DISCARDED_UPDATE
    construct: str
    copied: bool = False


# ----------------------------------------------------------------------- compilation


@dataclass(frozen=True, slots=True)
class FreshTransform(Event):
    """A transform is applied again where it has been applied before.

    Attributes:
        wrapped: what is wrapped: lambda, inner function, partial, bound method,
            transformed function, or same function.
        repeated: by a ``loop``, or at each ``call`` of ``owner``.
        transform: its name.
        owner: the function in whose body it is made.
        repeated_at: the loop.
        argument: the expression that is wrapped.
    """

    kind = Kind.FRESH_TRANSFORM
    wrapped: str
    repeated: Again
    transform: str
    owner: str = ""
    repeated_at: Site | None = None
    argument: Site | None = None


@dataclass(frozen=True, slots=True)
class ChangingStatic(Event):
    """A static argument takes a new value on every iteration of a loop.

    ``fresh``: it is a function or an object made anew, which equals no other.
    """

    kind = Kind.CHANGING_STATIC
    function: str
    transform: str
    loop_at: Site
    fresh: bool = False


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


# -------------------------------------------------------------------- effects of Python


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
    """

    kind = Kind.HOST_OUTPUT
    construct: str
    function: str
    shows: Shown
    text: str
    once: bool = True
    traced: tuple[Site, ...] = ()
    plain: tuple[Site, ...] = ()


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
class OuterIteration(Event):
    """An iterator from outside the trace is advanced while tracing."""

    kind = Kind.OUTER_ITERATION


# --------------------------------------------------------------------------- PRNG keys


@dataclass(frozen=True, slots=True)
class KeyReuse(Event):
    """A PRNG key is consumed a second time.

    Attributes:
        sampler: the function that consumes it now.
        repeated: by another ``call``, or by each iteration of a ``loop``.
        first: the function that consumed it before.
        first_at: where.
        body_of: the higher-order function whose body consumes it; else empty.
        cause: equal for those that are one mistake.
    """

    kind = Kind.KEY_REUSE
    sampler: str
    repeated: Again
    first: str
    first_at: Site
    body_of: str = ""
    cause: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ConstantKey(Event):
    """A PRNG key made from a constant is consumed while tracing."""

    kind = Kind.CONSTANT_KEY
    sampler: str


# --------------------------------------------------------------------- dispatch and time


@dataclass(frozen=True, slots=True)
class UnsyncedTiming(Event):
    """A clock is read while the work that it times may still run."""

    kind = Kind.UNSYNCED_TIMING
    clock: str
    dispatched_at: Site
    started_at: Site


@dataclass(frozen=True, slots=True)
class HostSync(Event):
    """The host waits for the device on every iteration of a loop."""

    kind = Kind.HOST_SYNC
    construct: str
    loop_at: Site


# --------------------------------------------------------------------- names and types


@dataclass(frozen=True, slots=True)
class WideDtype(Event):
    """A 64 bit type is asked for, which JAX narrows while x64 is off."""

    kind = Kind.WIDE_DTYPE
    of_the_text = True
    dtype: str


@dataclass(frozen=True, slots=True)
class RemovedApi(Event):
    """A name or parameter that is gone from JAX, or will be.

    ``removed`` and ``deprecated`` are the releases, empty when it never was; ``says`` is
    JAX's own advice.
    """

    kind = Kind.REMOVED_API
    of_the_text = True
    name: str
    removed: str
    deprecated: str
    says: str


@dataclass(frozen=True, slots=True)
class UnknownApi(Event):
    """A name or keyword that no release of JAX has, or none before ``since``.

    ``instead`` is the nearest that there is.
    """

    kind = Kind.UNKNOWN_API
    of_the_text = True
    name: str
    keyword: str = ""
    instead: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class NumpyAlias(Event):
    """``jax.numpy`` is imported under NumPy's usual name."""

    kind = Kind.NUMPY_ALIAS
    of_the_text = True
