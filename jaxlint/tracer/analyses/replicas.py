"""Steps under ``pmap`` that change the parameters of each device by its own gradients alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxlint.events import UnreducedGradient
from jaxlint.knowledge import jax_api, meshes
from jaxlint.knowledge.optax_api import OPTIMIZER
from jaxlint.program import nodes as n
from jaxlint.program.walk import bindings_in, is_dotted, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.borders import is_of_library, name_in_library
from jaxlint.tracer.names import held, qualified_name
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Function, Qualified, Transformed
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import NONE, UNKNOWN, Value

_UPDATE = f"{OPTIMIZER}.update"
_STEPS = frozenset({"apply_gradients", "update"})
"""Methods that get gradients, of optimizers and of what holds one."""

_TALKS = meshes.AXIS_FUNCTIONS.keys() - meshes.ASKS_AXES


@dataclass(slots=True)
class _Run:
    """One run of a function under ``pmap``.

    Attributes:
        alike: positions of the arguments that are the same on all devices.
        gradients: variables that hold gradients by them.
        numbers: numbers are summed over the devices.
        more: something else may be, too.
        updates: of parameters, by gradients that nobody has summed; of what is returned, where one
            device's is taken.
        returns: such gradients are all that the function returns.
    """

    alike: frozenset[int]
    gradients: set[str] = field(default_factory=set)
    numbers: bool = False
    more: bool = False
    updates: list[UnreducedGradient] = field(default_factory=list)
    returns: bool = False


class Replicas(Analysis):
    """Notes them where the devices talk about numbers such as the loss, and about nothing else."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._alike: frozenset[int] = frozenset()
        self._runs: dict[int, tuple[Level, _Run]] = {}
        self._left: _Run | None = None

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return "pmap" in module.loaded

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        row = function.transform
        if row.each and not row.mesh:
            nodes = argument_nodes(node)
            written = [*nodes, *[node] * (len(arguments.args) - len(nodes))]
            self._alike = frozenset(
                place
                for place, value in enumerate(arguments.args)
                if _axis(function, place) is NONE or self._is_alike(value, written[place], node)
            )

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        left, self._left = self._left, None
        if left is not None and left.returns and function.transform.each:
            self._on_returned(left, node)
        level, run = self._run()
        if level is None or function.transform.derivative != "gradient":
            return
        alike = {_origin(leaf) for i in run.alike for leaf in leaves(level.received[i])}
        target = {_origin(leaf) for leaf in leaves(arguments.args[0])} if arguments.args else set()
        others = len(run.alike) < len(level.received)
        if "argnums" not in function.options and others and target and target <= alike - {None}:
            name = self._name_of(function, node)
            if name is not None and self._stays_in_view(name, node):
                run.gradients.add(name)
            frame = self.tracer.stack.frame
            end = self.body_of(frame)[-1]
            here = frame.level is level and isinstance(end, n.Return) and end.value is node
            run.returns = here and function.transform.result == "gradient"

    def on_left(self, level: Level, result: Value) -> None:
        self._left = self._runs[id(level)][1] if id(level) in self._runs else None

    def _on_returned(self, run: _Run, call: n.Node) -> None:
        """Gradients of all devices, one beside the other: whether the first is all that is read."""
        body = self.body_of(self.tracer.stack.frame)
        binder = next((x for x in walk(body) if isinstance(x, n.Assign) and x.value is call), None)
        target = binder.targets[0] if binder is not None else None
        if not isinstance(target, n.Name):
            return
        names = [x for x in walk(body) if isinstance(x, n.Name) and x.id == target.id]
        first = [x.value for x in walk(body) if isinstance(x, n.Subscript) and _is_zero(x.index)]
        read = [x for x in names if x is not target]
        if read and all(any(x is each for each in first) for x in read):
            subject = call.function if isinstance(call, n.Call) else call
            run.updates.append(UnreducedGradient(self.tracer.context(call, subject), True))

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name not in _TALKS and name != _UPDATE:
            return
        level, run = self._run()
        if level is None:
            return
        if name == _UPDATE:
            self._on_update(run, node)
        elif all(isinstance(x, Array) and x.aval.shape == () for x in leaves(arguments.args[0])):
            run.numbers = True
        else:
            run.more = True

    def _on_update(self, run: _Run, node: n.Node) -> None:
        called = node.function if isinstance(node, n.Call) else None
        # Only names are looked at again: calls have had their effects.
        if not isinstance(called, n.Attribute) or not is_dotted(called.value):
            return
        optimizer = self.tracer.evaluate(called.value)
        where = self.tracer.stack.seen(node)
        given = where.arguments if isinstance(where, n.Call) else []
        names = {each.value.id for each in given if isinstance(each.value, n.Name)}
        known = isinstance(optimizer, External) and optimizer.parts
        if known and names & run.gradients and not self.tracer.stack.in_branch():
            method = where.function if isinstance(where, n.Call) else where
            run.updates.append(UnreducedGradient(self.tracer.context(where, method)))

    def _name_of(self, function: Transformed, call: n.Node) -> str | None:
        """The variable that holds the gradients that a call gives, and nothing else."""
        code = self.code_of(self.tracer.stack.frame)
        made = (x for x in walk(code.body) if isinstance(x, n.Assign) and x.value is call)
        binder = next(made, None)
        target = binder.targets[0] if binder is not None else None
        beside = function.transform.result == "value_and_gradient"
        if beside or "has_aux" in function.options:
            elements = target.elements if isinstance(target, n.Display) else []
            target = elements[-1 if beside else 0] if elements else None
        if not isinstance(target, n.Name):
            return None
        alone = [name for _, name in bindings_in(code)].count(target.id) == 1
        return target.id if alone else None

    def _stays_in_view(self, name: str, made: n.Node) -> bool:
        """Whether nothing that nobody can see gets the gradients."""
        frame = self.tracer.stack.frame
        for call in walk(self.body_of(frame)):
            if not isinstance(call, n.Call) or call is made:
                continue
            given = [each.value for each in call.arguments]
            if not any(isinstance(x, n.Name) and x.id == name for x in walk(given)):
                continue
            called = call.function
            if isinstance(called, n.Attribute) and called.attr in _STEPS:
                continue
            if qualified_name(self.tracer, called, frame) is None:
                found = held(self.tracer, called.id, frame) if isinstance(called, n.Name) else None
                if not isinstance(found, Function):
                    return False
        return True

    def on_end(self) -> None:
        """Devices that are left to themselves for a while meet in another function."""
        runs = [run for _, run in self._runs.values()]
        if any(run.more for run in runs) or any(map(_averages, walk(self.tracer.module.body))):
            return
        for run in runs:
            for each in run.updates if run.numbers else ():
                self.tracer.emit(each)

    def _run(self) -> tuple[Level | None, _Run]:
        """The innermost ``pmap`` with a name for its axis, and what is known of this run of it."""
        for level in self.tracer.stack.levels():
            if level.transform.each and not level.transform.mesh and level.axes:
                return self._runs.setdefault(id(level), (level, _Run(self._alike)))
        return None, _Run(frozenset())

    def _is_alike(self, value: Value, written: n.Node, call: n.Node) -> bool:
        """Whether all devices get the same part of an argument."""
        found = list(leaves(value))
        if found and all(isinstance(each, Array) and each.zero is not None for each in found):
            return True
        if not isinstance(written, n.Name):
            return self._replicates(written)
        values = [
            node.value
            for node, name in bindings_in(self.code_of(self.tracer.stack.frame))
            if name == written.id and isinstance(node, n.Assign)
        ]
        made = [each for each in values if not any(part is call for part in walk([each]))]
        return bool(made) and self._replicates(made[-1])

    def _replicates(self, made: n.Node) -> bool:
        """Whether an expression gives each device the same."""
        if not isinstance(made, n.Call):
            return False
        # Names and their attributes alone: to look at them again has no effect.
        known = is_dotted(made.function)
        called = self.tracer.evaluate(made.function) if known else UNKNOWN
        name = called.name if isinstance(called, Qualified) else ""
        if isinstance(called, Function) and is_of_library(called):
            name = name_in_library(called)
        first = made.arguments[0].value if made.arguments else None
        if name in jax_api.TREE_MAPS and isinstance(first, n.Lambda):
            return self._replicates(first.function.body[0])
        return name in meshes.REPLICATES


def _axis(function: Transformed, place: int) -> Value | None:
    """What ``in_axes`` says of an argument."""
    axes = function.options.get("in_axes")
    if isinstance(axes, Sequence):
        return axes.items[place] if axes.items and place < len(axes.items) else None
    return axes


def _origin(leaf: Value) -> object:
    """Where a leaf comes from that a function is given, whatever its names."""
    reason = leaf.reason if isinstance(leaf, (Array, Tree)) else None
    return id(reason.root) if reason is not None else None


def _is_zero(node: n.Node) -> bool:
    return isinstance(node, n.Constant) and type(node.value) is int and node.value == 0


def _averages(node: n.Node) -> bool:
    """Whether an expression is a mean along the first axis, which is that of the devices."""
    if not isinstance(node, n.Call) or not isinstance(node.function, n.Attribute):
        return False
    return node.function.attr == "mean" and any(_is_zero(each.value) for each in node.arguments)
