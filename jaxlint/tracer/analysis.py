"""What an analysis is told of a run: the calls between the tracer and those who watch it.

The tracer follows values; an analysis follows one question about them (which PRNG keys are
used up, which traces go stale, what the host waits for) with state of its own. It overrides
the methods that it needs. :class:`jaxlint.tracer.listeners.Analyses` passes each call on to those
that do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Level
from jaxlint.tracer.values.arrays import Key
from jaxlint.tracer.values.externals import External, Scope, Stateful
from jaxlint.tracer.values.objects import Class, Instance, Transformed
from jaxlint.tracer.values.value import Clock, Value

if TYPE_CHECKING:
    from jaxlint.events import IntegerWraps
    from jaxlint.tracer.tracer import Tracer


class Analysis:
    """Base of all analyses: listens, and does nothing.

    Attributes:
        of_the_file: what other modules have in their text is none of its business.
    """

    of_the_file: ClassVar[bool] = False

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer

    @staticmethod
    def concerns(module: n.Module) -> bool:
        """Whether it may have anything to say of a module: it is told nothing before one runs."""
        return True

    def code_of(self, frame: Frame) -> n.Module | n.Function:
        """The function that a frame is of, or its module."""
        return frame.code(self.tracer.module)

    def body_of(self, frame: Frame) -> list[n.Node]:
        """The statements of the function that a frame is of, or of its module."""
        return self.code_of(frame).body

    # ---------------------------------------------------------- names and objects

    def on_read(self, frame: Frame, name: str, node: n.Node, value: Value) -> None:
        """A name was looked up in ``frame``, which is not the current one."""

    def on_read_attribute(self, owner: Instance | Class, name: str, node: n.Node) -> None:
        """Data were read from an attribute."""

    def on_bind(self, frame: Frame, name: str, old: Value | None, new: Value, node: n.Node) -> None:
        """A name that other scopes can see is about to be bound."""

    def on_store_outer(
        self, name: str, target: n.Node, how: str, frame: Frame, new: Value, node: n.Node
    ) -> None:
        """A name of an outer ``frame`` is about to be bound: ``how`` is what declares it, or
        ``module attribute``."""

    def on_store_attribute(
        self, owner: Instance | Class, name: str, old: Value | None, new: Value, node: n.Attribute
    ) -> None:
        """An attribute is about to be set."""

    def on_mutate(
        self, container: Value, how: str, added: list[Value], node: n.Node, subject: n.Node
    ) -> None:
        """A container is about to be changed in place by ``how`` (append, [...] =, del)."""

    def on_change(self, owner: Instance | Stateful, node: n.Node) -> None:
        """An object of a library changes in place: by a call, or in what it holds."""

    def on_unseen(self, values: list[Value]) -> None:
        """Code out of view gets values."""

    def on_scope(self) -> None:
        """A method of a library is about to run a module with what it was given for that."""

    def on_ask_scope(self, lacks: str, name: str, layer: str, node: n.Node) -> None:
        """A ``layer`` asks for ``name`` in what the module is run with."""

    def on_layer(self, layer: External, node: n.Node) -> None:
        """A layer that has parameters is about to be called."""

    def on_scope_end(self, scope: Scope, node: n.Node) -> None:
        """The module has run."""

    def on_store_outside(self, name: str, index: Value, target: n.Subscript, node: n.Node) -> None:
        """An item of an object from outside the program is about to be set by a statement."""

    def on_ask(self, symbol: object, node: n.Node) -> None:
        """A test is about to be decided that asks something of an unknown value."""

    def on_advance(self, iterator: Value, node: n.Node) -> None:
        """An iterator gives an element."""

    def on_discard(self, call: n.Call) -> None:
        """The result of a call is thrown away."""

    # ------------------------------------------------------------ JAX and libraries

    def on_name(self, name: str, node: n.Node) -> None:
        """A dotted name from outside the program was looked up."""

    def on_annotation(self, annotation: n.Node) -> None:
        """An annotation stands where Python evaluates it, unless the file postpones that."""

    def on_import(self, node: n.Import) -> None:
        """A name was imported."""

    def on_missing_attribute(self, name: str, node: n.Node) -> None:
        """An attribute that no release of JAX gives an array, or only some."""

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """A function from outside the program is about to be called."""

    def on_enter(self, value: Value, node: n.Node) -> None:
        """A ``with`` statement is about to enter a context manager that is not the program's."""

    def on_dtype(self, dtype: Value, where: n.Node, node: n.Node) -> None:
        """A dtype was asked for."""

    def on_consume(self, key: Key, node: n.Node, subject: n.Node, name: str, alone: bool) -> None:
        """A PRNG key is used up by ``name``, which is given it ``alone`` or in a container."""

    def on_key_left(self, inside: Key, outside: Key) -> None:
        """A key that a trace has made comes out of it, as another one for the code around it."""

    def on_drawn(self, result: Value, node: n.Node) -> None:
        """A sampler was called and gave ``result``."""

    def on_shapes_alone(self, values: Iterable[Value]) -> None:
        """What is called next asks for the shapes of these values alone."""

    def on_dummy_run(self, node: n.Node) -> None:
        """A call has set up a module by running it, and gave nobody what that returned."""

    # ---------------------------------------------------------------- transforms

    def on_transform(self, function: Transformed, node: n.Node) -> None:
        """A function was wrapped by a transform."""

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        """A transformed function is about to be called."""

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        """A transformed function was called."""

    def on_returned(self, frame: Frame, arguments: Arguments, node: n.Node) -> bool:
        """A function of the program has run; whether a call that is alike is to run, too."""
        return False

    def on_callee(self, name: str, function: Value, arguments: Arguments, node: n.Node) -> None:
        """A higher-order function of JAX that stages is about to call one of its functions."""

    def on_alternatives(self, token: object, count: int) -> None:
        """So many functions were followed of which JAX runs one: the arms of ``token``."""

    def on_argument(
        self, value: Value, static: bool, where: n.Node, function: str, name: str
    ) -> None:
        """A compiled function gets an argument."""

    def on_traced(self, level: Level) -> None:
        """A trace has ended that the cache keeps."""

    def on_cache_hit(self, level: Level) -> None:
        """A cached trace was used again; ``level`` is the one that made it."""

    def on_left(self, level: Level, result: Value) -> None:
        """A function has run under a transform, and gives ``result``."""

    def on_differentiated(self, level: Level, result: Value) -> None:
        """Cotangents will go back through what a function has computed, from its ``result``."""

    def on_carried(
        self,
        pairs: list[tuple[Key, Key]],
        following: list[tuple[Key, Key]],
        result: Value,
        node: n.Node,
        name: str,
    ) -> None:
        """A loop of JAX ended that took keys in (outer, inner) and gives ``result`` back.

        ``following``: the inner keys, each with the one that the next iteration gets for it.
        """

    # ------------------------------------------------------------------- integers

    def on_wrap(self, event: IntegerWraps, operation: int) -> None:
        """An operation, by the id of its node, gives integers that its dtype cannot hold."""

    def on_taken_as_it_is(self, operations: frozenset[int]) -> None:
        """What has wrapped around in some operations is masked, or compared."""

    # ---------------------------------------------------------------------- loops

    def on_loop(self, node: n.Node, iterable: Value, operations: int, where: n.Node) -> None:
        """A Python loop has ended, in whose passes so many JAX operations ran."""

    # ------------------------------------------------------------ host and device

    def on_computed(self, name: str, node: n.Node) -> None:
        """An operation of JAX runs in a callback on the host; ``name`` is empty for an operator."""

    def on_operands(
        self, name: str, operands: Iterable[Value], node: n.Node, kernel: Level
    ) -> None:
        """An operation of JAX runs in a kernel; ``name`` is that of an operator, or qualified."""

    def on_read_buffers(self, values: Iterable[Value], node: n.Node) -> None:
        """The host computes with values, while arrays are gone that were donated."""

    def on_dispatch(self, node: n.Node, returns: bool) -> None:
        """The host dispatches work; ``returns``: it is known to give arrays."""

    def on_wait(self, value: Value | None, node: n.Node, construct: str) -> None:
        """The host reads an array; None when nobody knows what is waited for."""

    def on_clock(self, clock: Clock) -> None:
        """The host reads a clock."""

    def on_elapsed(self, later: Clock, earlier: Clock) -> None:
        """The difference of two readings of a clock is taken."""

    # ---------------------------------------------------------------------- calls

    def before_call(self) -> Any:
        """A call begins that may be remembered: what to compare with at its end."""

    def after_call(self, before: Any) -> Any:
        """It has ended: what to do again when its result is taken from memory."""

    def replay(self, record: Any, level: Level | None = None) -> None:
        """A call was not run again: do what it did; ``level`` of a cached trace."""

    def no_way_past(self, before: Any) -> None:
        """Nothing that ran since ``before`` leads to what follows."""

    def on_settle(self) -> None:
        """A new run starts from nothing."""

    def on_end(self) -> None:
        """The file has run."""
