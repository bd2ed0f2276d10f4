"""What every event has: its kind, where it happens, and why a value is traced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from enum import Enum
from itertools import islice
from typing import ClassVar, Literal

VERSION = 2

_MOST_LINKS = 8
"""Of the beginning of a chain of reasons, and of its end, that are told."""


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
    CONCRETE_ATTRIBUTE = "concrete-attribute"
    TRACED_SIZE = "traced-size"
    DATA_DEPENDENT_SHAPE = "data-dependent-shape"
    STATIC_ARGUMENT = "static-argument"
    LIST_ARGUMENT = "list-argument"
    INVALID_ARGUMENT = "invalid-argument"
    INVALID_RECEIVER = "invalid-receiver"
    UNHASHABLE_STATIC = "unhashable-static"
    UNKNOWN_PARAMETER = "unknown-parameter"
    UNPASSED_POSITION = "unpassed-position"
    AXES_MISMATCH = "axes-mismatch"
    REFUSED_ARGUMENT = "refused-argument"
    MISSING_AXIS = "missing-axis"
    UNEQUAL_SIZES = "unequal-sizes"
    UNTRACEABLE = "untraceable"
    STRUCTURE_MISMATCH = "structure-mismatch"
    SHAPE_MISMATCH = "shape-mismatch"
    BAD_GRADIENT = "bad-gradient"
    MASKED_GRADIENT = "masked-gradient"
    IGNORED_COTANGENT = "ignored-cotangent"
    OVERWRITTEN_GRADIENT = "overwritten-gradient"
    ZERO_GRADIENT = "zero-gradient"
    SINGULAR_GRADIENT = "singular-gradient"
    OUTER_DIFFERENCE = "outer-difference"
    RULE_MISMATCH = "rule-mismatch"
    NONDIFF_TRACER = "nondiff-tracer"
    DONATED_USE = "donated-use"
    LEAKED_USE = "leaked-use"
    SCALAR_ITERATION = "scalar-iteration"
    ITEM_ASSIGNMENT = "item-assignment"
    MISUSED_ATTRIBUTE = "misused-attribute"
    FROZEN_ATTRIBUTE = "frozen-attribute"
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
    EQUAL_DRAW = "equal-draw"
    UNSYNCED_TIMING = "unsynced-timing"
    HOST_SYNC = "host-sync"
    WIDE_DTYPE = "wide-dtype"
    NUMBER_OUT_OF_RANGE = "number-out-of-range"
    INDEX_OUT_OF_BOUNDS = "index-out-of-bounds"
    INTEGER_WRAPS = "integer-wraps"
    INDEX_BEYOND = "index-beyond"
    BRANCH_EFFECT = "branch-effect"
    REMOVED_API = "removed-api"
    UNKNOWN_API = "unknown-api"
    NUMPY_ALIAS = "numpy-alias"
    LOST_UPDATE = "lost-update"
    LOST_STATE = "lost-state"
    OUTER_STATE = "outer-state"
    MISSING_PARAMETERS = "missing-parameters"
    INCOMPLETE_APPLY = "incomplete-apply"
    PLAIN_CONTAINER = "plain-container"
    MISPLACED_LAYER = "misplaced-layer"
    STATIC_ARRAY = "static-array"
    METADATA_ARRAY = "metadata-array"
    LOST_STATISTICS = "lost-statistics"
    MISPLACED_LINK = "misplaced-link"
    PROBABILITIES_FOR_LOGITS = "probabilities-for-logits"
    NAN_COMPARISON = "nan-comparison"
    COARSE_CLOCK = "coarse-clock"
    DECAYED_CONSTANT = "decayed-constant"
    ABSORBED_NUMBER = "absorbed-number"
    CAPTURED_CONSTANT = "captured-constant"
    IMPURE_CALLBACK = "impure-callback"
    STALE_OPTIMIZER = "stale-optimizer"
    CLIMBING_OPTIMIZER = "climbing-optimizer"
    LATE_SETTING = "late-setting"
    WORK_AT_IMPORT = "work-at-import"
    FORK_AFTER_START = "fork-after-start"
    FORMATTED_TRACER = "formatted-tracer"
    UNBOUND_AXIS = "unbound-axis"
    MESH_AXIS = "mesh-axis"
    EXPLICIT_AXIS = "explicit-axis"
    UNREDUCED_GRADIENT = "unreduced-gradient"
    VARYING_AXIS = "varying-axis"
    UNCHECKED_OUTPUT = "unchecked-output"
    SPEC_MISMATCH = "spec-mismatch"
    UNWRITTEN_REF = "unwritten-ref"
    REF_MISMATCH = "ref-mismatch"
    REPEATED_SITE = "repeated-site"
    KERNEL_CONSTANT = "kernel-constant"
    ELEMENT_INDEX = "element-index"
    GATED_COLLECTIVE = "gated-collective"
    UNEQUAL_VALUE = "unequal-value"
    JAX_IN_CALLBACK = "jax-in-callback"
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
        depth: how many links are before it.
        first: the first of those.
    """

    role: Literal["parameter", "argument", "name", "result"]
    subject: str
    site: Site
    owner: str = ""
    transform: str = ""
    transform_site: Site | None = None
    parent: Reason | None = None
    latent: bool = False
    depth: int = field(init=False, default=0)
    first: tuple[Reason, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        """Note where the chain begins."""
        above = self.parent
        if above is not None:
            first = (*above.first, above) if above.depth < _MOST_LINKS else above.first
            object.__setattr__(self, "depth", above.depth + 1)
            object.__setattr__(self, "first", first)

    def chain(self) -> list[Reason]:
        """The links, the first cause first; of a long chain the first and the last ones."""
        last = list(islice(self._upwards(), _MOST_LINKS))
        return [*self.first[: max(0, self.depth + 1 - len(last))], *reversed(last)]

    @property
    def root(self) -> Reason:
        """The first cause."""
        return self.first[0] if self.first else self

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
        expected: the exceptions that a caller catches by name; of a cell that is meant to raise,
            and what is called from there: any.
        latent: it happens the moment anyone passes the parameter of this name, which nobody in
            view does; else empty.
        reached: of what happens in a module that the linted file imports, the place in the file
            that leads there; None for what happens in the file itself.
        calls: the calls of the file on the way there, by their origins: a run of it.
        others: that module and those on the way there, by file, where nothing of the linted file
            is a cause: linting one of them may find it too.
    """

    site: Site
    subject: Site | None = None
    reason: Reason | None = None
    transforms: tuple[str, ...] = ()
    tracing: Tracing | None = None
    guarded: bool = False
    expected: frozenset[str] = frozenset()
    latent: str = ""
    reached: Site | None = None
    calls: tuple[int, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """Something that JAX minds, at one place."""

    kind: ClassVar[Kind]
    raises: ClassVar[bool] = False
    """Whether Python gets a TypeError there, which code around it can catch."""
    fails: ClassVar[bool] = False
    """Whether nothing comes of it on the host either: JAX raises, or Python does."""
    context: Context

    @property
    def of_the_text(self) -> bool:
        """Whether what stands there is all that matters, whoever runs it."""
        return False

    @property
    def whoever_traces(self) -> bool:
        """Whether what is traced has no part in it: it happens without that, too."""
        return False

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
    def identity(self) -> tuple[object, ...]:
        """Equal for events of which the first is told: of a kind, at a place, reached alike."""
        reached = self.context.reached
        way = id(reached.origin) if reached is not None else None
        return self.kind, id(self.site.origin), self.guarded, self.context.expected, way

    @property
    def guarded(self) -> bool:
        """Whether the program catches the exception, or asserts it."""
        return self.context.guarded

    def sites(self) -> Iterator[Site]:
        """Every spot that a message about this event may name."""
        if self.context.reached is not None:
            yield self.context.reached
        yield from self.causes()
        if self.whoever_traces:
            yield from self._traced()

    def causes(self) -> Iterator[Site]:
        """Every spot that has a part in what happens, where it happens first."""
        yield self.site
        if self.subject is not None:
            yield self.subject
        if not self.whoever_traces:
            yield from self._traced()
        for each in fields(self):
            value = getattr(self, each.name)
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, Site):
                    yield item

    def _traced(self) -> Iterator[Site]:
        """What is traced there, and on which way the value gets there."""
        if self.context.tracing is not None:
            yield self.context.tracing.site
        for link in self.reason.chain() if self.reason else ():
            yield link.site
            if link.transform_site is not None:
                yield link.transform_site
