"""What comes back from reverse mode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from jaxlint.events.event import Event, Kind, Site


@dataclass(frozen=True, slots=True)
class MaskedGradient(Event):
    """A mask keeps the value of an operation out, and a gradient of NaN in.

    ``operation``: the function or operator; ``mask``: what masks its value, and where.
    """

    kind = Kind.MASKED_GRADIENT
    operation: str
    mask: str
    masked_at: Site


@dataclass(frozen=True, slots=True)
class SingularGradient(Event):
    """An operation is given zero for certain, where it has no gradient.

    ``operation``: the function; ``zero_at``: the difference that is zero, or, with ``made``, the
    call that made an array of zeros, or, with ``masked``, what puts the numbers there of which a
    softmax makes zeros, or, with ``empty``, the call that made an array of nothing but ``-inf``.
    """

    kind = Kind.SINGULAR_GRADIENT
    operation: str
    zero_at: Site
    made: bool = False
    masked: bool = False
    empty: bool = False


@dataclass(frozen=True, slots=True)
class ZeroGradient(Event):
    """What is differentiated gives nothing back to its arguments, whatever they are.

    ``operation``: the one that gives nothing back; ``function``: the function whose gradient it is.
    """

    kind = Kind.ZERO_GRADIENT
    operation: str
    function: str


@dataclass(frozen=True, slots=True)
class RuleMismatch(Event):
    """A rule of differentiation returns what JAX does not take.

    Or it ``takes`` so many arguments and not the number ``given``.

    ``rule``: fwd, bwd or jvp; ``returns``: what it returns; ``wanted``: what it must return, or
    take; ``function``: whose rule it is.
    """

    kind = Kind.RULE_MISMATCH
    rule: Literal["fwd", "bwd", "jvp"]
    returns: str
    wanted: str
    function: str
    defined_at: Site
    takes: str = ""
    given: str = ""


@dataclass(frozen=True, slots=True)
class IgnoredCotangent(Event):
    """A rule of differentiation does not read what comes to it.

    ``rule``: bwd or jvp; ``parameter``: its name there; ``function``: whose rule it is.
    """

    kind = Kind.IGNORED_COTANGENT
    rule: Literal["bwd", "jvp"]
    parameter: str
    function: str


@dataclass(frozen=True, slots=True)
class OverwrittenGradient(Event):
    """Each pass of a loop computes gradients, and those of the last one alone are read.

    ``function``: whose gradients they are; ``name``: the variable; ``by``: without a loop, the
    statement that binds it to others.
    """

    kind = Kind.OVERWRITTEN_GRADIENT
    function: str
    name: str
    by: Site | None = None


@dataclass(frozen=True, slots=True)
class NondiffTracer(Event):
    """A tracer is passed for a parameter that ``nondiff_argnums`` names."""

    kind = Kind.NONDIFF_TRACER
    function: str
    transform: str
    parameter: str
    defined_at: Site


@dataclass(frozen=True, slots=True)
class DecayedConstant(Event):
    """An update makes a leaf smaller to which no cotangent goes back.

    Attributes:
        name: of the leaf.
        owner: the class that has it.
        maker: the function that made the optimizer, or the link of it that adds the weights.
    """

    kind = Kind.DECAYED_CONSTANT
    name: str
    owner: str
    maker: str


@dataclass(frozen=True, slots=True)
class UnreducedGradient(Event):
    """Each device updates parameters that were the same on all by gradients of its own batch.

    ``read``: nothing is updated there; of the gradients of all, those of the first are read.
    """

    kind = Kind.UNREDUCED_GRADIENT
    read: bool = False
