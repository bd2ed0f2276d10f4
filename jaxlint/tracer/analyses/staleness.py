"""What a cached trace has read, and whether it changes afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from jaxlint.events import Context, Holder, Site, StaleRead
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.libraries import (
    CHANGES_FIRST,
    FOLLOWED,
    LAYERS,
    NNX,
    SHARES_VARIABLES,
)
from jaxlint.program import nodes as n
from jaxlint.program.caches import made_once
from jaxlint.program.once import once
from jaxlint.program.undone import gives_back
from jaxlint.program.walk import alike, assigned_names, is_dotted, statements, walk
from jaxlint.tracer.analyses.in_passing import read_for_sizes, read_in_passing, sizes_differ
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.language.classes import set_outside_init
from jaxlint.tracer.language.counters import once_in
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.operations.frozen import is_being_made
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Mapping, Sequence, mutable_kind
from jaxlint.tracer.values.externals import External, Stateful
from jaxlint.tracer.values.holding import held_in, identity
from jaxlint.tracer.values.joins import same
from jaxlint.tracer.values.objects import Class, Function, Instance, Module, Qualified, Transformed
from jaxlint.tracer.values.value import Const, Host, Value, replace

_Slot = tuple[int, str]

_SIZES = ".shape"
"""What the slot of a variable or attribute is called where only its sizes are read."""


@dataclass(slots=True, eq=False)
class _Read:
    """An outer variable, attribute or container that a cached trace has read.

    ``slot`` is where it lives: the identity of the frame, the attributes or the container, and
    the name. ``version`` says which of its changes was the last by then.
    """

    name: str
    kind: Holder
    node: n.Node
    slot: _Slot
    version: int
    owner: object
    level: Level


class Staleness(Analysis):
    """Notes reads by cached traces of what changes after the trace."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._shares = not SHARES_VARIABLES.isdisjoint(tracer.module.loaded)
        self._versions: dict[_Slot, int] = {}
        self._changes = count(1)
        self._found: dict[tuple[int, _Slot], int] = {}
        self._changed_at: dict[_Slot, n.Node] = {}
        self._changed_in: dict[_Slot, Level | None] = {}
        self._set_by: dict[_Slot, Level | None] = {}
        self._given: dict[_Slot, n.Node] = {}
        self._is_array: dict[_Slot, bool] = {}
        self._called: set[int] = set()
        self._set_in: set[tuple[_Slot, int]] = set()
        self._assigned: dict[_Slot, n.Node | None] = {}
        self._reads: list[_Read] = []
        self._of_level: dict[int, list[_Read]] = {}
        self._alive: list[object] = []
        self._once: dict[int, frozenset[int]] = {}
        self._updates: list[tuple[Value, n.Node]] = []

    # ---------------------------------------------------------------------- reading

    def on_read(self, frame: Frame, name: str, node: n.Node, value: Value) -> None:
        level = self.tracer.stack.level
        if level is None or not level.caching or isinstance(value, (Class, Module, Qualified)):
            return
        if _is_key(value) or self._is_in_passing(node):
            return
        if frame.level is not None or frame.level is level or not level.within(frame.level):
            return  # A variable of an enclosing trace: it is traced along.
        kind: Holder = "global" if frame.parent is None else "closure"
        if isinstance(value, (Function, Transformed)):
            self._called.add(id(node))
        sizes = self._is_for_sizes(node)
        self._keep(name, kind, node, (id(frame), name + sizes), frame, level)
        if sizes and isinstance(value, NumpyArray):
            return
        if isinstance(value, NumpyArray) or mutable_kind(value) is not None:
            cell = _cell_of(value)
            if cell is not None:
                self._keep(name, kind, node, (id(cell), ""), cell, level)
        elif _changes_in_place(value) and not self._shares:
            self._keep(name, kind, node, (identity(value), ""), value, level)

    def on_read_attribute(self, owner: Instance | Class, name: str, node: n.Node) -> None:
        level = self.tracer.stack.level
        if level is None or not level.caching or owner.made is None or self._is_in_passing(node):
            return
        cls = owner if isinstance(owner, Class) else owner.cls
        if cls.traits.module or _is_key(owner.attributes.get(name)):
            return  # Its library carries the state of a module into traces, and out of them.
        for each in _searched(owner, name):
            slot = (id(each.attributes), name)
            outer = each.made is not None and each.made.level is None
            if outer and self._set_by.get(slot) is not level:
                sized = (slot[0], name + self._is_for_sizes(node))
                self._keep(name, "attribute", node, sized, each, level)

    def _is_in_passing(self, node: n.Node) -> bool:
        """Whether the running code reads it only for what stays in it, or to raise."""
        module = self.tracer.stack.frame.globals.program or self.tracer.module
        return id(node) in once(read_in_passing, module)

    def _is_for_sizes(self, node: n.Node) -> str:
        """What to call a slot in which the running code looks for sizes alone, if it does."""
        module = self.tracer.stack.frame.globals.program or self.tracer.module
        return _SIZES if id(node) in once(read_for_sizes, module) else ""

    def _keep(
        self, name: str, kind: Holder, node: n.Node, slot: _Slot, owner: object, level: Level
    ) -> None:
        if self.tracer.stack.frame.doubtful:
            return
        version = self._versions.get(slot, 0)
        read = _Read(name, kind, node, slot, version, owner, level)
        self._reads.append(read)
        current: Level | None = level
        while current is not None:
            self._of_level.setdefault(id(current), []).append(read)
            current = current.parent

    # --------------------------------------------------------------------- changing

    def on_bind(self, frame: Frame, name: str, old: Value | None, new: Value, node: n.Node) -> None:
        slot = (id(frame), name)
        self._is_array[slot] = isinstance(new, (Array, NumpyArray))
        before, self._given[slot] = self._given.get(slot), node
        if old is None or (isinstance(old, Const) and same(old, new)) or _binds_size(node):
            return
        if before is None or not (
            self._makes_the_same(before, node) or (before is node and self._runs_once(node))
        ):
            self._replaced(slot, old, new, node, frame)

    def _runs_once(self, node: n.Node) -> bool:
        """Whether a statement of a loop runs once: in one pass of each loop of its function."""
        frame = self.tracer.stack.frame
        loops = [loop.node for loop in frame.loops if loop.frame is frame]
        for loop in loops:
            if id(loop) not in self._once:
                self._once[id(loop)] = once_in(loop)
        return bool(loops) and all(id(node) in self._once[id(loop)] for loop in loops)

    def _makes_the_same(self, before: n.Node, now: n.Node) -> bool:
        """Whether two statements bind what one call of a library gives, of the same constants."""
        if not (isinstance(before, n.Assign) and isinstance(now, n.Assign)):
            return False
        if not isinstance(now.value, n.Call) or not alike(before.value, now.value):
            return False
        names = (part.id for part in walk([now.value]) if isinstance(part, n.Name))
        globals_ = self.tracer.stack.globals.names
        return all(isinstance(globals_.get(name), (Module, Qualified)) for name in names)

    def on_store_attribute(
        self, owner: Instance | Class, name: str, old: Value | None, new: Value, node: n.Attribute
    ) -> None:
        slot = (id(owner.attributes), name)
        self._set_by[slot] = self.tracer.stack.level  # Which reads its own value, not an old one.
        self._set_in.add((slot, id(self.tracer.stack.level)))
        self._alive.append(owner)
        if self._constructs(owner):
            return
        if old is None:  # What its class, or a base of it, says is hidden from here on.
            found = (owner if isinstance(owner, Class) else owner.cls).find(name)
            old = found if _is_data(found) else None
        before, self._assigned[slot] = self._assigned.get(slot), self._value_for(node)
        if self._is_filled(node) or self._is_put_back(slot, node):
            return
        if old is not None and _look_the_same(old, new):
            if old is not new and self._gives_another(before, self._assigned[slot], name):
                self._changed(slot, node, owner)
        elif old is not None or isinstance(new, Transformed):
            self._replaced(slot, old, new, node, owner)

    def _is_put_back(self, slot: _Slot, target: n.Attribute) -> bool:
        """Whether a function gives an attribute again what it has found in it, and kept."""
        frame, value = self.tracer.stack.frame, self._value_for(target)
        found = self._found.get((id(frame), slot))
        if found is None or value is None or not gives_back(self.code_of(frame), target, value):
            return False
        sized = (slot[0], slot[1] + _SIZES)
        self._versions[slot] = found
        self._versions[sized] = self._found.get((id(frame), sized), self._versions.get(sized, 0))
        return True

    def _gives_another(self, before: n.Node | None, now: n.Node | None, name: str) -> bool:
        """Whether an attribute is given another array, of the same shape and dtype.

        It is not when what is assigned is written like what was, and does not read the attribute;
        nor when it is the same array in another place.
        """
        if before is None or now is None or is_dotted(now):
            return before is not None and now is not None
        if isinstance(now, n.Call):
            called = qualified_name(self.tracer, now.function, self.tracer.stack.frame)
            if called in jax_api.KEEPS_NUMBERS:
                return False
        updates = any(isinstance(part, n.Attribute) and part.attr == name for part in walk([now]))
        return updates or not alike(before, now)

    def _value_for(self, target: n.Attribute) -> n.Node | None:
        """What the running code assigns to a target."""
        return once(_values_in, self.code_of(self.tracer.stack.frame)).get(id(target))

    def _is_filled(self, target: n.Attribute) -> bool:
        """Whether an attribute gets what it lacks, by code that asks for that first.

        Who reads it has that from then on, whether in view or not.
        """
        function, value = self.tracer.stack.frame.function, self._value_for(target)
        return function is not None and id(value) in once(made_once, function.code)

    def _constructs(self, owner: Instance | Class) -> bool:
        """Whether a constructor sets up an object that nobody in view made.

        It runs more than once there: for what it sets, and for what it does.
        """
        return isinstance(owner, Instance) and owner.open and is_being_made(self.tracer, owner)

    def on_mutate(
        self, container: Value, how: str, added: list[Value], node: n.Node, subject: n.Node
    ) -> None:
        cell = _cell_of(container)
        function = self.tracer.stack.frame.function
        if cell is None or (function is not None and _remembers(function.code, subject, node)):
            return
        self._changed((id(cell), ""), node, cell)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name in CHANGES_FIRST and arguments.args:
            self._update(arguments.args[0], node)

    def on_store_outside(self, name: str, index: Value, target: n.Subscript, node: n.Node) -> None:
        """``layer.kernel[...] = x``: the variable is not in view, what holds it is."""
        variable = target.value
        if name.startswith(NNX) and isinstance(variable, n.Attribute) and is_dotted(variable):
            owner = self.tracer.evaluate(variable.value)
            if _changes_in_place(owner):
                self._changed((identity(owner), ""), target, owner)

    def _update(self, given: Value, node: n.Node) -> None:
        """The objects of a library that hang on what it was given change in place.

        Plain JAX has handed on a copy.
        """
        self._updates.append((given, node))
        if all(level.name.startswith(NNX) for level in self.tracer.stack.levels()):
            for owner in filter(_changes_in_place, held_in(given)):
                self._changed((identity(owner), ""), node, owner)

    def _replaced(
        self, slot: _Slot, old: Value | None, new: Value, node: n.Node, owner: object
    ) -> None:
        self._changed(slot, node, owner)
        if sizes_differ(old, new):
            self._changed((slot[0], slot[1] + _SIZES), node, owner)

    def _changed(self, slot: _Slot, node: n.Node, owner: object) -> None:
        frame = self.tracer.stack.frame
        self._found.setdefault((id(frame), slot), self._versions.get(slot, 0))
        self._versions[slot] = next(self._changes)
        self._changed_at[slot] = node
        self._changed_in[slot] = self.tracer.stack.level
        self._alive += owner, frame

    def before_call(self) -> int:
        return len(self._updates)

    def after_call(self, before: int) -> tuple[tuple[Value, n.Node], ...]:
        return tuple(self._updates[before:])

    def replay(self, record: tuple[tuple[Value, n.Node], ...], level: Level | None = None) -> None:
        if level is None or level.name.startswith(NNX):
            for given, node in record:
                self._update(given, node)

    # ---------------------------------------------------------------------- tracing

    def on_traced(self, level: Level) -> None:
        for read in self._of_level.get(id(level), ()):
            # What the trace itself changed is an effect, and reported as one.
            read.version = self._versions.get(read.slot, 0)
        self._alive.append(level)

    def on_cache_hit(self, level: Level) -> None:
        for read in self._of_level.get(id(level), ()):
            if self._versions.get(read.slot, 0) == read.version:
                continue
            if not _is_inside(self._changed_in.get(read.slot), read.level):
                self._stale(read, self._changed_at.get(read.slot))

    def _stale(self, read: _Read, changed: n.Node | None) -> None:
        if id(read.node) in self._called and self._is_array.get(read.slot):
            return  # ``loss = step(x)``: the name of a function is used anew, for a result.
        level = read.level
        site = Site(read.node.origin)
        context = Context(site, site, tracing=level.described)
        at = Site(changed.origin) if changed is not None else None
        self.tracer.emit(StaleRead(context, read.name, read.kind, at))

    # ------------------------------------------------------------------- at the end

    def on_end(self) -> None:
        """Reads by cached traces of what some other function rebinds whenever it likes."""
        rebinding = self._globals_rebound()
        for read in self._reads:
            if not read.level.lasting or read.slot[1].endswith(_SIZES):
                continue
            if read.owner is self.tracer.stack.globals:
                changed = rebinding.get(read.name)
                value = self.tracer.stack.globals.names.get(read.name)
                if changed is not None and _is_data(value) and self._may_be_seen(read, changed):
                    self._stale(read, changed)
            elif isinstance(read.owner, Instance):
                self._note_attribute(read, read.owner)
        self._of_level.clear()
        self._alive.clear()

    def _may_be_seen(self, read: _Read, setter: n.Node) -> bool:
        """Whether a call after the rebinding can show the old value.

        Where the setter's calls are in view, it must have run after the trace, and
        the compiled function must be called more than once.
        """
        runs = self.tracer.runs
        if id(setter) not in runs.certain:
            return True
        again = len(runs.applied[id(read.level.site.origin)]) > 1
        return again and self._versions.get(read.slot, 0) != read.version

    def _globals_rebound(self) -> dict[str, n.Node]:
        """Global name -> a function that rebinds it at run time."""
        found: dict[str, n.Node] = {}
        for function in self.tracer.module.functions:
            # A traced one has its own rule; a context manager puts the old value back.
            if id(function) in self.tracer.runs.traced or function.is_generator:
                continue
            declared = [name for name, kind in function.scope.outer.items() if kind == "global"]
            for name in assigned_names(function.body).intersection(declared) if declared else ():
                found.setdefault(name, function)
        return found

    def _note_attribute(self, read: _Read, instance: Instance) -> None:
        cls = instance.cls
        if not instance.open:
            return  # Made in view: what happens to it has been followed.
        if (read.slot, id(read.level)) in self._set_in:
            return  # As ``self.steps += 1``: an effect of the trace, and reported as one.
        if cls.traits.library or cls.traits.pytree or cls.find("__hash__") or cls.find("__eq__"):
            return
        changed = set_outside_init(self.tracer, cls).get(read.name)
        init = cls.find("__init__")
        if changed is None or not isinstance(init, Function):
            return
        if _set_to_data(init.code, read.name):
            self._stale(read, changed)


def _remembers(code: n.Function, container: n.Node, node: n.Node) -> bool:
    """Whether what is put into a container was not there: ``if key not in kept: kept[key] = x``.

    What compiled code has read of it stays.
    """
    return any(
        id(node) in inside and alike(kept, container) for kept, inside in once(_put_once, code)
    )


def _put_once(code: n.Function) -> list[tuple[n.Node, frozenset[int]]]:
    """Each container that a function asks whether it lacks something, and what follows if so."""
    return [
        (each.test.comparators[0], frozenset(map(id, walk(each.body))))
        for each in walk(code.body)
        if isinstance(each, n.If)
        and isinstance(each.test, n.Comparison)
        and each.test.operators == ["not in"]
    ]


def _look_the_same(old: Value, new: Value) -> bool:
    """Whether two values are the same as far as anybody sees: zeros are, whoever made them."""
    if isinstance(old, Array) and isinstance(new, Array) and old.zero and new.zero:
        new = replace(new, zero=old.zero)
    return same(old, new)


def _values_in(code: n.Module | n.Function) -> dict[int, n.Node]:
    """What each target is assigned, alone or among others, by its identity."""
    found: dict[int, n.Node] = {}
    for statement in statements(code.body):
        if isinstance(statement, n.AugmentedAssign):
            found[id(statement.target)] = statement
        elif isinstance(statement, n.Assign):
            found |= {id(part): statement.value for part in walk(statement.targets)}
    return found


def _is_inside(changed: Level | None, traced: Level) -> bool:
    """Whether a change is an effect of another trace of the same function, and reported as one."""
    while changed is not None and changed.site.origin is not traced.site.origin:
        changed = changed.parent
    return changed is not None


def _searched(owner: Instance | Class, name: str) -> Iterator[Instance | Class]:
    """The object and the classes in which Python looks for an attribute, up to the one that has it.

    Whoever sets it in one of these later changes what is read.
    """
    cls = owner if isinstance(owner, Class) else owner.cls
    places: tuple[Instance | Class, ...] = (cls, *cls.above)
    for each in places if owner is cls else (owner, *places):
        yield each
        if name in each.attributes:
            return


def _changes_in_place(value: Value) -> bool:
    """Whether a value is a module, or a layer, that a library changes in place."""
    if isinstance(value, Instance):
        return value.cls.traits.module in FOLLOWED
    if isinstance(value, External):
        return value.type in LAYERS and value.type.startswith(NNX)
    return isinstance(value, Stateful)


def _is_key(value: Value | None) -> bool:
    """Whether it is a PRNG key, from which a trace draws the same whether it changes or not.

    That is said where it is used up.
    """
    return isinstance(value, Array) and value.prng is not None


def _binds_size(node: n.Node) -> bool:
    """Whether a statement binds the size of an array: JAX traces again for one of another size."""
    value = node.value if isinstance(node, n.Assign) else None
    while isinstance(value, n.Subscript):
        value = value.value
    return isinstance(value, n.Attribute) and value.attr in jax_api.SIZES_OF_ARRAYS


def _cell_of(value: Value) -> object | None:
    if isinstance(value, (Sequence, Mapping, NumpyArray)):
        return value.cell
    return None


def _is_data(value: Value | None) -> bool:
    return isinstance(value, (Const, Host)) and not (
        isinstance(value, Const) and value.value is None
    )


def _set_to_data(code: n.Function, attr: str) -> bool:
    """Whether a constructor gives the attribute a value other than None."""
    for statement in code.body:
        targets = statement.targets if isinstance(statement, n.Assign) else []
        for target in targets:
            if isinstance(target, n.Attribute) and target.attr == attr:
                assert isinstance(statement, n.Assign)
                value = statement.value
                return not (isinstance(value, n.Constant) and value.value is None)
    return False
