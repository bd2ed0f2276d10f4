"""Objects that a library changes in place, and of which plain JAX hands a traced function a copy.

nnx follows its modules, variables and streams of keys through its own transforms. Those of JAX
take apart what they are given, so that what is changed is a copy; what a function closes over
stays the same object, and nnx refuses that another trace changes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxlint.events import Kind, LostState, OuterState, PlainContainer
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.libraries import (
    BY_REFERENCE,
    CHANGED_BY_CALLS,
    CHANGES_FIRST,
    DRAWS_FROM,
    FOLLOWED,
    LAYERS,
    NNX,
    REFUSES_OUTER,
    SHARES_VARIABLES,
    STREAMS,
)
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.state.frames import Frame, Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.externals import External, Stateful
from jaxlint.tracer.values.holding import identity, stateful_in
from jaxlint.tracer.values.objects import Class, Instance, Transformed
from jaxlint.tracer.values.pytrees import unpacked
from jaxlint.tracer.values.value import UNKNOWN, Const, Value, replace

_JAX = f"{jax_api.PACKAGE}."
_PACKAGE = NNX.split(".")[1]
_Object = Instance | Stateful


@dataclass(slots=True)
class _Change:
    """A change of a copy: the event, should nobody get hold of the copy, and where."""

    owner: _Object
    event: LostState
    node: n.Node


@dataclass(slots=True)
class _Reads:
    """Where attributes of an object are read, but by its own methods; it is kept for its id."""

    owner: Instance
    nodes: list[n.Node] = field(default_factory=list)


class ModuleState(Analysis):
    """Notes changes that are lost, and those that nnx refuses."""

    of_the_file = True

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._changes: dict[int, list[_Change]] = {}
        self._kept: dict[int, _Object] = {}
        self._reads: dict[int, _Reads] = {}
        self._drawn: dict[Level, dict[int, Stateful]] = {}
        self._plain: dict[int, tuple[Instance, dict[str, n.Attribute]]] = {}
        self._told: set[int] = set()

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return _PACKAGE in module.loaded and SHARES_VARIABLES.isdisjoint(module.loaded)

    # ------------------------------------------------------------------ what happens

    def on_store_attribute(
        self, owner: Instance | Class, name: str, old: Value | None, new: Value, node: n.Attribute
    ) -> None:
        if isinstance(owner, Instance) and owner.cls.traits.module in FOLLOWED:
            self._check_container(owner, name, old, new, node)
            self.on_change(owner, node)
        else:
            self.on_unseen([new])

    def _check_container(
        self, owner: Instance, name: str, old: Value | None, new: Value, node: n.Attribute
    ) -> None:
        """What nnx follows in a list is refused, unless the attribute was made to hold it."""
        was_plain = old is None or isinstance(old, (Const, Sequence, Mapping))
        was_plain = was_plain and not (isinstance(old, Sequence) and old.followed)
        traits = owner.cls.traits
        if not isinstance(new, (Sequence, Mapping)) or traits.module not in BY_REFERENCE:
            return
        if isinstance(new, Sequence) and new.followed:
            return
        # An annotation may say that the attribute holds data; options of a class, that it is no
        # pytree.
        if was_plain and name not in (traits.fields or {}) and not _has_options(owner.cls):
            _, targets = self._plain.setdefault(id(owner.attributes), (owner, {}))
            if _holds_data(new):
                targets.pop(name, None)
                self._note_plain(new, node, node)
            else:
                targets[name] = node

    def _note_plain(self, container: Sequence | Mapping, where: n.Node, target: n.Node) -> None:
        kind = container.kind if isinstance(container, Sequence) else "dict"
        self.tracer.emit(PlainContainer(self.tracer.context(where, target), kind))

    def on_returned(self, frame: Frame, arguments: Arguments, node: n.Node) -> bool:
        """A constructor has run: nnx looks into what attributes held nothing of its own."""
        given = next(iter(frame.given), None)
        called = isinstance(node, n.Call)
        if not called or not isinstance(given, Instance) or not _constructs(frame, given):
            return False
        if any(_constructs(each, given) for each in self.tracer.stack.running):
            return False  # One that a class below has called.
        owner, targets = self._plain.pop(id(given.attributes), (given, {}))
        if self.tracer.stack.frame.globals is not self.tracer.stack.globals:
            return False  # Linting the module that makes it says so.
        for name, target in targets.items():
            if id(target) in self._told:
                continue
            held = owner.attributes.get(name)
            plain = isinstance(held, Mapping) or (isinstance(held, Sequence) and not held.followed)
            if isinstance(held, (Sequence, Mapping)) and plain and _holds_data(held):
                self._note_plain(held, node, target)
                self._told.add(id(target))
                break
        return False

    def on_change(self, owner: _Object, node: n.Node) -> None:
        """A change belongs to the trace that the object belongs to."""
        level, refuses = self._belongs(owner)
        if level is not None and refuses:
            self._refuse(owner, level, node)
        elif level is not None and _has(level, owner):
            self._note(owner, level, node)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name in CHANGES_FIRST:
            for owner in stateful_in(arguments.get(0) or UNKNOWN):
                self.on_change(owner, node)
        stream = arguments.kwargs.get(DRAWS_FROM.get(name, ""))
        if isinstance(stream, Stateful) and stream.type in STREAMS:
            self._draw(stream, node)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        """What nnx hands to a function of its own belongs to the same trace."""
        if function.name not in REFUSES_OUTER:
            return
        for value, where in zip(arguments.args, argument_nodes(node), strict=False):
            for owner in stateful_in(value):
                if isinstance(owner, Instance) and owner.cls.traits.module not in FOLLOWED:
                    continue  # What nnx does not know, it does not look at.
                level, refuses = self._belongs(owner)
                if level is not None and refuses:
                    self._refuse(owner, level, where, function.name)
                    return

    def _draw(self, stream: Stateful, node: n.Node) -> None:
        """A layer is made from a stream: where that is refused, the first layer has raised."""
        level, refuses = self._belongs(stream)
        if level is None or not refuses:
            return
        drawn = self._drawn.setdefault(level, {})
        if identity(stream) not in drawn:
            drawn[identity(stream)] = stream
            self._refuse(stream, level, node)

    def _belongs(self, owner: _Object) -> tuple[Level | None, bool]:
        """The trace that an object belongs to; or, and True, the one that has none of it."""
        level = self.tracer.stack.level
        if self.tracer.stack.muted or owner.made is None:
            return None, False
        while level is not None and level is not owner.made.level:
            if not level.tracing or not level.name.startswith((_JAX, NNX)):
                return None, False
            if level.name.startswith(_JAX) or not _has(level, owner):
                return level, True
            level = level.parent
        return level, False

    def on_read_attribute(self, owner: Instance | Class, name: str, node: n.Node) -> None:
        """Whoever reads a variable, but for the module itself, may give it back."""
        if isinstance(owner, Class) or owner.cls.traits.module not in FOLLOWED:
            return
        found = owner.attributes.get(name)
        # A number stands in the trace as it is; a module inside is looked at by itself.
        if isinstance(found, (Const, Instance)) or self._is_receiver(owner, node):
            return
        reads = self._reads.setdefault(id(owner.attributes), _Reads(owner))
        reads.nodes.append(node)

    def on_unseen(self, values: list[Value]) -> None:
        if self.tracer.stack.level is None:
            return  # On the host it is no copy.
        for value in values:
            self._kept.update({identity(each): each for each in stateful_in(value)})

    def on_mutate(
        self, container: Value, how: str, added: list[Value], node: n.Node, subject: n.Node
    ) -> None:
        self.on_unseen(added)

    def on_left(self, level: Level, result: Value) -> None:
        changes = self._changes.pop(id(level), [])
        if not changes:
            return
        self.on_unseen([result])
        for given in level.received:
            parts = {identity(each) for each in stateful_in(given)}
            mine = [change for change in changes if identity(change.owner) in parts]
            # A statement that does nothing else is told as that.
            mine = [x for x in mine if not self.tracer.record.has(Kind.LOST_UPDATE, x.node)]
            read = any(each in self._reads and self._reads[each].nodes for each in parts)
            if level.transform.transposes and any(map(_counts_keys, stateful_in(given))):
                continue  # JAX raises: a count has no gradient.
            if mine and not read and parts.isdisjoint(self._kept):
                self.tracer.emit(mine[0].event)

    # ----------------------------------------------------------------------- parts

    def _note(self, owner: _Object, level: Level, node: n.Node) -> None:
        """A change of what the function that ``level`` traces was given."""
        own = _targets(node)
        for reads in self._reads.values():
            reads.nodes = [each for each in reads.nodes if id(each) not in own]
        links = self.tracer.stack.chain
        # What the traced function itself does to bring it about.
        where = next((link.node for link in links if link.level is level), node)
        context = replace(self.tracer.context(where, where), tracing=level.described)
        event = LostState(context, _type(owner))
        self._changes.setdefault(id(level), []).append(_Change(owner, event, where))

    def _refuse(self, owner: _Object, level: Level, node: n.Node, given: str = "") -> None:
        """A change of what the function that ``level`` traces closes over, or that as given."""
        context = replace(self.tracer.context(node, node), tracing=level.described)
        self.tracer.emit(OuterState(context, _type(owner), given))

    def _is_receiver(self, owner: Instance, node: n.Node) -> bool:
        """Whether a method of the object reads its own attribute."""
        frame = self.tracer.stack.frame
        parameters = frame.function.code.parameters if frame.function is not None else []
        if not parameters or frame.owner is None or not isinstance(node, n.Attribute):
            return False
        receiver = frame.names.get(parameters[0].name)
        same = isinstance(receiver, Instance) and receiver.attributes is owner.attributes
        return same and isinstance(node.value, n.Name) and node.value.id == parameters[0].name


def _constructs(frame: Frame, owner: Instance) -> bool:
    """Whether the frame is that of a constructor which fills the object."""
    if frame.function is None or frame.function.code.name != "__init__" or not frame.given:
        return False
    first = frame.given[0]
    return isinstance(first, Instance) and first.attributes is owner.attributes


def _has(level: Level, owner: _Object) -> bool:
    """Whether a traced function was given the object, or what it is a part of."""
    which = identity(owner)
    parts = (each for given in level.received for each in stateful_in(given))
    return any(identity(each) == which for each in parts)


def _has_options(cls: Class) -> bool:
    """Whether a class is given more than bases: what derives from it does not get that."""
    return any(base.keyword is not None for base in cls.definition.bases)


def _holds_data(value: Value) -> bool:
    """Whether there is, for certain, an array, or an object of nnx, in a value."""
    if isinstance(value, (Sequence, Mapping)):
        return any(map(_holds_data, unpacked(value, (Sequence, Mapping))))
    if isinstance(value, Instance):
        return value.cls.traits.module in FOLLOWED
    if isinstance(value, External):
        return value.type in LAYERS and value.type.startswith(NNX)
    return isinstance(value, Stateful) or (isinstance(value, Array) and not value.assumed)


def _counts_keys(owner: _Object) -> bool:
    if isinstance(owner, Instance):
        return False
    layer = CHANGED_BY_CALLS.get(owner.type)
    return owner.type in STREAMS or (layer is not None and layer.needs != "")


def _type(owner: _Object) -> str:
    return owner.cls.name if isinstance(owner, Instance) else owner.type


def _targets(node: n.Node) -> set[int]:
    """The parts of a target that are read for the change itself."""
    found = set()
    while isinstance(node, (n.Attribute, n.Subscript)):
        node = node.value
        found.add(id(node))
    return found
