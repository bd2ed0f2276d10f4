"""Calls: into functions of the program, with what is known of the arguments."""

from __future__ import annotations

from jaxlint.events import Reason, Site
from jaxlint.program import nodes as n
from jaxlint.tracer.evidence import Evidence, gather, gather_keys
from jaxlint.tracer.frames import Frame
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.records import Arguments, Consumed, Remembered
from jaxlint.tracer.values import (
    NONE,
    UNKNOWN,
    Array,
    BoundMethod,
    Builtin,
    Class,
    Descriptor,
    Function,
    Instance,
    Mapping,
    Partial,
    Qualified,
    Sequence,
    Transformed,
    Tree,
    Value,
    join,
    join_all,
)

_MOST_CONTEXTS = 48


class Calls(Machine):
    """Calls values and runs function bodies."""

    def call(self, function: Value, arguments: Arguments, node: n.Node) -> Value:
        """``function(*arguments)``."""
        self.step(node)
        if isinstance(function, Function):
            return self.invoke(function, arguments, node)
        if isinstance(function, Qualified):
            return self.call_qualified(function, arguments, node)
        if isinstance(function, Builtin):
            return self.call_method(function, arguments, node)
        if isinstance(function, BoundMethod):
            return self.call(function.function, _prepend([function.receiver], arguments), node)
        if isinstance(function, Transformed):
            return self.apply(function, arguments, node)
        if isinstance(function, Partial):
            merged = _prepend(function.args, arguments)
            merged.kwargs = {**function.kwargs, **arguments.kwargs}
            return self.call(function.function, merged, node)
        if isinstance(function, Class):
            return self.instantiate(function, arguments, node)
        if isinstance(function, Descriptor):
            return self.call(function.function, arguments, node)
        if isinstance(function, Instance):
            method = function.cls.find("__call__")
            # An instance as `__call__` may be an instance of this very class.
            if method is not None and not isinstance(method, Instance):
                return self.call(method, _prepend([function], arguments), node)
        # Code out of view may wait for what it is given, or for anything.
        self.waited(None, node, "")
        self.forget(arguments)
        return UNKNOWN

    def forget(self, arguments: Arguments) -> None:
        """Code out of view gets these values: what it does to containers is unknown."""
        for value in arguments.all():
            if isinstance(value, Sequence) and value.kind in ("list", "set"):
                value.items, value.element = None, UNKNOWN
            elif isinstance(value, Mapping):
                value.rest = UNKNOWN

    def decorate(self, value: Value, decorators: list[n.Node]) -> Value:
        """Apply decorators, the one nearest to the function first."""
        for decorator in reversed(decorators):
            function = self.evaluate(decorator)
            value = self.call(function, Arguments([value]), decorator)
        return value

    # ----------------------------------------------------------------- invoke

    def invoke(self, function: Function, arguments: Arguments, node: n.Node) -> Value:
        """Run the body of a function of the program."""
        code = function.code
        self.ran.add(id(code))
        if self.level is not None and self.level.tracing:
            self.ran_traced.add(id(code))
        elif self.frame.certain:
            self.ran_for_certain.add(id(code))
        if self.level is None and not function.cached:
            self.call_sites.setdefault(id(code), set()).add(id(node))
        if self.too_deep(code):
            return UNKNOWN
        names = self._bind_parameters(function, arguments, node)
        if names is None:
            return UNKNOWN
        key = self._memo_key(function, names)
        hit = self.memo.get(key)
        if hit is not None:
            return self._from_memory(hit, node)
        contexts = self.contexts.get(id(code), 0) + 1
        self.contexts[id(code)] = contexts
        if contexts > _MOST_CONTEXTS:
            return UNKNOWN
        inputs = list(names.values())
        first, used, depth = self.keys_made, len(self.key_uses), len(self.call_chain) + 1
        started = self.clock.dispatches
        result, frame = self._run(function, self.assumed_keys(function, names), node)
        consumed = Consumed(self.key_uses[used:], depth, first)
        if self.clock.dispatches > started or self.clock.pending is None:
            consumed.leaves_pending = self.clock.pending
            consumed.dispatches = self.clock.dispatches - started
        made = isinstance(result, (Sequence, Mapping)) and (
            result.moment is not None and result.moment.frame is frame
        )
        self.memo[key] = Remembered(result, made, inputs, consumed)
        return result

    def _from_memory(self, hit: Remembered, node: n.Node) -> Value:
        """What a call gives that has run before, with keys of its own."""
        if hit.consumed.dispatches is not None and self.level is None:
            self.clock.dispatches += hit.consumed.dispatches
            self.clock.pending = hit.consumed.leaves_pending
        if hit.consumed.uses:
            outer, self.call_chain = self.call_chain, (*self.call_chain, self.link(node))
            self.consume_again(hit.consumed)
            self.call_chain = outer
        result = self.fresh_keys(hit.result, hit.consumed.first)
        return _copy(result) if hit.made_by_call and result is hit.result else result

    def _memo_key(self, function: Function, names: dict[str, Value]) -> object:
        frame = self.frame
        loop = frame.loops[-1] if frame.loops and self.level is None else None
        return (
            id(function),
            id(self.level),
            id(loop),
            self.globals_version,
            self.key_version,
            frame.certain,
            self.muted > 0,
            frame.guards > 0,
            tuple(value.key() for value in names.values()),
        )

    def _run(
        self, function: Function, names: dict[str, Value], node: n.Node
    ) -> tuple[Value, Frame]:
        code, caller = function.code, self.frame
        chain, path = self.call_chain, self.path
        self.call_chain = (*chain, self.link(node))
        frame = Frame(code.scope, function.frame, self.level)
        frame.names = names
        self.frames.append(frame)
        frame.function = function
        frame.owner = function.owner
        frame.certain = caller.certain
        if not function.cached:
            frame.loops, frame.conditional = caller.loops, caller.conditional
            frame.entered = caller.conditional
        outer_jumps, self.jumps = self.jumps, []
        self.frame = frame
        self.running.append(frame)
        try:
            self.execute(code.body)
        finally:
            self.running.pop()
            self.frame = caller
            self.call_chain, self.path = chain, path
            self.jumps = outer_jumps
        return self._returned(code, frame), frame

    def _returned(self, code: n.Function, frame: Frame) -> Value:
        if code.is_async:
            return UNKNOWN
        if code.is_generator:
            element = join_all(frame.yielded) if frame.yielded else UNKNOWN
            return Sequence("iterator", None, element, self.moment())
        if not frame.returns:
            return NONE
        result = join_all(frame.returns)
        return result if frame.stopped else join(result, NONE)

    def _bind_parameters(
        self, function: Function, arguments: Arguments, node: n.Node
    ) -> dict[str, Value] | None:
        """Parameter name -> value; None when the call does not fit the signature."""
        names: dict[str, Value] = {}
        args, kwargs = list(arguments.args), dict(arguments.kwargs)
        for parameter in function.code.parameters:
            name, kind = parameter.name, parameter.kind
            if kind == "star":
                items = args if arguments.open_args is None else None
                element = join_all([*args, UNKNOWN]) if items is None else UNKNOWN
                names[name] = Sequence("tuple", items, element, self.moment())
                args = []
            elif kind == "double_star":
                names[name] = Mapping(kwargs, arguments.open_kwargs, self.moment())
                kwargs = {}
            elif kind != "keyword_only" and args:
                names[name] = self._received(function, parameter, args.pop(0), node)
            elif name in kwargs:
                names[name] = self._received(function, parameter, kwargs.pop(name), node)
            elif kind != "keyword_only" and arguments.open_args is not None:
                names[name] = self._received(function, parameter, arguments.open_args, node)
            elif arguments.open_kwargs is not None:
                names[name] = self._received(function, parameter, arguments.open_kwargs, node)
            else:
                names[name] = function.defaults.get(name, UNKNOWN)
        if args or kwargs:
            return None
        return names

    def _received(
        self, function: Function, parameter: n.Parameter, value: Value, node: n.Node
    ) -> Value:
        if not isinstance(value, (Array, Tree)):
            return value
        if isinstance(value, Tree):
            value = self.assume(function, parameter, value)
        reason = value.reason
        if reason is None or (reason.role == "parameter" and reason.subject == parameter.name):
            return value
        link = Reason(
            "argument", parameter.name, Site(node.origin), function.code.name, parent=reason
        )
        return value.because(link)

    def assume(self, function: Function, parameter: n.Parameter, value: Tree) -> Array | Tree:
        """What a traced parameter of unknown structure is, going by its function's body."""
        stated = self.evidence(function).get(parameter.name)
        if stated == "container":
            return Tree(value.reason, value.concreteness, container=True)
        if stated == "number":
            return Array(True, 0, None, value.reason, value.concreteness, assumed=False)
        if stated == "array":
            return Array(True, None, None, value.reason, value.concreteness, assumed=True)
        return value

    def evidence(self, function: Function) -> dict[str, Evidence]:
        """Evidence for the parameters of a function, gathered once."""
        found = self._evidence.get(id(function.code))
        if found is None:
            found = gather(function.code, lambda node: self.qualified_name(node, function.frame))
            self._evidence[id(function.code)] = found
        return found

    def key_parameters(self, function: Function) -> frozenset[str]:
        """Parameters that the body uses as PRNG keys, gathered once."""
        found = self._key_parameters.get(id(function.code))
        if found is None:
            found = gather_keys(
                function.code, lambda node: self.qualified_name(node, function.frame)
            )
            self._key_parameters[id(function.code)] = found
        return found

    def qualified_name(self, node: n.Node, frame: Frame | None) -> str | None:
        """The full dotted name that an expression stands for, if it is one."""
        if isinstance(node, n.Attribute):
            base = self.qualified_name(node.value, frame)
            return f"{base}.{node.attr}" if base is not None else None
        if not isinstance(node, n.Name):
            return None
        while frame is not None:
            value = frame.names.get(node.id)
            if value is not None:
                return value.name if isinstance(value, Qualified) else None
            frame = frame.parent
        builtin = self._builtin(node.id)
        return builtin.name if isinstance(builtin, Qualified) else None


def _prepend(args: list[Value], arguments: Arguments) -> Arguments:
    return Arguments(
        [*args, *arguments.args], arguments.kwargs, arguments.open_args, arguments.open_kwargs
    )


def _copy(value: Value) -> Value:
    """A container as a call makes it again: the same contents, another object."""
    if isinstance(value, Sequence):
        return Sequence(value.kind, value.items, value.element, value.moment)
    if isinstance(value, Mapping):
        return Mapping(dict(value.entries), value.rest, value.moment)
    return value
