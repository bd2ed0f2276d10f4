"""Statements: one method for each node, named after it.

Branches run both ways on copies of the frame's names and are joined; loops run
twice, which is a path that the program can take, and are joined then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from jaxlint.events import (
    ArrayConversion,
    BoolConversion,
    DiscardedUpdate,
    ItemAssignment,
    OuterAttribute,
    OuterMutation,
)
from jaxlint.knowledge import jax_api, python_api
from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer import protocols
from jaxlint.tracer.frames import Loop
from jaxlint.tracer.machine import Machine, mutable_kind
from jaxlint.tracer.narrowing import narrow
from jaxlint.tracer.values import (
    NONE,
    UNKNOWN,
    Array,
    Class,
    Const,
    Host,
    Instance,
    Mapping,
    NumpyArray,
    Qualified,
    Ref,
    Sequence,
    Transformed,
    Tree,
    Unknown,
    Value,
    is_number,
    join,
    join_all,
    key_states,
    same,
    tracers,
    with_keys,
)

Names = dict[str, Value]
_LONGEST_UNROLL = 4
_PASSES = 2


class Statements(Machine):
    """Executes statements."""

    def execute(self, body: Iterable[n.Node]) -> None:
        for statement in body:
            if self.frame.stopped:
                return
            self.steps -= 1
            if self.steps < 0:
                self.step(statement)
            method = _STATEMENTS.get(type(statement))
            if method is not None:
                method(self, statement)

    # ----------------------------------------------------------------- simple

    def _expression(self, node: n.ExpressionStatement) -> None:
        value = self.evaluate(node.value)
        call = node.value
        if isinstance(call, n.Call) and not node.shown:
            self._note_discarded(call, value)

    def _note_discarded(self, call: n.Call, value: Value) -> None:
        function = call.function
        if isinstance(function, n.Attribute) and function.attr in jax_api.AT_UPDATES:
            at = function.value
            if isinstance(at, n.Subscript) and isinstance(at.value, n.Attribute):
                if at.value.attr == "at" and self._may_be_array(at.value.value):
                    context = self.context(call, at.value.value)
                    self.emit(DiscardedUpdate(context, f".at[...].{function.attr}"))
        else:
            # Only names are looked at again: calls have had their effects.
            target = self.evaluate(function) if _is_dotted(function) else None
            if isinstance(target, Qualified) and target.name in jax_api.PURE_UPDATES:
                self.emit(DiscardedUpdate(self.context(call, function), target.name))
                if call.arguments:
                    self.unconsume(self.evaluate(call.arguments[0].value), call)

    def _may_be_array(self, node: n.Node) -> bool:
        value = self.evaluate(node)
        if isinstance(value, (Array, Tree)):
            return True
        # Where Pallas is in use, an unknown object with `.at` may be a Ref.
        return isinstance(value, Unknown) and not self.refs_about

    def _assign(self, node: n.Assign) -> None:
        value = self.grown(node, self.evaluate(node.value))
        for target in node.targets:
            self.assign(target, value, node)

    def _annotated(self, node: n.AnnotatedAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.evaluate(node.value), node)

    def assign(self, target: n.Node, value: Value, node: n.Node) -> None:
        """Bind, unpack into, or store in a target."""
        if isinstance(target, n.Name):
            self.store(target, value, node)
        elif isinstance(target, n.Display):
            self._unpack(target.elements, value, node)
        elif isinstance(target, n.Attribute):
            self.set_attribute(self.evaluate(target.value), target.attr, value, target)
        elif isinstance(target, n.Subscript):
            self._set_item(target, value, "item assignment")
        elif isinstance(target, n.Starred):
            self.assign(target.value, value, node)

    def _unpack(self, targets: list[n.Node], value: Value, node: n.Node) -> None:
        elements = protocols.iterate(self, value, node)
        starred = [i for i, target in enumerate(targets) if isinstance(target, n.Starred)]
        if isinstance(elements, list) and not starred and len(elements) == len(targets):
            for target, element in zip(targets, elements, strict=True):
                self.assign(target, element, node)
            return
        if isinstance(elements, list) and starred and len(elements) >= len(targets) - 1:
            position, after = starred[0], len(targets) - starred[0] - 1
            middle = elements[position : len(elements) - after]
            parts = [*elements[:position], Sequence("list", middle, UNKNOWN, self.moment())]
            parts += elements[len(elements) - after :] if after else []
            for target, element in zip(targets, parts, strict=True):
                self.assign(target, element, node)
            return
        for target in targets:
            each = UNKNOWN if isinstance(elements, list) else self.fresh_keys(elements)
            whole = Sequence("list", None, each, self.moment())
            self.assign(target, whole if isinstance(target, n.Starred) else each, node)

    def _augmented(self, node: n.AugmentedAssign) -> None:
        target = node.target
        value = self.evaluate(node.value)
        if isinstance(target, n.Subscript):
            self._set_item(target, UNKNOWN, "augmented item assignment", node.operator, value)
            return
        old = self.evaluate(target)
        if mutable_kind(old) is not None:
            self.mutate(old, f"{node.operator}=", [value], node, target)
            if isinstance(target, n.Name):
                return
        result = self.binary(node.operator, old, value, node)
        result = self.stepped(node.operator, old, value, result)
        if isinstance(result, Unknown) and isinstance(target, n.Attribute) and is_number(value):
            # A counter: what matters of it is that it is no fact of the trace.
            result = Host("float")
        self.assign(target, result, node)

    def _set_item(
        self,
        target: n.Subscript,
        value: Value,
        construct: str,
        operator: str = "",
        operand: Value = UNKNOWN,
    ) -> None:
        container = self.evaluate(target.value)
        index = self.evaluate(target.index)
        if isinstance(container, (Array, Tree)):
            if protocols.assigns_item(container, index, target.index, self.refs_about):
                context = self.context(target, target.value, container)
                self.emit(ItemAssignment(context, construct, operator))
            return
        if isinstance(container, NumpyArray):
            container.version += 1
            if protocols.refuses_bool(index):
                self.emit(ArrayConversion(self.context(target, target.index, index), "index"))
            elif tracers(value):
                context = self.context(target, target.value, value)
                self.emit(ArrayConversion(context, "item assignment"))
            return
        if isinstance(container, Mapping):
            protocols.hashed(self, index, target.index, "dict key")
        if operator:
            value = self.binary(operator, self.item(container, index, target), operand, target)
        if isinstance(container, Mapping) or (
            isinstance(container, Sequence) and container.kind == "list"
        ):
            self.mutate(container, "[...] =", [value], target, target.value, index)

    # --------------------------------------------------------------- mutation

    def mutate(
        self,
        container: Value,
        how: str,
        values: list[Value],
        node: n.Node,
        subject: n.Node,
        index: Value | None = None,
    ) -> None:
        """Change a container in place, and note it when a trace is not its own."""
        assert isinstance(container, (Sequence, Mapping))
        moment = container.moment
        level = self.level
        if level is not None and moment is not None:
            leaked = [value for value in values if tracers(value)]
            if self.effect_matters(values, moment.level):
                context = self.context(node, subject, leaked[0] if leaked else None)
                self.emit(OuterMutation(context, how, bool(leaked)))
        container.version += 1
        if isinstance(container, Sequence):
            loops = self.frame.loops
            made = moment.loops if moment is not None else ()
            grows = how in ("append", "extend", "insert", "+=") and level is None and loops
            container.grows = loops[-1].node if grows and loops[-1] not in made else None
        weak = self.frame.conditional > 0 or (
            moment is not None and moment.loops != self.frame.loops
        )
        _update(container, how, values, index, weak)

    def set_attribute(self, owner: Value, attr: str, value: Value, node: n.Node) -> None:
        """``owner.attr = value``."""
        if not isinstance(owner, (Instance, Class)):
            return
        level = self.level
        cls = owner if isinstance(owner, Class) else owner.cls
        if level is not None and owner.moment is not None and not cls.library:
            if self.effect_matters([value], owner.moment.level):
                assert isinstance(node, n.Attribute)
                context = self.context(node, node.value, value)
                self.emit(OuterAttribute(context, attr, bool(tracers(value))))
        old = owner.attributes.get(attr)
        if key_states(value) or (old is not None and key_states(old)):
            self.key_version += 1
        if (old is not None and not same(old, value)) or isinstance(value, Transformed):
            owner.versions[attr] = owner.versions.get(attr, 0) + 1
            owner.set_by[attr] = node
        if old is not None and (self.frame.conditional or self.frame.loops):
            value = join(old, value)
        owner.attributes[attr] = value

    def _delete(self, node: n.Delete) -> None:
        for target in node.targets:
            if isinstance(target, n.Subscript):
                container = self.evaluate(target.value)
                index = self.evaluate(target.index)
                if isinstance(container, (Array, Tree)):
                    if protocols.assigns_item(container, index, target.index, self.refs_about):
                        context = self.context(target, target.value, container)
                        self.emit(ItemAssignment(context, "del"))
                elif mutable_kind(container) is not None:
                    self.mutate(container, "del", [], target, target.value)
            elif isinstance(target, n.Name):
                self.frame.names.pop(target.id, None)

    # ------------------------------------------------------------------- jumps

    def _return(self, node: n.Return) -> None:
        self.frame.returns.append(self.evaluate(node.value) if node.value else NONE)
        self.frame.stopped = True

    def _raise(self, node: n.Raise) -> None:
        if node.value is not None:
            self.evaluate(node.value)
        self.frame.stopped = True

    def _jump(self, node: n.Jump) -> None:
        self.jumps.append(self.frame.names)
        self.frame.stopped = True

    def _assert(self, node: n.Assert) -> None:
        truth = self.test(node.test, "assert")
        if truth is not False:
            narrow(self, node.test, True)

    # ---------------------------------------------------------------- branches

    def _if(self, node: n.If) -> None:
        truth = self.test(node.test, node.keyword)
        if truth is not None:
            narrow(self, node.test, truth)
            self.execute(node.body if truth else node.orelse)
            return
        before = self.frame.names
        ends: list[Names] = []
        left: list[bool] = []
        for holds, body in ((True, node.body), (False, node.orelse)):
            self.frame.names = dict(before)
            narrow(self, node.test, holds)
            count = len(ends)
            with self.arm(ends, holds), self._branch(ends):
                self.execute(body)
            left += [holds] if len(ends) == count else []
        self._continue_from(ends, before)
        if len(left) == 1:
            self.after_exit(ends, not left[0])

    @contextmanager
    def _branch(self, ends: list[Names]) -> Iterator[None]:
        """Run code that may not run; note its end state if it reaches its end."""
        frame = self.frame
        frame.conditional += 1
        yield
        frame.conditional -= 1
        if not frame.stopped:
            ends.append(frame.names)
        frame.stopped = False

    def _continue_from(self, ends: list[Names], before: Names) -> None:
        if ends:
            self.frame.names = self.with_merged_keys(_merge(ends), ends)
        else:
            self.frame.names = before
            self.frame.stopped = True

    def _match(self, node: n.Match) -> None:
        subject = self.evaluate(node.subject)
        before = self.frame.names
        ends: list[Names] = []
        exhaustive = False
        for case in node.cases:
            if case.pattern.compares and protocols.refuses_bool(subject):
                context = self.context(case.pattern, node.subject, subject)
                self.emit(BoolConversion(context, "match"))
            self.frame.names = dict(before)
            for capture in case.pattern.captures:
                self.store(capture, subject if case.pattern.irrefutable else UNKNOWN, case)
            if case.guard is not None:
                self.test(case.guard, "match")
                narrow(self, case.guard, True)
            exhaustive = exhaustive or (case.pattern.irrefutable and case.guard is None)
            with self.arm(ends, case), self._branch(ends):
                self.execute(case.body)
        if not exhaustive:
            ends.append(dict(before))
        self._continue_from(ends, before)

    # ------------------------------------------------------------------- loops

    def _for(self, node: n.For) -> None:
        iterable = self.evaluate(node.iterable)
        self.note_advanced(iterable, node.iterable)
        elements = protocols.iterate(self, iterable, node.iterable)
        operations = self.operations
        if isinstance(elements, list):
            if not elements:
                self.execute(node.orelse)
                return
            if len(elements) > _LONGEST_UNROLL:
                elements = elements[0] if key_states(elements[0]) else join_all(elements)
        precise = isinstance(elements, list)
        rounds = elements if isinstance(elements, list) else [elements] * _PASSES

        def enter(number: int) -> bool:
            element = rounds[number]
            if not precise:
                element = self.counted(self.fresh_keys(element), node)
            self.assign(node.target, element, node)
            return True

        count = iterable.length if isinstance(iterable, Sequence) else None
        self._loop(node, node.body, enter, len(rounds), precise, count)
        self.note_unrolled(node, iterable, operations, node.iterable)
        self.execute(node.orelse)

    def _while(self, node: n.While) -> None:
        def enter(number: int) -> bool:
            truth = self.test(node.test, "while")
            if truth is False:
                return False
            narrow(self, node.test, True)
            return True

        self._loop(node, node.body, enter, _PASSES, precise=False, count=None)
        jumps = [inner for inner in walk(node.body) if isinstance(inner, n.Jump)]
        breaks = any(jump.kind == "break" for jump in jumps)
        if not breaks:
            narrow(self, node.test, False)
        self.execute(node.orelse)

    def _loop(
        self,
        node: n.Node,
        body: list[n.Node],
        enter: Callable[[int], bool],
        rounds: int,
        precise: bool,
        count: int | None,
    ) -> None:
        """Run a loop body ``rounds`` times, or until nothing changes any more.

        A loop is taken to run at least once: what it binds counts as bound.
        """
        frame = self.frame
        outer_jumps = self.jumps
        outer_loops = frame.loops
        frame.loops = (*outer_loops, Loop(node, frame, frame.conditional, count))
        passes: list[Names] = []
        never_past = False
        for number in range(rounds):
            before = frame.names
            used = len(self.key_uses)
            frame.names = dict(before)
            if not enter(number):
                frame.names = before
                break
            self.jumps = []
            self.execute(body)
            ends = self.jumps if frame.stopped else [*self.jumps, frame.names]
            frame.stopped = False
            if not ends:
                # Whoever gets past the loop has not been in it.
                self.forget_uses(used)
                frame.names = before
                never_past = number == 0 and (precise or bool(count))
                break
            frame.names = _merge(ends)
            passes.append(frame.names)
            if not precise and _unchanged(before, frame.names) and used == len(self.key_uses):
                break
        if passes:
            frame.names = passes[-1] if precise else _with_last_keys(_merge(passes), passes[-1])
        frame.loops = outer_loops
        frame.stopped = never_past
        self.jumps = outer_jumps

    # -------------------------------------------------------------- exceptions

    def _try(self, node: n.Try) -> None:
        frame = self.frame
        before = frame.names
        caught = [self._caught(handler) for handler in node.handlers]
        guards = any(names & python_api.CATCHES_TRACER_ERRORS for names in caught)
        missing = any(names & python_api.CATCHES_MISSING_NAMES for names in caught)
        frame.api_guards += missing
        frame.names = dict(before)
        frame.guards += guards
        with self.arm(caught, "body"):
            self.execute(node.body)
        frame.guards -= guards
        frame.api_guards -= missing
        ends: list[Names] = []
        after_body = frame.names
        if not frame.stopped:
            self.execute(node.orelse)
        if not frame.stopped:
            ends.append(frame.names)
        frame.stopped = False
        for handler, names in zip(node.handlers, caught, strict=True):
            if names and names <= python_api.CATCHES_IMPORT_ERRORS:
                continue  # Imports are taken to succeed.
            frame.names = _merge([before, after_body])
            if handler.name is not None:
                self.store(handler.name, UNKNOWN, handler)
            with self.arm(caught, handler), self._branch(ends):
                self.execute(handler.body)
        self._continue_from(ends, after_body)
        if node.final:
            stopped, frame.stopped = frame.stopped, False
            self.execute(node.final)
            frame.stopped = frame.stopped or stopped

    def _caught(self, handler: n.Handler) -> set[str]:
        """Qualified names of the exceptions a handler catches."""
        if handler.type is None:
            return {"builtins.BaseException"}
        value = self.evaluate(handler.type)
        if isinstance(value, Sequence) and value.items is not None:
            return {item.name for item in value.items if isinstance(item, Qualified)}
        return {value.name} if isinstance(value, Qualified) else set()

    def _with(self, node: n.With) -> None:
        frame = self.frame
        muted = 0
        for item in node.items:
            value = self.evaluate(item.context)
            name = self._context_name(item.context)
            if (
                name in python_api.UNTRACED_CONTEXTS
                or name in python_api.EXPECTS_ERRORS
                or name in python_api.EXPECTS_ERRORS_METHODS
            ):
                muted += 1
            if item.target is not None:
                bound = value if isinstance(value, (Instance, Ref)) else UNKNOWN
                self.assign(item.target, bound, item)
        self.muted += muted
        before = frame.names
        self.execute(node.body)
        self.muted -= muted
        if muted and frame.stopped:
            # The exception is swallowed: what follows runs.
            frame.stopped = False
            frame.names = _merge([before, frame.names])

    def _context_name(self, context: n.Node) -> str:
        if not isinstance(context, n.Call):
            return ""
        if isinstance(context.function, n.Attribute):
            if context.function.attr in python_api.EXPECTS_ERRORS_METHODS:
                return context.function.attr
        value = self.evaluate(context.function)
        return value.name if isinstance(value, Qualified) else ""

    # ------------------------------------------------------------- definitions

    def _function(self, node: n.FunctionDefinition) -> None:
        value = self.decorate(self.make_function(node.function), node.function.decorators)
        self.store(node.target, value, node)

    def _class(self, node: n.ClassDefinition) -> None:
        self.store(node.target, self.define_class(node), node)

    def _import(self, node: n.Import) -> None:
        if node.qualified.startswith("jax"):
            self.note_import(node)
        if node.target is not None:
            self.store(node.target, Qualified(node.qualified), node)


def _is_dotted(node: n.Node) -> bool:
    while isinstance(node, n.Attribute):
        node = node.value
    return isinstance(node, n.Name)


def _update(
    container: Sequence | Mapping, how: str, values: list[Value], index: Value | None, weak: bool
) -> None:
    added = [_contents(value, how) for value in values]
    if isinstance(container, Mapping):
        if how == "[...] =" and isinstance(index, Const):
            old = container.entries.get(index.value)
            container.entries[index.value] = join(old, added[0]) if weak and old else added[0]
        elif how == "update" and len(values) == 1 and isinstance(values[0], Mapping) and not weak:
            container.entries.update(values[0].entries)
            if values[0].rest is not None:
                container.rest = values[0].rest
        elif added:
            container.rest = join_all([*([container.rest] if container.rest else []), *added])
        else:
            container.rest = UNKNOWN
        return
    if how == "append" and container.items is not None and not weak:
        container.items = [*container.items, *added]
    elif how in ("append", "add", "extend", "insert", "+=", "[...] =", "update"):
        known = container.items if container.items is not None else [container.element]
        empty = container.items is not None and not container.items
        container.element = join_all([*([] if empty else known), *added]) if added else UNKNOWN
        container.items = None
    else:
        container.element = container.any_element()
        container.items = None


def _contents(value: Value, how: str) -> Value:
    """What a method adds to its container: itself, or its elements."""
    if how in ("extend", "+=", "update"):
        if isinstance(value, Sequence):
            return value.any_element()
        if isinstance(value, Mapping):
            return value.any_value()
        if isinstance(value, (Array, Tree)):
            return value
        return UNKNOWN
    return value


def _merge(states: list[Names]) -> Names:
    merged = dict(states[0])
    for state in states[1:]:
        if state is merged:
            continue
        for name, value in state.items():
            old = merged.get(name)
            merged[name] = value if old is None or old is value else join(old, value)
    return merged


def _with_last_keys(merged: Names, last: Names) -> Names:
    """After a loop a PRNG key is the one of the last iteration."""
    for name, value in last.items():
        found = merged[name]
        if isinstance(value, Array) and value.prng is not None and isinstance(found, Array):
            if found.prng is None:
                merged[name] = with_keys(value, lambda state: state)
    return merged


def _unchanged(before: Names, after: Names) -> bool:
    for name, value in after.items():
        old = before.get(name)
        if old is not value and (old is None or not same(old, value)):
            return False
    return True


_STATEMENTS: dict[type[n.Node], Callable[..., None]] = {
    n.ExpressionStatement: Statements._expression,
    n.Assign: Statements._assign,
    n.AnnotatedAssign: Statements._annotated,
    n.AugmentedAssign: Statements._augmented,
    n.Return: Statements._return,
    n.Raise: Statements._raise,
    n.Assert: Statements._assert,
    n.Delete: Statements._delete,
    n.Jump: Statements._jump,
    n.If: Statements._if,
    n.While: Statements._while,
    n.For: Statements._for,
    n.Try: Statements._try,
    n.With: Statements._with,
    n.Match: Statements._match,
    n.FunctionDefinition: Statements._function,
    n.ClassDefinition: Statements._class,
    n.Import: Statements._import,
}
