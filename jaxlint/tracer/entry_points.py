"""What the parts of the interpreter ask of each other.

The interpreter is one class with a mixin for each part of the language. A mixin knows
the others by these declarations alone; each is defined in one of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager

from jaxlint.knowledge.transforms import Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.frames import Frame, Level
from jaxlint.tracer.records import Arguments, Consumed
from jaxlint.tracer.values import (
    UNKNOWN,
    Array,
    Builtin,
    Class,
    Clock,
    Function,
    Host,
    Instance,
    KeyState,
    Qualified,
    Transformed,
    Value,
)


class EntryPoints:
    """The methods that one mixin defines and others call."""

    def after_exit(self, token: object, other: object) -> None:
        raise NotImplementedError

    def apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> Value:
        raise NotImplementedError

    def arm(self, token: object, taken: object) -> AbstractContextManager[None]:
        raise NotImplementedError

    def assign(self, target: n.Node, value: Value, node: n.Node) -> None:
        raise NotImplementedError

    def assumed_keys(self, function: Function, names: dict[str, Value]) -> dict[str, Value]:
        raise NotImplementedError

    def attribute(self, value: Value, name: str, node: n.Node) -> Value:
        raise NotImplementedError

    def binary(self, operator: str, left: Value, right: Value, node: n.Node) -> Value:
        raise NotImplementedError

    def call(self, function: Value, arguments: Arguments, node: n.Node) -> Value:
        raise NotImplementedError

    def call_builtin(self, name: str, arguments: Arguments, node: n.Node) -> Value | None:
        raise NotImplementedError

    def call_method(self, function: Builtin, arguments: Arguments, node: n.Node) -> Value:
        raise NotImplementedError

    def call_now(
        self, name: str, transform: Transform, arguments: Arguments, node: n.Node
    ) -> Value:
        raise NotImplementedError

    def call_qualified(self, function: Qualified, arguments: Arguments, node: n.Node) -> Value:
        raise NotImplementedError

    def carried(self, value: Value, pairs: list[tuple[KeyState, KeyState]], level: Level) -> Value:
        raise NotImplementedError

    def consume_again(self, consumed: Consumed) -> None:
        raise NotImplementedError

    def consume_by(self, name: str, arguments: Arguments, node: n.Node) -> None:
        raise NotImplementedError

    def container(self, kind: str, name: str, arguments: Arguments, node: n.Node) -> Value:
        raise NotImplementedError

    def counted(self, value: Value, loop: n.Node) -> Value:
        raise NotImplementedError

    def decorate(self, value: Value, decorators: list[n.Node]) -> Value:
        raise NotImplementedError

    def define_class(self, node: n.ClassDefinition) -> Value:
        raise NotImplementedError

    def dispatched(self, node: n.Node) -> None:
        raise NotImplementedError

    def drawn(self) -> Host:
        raise NotImplementedError

    def elapsed(self, later: Clock, earlier: Clock) -> None:
        raise NotImplementedError

    def evaluate(self, node: n.Node) -> Value:
        raise NotImplementedError

    def execute(self, body: Iterable[n.Node]) -> None:
        raise NotImplementedError

    def forget(self, arguments: Arguments) -> None:
        raise NotImplementedError

    def forget_uses(self, since: int) -> None:
        raise NotImplementedError

    def fresh_key(self, of: KeyState) -> KeyState:
        raise NotImplementedError

    def fresh_keys(self, value: Value, since: int = -1) -> Value:
        raise NotImplementedError

    def grown(self, node: n.Assign, value: Value) -> Value:
        raise NotImplementedError

    def instantiate(self, cls: Class, arguments: Arguments, node: n.Node) -> Value:
        raise NotImplementedError

    def invoke(self, function: Function, arguments: Arguments, node: n.Node) -> Value:
        raise NotImplementedError

    def item(self, value: Value, index: Value, node: n.Subscript) -> Value:
        raise NotImplementedError

    def iterator(self, items: list[Value] | None, element: Value = UNKNOWN) -> Value:
        raise NotImplementedError

    def key_at(self, state: KeyState, index: int) -> KeyState:
        raise NotImplementedError

    def key_parameters(self, function: Function) -> frozenset[str]:
        raise NotImplementedError

    def key_result(self, name: str, result: Array, arguments: Arguments, node: n.Node) -> Array:
        raise NotImplementedError

    def make_function(self, code: n.Function) -> Value:
        raise NotImplementedError

    def make_transformed(
        self, name: str, transform: Transform, arguments: Arguments, node: n.Node
    ) -> Value:
        raise NotImplementedError

    def mutate(
        self,
        container: Value,
        how: str,
        values: list[Value],
        node: n.Node,
        subject: n.Node,
        index: Value | None = None,
    ) -> None:
        raise NotImplementedError

    def note_advanced(self, iterator: Value, node: n.Node) -> None:
        raise NotImplementedError

    def note_carried(
        self, pairs: list[tuple[KeyState, KeyState]], result: Value, node: n.Node, name: str
    ) -> None:
        raise NotImplementedError

    def note_changing(
        self, value: Value, static: bool, where: n.Node, function: str, name: str
    ) -> None:
        raise NotImplementedError

    def note_dispatch_by_name(self, name: str, arguments: Arguments, node: n.Node) -> None:
        raise NotImplementedError

    def note_import(self, node: n.Import) -> None:
        raise NotImplementedError

    def note_input(self, name: str, arguments: Arguments, node: n.Node) -> None:
        raise NotImplementedError

    def note_missing_attribute(self, name: str, node: n.Node) -> None:
        raise NotImplementedError

    def note_name(self, name: str, node: n.Node) -> None:
        raise NotImplementedError

    def note_parameters(self, name: str, arguments: Arguments, node: n.Node) -> None:
        raise NotImplementedError

    def note_unrolled(self, node: n.Node, iterable: Value, operations: int, where: n.Node) -> None:
        raise NotImplementedError

    def note_wide(self, dtype: Value, where: n.Node, node: n.Node) -> None:
        raise NotImplementedError

    def output(self, name: str, arguments: Arguments, node: n.Node) -> Value:
        raise NotImplementedError

    def qualified_name(self, node: n.Node, frame: Frame | None) -> str | None:
        raise NotImplementedError

    def read_clock(self, name: str, node: n.Node) -> Value:
        raise NotImplementedError

    def reduce(self, arguments: Arguments, node: n.Node) -> Value:
        raise NotImplementedError

    def refused_by_jax(self, name: str, arguments: Arguments, node: n.Node) -> bool:
        raise NotImplementedError

    def refused_by_method(
        self, receiver: Array, name: str, arguments: Arguments, node: n.Node
    ) -> bool:
        raise NotImplementedError

    def refused_by_numpy(self, name: str, arguments: Arguments, node: n.Node) -> bool:
        raise NotImplementedError

    def refused_index(self, index: Value, node: n.Node, at: bool = False) -> bool:
        raise NotImplementedError

    def set_attribute(self, owner: Value, attr: str, value: Value, node: n.Node) -> None:
        raise NotImplementedError

    def sized(self, result: Value, name: str, arguments: Arguments) -> Value:
        raise NotImplementedError

    def sliced(self, result: Value, index: Value) -> Value:
        raise NotImplementedError

    def some_instance(self, cls: Class) -> Instance:
        raise NotImplementedError

    def stepped(self, operator: str, old: Value, operand: Value, result: Value) -> Value:
        raise NotImplementedError

    def test(self, node: n.Node, construct: str) -> bool | None:
        raise NotImplementedError

    def unconsume(self, key: Value, node: n.Node) -> None:
        raise NotImplementedError

    def waited(self, value: Value | None, node: n.Node, construct: str) -> None:
        raise NotImplementedError

    def with_merged_keys(
        self, merged: dict[str, Value], ends: list[dict[str, Value]]
    ) -> dict[str, Value]:
        raise NotImplementedError
