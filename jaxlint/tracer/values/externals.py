"""Objects of classes outside the program, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jaxlint.knowledge.layers import Shaping
from jaxlint.knowledge.libraries import Asks
from jaxlint.tracer.values.arrays import Constant, Reach
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Cell
from jaxlint.tracer.values.sizes import Dim
from jaxlint.tracer.values.value import KEY_DEPTH, Value, immutable

if TYPE_CHECKING:
    from jaxlint.tracer.state.frames import Moment


@dataclass(frozen=True, slots=True)
class Part:
    """A link of the chain that an optimizer is.

    Attributes:
        maker: the function that made it.
        keeps_state: its update counts on the state that the last one gave.
        keeps_sign: its updates have the sign of what it is given, for certain.
        adds_weights: it adds the parameters, times a number above zero.
        decays: it makes all parameters smaller.
        passed_on: the leaves, by their order, that it passes on as they are, under a mask of which
            literal values decide each; None: there is no mask, or nobody knows which.
        masked: there is a mask.
    """

    maker: str
    keeps_state: bool
    keeps_sign: bool = False
    adds_weights: bool = False
    passed_on: frozenset[int] | None = None
    masked: bool = False
    decays: bool = False


@dataclass(frozen=True, slots=True)
class Asking:
    """What a layer of linen asks of the ``apply`` around it.

    Attributes:
        row: what is known of its class.
        stream: of PRNG keys, from which it draws; empty when it draws nothing.
        off: what its class was told about switching it off; None: nothing.
    """

    row: Asks
    stream: str
    off: Value | None


@dataclass(frozen=True, slots=True)
class Shaped:
    """How the shape of what a layer gives follows from that of what it is called with.

    Attributes:
        row: what is known of its class.
        features: the axes for the features: one, of which the size may be unknown, or none.
        window: how many axes its window has; None when that is not in view.
        takes: how many features it takes; None when that is not in view.
    """

    row: Shaping
    features: tuple[Dim, ...] = ()
    window: int | None = None
    takes: Dim = None


@immutable
class External(Value):
    """An object of a class outside the program (``logging.Logger``); no tracer.

    Attributes:
        axes: the names of a mesh, or those that a spec names; None when they are not in view.
        sizes: how many devices a mesh has along each axis, or into how many pieces a sharding
            cuts each dimension, each None when unknown; None when nothing is known of them.
        entries: the names by which a spec cuts each dimension, each None when unknown.
        reach: of a mesh or sharding, that it is over the devices of ``all`` processes, and that
            each device has a ``part`` of its own; empty when that is not in view.
        parts: the links of the chain that an optimizer is; empty when they are not in view.
        asks: what a layer asks of the call around it; None: nothing that is in view.
        shaped: what a layer makes of a shape; None: nobody can see.
        each: what it calls, one after the other; None: it does not, or they are not in view. Of
            an optimizer the schedules.
        functions: those of the program that it calls: of an optimizer what gives its state and
            what updates, of a layer those for each number, or for all.
        made: when it was made, where its methods are functions of its own.
        aval: of what describes an array: its shape and dtype.
        leaves: what JAX finds in it, as far as that is certain.
        given: the arrays that are the parameters of a distribution; the pytree of which it is the
            structure.
        explicit: those axes of a mesh, or of it that a sharding names, of which the type of an
            array says how it lies along them.
    """

    type: str
    axes: tuple[str, ...] | None = None
    sizes: tuple[int | None, ...] | None = None
    entries: tuple[tuple[str, ...] | None, ...] | None = None
    reach: Reach = ""
    parts: tuple[Part, ...] = ()
    asks: Asking | None = None
    shaped: Shaped | None = None
    each: tuple[Value, ...] | None = None
    functions: tuple[Value, ...] = ()
    made: Moment | None = None
    aval: Aval | None = None
    leaves: tuple[str, ...] = ()
    explicit: tuple[str, ...] = ()
    given: tuple[Value, ...] = ()

    @property
    def calls(self) -> tuple[Value, ...]:
        """All that it calls, as far as that is in view."""
        return (*(self.each or ()), *self.functions)

    def key(self, depth: int = KEY_DEPTH) -> object:
        mesh = self.axes, self.sizes, self.entries, self.reach, self.explicit
        off = self.asks.off if self.asks is not None else None
        asks = (self.asks.stream, off and off.key()) if self.asks is not None else None
        each: object = self.each
        if self.each is not None:
            each = tuple(item.key(depth - 1) for item in self.each) if depth else id(self.each)
        which = self.type, *mesh, self.parts, asks, self.shaped, each, self.aval, self.leaves
        functions = (each.key(max(depth - 1, 0)) for each in self.functions)
        return ("external", *which, *map(id, self.given), *functions)


@immutable
class Stateful(Value):
    """An object of a library's class that it changes in place: a variable, a layer, a counter.

    Attributes:
        cell: which object it is; its slot ``changes``, which only the trail writes, says whether
            a call changes the object: None where nobody knows.
        constant: where it was made, and at which level, if the keys that it gives come from
            constants alone.
    """

    type: str
    made: Moment
    cell: Cell
    constant: Constant = None

    @property
    def changes(self) -> bool | None:
        """Whether a call of it changes it."""
        found: bool | None = self.cell["changes"]
        return found

    def key(self, depth: int = KEY_DEPTH) -> object:
        return ("stateful", self.type, id(self.cell), self.changes)


@immutable
class Scope:
    """What a module of linen is run with.

    Attributes:
        streams: of PRNG keys; None: any may be there.
        mutable: the collections of variables that may be changed; None: any.
        collections: those that are given; None: any may be there.
    """

    streams: frozenset[str] | None = None
    mutable: frozenset[str] | None = None
    collections: frozenset[str] | None = None
