"""Arrays that cannot be changed, or are used too late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jaxlint.events.event import Event, Kind, Site


@dataclass(frozen=True, slots=True)
class DonatedUse(Event):
    """A value is used after its buffers were donated.

    ``made_at``: what compiles the function; ``position`` and ``parameter`` say which argument it
    was, as far as they are known. ``again``: the same call gets it a second time. ``within``: it
    is an array in the subject.
    """

    kind = Kind.DONATED_USE
    fails = True
    function: str
    donated_at: Site
    made_at: Site
    position: int | None
    parameter: str
    again: bool = False
    within: bool = False


@dataclass(frozen=True, slots=True)
class LeakedUse(Event):
    """A tracer is used after its trace has ended; ``kept_by``: the function that caches it."""

    kind = Kind.LEAKED_USE
    kept_by: str = ""


@dataclass(frozen=True, slots=True)
class ItemAssignment(Event):
    """``x[i] = v``, ``x[i] += v`` or ``del x[i]`` on a JAX array.

    ``construct``: item assignment, augmented item assignment, del; ``operator`` of an
    augmented one. With ``otherwise`` what catches the exception turns to the array again; with
    ``view`` it is an array of NumPy's that only shows the one of JAX.
    """

    kind = Kind.ITEM_ASSIGNMENT
    raises = True
    construct: str
    operator: str = ""
    otherwise: bool = False
    view: bool = False

    @property
    def whoever_traces(self) -> bool:
        """An array that a function of JAX has made is one without any trace, too."""
        return self.reason is not None and self.reason.root.role == "result"


@dataclass(frozen=True, slots=True)
class MisusedAttribute(Event):
    """What an array has for an attribute is used as what it is not.

    Attributes:
        name: of the attribute, ``at`` for an update that waits for its method; empty where an array
            itself is called, indexed by a text, or taken apart as a dict (``mapped``).
        use: it is called, indexed, asked for an attribute, an operand, or set. ``lacked``: arrays
            have no such attribute. ``of_function``: a function is asked for it. ``taken_out``: it
            is None, and called.
    """

    kind = Kind.MISUSED_ATTRIBUTE
    raises = True
    name: str
    use: Literal[
        "called",
        "indexed",
        "asked",
        "operand",
        "set",
        "lacked",
        "mapped",
        "of_function",
        "taken_out",
    ]


@dataclass(frozen=True, slots=True)
class DiscardedUpdate(Event):
    """An update that changes nothing that anyone sees.

    ``construct`` is ``.at[...].set``, a method as ``.sort`` or a qualified name: the new array or
    keys of a pure function are thrown away. With ``copied`` it is how a container is changed
    (append, ...): an argument, of which the traced function has a copy. With ``of_object`` it is
    a method that returns a changed copy of its object. With ``unread`` the copy is bound to the
    parameter that was changed, and read nowhere.
    """

    kind = Kind.DISCARDED_UPDATE
    construct: str
    copied: bool = False
    of_object: bool = False
    unread: bool = False

    @property
    def of_the_text(self) -> bool:
        """``x.at[i].set(y)`` as a statement; of other methods it depends on what ``x`` is."""
        return self.construct.startswith(".at")


@dataclass(frozen=True, slots=True)
class LostUpdate(Event):
    """A library changes an object in place, and it is the copy that JAX has made: ``type``.

    ``merged``: the traced function itself has made it of a graph and its state.
    """

    kind = Kind.LOST_UPDATE
    type: str
    merged: bool = False


@dataclass(frozen=True, slots=True)
class UnwrittenRef(Event):
    """A kernel binds the ``parameter`` for its result to something else, and never writes it.

    With ``added`` it adds to what is there before it has written anything.
    """

    kind = Kind.UNWRITTEN_REF
    parameter: str
    function: str
    transform: str
    added: bool = False


@dataclass(frozen=True, slots=True)
class RefMismatch(Event):
    """What is written to a reference has not the shape or dtype of what is there.

    Attributes:
        held: the array that is there, as ``f32[3,2]``.
        given: the value that is written, in the same words.
        of: what differs.
    """

    kind = Kind.REF_MISMATCH
    held: str
    given: str
    of: Literal["shape", "dtype"]


@dataclass(frozen=True, slots=True)
class KernelConstant(Event):
    """A kernel is called that computes with an array which is not among what it was given.

    Attributes:
        function: the kernel.
        transform: what runs it.
        used: where it computes with that array.
        made: it is made there, of Python numbers.
    """

    kind = Kind.KERNEL_CONSTANT
    function: str
    transform: str
    used: Site
    made: bool


@dataclass(frozen=True, slots=True)
class ElementIndex(Event):
    """An index map of Pallas multiplies the index of a block by the block's own size.

    Attributes:
        index: what is to count blocks.
        size: of a block.
    """

    kind = Kind.ELEMENT_INDEX
    index: Site
    size: Site


@dataclass(frozen=True, slots=True)
class LostState(Event):
    """A traced function changes its copy of an object that a library changes in place.

    ``changed``: the class of the object, or of the part of it, that changes.
    """

    kind = Kind.LOST_STATE
    changed: str


@dataclass(frozen=True, slots=True)
class MissingParameters(Event):
    """An optimizer is asked for updates without the parameters that ``maker``, one of its parts,
    needs."""

    kind = Kind.MISSING_PARAMETERS
    fails = True
    maker: str


@dataclass(frozen=True, slots=True)
class StaleOptimizer(Event):
    """A loop throws the new state of an optimizer away and passes the same one again: ``state``.

    ``maker``: the function that made the optimizer, or a part of it, that keeps state;
    ``made_at``: where each step makes the state anew.
    """

    kind = Kind.STALE_OPTIMIZER
    state: str
    maker: str
    made_at: Site | None = None


@dataclass(frozen=True, slots=True)
class ProbabilitiesForLogits(Event):
    """A function that applies a softmax or sigmoid itself is given what one has made.

    ``function``: its name; ``made``: which of both.
    """

    kind = Kind.PROBABILITIES_FOR_LOGITS
    function: str
    made: str


@dataclass(frozen=True, slots=True)
class MetadataArray(Event):
    """A compiled ``function`` gets an object of ``owner`` with an array in ``name``, its metadata.

    Those are what a pytree has besides its leaves.
    """

    kind = Kind.METADATA_ARRAY
    name: str
    owner: str
    function: str


@dataclass(frozen=True, slots=True)
class AbsorbedNumber(Event):
    """A float of which a narrow dtype keeps nothing: a bound that is a whole number there, or what
    is added to a number so large that the sum is that number.

    Attributes:
        number: as it is in Python.
        kept: the number that it becomes, or that the sum is.
        dtype: of the array.
        function: that takes it for a bound; empty where it is added.
    """

    kind = Kind.ABSORBED_NUMBER
    number: float
    kept: float
    dtype: str
    function: str = ""


@dataclass(frozen=True, slots=True)
class CoarseClock(Event):
    """Seconds since 1970 become numbers of 32 bits or fewer, by a call of ``function``."""

    kind = Kind.COARSE_CLOCK
    function: str


@dataclass(frozen=True, slots=True)
class NanComparison(Event):
    """An array is compared with NaN, which is equal to nothing.

    ``operator``: as it is written; ``answer``: what comes of it, for all numbers.
    """

    kind = Kind.NAN_COMPARISON
    operator: str
    answer: bool


@dataclass(frozen=True, slots=True)
class MisplacedLink(Event):
    """A link of a chain comes after the one that has made updates of gradients.

    ``link``: the function that made it; ``after``: the one that made the other.
    """

    kind = Kind.MISPLACED_LINK
    link: str
    after: str


@dataclass(frozen=True, slots=True)
class ClimbingOptimizer(Event):
    """Updates that have the sign of a gradient are added to the parameters: a loss grows.

    ``function``: whose gradient it is; ``as_they_are``: the gradients are added, and no updates;
    ``masked``: those of the leaves that a mask leaves out.
    """

    kind = Kind.CLIMBING_OPTIMIZER
    function: str
    as_they_are: bool = False
    masked: bool = False


@dataclass(frozen=True, slots=True)
class PlainContainer(Event):
    """A module of nnx gets a ``container`` (list, tuple, dict) of what nnx follows."""

    kind = Kind.PLAIN_CONTAINER
    container: str


@dataclass(frozen=True, slots=True)
class MisplacedLayer(Event):
    """A module of linen or haiku is made, or called, where it cannot have variables.

    Attributes:
        part: ``class``: init or apply is called of the class; ``unbound``: what calls the module
            is no method of another, or bound; ``method``: what makes it is one that can hold none;
            ``attribute``: it is asked for what is set once it is bound; ``outside``: it is one of
            haiku, made where no function is transformed; ``traced``: ``init`` calls it first where
            a transform of JAX traces.
        layer: its class.
        method: that is called of the class, or that makes the module; the attribute; the transform.
        at: where it is called, where that is not here.
    """

    kind = Kind.MISPLACED_LAYER
    part: Literal["class", "unbound", "method", "attribute", "outside", "traced"]
    layer: str
    method: str = ""
    at: Site | None = None


@dataclass(frozen=True, slots=True)
class FrozenAttribute(Event):
    """An ``attribute`` is set of an object of the class ``owner``, which allows that no more.

    ``base``: what freezes it: the class of a library, a decorator, or ``named tuple``.
    """

    kind = Kind.FROZEN_ATTRIBUTE
    fails = True
    attribute: str
    owner: str
    base: str


@dataclass(frozen=True, slots=True)
class StaticArray(Event):
    """An object of ``owner`` is made with an array in ``name``, a field declared static."""

    kind = Kind.STATIC_ARRAY
    name: str
    owner: str


@dataclass(frozen=True, slots=True)
class OuterState(Event):
    """A traced function changes an object of a library that it closes over.

    Attributes:
        changed: the class of the object.
        given: the transform of the library to which it hands the object; empty for a change.
    """

    kind = Kind.OUTER_STATE
    changed: str
    given: str = ""


@dataclass(frozen=True, slots=True)
class OuterDifference(Event):
    """A column of predictions meets a row of targets in a loss, which makes all pairs of them.

    ``size``: how many rows, or a name for that; ``column_first``: the column is on the left;
    ``compares``: it is no loss, but the share of predictions that are right.
    """

    kind = Kind.OUTER_DIFFERENCE
    size: str
    column_first: bool
    compares: bool = False
