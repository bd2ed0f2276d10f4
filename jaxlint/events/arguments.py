"""Functions get, or are said to take, what they cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jaxlint.events.event import Event, Kind, Site


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
class IncompleteApply(Event):
    """``apply`` of a module of linen lacks what a layer of it, called at ``asked_at``, asks for.

    Attributes:
        lacks: the argument that does not bring it.
        name: of the stream of PRNG keys, or of the collection of variables.
        layer: the class of the layer, or the method of the module.
    """

    kind = Kind.INCOMPLETE_APPLY
    fails = True
    lacks: Literal["rngs", "mutable", "variables"]
    name: str
    layer: str
    asked_at: Site


@dataclass(frozen=True, slots=True)
class LostStatistics(Event):
    """A training step throws away the variables that a layer, called at ``asked_at``, has changed.

    ``name``: of their collection; ``layer``: the class of the layer. With ``passed`` it is the loop
    around a step, ``layer``, that throws away what that gives for its parameter ``name``, and
    passes the same variable again. With ``unread`` a step, ``layer``, returns its parameter
    ``name``, and nothing reads the new one, which it has computed under this name.
    """

    kind = Kind.LOST_STATISTICS
    name: str
    layer: str
    asked_at: Site
    passed: str = ""
    unread: str = ""


@dataclass(frozen=True, slots=True)
class ShapeMismatch(Event):
    """An operation, the subject, fails for the shapes of its ``arrays``, each in JAX's short form.

    It does so whatever the sizes are that are not known, shown as ``?`` or by a name. ``dtypes``:
    it fails for their dtypes, which it wants to be one; of one array for its dtype, which the
    ``parameter`` does not take. ``wanted``: how many parts one array is to
    have; ``parts``: as many as its shape has, which is unpacked instead.
    """

    kind = Kind.SHAPE_MISMATCH
    fails = True
    whoever_traces = True
    arrays: tuple[str, ...]
    dtypes: bool = False
    parameter: str = ""
    wanted: int | None = None
    parts: int | None = None


@dataclass(frozen=True, slots=True)
class StaticArgument(Event):
    """A JAX function gets a tracer for a parameter that must be static."""

    kind = Kind.STATIC_ARGUMENT
    function: str
    parameter: str


INDEX = "[...]"
"""What stands for an index where functions and operators have names."""

INDEX_OF_LIST = "list[...]"
"""The same where a list is indexed."""


@dataclass(frozen=True, slots=True)
class ListArgument(Event):
    """A JAX function or operator gets a Python list or tuple, or a Ref, where it wants an array.

    ``function``: its name, or the operator; :data:`INDEX` where an array is indexed by it, and
    :data:`INDEX_OF_LIST` where it is indexed by an array.
    ``inside``: it lies in the list of arrays that the function takes, or in a tuple of indices.
    ``times``: one number is to say how often it is repeated.
    ``strings``: it holds some, of which there are no arrays.
    """

    kind = Kind.LIST_ARGUMENT
    whoever_traces = True
    function: str
    list_kind: str
    inside: bool = False
    times: bool = False
    strings: bool = False


Wanted = Literal[
    "", "axis", "dtype", "key", "single key", "index", "field", "operand", "array", "description",
    "gradients", "position", "scalar",
]  # fmt: skip
"""What is wanted in the place of what is given."""


@dataclass(frozen=True, slots=True)
class RefusedArgument(Event):
    """A JAX function lacks an argument, or gets one that it refuses whatever its value.

    ``wanted``: an axis, a dtype, a PRNG key, a single key, an integer for an index, a place for it
    in the text that is printed, an operand of the operator ``function``, an array or one scalar,
    where ``parameter`` says what it is or holds instead, a description of arrays; empty where
    nothing is given for ``parameter``.
    """

    kind = Kind.REFUSED_ARGUMENT
    whoever_traces = True
    function: str
    parameter: str
    wanted: Wanted = ""


@dataclass(frozen=True, slots=True)
class InvalidArgument(Event):
    """A compiled function gets something that JAX has no type for: ``what`` (string, ...).

    Attributes:
        parameter: the one that gets it; empty when it is a part of what that gets.
        holder: what holds it then: ``dict``, ``named tuple``, ``Model object``.
        module: the library class from which the holder's class derives, if any.
        latent: nobody in view passes it; the annotation of the parameter says what it will be.
        called: ``function`` is the program's; else it is the loop or branch of JAX that gets it.
    """

    kind = Kind.INVALID_ARGUMENT
    fails = True
    what: str
    function: str
    wrapped_at: Site
    parameter: str = ""
    holder: str = ""
    module: str = ""
    latent: bool = False
    called: bool = True


@dataclass(frozen=True, slots=True)
class InvalidReceiver(Event):
    """A compiled method whose ``self`` is neither static nor a pytree."""

    kind = Kind.INVALID_RECEIVER
    transform: str
    owner: str
    function: str


@dataclass(frozen=True, slots=True)
class UnhashableStatic(Event):
    """A static argument that cannot be hashed: ``what`` (list, dict, JAX array, ...).

    ``held``: it lies in a field by which the argument is hashed.
    """

    kind = Kind.UNHASHABLE_STATIC
    fails = True
    what: str
    function: str
    held: bool = False


@dataclass(frozen=True, slots=True)
class UnknownParameter(Event):
    """``option`` of a transform names a parameter, or position, that the function does not have.

    ``count`` is the number of positional parameters; ``parameters`` are the names of all.
    """

    kind = Kind.UNKNOWN_PARAMETER
    option: str
    unknown: str
    function: str
    count: int
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnpassedPosition(Event):
    """``option`` of a transform names a position that the call does not pass.

    ``count`` is the number of its positional arguments.
    """

    kind = Kind.UNPASSED_POSITION
    option: str
    position: int
    count: int


@dataclass(frozen=True, slots=True)
class AxesMismatch(Event):
    """``in_axes`` has another number of entries than the call has arguments.

    ``given``: what it is instead, where ``function``, a transform, takes no such thing for it.
    """

    kind = Kind.AXES_MISMATCH
    entries: int
    function: str
    count: int
    given: str = ""


@dataclass(frozen=True, slots=True)
class MissingAxis(Event):
    """``vmap`` maps an axis that an argument does not have: ``axis`` of ``rank``.

    ``named``: the argument has a keyword, and ``in_axes`` has no say in it. ``result``: what a
    function returns has that rank, and no place for an ``axis`` more.
    """

    kind = Kind.MISSING_AXIS
    axis: int
    rank: int
    transform: str
    named: bool = False
    result: bool = False


@dataclass(frozen=True, slots=True)
class UnequalSizes(Event):
    """``vmap`` maps axes of other ``sizes``, of the ``first`` argument and of this one."""

    kind = Kind.UNEQUAL_SIZES
    sizes: tuple[int, int]
    first: Site
    transform: str


NO_FUNCTION = "no function"
"""What is given where a function is wanted."""


@dataclass(frozen=True, slots=True)
class Untraceable(Event):
    """A transform is given a function that gives no arrays: ``what`` (a string, ...).

    Or the subject, which is :data:`NO_FUNCTION`; or the function ``what``, which ``takes`` so many
    arguments and not the number ``given``. Or it belongs to an object of a class, ``hashed_with``,
    with arrays by which it would be hashed.
    """

    kind = Kind.UNTRACEABLE
    what: str
    transform: str
    takes: str = ""
    given: str = ""
    hashed_with: str = ""


@dataclass(frozen=True, slots=True)
class StructureMismatch(Event):
    """The functions of ``scan``, ``cond``, ``while_loop`` return what they must not.

    Or, for ``trees``, a function that takes several pytrees leaf by leaf gets others; a
    ``callback`` gives something else than JAX is told (``before``); an optimizer gets
    ``gradients`` unlike the parameters from which its state was made, at ``made_at``; a loop gets
    a ``condition`` that is not one boolean (``after``); ``tangents`` do not fit their primals, or
    a ``cotangent`` the result that it belongs to.

    ``before``, ``after``: two arrays that should be of one type, in JAX's short form (``f32[3]``);
    empty where the structures differ.
    """

    kind = Kind.STRUCTURE_MISMATCH
    fails = True
    part: Literal[
        "scan", "carry", "branches", "trees", "callback", "gradients", "condition", "tangents",
        "cotangent",
    ]  # fmt: skip
    transform: str
    before: str = ""
    after: str = ""
    made_at: Site | None = None


@dataclass(frozen=True, slots=True)
class BadGradient(Event):
    """``grad`` of something that is not real-valued (``input``) or not a scalar (``output``).

    Or of a function that returns no pair where it has auxiliary data (``aux``), or what a ``loop``
    of that ``type`` has computed. ``holder``: what the input of that ``type`` lies in, as in
    :class:`InvalidArgument`.
    """

    kind = Kind.BAD_GRADIENT
    fails = True
    part: Literal["input", "output", "aux", "loop"]
    type: str
    transform: str
    function: str
    holder: str = ""
