"""Passes what happens in a run on to the analyses that listen for it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Level
from jaxlint.tracer.values.arrays import Key
from jaxlint.tracer.values.externals import External, Scope, Stateful
from jaxlint.tracer.values.objects import Class, Instance, Transformed
from jaxlint.tracer.values.value import Clock, Value

if TYPE_CHECKING:
    from jaxlint.events import IntegerWraps
    from jaxlint.tracer.tracer import Tracer


@cache
def _listeners(kinds: tuple[type[Analysis], ...]) -> dict[str, tuple[int, ...]]:
    """For each method that is told something, the places of those who override it."""
    names = [name for name in vars(Analysis) if name.startswith("on_") or name == "before_call"]
    return {
        name: tuple(
            place
            for place, kind in enumerate(kinds)
            if getattr(kind, name) is not getattr(Analysis, name)
        )
        for name in names
    }


class Analyses(Analysis):
    """All analyses of a run, as one."""

    def __init__(self, tracer: Tracer, kinds: Iterable[type[Analysis]]) -> None:
        super().__init__(tracer)
        self._kinds = tuple(kinds)
        self._all: tuple[Analysis, ...] = ()
        self._listen([kind for kind in self._kinds if kind.concerns(tracer.module)])

    def about(self, module: n.Module) -> None:
        """A module is imported: those that it concerns listen from here on."""
        known = set(map(type, self._all))
        others = [kind for kind in self._kinds if kind not in known and not kind.of_the_file]
        new = [kind for kind in others if kind.concerns(module)]
        if new:
            self._listen(new)

    def _listen(self, kinds: Iterable[type[Analysis]]) -> None:
        self._all = (*self._all, *(kind(self.tracer) for kind in kinds))
        who = _listeners(tuple(map(type, self._all)))
        self._to = {name: tuple(self._all[i] for i in places) for name, places in who.items()}
        for name, listeners in self._to.items():
            if len(listeners) == 1:
                # Nobody needs to pass it on.
                setattr(self, name, getattr(listeners[0], name))
            else:
                vars(self).pop(name, None)
        self._remembering = self._to["before_call"]

    def on_read(self, frame: Frame, name: str, node: n.Node, value: Value) -> None:
        for each in self._to["on_read"]:
            each.on_read(frame, name, node, value)

    def on_read_attribute(self, owner: Instance | Class, name: str, node: n.Node) -> None:
        for each in self._to["on_read_attribute"]:
            each.on_read_attribute(owner, name, node)

    def on_bind(self, frame: Frame, name: str, old: Value | None, new: Value, node: n.Node) -> None:
        for each in self._to["on_bind"]:
            each.on_bind(frame, name, old, new, node)

    def on_store_outer(
        self, name: str, target: n.Node, how: str, frame: Frame, new: Value, node: n.Node
    ) -> None:
        for each in self._to["on_store_outer"]:
            each.on_store_outer(name, target, how, frame, new, node)

    def on_store_attribute(
        self, owner: Instance | Class, name: str, old: Value | None, new: Value, node: n.Attribute
    ) -> None:
        for each in self._to["on_store_attribute"]:
            each.on_store_attribute(owner, name, old, new, node)

    def on_mutate(
        self, container: Value, how: str, added: list[Value], node: n.Node, subject: n.Node
    ) -> None:
        for each in self._to["on_mutate"]:
            each.on_mutate(container, how, added, node, subject)

    def on_change(self, owner: Instance | Stateful, node: n.Node) -> None:
        for each in self._to["on_change"]:
            each.on_change(owner, node)

    def on_unseen(self, values: list[Value]) -> None:
        for each in self._to["on_unseen"]:
            each.on_unseen(values)

    def on_scope(self) -> None:
        for each in self._to["on_scope"]:
            each.on_scope()

    def on_ask_scope(self, lacks: str, name: str, layer: str, node: n.Node) -> None:
        for each in self._to["on_ask_scope"]:
            each.on_ask_scope(lacks, name, layer, node)

    def on_layer(self, layer: External, node: n.Node) -> None:
        for each in self._to["on_layer"]:
            each.on_layer(layer, node)

    def on_scope_end(self, scope: Scope, node: n.Node) -> None:
        for each in self._to["on_scope_end"]:
            each.on_scope_end(scope, node)

    def on_store_outside(self, name: str, index: Value, target: n.Subscript, node: n.Node) -> None:
        for each in self._to["on_store_outside"]:
            each.on_store_outside(name, index, target, node)

    def on_ask(self, symbol: object, node: n.Node) -> None:
        for each in self._to["on_ask"]:
            each.on_ask(symbol, node)

    def on_advance(self, iterator: Value, node: n.Node) -> None:
        for each in self._to["on_advance"]:
            each.on_advance(iterator, node)

    def on_discard(self, call: n.Call) -> None:
        for each in self._to["on_discard"]:
            each.on_discard(call)

    def on_name(self, name: str, node: n.Node) -> None:
        for each in self._to["on_name"]:
            each.on_name(name, node)

    def on_annotation(self, annotation: n.Node) -> None:
        for each in self._to["on_annotation"]:
            each.on_annotation(annotation)

    def on_import(self, node: n.Import) -> None:
        for each in self._to["on_import"]:
            each.on_import(node)

    def on_missing_attribute(self, name: str, node: n.Node) -> None:
        for each in self._to["on_missing_attribute"]:
            each.on_missing_attribute(name, node)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        for each in self._to["on_call"]:
            each.on_call(name, arguments, node)

    def on_enter(self, value: Value, node: n.Node) -> None:
        for each in self._to["on_enter"]:
            each.on_enter(value, node)

    def on_dtype(self, dtype: Value, where: n.Node, node: n.Node) -> None:
        for each in self._to["on_dtype"]:
            each.on_dtype(dtype, where, node)

    def on_consume(self, key: Key, node: n.Node, subject: n.Node, name: str, alone: bool) -> None:
        for each in self._to["on_consume"]:
            each.on_consume(key, node, subject, name, alone)

    def on_key_left(self, inside: Key, outside: Key) -> None:
        for each in self._to["on_key_left"]:
            each.on_key_left(inside, outside)

    def on_drawn(self, result: Value, node: n.Node) -> None:
        for each in self._to["on_drawn"]:
            each.on_drawn(result, node)

    def on_shapes_alone(self, values: Iterable[Value]) -> None:
        for each in self._to["on_shapes_alone"]:
            each.on_shapes_alone(values)

    def on_dummy_run(self, node: n.Node) -> None:
        for each in self._to["on_dummy_run"]:
            each.on_dummy_run(node)

    def on_transform(self, function: Transformed, node: n.Node) -> None:
        for each in self._to["on_transform"]:
            each.on_transform(function, node)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        for each in self._to["on_apply"]:
            each.on_apply(function, arguments, node)

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        for each in self._to["on_applied"]:
            each.on_applied(function, arguments, result, node)

    def on_returned(self, frame: Frame, arguments: Arguments, node: n.Node) -> bool:
        found = [each.on_returned(frame, arguments, node) for each in self._to["on_returned"]]
        return any(found)

    def on_callee(self, name: str, function: Value, arguments: Arguments, node: n.Node) -> None:
        for each in self._to["on_callee"]:
            each.on_callee(name, function, arguments, node)

    def on_alternatives(self, token: object, count: int) -> None:
        for each in self._to["on_alternatives"]:
            each.on_alternatives(token, count)

    def on_argument(
        self, value: Value, static: bool, where: n.Node, function: str, name: str
    ) -> None:
        for each in self._to["on_argument"]:
            each.on_argument(value, static, where, function, name)

    def on_traced(self, level: Level) -> None:
        for each in self._to["on_traced"]:
            each.on_traced(level)

    def on_cache_hit(self, level: Level) -> None:
        for each in self._to["on_cache_hit"]:
            each.on_cache_hit(level)

    def on_left(self, level: Level, result: Value) -> None:
        for each in self._to["on_left"]:
            each.on_left(level, result)

    def on_differentiated(self, level: Level, result: Value) -> None:
        for each in self._to["on_differentiated"]:
            each.on_differentiated(level, result)

    def on_carried(
        self,
        pairs: list[tuple[Key, Key]],
        following: list[tuple[Key, Key]],
        result: Value,
        node: n.Node,
        name: str,
    ) -> None:
        for each in self._to["on_carried"]:
            each.on_carried(pairs, following, result, node, name)

    def on_wrap(self, event: IntegerWraps, operation: int) -> None:
        for each in self._to["on_wrap"]:
            each.on_wrap(event, operation)

    def on_taken_as_it_is(self, operations: frozenset[int]) -> None:
        for each in self._to["on_taken_as_it_is"]:
            each.on_taken_as_it_is(operations)

    def on_loop(self, node: n.Node, iterable: Value, operations: int, where: n.Node) -> None:
        for each in self._to["on_loop"]:
            each.on_loop(node, iterable, operations, where)

    def on_computed(self, name: str, node: n.Node) -> None:
        for each in self._to["on_computed"]:
            each.on_computed(name, node)

    def on_operands(
        self, name: str, operands: Iterable[Value], node: n.Node, kernel: Level
    ) -> None:
        for each in self._to["on_operands"]:
            each.on_operands(name, operands, node, kernel)

    def on_read_buffers(self, values: Iterable[Value], node: n.Node) -> None:
        for each in self._to["on_read_buffers"]:
            each.on_read_buffers(values, node)

    def on_dispatch(self, node: n.Node, returns: bool) -> None:
        for each in self._to["on_dispatch"]:
            each.on_dispatch(node, returns)

    def on_wait(self, value: Value | None, node: n.Node, construct: str) -> None:
        for each in self._to["on_wait"]:
            each.on_wait(value, node, construct)

    def on_clock(self, clock: Clock) -> None:
        for each in self._to["on_clock"]:
            each.on_clock(clock)

    def on_elapsed(self, later: Clock, earlier: Clock) -> None:
        for each in self._to["on_elapsed"]:
            each.on_elapsed(later, earlier)

    def before_call(self) -> Any:
        return [each.before_call() for each in self._remembering]

    def after_call(self, before: Any) -> Any:
        # Who has begun to listen meanwhile comes last.
        pairs = zip(self._remembering, before, strict=False)
        return [each.after_call(mine) for each, mine in pairs]

    def replay(self, record: Any, level: Level | None = None) -> None:
        for each, mine in zip(self._remembering, record, strict=False):
            each.replay(mine, level)

    def no_way_past(self, before: Any) -> None:
        for each, mine in zip(self._remembering, before, strict=False):
            each.no_way_past(mine)

    def on_settle(self) -> None:
        for each in self._to["on_settle"]:
            each.on_settle()

    def on_end(self) -> None:
        for each in self._to["on_end"]:
            each.on_end()
