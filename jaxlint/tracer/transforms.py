"""Entering and leaving transforms: which arguments become tracers, what comes back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

from jaxlint.events import Reason, Site
from jaxlint.knowledge.transforms import Callee, Feed, Transform
from jaxlint.program import nodes as n
from jaxlint.tracer import protocols
from jaxlint.tracer.applications import Applications
from jaxlint.tracer.callables import function_under, parameter_names, signature
from jaxlint.tracer.evidence import annotated_array
from jaxlint.tracer.frames import Frame, Level, Moment
from jaxlint.tracer.records import Arguments, Consumed, Trace
from jaxlint.tracer.repetition import is_lasting, version_of
from jaxlint.tracer.statics import listed, statics_of
from jaxlint.tracer.values import (
    NONE,
    UNKNOWN,
    Array,
    Class,
    Concreteness,
    Const,
    Function,
    Host,
    Instance,
    KeyState,
    Mapping,
    NumpyArray,
    Partial,
    Qualified,
    Ref,
    Sequence,
    Transformed,
    Tree,
    Unknown,
    Value,
    join_all,
    tracers,
    type_name,
)

_ABSTRACT_ONLY = frozenset({"jax.eval_shape", "jax.make_jaxpr", "jax.closure_convert"})
"""Transforms that compute nothing: no PRNG key is consumed."""

_POSITIONAL_OPTIONS = {
    "argnums": ("argnums",), "in_axes": ("in_axes", "out_axes"), "all": (), "arrays": (),
    "refs": (), "none": (),
}  # fmt: skip


def _lifts_class(name: str, function: Value) -> bool:
    """``nn.jit(nn.Dense)``: a module class of a library in, a module class out."""
    return name.startswith("flax.linen.") and isinstance(function, Qualified)


class Transforms(Applications):
    """Applies the transforms of ``knowledge.transforms``."""

    def make_transformed(
        self, name: str, transform: Transform, arguments: Arguments, node: n.Node
    ) -> Value:
        """``jax.jit(f, ...)``; without a function, something that waits for one."""
        function = arguments.get(0, transform.function)
        options = dict(arguments.kwargs)
        options.pop(transform.function, None)
        if arguments.open_kwargs is not None:
            # Options that nobody can see may make anything static, or unmapped.
            hidden = (transform.static_positions, transform.static_names, "argnums", "in_axes")
            options = {**{name: UNKNOWN for name in hidden if name}, **options}
        extra = _POSITIONAL_OPTIONS[transform.traced]
        for option, value in zip(extra, arguments.args[1:], strict=False):
            options[option] = value
        if function is None:
            return Partial(Qualified(name), [], options, self.moment())
        if isinstance(function, (Class, Unknown)) or _lifts_class(name, function):
            return UNKNOWN
        made = Transformed(transform, name, function, options, node, self.moment())
        if self.check_options(made, node):
            return UNKNOWN
        if self.level is None and not self.muted:
            self.waiting.append(made)
        return made

    # -------------------------------------------------------------- application

    def apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> Value:
        """Call a transformed function."""
        transform = function.transform
        if transform.traced == "none":
            return self.call(function.function, arguments, node)
        self.note_repeated(function, node)
        if self.check_arguments(function, arguments, node):
            return UNKNOWN
        self.applications[id(function.node.origin)] += 1
        inner = self._inputs(function, arguments)
        key = self._trace_key(function, inner)
        if key is not None:
            cached = self.traces.get(key)
            if cached is not None:
                self.note_stale(cached.reads)
                self.consume_again(cached.consumed)
                if cached.result is not NONE:
                    self.dispatched(node)
                self.mark_donated(function, arguments, cached.result, node)
                return cached.result
        level = self._level(transform, function.name, function.function, function.node)
        level.lasting = is_lasting(function)
        first, used = self.keys_made, len(self.key_uses)
        result = self._enter(level, function.function, self._lift(function, inner, level), node)
        self.check_result(function, result, node)
        result = self._leave(function, result, arguments, node)
        self.mark_donated(function, arguments, result, node)
        if transform.caches and result is not NONE:
            self.dispatched(node)
        if key is not None:
            for read in level.reads:
                # What the trace itself changed is an effect, and reported as one.
                read.version = version_of(read)
            consumed = Consumed(self.key_uses[used:], len(self.call_chain), first)
            inputs = [*inner.all(), function.function]
            self.traces[key] = Trace(result, level.reads, inputs, consumed)
        return result

    def trace_unseen(self, function: Transformed) -> None:
        """Trace a transformed function that nobody in view calls."""
        if function.transform.traced == "none":
            self.call(function.function, Arguments([], {}, UNKNOWN, UNKNOWN), function.node)
            return
        parameters = signature(function.function)
        arguments = Arguments()
        for parameter in parameters or []:
            if parameter.kind in ("positional", "positional_only"):
                arguments.args.append(UNKNOWN)
            elif parameter.kind == "star":
                arguments.open_args = UNKNOWN
            elif parameter.kind == "keyword_only":
                arguments.kwargs[parameter.name] = UNKNOWN
            else:
                arguments.open_kwargs = UNKNOWN
        target = function.function
        owner = target.owner if isinstance(target, Function) else None
        if owner is not None and arguments.args:
            arguments.args[0] = self.some_instance(owner)
            self.check_receiver(function, arguments.args[0])
        level = self._level(function.transform, function.name, target, function.node)
        level.lasting = is_lasting(function)
        self._enter(level, target, self._lift(function, arguments, level), function.node)

    def _level(self, transform: Transform, name: str, function: Value, node: n.Node) -> Level:
        code = function_under(function)
        called = code.code.name if code is not None else _external_name(function)
        return Level(transform, name, called, Site(node.origin), self.level)

    def _enter(self, level: Level, function: Value, arguments: Arguments, node: n.Node) -> Value:
        outer, self.level = self.level, level
        abstract = self.abstract_only
        self.abstract_only = abstract or level.name in _ABSTRACT_ONLY
        level.has_inputs = bool(arguments.all())
        try:
            return self.call(function, arguments, node)
        finally:
            self.level, self.abstract_only = outer, abstract

    def _inputs(self, function: Transformed, arguments: Arguments) -> Arguments:
        """The arguments as the cache sees them: traced numbers lose their value."""
        statics = statics_of(function)

        def abstract(value: Value, static: bool) -> Value:
            if static or function.transform.traced not in ("all",):
                return value
            if isinstance(value, Const) and type_name(value) in ("int", "float", "bool", "complex"):
                return Host(type_name(value))
            return value

        names = parameter_names(function.function)
        args = [
            abstract(value, statics.has(position, names))
            for position, value in enumerate(arguments.args)
        ]
        kwargs = {
            name: abstract(value, statics.has_name(name, names))
            for name, value in arguments.kwargs.items()
        }
        return Arguments(args, kwargs, arguments.open_args, arguments.open_kwargs)

    def _trace_key(self, function: Transformed, arguments: Arguments) -> object:
        if not function.transform.caches or self.muted:
            return None
        return (
            function.function.key(),
            function.name,
            id(self.level),
            tuple(value.key() for value in arguments.args),
            tuple((name, arguments.kwargs[name].key()) for name in sorted(arguments.kwargs)),
            arguments.open_args is not None,
            arguments.open_kwargs is not None,
        )

    # ------------------------------------------------------------------ lifting

    def _lift(self, function: Transformed, arguments: Arguments, level: Level) -> Arguments:
        """The arguments as the traced function receives them."""
        transform = function.transform
        parameters = signature(function.function) or []
        names = [parameter.name for parameter in parameters]
        statics = statics_of(function)
        selected = self._selected(function)

        def lift(value: Value, position: int, name: str) -> Value:
            if position == 0 and transform.skips_self and name == "self":
                return value
            if statics.has(position, names) or statics.has_name(name, names):
                return value
            if transform.traced == "refs":
                return Ref()
            if selected is not None:
                chosen = selected(position)
                if chosen is None:
                    return UNKNOWN
                if not chosen:
                    return value
            if not statics.known and not isinstance(value, (Array, Sequence, Mapping)):
                return UNKNOWN
            origin = (
                parameters[position].origin if position < len(parameters) else function.node.origin
            )
            reason = Reason("parameter", name, Site(origin), level.function, level.name, level.site)
            unseen = isinstance(value, Unknown) and position < len(parameters)
            if unseen and transform.traced == "arrays":
                frame = function.moment.frame
                if annotated_array(parameters[position], lambda x: self.qualified_name(x, frame)):
                    value = Array(None)
            lifted = self.traced(value, level, reason)
            if unseen and isinstance(lifted, Tree):
                default = parameters[position].default
                lifted.optional = isinstance(default, n.Constant) and default.value is None
            return lifted

        args = [
            lift(value, position, names[position] if position < len(names) else "*args")
            for position, value in enumerate(arguments.args)
        ]
        kwargs = {
            name: lift(value, names.index(name) if name in names else len(names), name)
            for name, value in arguments.kwargs.items()
        }
        rest = arguments.open_args
        if rest is not None:
            rest = lift(rest, len(args), names[len(args)] if len(args) < len(names) else "*args")
        open_kwargs = arguments.open_kwargs
        if open_kwargs is not None and not statics.names and not statics.positions:
            # With static parameters about, some of what nobody sees may be static.
            open_kwargs = lift(open_kwargs, len(names), "**kwargs")
        return Arguments(args, kwargs, rest, open_kwargs)

    def _selected(self, function: Transformed) -> Callable[[int], bool | None] | None:
        """Which positions are traced, for transforms that choose; None for all.

        The answer for one position is None when the options cannot be read.
        """
        traced = function.transform.traced
        if traced == "argnums":
            chosen = set(listed(function.options.get("argnums") or Const(0)))
            return lambda position: None if None in chosen else position in chosen
        if traced == "in_axes":
            axes = function.options.get("in_axes")
            if axes is None or (isinstance(axes, Const) and axes.value is not None):
                return None
            if isinstance(axes, Sequence) and axes.items is not None:
                mapped = [_is_mapped(axis) for axis in axes.items]
                return lambda position: mapped[position] if position < len(mapped) else True
            return lambda position: None
        return None

    def traced(self, value: Value, level: Level, reason: Reason | None) -> Value:
        """A value as it enters a transform: its arrays become tracers."""
        kind = level.transform.concreteness
        concreteness: Concreteness = "abstract" if level.full else kind  # type: ignore[assignment]
        return self._traced(value, level, reason, concreteness, 4)

    def _traced(
        self, value: Value, level: Level, reason: Reason | None, kind: Concreteness, depth: int
    ) -> Value:
        by_type = level.transform.traced == "arrays"
        if isinstance(value, Array):
            if value.traced and value.concreteness == "abstract":
                kind = "abstract"
            rank = value.rank
            if level.transform.concreteness == "mapped" and rank is not None:
                rank = max(rank - 1, 0)
            reason = value.reason if value.traced and value.reason is not None else reason
            lifted = Array(True, rank, value.dtype, reason, kind, value.assumed)
            lifted.prng = value.prng
            return lifted
        if isinstance(value, NumpyArray):
            return Array(True, None, None, reason, kind)
        if isinstance(value, Unknown):
            return UNKNOWN if by_type else Tree(reason, kind)
        if isinstance(value, (Const, Host)):
            number = type_name(value)
            if by_type:
                return value
            if number in ("int", "float", "bool", "complex"):
                if kind == "differentiated" and number in ("int", "bool"):
                    return value
                return Array(True, 0, number, reason, kind)
            if number == "shape":
                return Sequence("tuple", None, Array(True, 0, "int", reason, kind))
            return Tree(reason, kind) if isinstance(value, Host) and number == "object" else value
        if isinstance(value, Tree):
            return Tree(value.reason or reason, kind, value.container)
        if depth == 0:
            return UNKNOWN
        return self._traced_container(value, level, reason, kind, depth - 1)

    def _traced_container(
        self, value: Value, level: Level, reason: Reason | None, kind: Concreteness, depth: int
    ) -> Value:
        moment = Moment(level, self.frame, self.frame.loops, 0)

        def inner(item: Value) -> Value:
            return self._traced(item, level, reason, kind, depth)

        if isinstance(value, Sequence):
            items = [inner(item) for item in value.items] if value.items is not None else None
            element = inner(value.element) if items is None else UNKNOWN
            return Sequence(value.kind, items, element, moment)
        if isinstance(value, Mapping):
            entries = {key: inner(item) for key, item in value.entries.items()}
            return Mapping(entries, inner(value.rest) if value.rest is not None else None, moment)
        if isinstance(value, Instance):
            if value.cls.pytree not in ("namedtuple", "dataclass"):
                return UNKNOWN
            copy = Instance(value.cls, moment, value.open)
            for name, item in value.attributes.items():
                copy.attributes[name] = item if name in value.cls.static_fields else inner(item)
            return copy
        return value

    # ------------------------------------------------------------------ leaving

    def _leave(
        self, function: Transformed, result: Value, arguments: Arguments, node: n.Node
    ) -> Value:
        """What the caller of a transformed function gets back."""
        kind = function.transform.result
        operands = [*arguments.all(), *self._closed_over([function.function])]
        if kind == "unknown":
            return UNKNOWN
        if kind in ("gradient", "value_and_gradient"):
            return self._gradient(function, result, arguments, node)
        outside = self.outside(result, operands, node, function.name)
        return _stacked(outside) if function.transform.concreteness == "mapped" else outside

    def _closed_over(self, functions: list[Value]) -> list[Value]:
        """Tracers that functions bring along from around them."""
        found: list[Value] = []
        for value in functions:
            function = function_under(value)
            if function is None or self.level is None:
                continue
            scope = function.code.scope
            for name in (scope.reads | scope.inner_reads) - scope.bound:
                frame: Frame | None = function.frame
                while frame is not None and name not in frame.names:
                    frame = frame.parent
                if frame is not None:
                    found += tracers(frame.names[name])
        return found

    def _gradient(
        self, function: Transformed, result: Value, arguments: Arguments, node: n.Node
    ) -> Value:
        operands = [*arguments.all(), *self._closed_over([function.function])]
        aux = function.options.get("has_aux")
        has_aux = None if aux is None else not (isinstance(aux, Const) and not aux.value)
        argnums = function.options.get("argnums")
        gradient: Value = UNKNOWN
        target = arguments.get(0)
        if argnums is None and target is not None:
            if isinstance(target, Array) or type_name(target) in ("float", "int"):
                rank = target.rank if isinstance(target, Array) else 0
                simple = function.name in ("jax.grad", "jax.value_and_grad")
                gradient = self.array(operands, node, function.name, rank if simple else None)
            elif self.level is not None and self.level.full:
                made = self.array(operands, node, function.name)
                gradient = Tree(made.reason, "abstract")
        if function.transform.result == "gradient":
            return gradient if not has_aux else Sequence("tuple", [gradient, UNKNOWN])
        value: Value = self.array(operands, node, function.name, 0)
        if has_aux:
            aux_value: Value = UNKNOWN
            if isinstance(result, Sequence) and result.items is not None and len(result.items) == 2:
                aux_value = self.outside(result.items[1], operands, node, function.name)
            value = Sequence("tuple", [value, aux_value])
        return Sequence("tuple", [value, gradient])

    def outside(
        self, result: Value, operands: list[Value], node: n.Node, name: str, depth: int = 4
    ) -> Value:
        """A result of a traced function as the code around the transform sees it."""
        if isinstance(result, Array):
            outer = self.array(operands, node, name, result.rank, result.dtype)
            if result.prng is not None:
                # Made inside, it is another key at each call; passed through, the same.
                made_inside = result.prng.made_in is not self.level
                outer.prng = self.fresh_key(result.prng) if made_inside else result.prng
            return outer
        if isinstance(result, Tree):
            if self.level is not None and self.level.full:
                return Tree(result.reason, "abstract", result.container)
            return UNKNOWN
        if type_name(result) in ("int", "float", "bool", "complex"):
            return self.array(operands, node, name, 0, type_name(result))
        if depth == 0:
            return UNKNOWN

        def inner(item: Value) -> Value:
            return self.outside(item, operands, node, name, depth - 1)

        if isinstance(result, Sequence):
            items = [inner(item) for item in result.items] if result.items is not None else None
            element = inner(result.element) if items is None else UNKNOWN
            return Sequence(result.kind, items, element, self.moment())
        if isinstance(result, Mapping):
            entries = {key: inner(item) for key, item in result.entries.items()}
            rest = inner(result.rest) if result.rest is not None else None
            return Mapping(entries, rest, self.moment())
        if isinstance(result, Instance) and result.cls.pytree:
            copy = Instance(result.cls, self.moment(), result.open)
            copy.attributes = {key: inner(item) for key, item in result.attributes.items()}
            return copy
        return NONE if result is NONE else UNKNOWN

    # ----------------------------------------------------- higher-order functions

    def call_now(
        self, name: str, transform: Transform, arguments: Arguments, node: n.Node
    ) -> Value:
        """``jax.lax.scan(f, init, xs)`` and its like: call the functions at once."""
        results: list[Value] = []
        alternatives = name.endswith(("cond", "switch"))
        for callee in transform.callees:
            given = arguments.get(callee.position, callee.keyword)
            functions = [given] if given is not None else []
            if callee.listed:
                functions = list(given.items or []) if isinstance(given, Sequence) else []
            for function in functions:
                with self.arm(results, len(results)) if alternatives else nullcontext():
                    result = self._call_callee(name, transform, callee, function, arguments, node)
                results.append(result)
        self.check_carry(name, results, arguments, node)
        operands = [*arguments.all(), *self._closed_over(arguments.all())]
        if transform.result == "carry" and results:
            last = results[-1] if name.endswith(("loop",)) else join_all(results)
            return self.outside(last, operands, node, name)
        if transform.result == "scan" and results:
            return self._scan_result(results[0], operands, node, name)
        if transform.result == "array" and transform.concreteness != "host" and results:
            return _stacked(self.outside(results[0], operands, node, name))
        return UNKNOWN

    def _call_callee(
        self,
        name: str,
        transform: Transform,
        callee: Callee,
        function: Value,
        arguments: Arguments,
        node: n.Node,
    ) -> Value:
        inner = Arguments()
        pairs: list[tuple[KeyState, KeyState]] = []
        repeats = transform.result in ("scan", "carry") and name.endswith(("scan", "loop"))
        if transform.concreteness != "concrete":
            level = self._level(transform, name, function, node)
            self.note_repeated_callee(name, transform, function, node)
        parameters = signature(function) or []
        for feed in callee.feeds:
            for value in self._fed(feed, arguments, node):
                position = len(inner.args)
                if transform.concreteness == "host":
                    value = Array(False) if isinstance(value, (Array, Tree)) else value
                elif transform.concreteness != "concrete":
                    known = position < len(parameters)
                    subject = parameters[position].name if known else "*args"
                    origin = parameters[position].origin if known else node.origin
                    reason = Reason(
                        "parameter", subject, Site(origin), level.function, name, level.site
                    )
                    value = self.traced(value, level, reason)
                    if repeats and feed.kind == "value":
                        value = self.carried(value, pairs, level)
                    elif feed.kind == "element":
                        value = self.carried(value, [], level)
                inner.args.append(value)
            if arguments.open_args is not None and feed.kind == "rest":
                inner.open_args = UNKNOWN
        if transform.concreteness == "concrete":
            return self.call(function, inner, node)
        result = self._enter(level, function, inner, node)
        if pairs:
            self.note_carried(pairs, result, node, name)
        return result

    def _fed(self, feed: Feed, arguments: Arguments, node: n.Node) -> list[Value]:
        if feed.kind == "index":
            return [Host("int")]
        if feed.kind == "rest":
            return arguments.args[feed.position :]
        value = arguments.get(feed.position, feed.keyword)
        if value is None:
            return [NONE]
        if feed.kind == "value":
            return [value]
        if feed.kind == "spread":
            items = protocols.iterate(self, value, node)
            return items if isinstance(items, list) else [items]
        return [_first_axis(value)]

    def _scan_result(self, result: Value, operands: list[Value], node: n.Node, name: str) -> Value:
        if isinstance(result, Sequence) and result.items is not None and len(result.items) == 2:
            carry, out = result.items
            stacked = self.outside(out, operands, node, name)
            if isinstance(stacked, Array):
                rank = stacked.rank + 1 if stacked.rank is not None else None
                stacked = self.array(operands, node, name, rank, stacked.dtype)
            return Sequence("tuple", [self.outside(carry, operands, node, name), stacked])
        return UNKNOWN


def _external_name(function: Value) -> str:
    return function.name.rpartition(".")[2] if isinstance(function, Qualified) else "the function"


def _is_mapped(axis: Value) -> bool | None:
    if isinstance(axis, Const):
        return axis.value is not None
    return True if isinstance(axis, Host) else None


def _stacked(value: Value) -> Value:
    """A result of which there is one for each element: its arrays have more axes."""
    if isinstance(value, Array):
        return Array(value.traced, None, value.dtype, value.reason, value.concreteness)
    if isinstance(value, Sequence):
        items = [_stacked(item) for item in value.items] if value.items is not None else None
        return Sequence(value.kind, items, _stacked(value.element), value.moment)
    if isinstance(value, Mapping):
        entries = {key: _stacked(item) for key, item in value.entries.items()}
        return Mapping(entries, _stacked(value.rest) if value.rest else None, value.moment)
    return value


def _first_axis(value: Value) -> Value:
    if isinstance(value, Array) and value.rank is not None:
        element = Array(
            value.traced, max(value.rank - 1, 0), value.dtype, value.reason, value.concreteness
        )
        element.prng = value.prng
        return element
    if isinstance(value, Sequence):
        if value.items is None:
            return Sequence(value.kind, None, _first_axis(value.element), value.moment)
        items = [_first_axis(item) for item in value.items]
        return Sequence(value.kind, items, UNKNOWN, value.moment)
    if isinstance(value, Mapping):
        entries = {key: _first_axis(item) for key, item in value.entries.items()}
        return Mapping(entries, value.rest, value.moment)
    return value
