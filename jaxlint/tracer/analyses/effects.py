"""Effects of Python that happen while tracing: output, input, changes of what is outside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.events import (
    FormattedTracer,
    HostInput,
    HostOutput,
    OuterAttribute,
    OuterIteration,
    OuterMutation,
    OuterRebinding,
    Shown,
    Site,
)
from jaxlint.knowledge import jax_api, processes, python_api, settings
from jaxlint.knowledge.libraries import SETS_UP
from jaxlint.program import nodes as n
from jaxlint.program import undone
from jaxlint.program.walk import alike, is_dotted, walk
from jaxlint.tracer.analyses.applied import Applied
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.state.frames import Frame, Level, Moment
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import Class, Function, Instance, Qualified, Transformed
from jaxlint.tracer.values.pytrees import tracers, unpacked
from jaxlint.tracer.values.value import UNKNOWN, Const, Host, Unknown, Value, type_name

_PLAIN = frozenset({"int", "float", "complex", "bool", "shape", "dtype", "type"})
_PRINT_OPTIONS = frozenset({"sep", "end", "file", "flush"})


class Effects(Analysis):
    """Notes effects that happen once, when JAX traces, or that let a tracer out."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._seeded: set[tuple[Level, str]] = set()
        self._applied = Applied(tracer)
        self._once: list[tuple[Level, HostInput | HostOutput]] = []
        self._asked: list[tuple[object, HostInput]] = []
        self._set: set[object] = set()

    # ----------------------------------------------------------------- input, output

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        level = self.tracer.stack.level
        if name in settings.SETS_VARIABLES:
            self._set.add(_variable(arguments))
        if level is None or not level.tracing or self._sets_up(level):
            return
        if name == jax_api.DEBUG_PRINT:
            self._note_formatted(name, arguments, node)
        if name in python_api.OUTPUT and (level.stages or _shows_batch(arguments)):
            self._note_output(name, arguments, node, level)
        if not level.stages:
            return
        if name in python_api.SEEDS:
            self._seeded.add((level, python_api.SEEDS[name]))
        if name in python_api.INPUT and level.computes and not self._is_settled(name, arguments):
            event = HostInput(self.tracer.context(node), python_api.INPUT[name], name)
            if event.context.reached is not None and _only_measures(
                self.body_of(self.tracer.stack.frame), node
            ):
                return  # Another module says how long it takes.
            self._emit_once(event, level)
            if name in processes.READS_VARIABLE:
                self._asked.append((_variable(arguments), event))

    def on_store_outside(self, name: str, index: Value, target: n.Subscript, node: n.Node) -> None:
        if name == settings.ENVIRON:
            self._set.add(index.value if isinstance(index, Const) else None)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        if function.transform.compiles:
            stack = self.tracer.stack
            self._applied.note(function, (*stack.chain, stack.link(node)))

    def on_end(self) -> None:
        """What happens while tracing happens at each call where each call is traced."""
        stays = {e.identity for level, e in self._once if not self._is_traced_each_time(level)}
        for event in [event for _, event in self._once if event.identity not in stays]:
            self.tracer.record.withdraw(event)
        # The environment is what it was when the program began, but for what the program sets.
        for variable, event in self._asked:
            if not (self._set if variable is None else self._set & {variable, None}):
                self.tracer.record.withdraw(event)
        self._asked.clear()
        self._once.clear()
        self._applied.clear()

    def _is_traced_each_time(self, level: Level) -> bool:
        """Whether nobody but who compiles the function calls it, once."""
        found: Level | None = level
        while found is not None and not found.transform.compiles:
            if found.transform.repeats:
                return False
            found = found.parent
        return found is not None and self._applied.made_for_one_call(found)

    def _is_settled(self, name: str, arguments: Arguments) -> bool:
        """Whether a call gives the same each time it runs, or nothing that the file holds."""
        if name in python_api.SEEDED:
            return bool(arguments.args)
        if name == python_api.OPEN:
            mode = arguments.get(1, "mode")
            text = mode.value if isinstance(mode, Const) else ""
            return isinstance(text, str) and not python_api.WRITES.isdisjoint(text)
        return (self.tracer.stack.level, name.rpartition(".")[0]) in self._seeded

    def _sets_up(self, level: Level) -> bool:
        """Whether a module is being set up: it reads its files, and says so, at each trace."""
        names = [
            frame.function.code.name
            for frame in self.tracer.stack.running
            if frame.level is level and frame.function is not None and frame.owner is not None
        ]
        return not frozenset(SETS_UP.values()).isdisjoint(names)

    def _note_output(self, name: str, arguments: Arguments, node: n.Node, level: Level) -> None:
        shown = [value for key, value in arguments.kwargs.items() if key not in _PRINT_OPTIONS]
        first = next((value for value in [*shown, *arguments.args] if tracers(value)), None)
        parts = self._shown_in(node, arguments)
        kinds = {part: _written(part, value) for part, value in parts.items()}
        traced = [part for part, kind in kinds.items() if kind in ("tracer", "unknown")]
        plain = [part for part, value in parts.items() if _is_plain(value)]
        event = HostOutput(
            self.tracer.context(node, value=first), python_api.OUTPUT[name], name,
            _most_telling(kinds.values()), _text(node), level.stages, _sites(traced), _sites(plain),
            self._behind_test(node), self._beside(node),
        )  # fmt: skip
        if level.stages and event.shows != "tracer":
            self._emit_once(event, level)
        else:
            self.tracer.emit(event)

    def _beside(self, node: n.Node) -> str:
        """The text in the other calls of a function that are written like this one."""
        written = node.function if isinstance(node, n.Call) else node
        calls = walk(self.body_of(self.tracer.stack.frame))
        return " ".join(
            _text(call)
            for call in calls
            if isinstance(call, n.Call) and call is not node and alike(call.function, written)
        )

    def _emit_once(self, event: HostInput | HostOutput, level: Level) -> None:
        self.tracer.emit(event)
        self._once.append((level, event))

    def _behind_test(self, node: n.Node) -> bool:
        """Whether a test in the function that runs leads to a node."""
        function = self.tracer.stack.frame.function
        code = function.code.body if function is not None else []
        tests = [each for each in walk(code) if isinstance(each, n.If)]
        return any(part is node for each in tests for part in walk([*each.body, *each.orelse]))

    def _note_formatted(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """What JAX should fill in when the program runs is filled in by Python."""
        text = arguments.args[0] if arguments.args else None
        for item in argument_nodes(node)[:1]:
            shows = isinstance(text, Host) and text.shows is not None
            if shows or self._fills(item):
                self.tracer.emit(FormattedTracer(self.tracer.context(node, item), name))

    def _fills(self, node: n.Node) -> bool:
        """Whether a text is made of the text of a tracer, by its looks."""
        if isinstance(node, n.BinaryOperation) and node.operator == "+":
            return self._fills(node.left) or self._fills(node.right)
        inside = [self.tracer.formatted.get(id(part)) for part in _parts(node)]
        if any(value is not None and tracers(value) for value in inside):
            return True
        if not isinstance(node, n.Call) or not self._makes_text(node.function):
            return False
        # Only names are looked at again: calls have had their effects.
        given = [item.value for item in node.arguments if is_dotted(item.value)]
        return any(tracers(self.tracer.evaluate(each)) for each in given)

    def _makes_text(self, function: n.Node) -> bool:
        """Whether it is ``"...".format``, ``str`` or ``repr``."""
        if isinstance(function, n.Attribute):
            return function.attr == "format" and isinstance(function.value, n.Constant)
        target = self.tracer.evaluate(function) if isinstance(function, n.Name) else None
        return isinstance(target, Qualified) and target.name in python_api.TEXTS

    def _shown_in(self, node: n.Node, arguments: Arguments) -> dict[n.Node, Value]:
        """The expressions whose values are written, and those."""
        found: dict[n.Node, Value] = {}
        for value, item in zip(arguments.args, argument_nodes(node), strict=False):
            for part in _parts(item):
                inside = self.tracer.formatted.get(id(part), UNKNOWN)
                found[part] = value if part is item else inside
        return found

    def on_advance(self, iterator: Value, node: n.Node) -> None:
        level = self.tracer.stack.level
        if not isinstance(iterator, Sequence) or iterator.kind != "iterator" or level is None:
            return
        made = iterator.made
        if made is None or (level.once_in(made.level) and self._made_along(made)):
            return
        if level.effects_run_once(made.level) and level.once:
            self.tracer.emit(OuterIteration(self.tracer.context(node, node)))

    def _made_along(self, made: Moment) -> bool:
        """Whether whoever comes here again has made again what was made at that moment.

        On the host a loop may come here more often, and so may the next call.
        """
        frame, loops, outer = made.frame, made.loops, made.frame.parent
        if frame.scope.kind == "comprehension" and outer is not None:
            frame, loops = outer, outer.loops
        running = any(each is frame for each in self.tracer.stack.running)
        return made.level is not None or (running and loops == frame.loops)

    # ----------------------------------------------------------------------- changes

    def on_mutate(
        self, container: Value, how: str, added: list[Value], node: n.Node, subject: n.Node
    ) -> None:
        level, made = self.tracer.stack.level, getattr(container, "made", None)
        if level is None or made is None or isinstance(container, NumpyArray):
            return
        if isinstance(container, Sequence) and container.followed:
            return  # Its library takes variables that are added out of its own traces.
        if not matters(level, added, made.level) or self._is_restored():
            return
        if undone.is_balanced(self._around(), subject, how):
            return
        if all(isinstance(value, Const) for value in added) and undone.is_set_anew(
            self.body_of(self.tracer.stack.frame), node
        ):
            return
        leaked = next((value for value in added if tracers(value)), None)
        context = self.tracer.context(node, subject, leaked)
        self.tracer.emit(OuterMutation(context, how, leaked is not None))

    def on_store_outer(
        self, name: str, target: n.Node, how: str, frame: Frame, new: Value, node: n.Node
    ) -> None:
        level = self.tracer.stack.level
        if level is None or _is_flag(new) or not matters(level, [new], frame.level):
            return
        if not self._is_taken_back(target):
            context = self.tracer.context(node, target, new)
            self.tracer.emit(OuterRebinding(context, how, name, bool(tracers(new))))

    def on_store_attribute(
        self, owner: Instance | Class, name: str, old: Value | None, new: Value, node: n.Attribute
    ) -> None:
        level = self.tracer.stack.level
        cls = owner if isinstance(owner, Class) else owner.cls
        if level is None or owner.made is None or cls.traits.library or _is_flag(new):
            return
        if matters(level, [new], owner.made.level) and not self._is_taken_back(node):
            context = self.tracer.context(node, node.value, new)
            self.tracer.emit(OuterAttribute(context, name, bool(tracers(new))))

    # -------------------------------------------------------------------- taken back

    def _is_taken_back(self, target: n.Node) -> bool:
        """Whether a variable or attribute holds again, after the trace, what it held before."""
        frame = self.tracer.stack.frame
        if frame.owner is not None and frame.function is not None:
            if undone.sets_at_both_ends(frame.function.code, frame.owner.definition, target):
                return True
        return self._is_restored() or undone.is_put_back(self._around(), target)

    def _around(self) -> list[n.Node]:
        """The statements among which a change here may be taken back."""
        frame = self.tracer.stack.frame
        if frame.function is None:
            return []
        owner = frame.owner.definition if frame.owner is not None else None
        return undone.bodies(frame.function.code, owner)

    def _is_restored(self) -> bool:
        """Whether a function that is traced, and runs, gives back in the end what it has saved.

        So does what both ends of a context manager call.
        """
        running = [each for each in self.tracer.stack.running if each.level is not None]
        codes = [each.function.code for each in running if each.function is not None]
        if any(map(undone.restores, codes)):
            return True
        return any(
            frame.owner is not None and frame.function is not None
            and undone.takes_back_by(frame.function.code, frame.owner.definition, inner.name)
            for frame, inner in zip(running, codes[1:], strict=False)
        )  # fmt: skip


def _variable(arguments: Arguments) -> object:
    """The variable of the environment that a call reads or sets; None for any."""
    name = arguments.get(0)
    return name.value if isinstance(name, Const) else None


def _parts(node: n.Node) -> Iterator[n.Node]:
    """The expressions whose values a text shows; the node itself when it is no such text."""
    if isinstance(node, n.FormattedString):
        for part in node.parts:
            if isinstance(part, n.Formatted):
                yield part.value
            elif not isinstance(part, n.Constant):
                yield from _parts(part)
    elif isinstance(node, n.BinaryOperation) and node.operator == "%":
        right = node.right
        if isinstance(right, n.Display) and right.kind == "tuple":
            yield from right.elements
        else:
            yield right
    else:
        yield node


def _shows_batch(arguments: Arguments) -> bool:
    """Whether a whole batch is written where the code says one element of it."""
    shown = [tracer for value in arguments.all() for tracer in tracers(value)]
    return any(tracer.concreteness == "mapped" for tracer in shown)


def matters(level: Level, values: list[Value], made: Level | None) -> bool:
    """Whether storing these values in something made in ``made`` goes wrong here.

    A tracer that gets out always does. A Python value is lost at the next call
    if the trace is cached; facts of the trace itself (shapes, dtypes) are what
    authors take out on purpose, and unknown values may be such facts.
    """
    if not level.effects_run_once(made):
        return False
    if any(tracers(value) for value in values):
        return True
    return level.once and all(map(_is_data, values))


def _is_flag(value: Value) -> bool:
    """Whether it is "seen", "warned", the name of a choice: what once was said stays so."""
    return isinstance(value, Const) and isinstance(value.value, bool | str)


def _is_data(value: Value) -> bool:
    """A number, or an array that was there before: no fact of the trace."""
    if isinstance(value, Array):
        return value.traced is False
    return isinstance(value, Const) or type_name(value) == "float"


def _written(node: n.Node, value: Value) -> Shown:
    """What an expression shows: a variable may hold a number that is known while tracing."""
    number = isinstance(value, Const) and not isinstance(value.value, str)
    return "static" if number and not isinstance(node, n.Constant) else _shown(value)


def _shown(value: Value) -> Shown:
    if tracers(value):
        return "tracer"
    if isinstance(value, Const):
        return "text"
    if isinstance(value, (Host, Qualified, Function, Class)):
        return "static"
    if isinstance(value, Sequence) and value.items is not None:
        return "unknown" if "unknown" in map(_shown, unpacked(value)) else "static"
    source = value.source if isinstance(value, Unknown) else None
    return "unknown" if source is not None and not source.optional else "static"


def _is_plain(value: Value) -> bool:
    """Whether ``str`` of a value is known while tracing, and has no braces in it."""
    if isinstance(value, Const):
        return not isinstance(value.value, str) or value.value.isalnum()
    if isinstance(value, Host):
        return value.type in _PLAIN
    if isinstance(value, Sequence) and value.kind in ("tuple", "list"):
        return value.items is not None and all(map(_is_plain, unpacked(value)))
    return False


def _only_measures(body: list[n.Node], node: n.Node) -> bool:
    """Whether a reading of a clock is taken from another, and nothing else is done with it."""
    parts = list(walk(body))
    taken = [each for each in parts if isinstance(each, n.BinaryOperation) and each.operator == "-"]
    sides = {id(side) for each in taken for side in (each.left, each.right)}
    bound = [(each.value, each.targets) for each in parts if isinstance(each, n.Assign)]
    names = {
        t.id for value, targets in bound if value is node for t in targets if isinstance(t, n.Name)
    }
    known = sides | {id(target) for _, targets in bound for target in targets}
    uses = [each for each in parts if isinstance(each, n.Name) and each.id in names]
    return id(node) in sides or (bool(names) and all(id(each) in known for each in uses))


def _sites(nodes: Iterable[n.Node]) -> tuple[Site, ...]:
    return tuple(Site(node.origin) for node in nodes)


def _most_telling(kinds: Iterable[Shown]) -> Shown:
    found = set(kinds)
    order: tuple[Shown, ...] = ("tracer", "unknown", "static")
    return next((kind for kind in order if kind in found), "text")


def _text(node: n.Node) -> str:
    """The constant text in a call that writes something."""
    found: list[str] = []
    for item in argument_nodes(node):
        parts = item.parts if isinstance(item, n.FormattedString) else [item]
        for part in parts:
            if isinstance(part, n.Constant) and isinstance(part.value, str):
                found.append(part.value)
    return " ".join(found)
