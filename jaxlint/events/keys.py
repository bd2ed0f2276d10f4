"""PRNG keys."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxlint.events.event import Again, Event, Kind, Site


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
        given: the expression by which the code at ``site`` hands it on, where that is this one
            key for certain, and nothing else.
        first_given: the same at ``first_at``.
        inside: where in the value of the subject it lies, as Python writes it: ``.key``.
        owner: the function whose variable the subject is, where it is none at ``site``.
        first_called: what the code at ``first_at`` calls, where ``first`` is further down.
        carried: the body that runs again and again is given it, and returns it.
        made_at: where each iteration makes it, of the same constants.
    """

    kind = Kind.KEY_REUSE
    sampler: str
    repeated: Again
    first: str
    first_at: Site
    body_of: str = ""
    cause: int = field(default=0, compare=False)
    given: Site | None = None
    first_given: Site | None = None
    inside: str = ""
    owner: str = ""
    first_called: Site | None = None
    carried: bool = False
    made_at: Site | None = None

    @property
    def whoever_traces(self) -> bool:
        """Whether a key is used up twice without a body that runs again and again."""
        return not self.body_of


@dataclass(frozen=True, slots=True)
class ConstantKey(Event):
    """A PRNG key made from a constant is consumed while tracing."""

    kind = Kind.CONSTANT_KEY
    sampler: str


@dataclass(frozen=True, slots=True)
class EqualDraw(Event):
    """A layer draws its parameters from a constant that another layer of the module has used.

    Attributes:
        layer: its class.
        first_at: the other one; the same place in a loop.
        stacked: layers that a transform, ``layer``, makes one beside the other.
        mapped: what maps a function over a batch, with the same key for each element; the layer
            draws at ``first_at``.
    """

    kind = Kind.EQUAL_DRAW
    layer: str
    first_at: Site
    stacked: bool = False
    mapped: str = ""
