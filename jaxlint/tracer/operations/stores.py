"""Assignment: names, attributes, items, and containers changed in place."""

from __future__ import annotations

from jaxlint.events import ArrayConversion, ItemAssignment, Reason, Site
from jaxlint.knowledge.libraries import VARIABLES
from jaxlint.program import nodes as n
from jaxlint.program.walk import alike, walk
from jaxlint.tracer.modules import run
from jaxlint.tracer.operations.arithmetic import binary
from jaxlint.tracer.operations.changed import contents_after, entries_after
from jaxlint.tracer.operations.conversions import hashed
from jaxlint.tracer.operations.fit import note_unpacked
from jaxlint.tracer.operations.frozen import is_being_made, refused_by_frozen, refused_by_layer
from jaxlint.tracer.operations.items import fresh, item
from jaxlint.tracer.operations.iteration import iterate, note_taken
from jaxlint.tracer.operations.misuse import misused_target
from jaxlint.tracer.operations.parts import forget_parts
from jaxlint.tracer.operations.references import note_store
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Loop
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import (
    Array,
    AtProperty,
    Donated,
    NumpyArray,
    Ref,
    Tree,
    refuses_bool,
)
from jaxlint.tracer.values.containers import (
    HELD,
    Cell,
    Contents,
    Entries,
    Mapping,
    Sequence,
    contents_like,
    contents_of,
    entries_of,
    hold,
    mutable_kind,
    sequence,
)
from jaxlint.tracer.values.externals import External, Stateful
from jaxlint.tracer.values.joins import join, may_be_one_of, same
from jaxlint.tracer.values.objects import (
    Choice,
    Class,
    Descriptor,
    Function,
    Instance,
    Module,
    Qualified,
)
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.value import (
    ELEMENT,
    NONE,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
    is_number,
    replace,
)

_GROWS = frozenset({"append", "extend", "insert", "+="})


def assign(tracer: Tracer, target: n.Node, value: Value, node: n.Node) -> None:
    """Bind, unpack into, or store in a target."""
    if isinstance(target, n.Name):
        store(tracer, target, value, node)
    elif isinstance(target, n.Display):
        unpack(tracer, target.elements, value, node)
    elif isinstance(target, n.Attribute):
        set_attribute(tracer, tracer.evaluate(target.value), value, target)
    elif isinstance(target, n.Subscript):
        set_item(tracer, target, value, node)
    elif isinstance(target, n.Starred):
        assign(tracer, target.value, value, node)


def unpack(tracer: Tracer, targets: list[n.Node], value: Value, node: n.Node) -> None:
    """``a, *b = value``."""
    elements = iterate(tracer, value, node)
    note_taken(tracer, value)
    starred = [i for i, target in enumerate(targets) if isinstance(target, n.Starred)]
    note_unpacked(tracer, value, len(targets), bool(starred), node)
    parts: list[Value] = []
    if isinstance(elements, list) and not starred and len(elements) == len(targets):
        parts = elements
    elif isinstance(elements, list) and starred and len(elements) >= len(targets) - 1:
        position, after = starred[0], len(targets) - starred[0] - 1
        middle = contents_of(elements[position : len(elements) - after])
        parts = [*elements[:position], sequence("list", middle, tracer.stack.moment())]
        parts += elements[len(elements) - after :] if after else []
    else:
        for target in targets:
            each = UNKNOWN if isinstance(elements, list) else fresh(tracer, elements)
            if isinstance(target, n.Starred):
                each = sequence("list", contents_like(each), tracer.stack.moment())
            parts.append(each)
    for target, part in zip(targets, parts, strict=True):
        assign(tracer, target, part, node)


# --------------------------------------------------------------------------- names


def store(tracer: Tracer, name: n.Name, value: Value, node: n.Node) -> None:
    """Bind a name here."""
    how = name.scope.outer.get(name.id)
    frame = tracer.stack.frame
    if how is not None:
        _store_outer(tracer, name, how, value, node)
        return
    # A walrus in a comprehension binds in the function around it.
    while frame.scope.kind == "comprehension" and name.id not in frame.scope.bound:
        if frame.parent is None:
            break
        frame = frame.parent
    bind(tracer, frame, name.id, value, node)


def bind(tracer: Tracer, frame: Frame, name: str, value: Value, node: n.Node) -> None:
    """Write a name of a frame."""
    if name in frame.scope.captured or frame.parent is None:
        old = frame.names.get(name)
        if old is not None and not same(old, value):
            frame.version += 1
            if frame.parent is None and frame is not tracer.stack.module:
                # Functions of every module may read it.
                tracer.version += 1
        tracer.analyses.on_bind(frame, name, old, value, node)
    if isinstance(value, (Array, Tree)) and value.reason is not None:
        reason = value.reason
        if reason.subject != name or reason.role == "result":
            reason = Reason("name", name, Site(node.origin), parent=reason)
            value = replace(value, reason=reason, derived=tracer.named(value))
    tracer.trail.set(frame.names, name, value)


def _store_outer(tracer: Tracer, name: n.Name, how: str, value: Value, node: n.Node) -> None:
    frame: Frame | None = tracer.stack.frame
    assert frame is not None
    if how == "global":
        frame = frame.globals
    else:
        frame = frame.parent
        while frame is not None and name.id not in frame.scope.bound:
            frame = frame.parent
    if frame is None:
        return
    tracer.analyses.on_store_outer(name.id, name, how, frame, value, node)
    bind(tracer, frame, name.id, value, node)


# ---------------------------------------------------------------------- attributes


_SETTINGS = frozenset({"bool", "str"})
"""Types of what an object is told by; tests of an attribute ask for them."""


def set_attribute(tracer: Tracer, owner: Value, value: Value, node: n.Attribute) -> None:
    """``owner.attr = value``."""
    if isinstance(owner, Module):
        module = run(tracer, owner.file)
        if module is not None:
            tracer.analyses.on_store_outer(node.attr, node, "module attribute", module, value, node)
            bind(tracer, module, node.attr, value, node)
        return
    if isinstance(owner, Choice):
        with tracer.fork() as fork:
            for option, _ in owner.possible(tracer.facts):
                with fork.arm(option):
                    set_attribute(tracer, option, value, node)
        return
    if isinstance(owner, Stateful):
        tracer.analyses.on_change(owner, node)
    if isinstance(owner, (Instance, Unknown)):
        forget_parts(tracer, owner, node.value)
    if isinstance(owner, External) and refused_by_layer(tracer, owner, node):
        return
    if misused_target(tracer, owner, node) or not isinstance(owner, (Instance, Class)):
        return
    name = node.attr
    cls = owner if isinstance(owner, Class) else owner.cls
    setter = cls.find("__setattr__")
    if isinstance(owner, Instance) and isinstance(setter, Function):
        tracer.call(setter, Arguments((owner, Const(name), value)), node)
        return
    if isinstance(owner, Instance) and refused_by_frozen(tracer, owner, node):
        return
    found = cls.find(name) if isinstance(owner, Instance) else None
    if isinstance(found, Descriptor) and found.setter is not None:
        tracer.call(found.setter, Arguments((owner, value)), node)
        return
    put_attribute(tracer, owner, value, node)


def put_attribute(tracer: Tracer, owner: Instance | Class, value: Value, node: n.Attribute) -> None:
    """Set an attribute past what its class has to say of that: ``object.__setattr__``."""
    name, old = node.attr, owner.attributes.get(node.attr)
    tracer.analyses.on_store_attribute(owner, name, old, value, node)
    frame = tracer.stack.frame
    of_all = owner.cls.find(name) if old is None and isinstance(owner, Instance) else None
    before = old if old is not None else of_all
    made = not isinstance(owner, Instance) or not is_being_made(tracer, owner)
    if made if before is None else not same(before, value):
        tracer.version += 1
        tracer.unfinished += not made
    since = owner.made.loops if owner.made is not None else ()
    weak = frame.loops != since
    if isinstance(owner, Class) or isinstance(value, Const):
        # Methods are wrapped for good, and flags are set; arrays are put back.
        weak = _in_loops_since(since, frame)
    if old is None and of_all is NONE:
        old = NONE  # The class has it for all objects, until one gets its own.
    if isinstance(value, Unknown):
        value = tracer.buffers.same(value, replace(value, passed=True))
    if old is not None and frame.loops and weak:
        value = _after_some_pass(old, value)
    elif isinstance(value, Host) and value.type in _SETTINGS and value.symbol is None:
        # Tests of what it is now say something that stays true.
        value = replace(value, symbol=("attribute", object(), name))
    hold(value)
    tracer.trail.set(owner.attributes, name, value)


def _after_some_pass(old: Value, value: Value) -> Value:
    """What an attribute holds that a pass of a loop may have set.

    What is made where nothing was is made by the first pass, as a rule.
    """
    if old is not NONE:
        return join(old, value)
    found = UNKNOWN if may_be_one_of(value) else join(old, value)
    return replace(found, passed=True) if isinstance(found, Unknown) else found


def _in_loops_since(since: tuple[Loop, ...], frame: Frame) -> bool:
    """Whether what is changed now was made outside of a loop, or inside of one that is over.

    A pass of a loop that is run once for each element happens for certain.
    """
    return any(not loop.precise for loop in {*frame.loops} ^ {*since})


# --------------------------------------------------------------------------- items


def set_item(tracer: Tracer, target: n.Subscript, value: Value, node: n.Node) -> None:
    """``container[index] = value``, by a statement.

    Of what was donated nothing is known then: the container has something that was not.
    """
    names, name = tracer.stack.frame.names, target.value
    held = names.get(name.id) if isinstance(name, n.Name) else None
    if isinstance(name, n.Name) and isinstance(held, Donated) and not isinstance(held.value, Array):
        tracer.trail.set(names, name.id, UNKNOWN)
    container = tracer.evaluate(target.value)
    index = tracer.evaluate(target.index)
    if isinstance(container, Unknown):
        forget_parts(tracer, container, target.value)
    if isinstance(container, Qualified):
        tracer.analyses.on_store_outside(container.name, index, target, node)
    if not _refused(tracer, container, index, target, "item assignment", "", value):
        _set_item(tracer, container, index, value, target)


def augment_item(tracer: Tracer, target: n.Subscript, operator: str, operand: Value) -> None:
    """``container[index] += operand``."""
    container = tracer.evaluate(target.value)
    index = tracer.evaluate(target.index)
    if isinstance(container, Qualified):
        tracer.analyses.on_store_outside(container.name, index, target, target)
    how = "augmented item assignment"
    if _refused(tracer, container, index, target, how, operator, operand):
        return
    old = item(tracer, container, index, target)
    if isinstance(container, NumpyArray):
        _set_item(tracer, container, index, operand, target)
        return
    value = binary(tracer, operator, old, operand, target)
    if isinstance(value, Unknown) and is_number(operand):
        # A counter: what matters of it is that it is no fact of the trace.
        value = Host("float")
    _set_item(tracer, container, index, value, target)


def delete_item(tracer: Tracer, target: n.Subscript) -> None:
    """``del container[index]``."""
    container = tracer.evaluate(target.value)
    index = tracer.evaluate(target.index)
    if _refused(tracer, container, index, target, "del", ""):
        return
    if mutable_kind(container) is not None:
        mutate(tracer, container, "del", [], target, target.value)


def _refused(
    tracer: Tracer,
    container: Value,
    index: Value,
    target: n.Subscript,
    construct: str,
    operator: str,
    given: Value = UNKNOWN,
) -> bool:
    """Whether a JAX array refuses to be changed; the event is recorded."""
    if isinstance(container, AtProperty) and isinstance(target.value, n.Attribute):
        return _refused_at(tracer, container, target, target.value, construct, operator)
    if isinstance(container, NumpyArray) and container.readonly:
        context = tracer.context(target, target.value)
        tracer.emit(ItemAssignment(context, construct, operator, view=True))
        return True
    if not isinstance(container, (Array, Tree)):
        return False
    if assigns_item(tracer, container, index, target.index, given):
        context = tracer.context(target, target.value, container)
        otherwise = _is_done_otherwise(tracer, target.value)
        tracer.emit(ItemAssignment(context, construct, operator, otherwise))
    elif isinstance(container, Tree) and not tracer.refs_about and not _whole(index):
        tracer.analyses.on_mutate(container, construct, [], target, target.value)
    return True


def _is_done_otherwise(tracer: Tracer, array: n.Node) -> bool:
    """Whether what catches the exception turns to the array again: NumPy's are changed in place."""
    caught = (handler.body for handler in tracer.stack.frame.guards)
    return any(alike(array, each) for body in caught for each in walk(body))


def _refused_at(
    tracer: Tracer,
    at: AtProperty,
    target: n.Subscript,
    written: n.Attribute,
    construct: str,
    operator: str,
) -> bool:
    """``x.at[i] = v``: there is ``x.at[i].set(v)``, which changes nothing in place."""
    array = at.array
    if not isinstance(array, Array) or (array.assumed and tracer.refs_about):
        return False
    context = tracer.context(target, written.value, array)
    tracer.emit(ItemAssignment(context, construct, operator))
    return True


def _whole(index: Value) -> bool:
    """Whether it is ``x[...]``, which no list or dict has: a mutable reference is set."""
    return isinstance(index, Const) and index.value is Ellipsis


def assigns_item(tracer: Tracer, value: Value, index: Value, node: n.Node, given: Value) -> bool:
    """Whether ``value[index] = given`` raises because the value is a JAX array."""
    if tracer.refs_about and (
        isinstance(value, Tree) or (isinstance(value, Array) and value.assumed)
    ):
        return False  # The file uses mutable references: this may be one.
    if isinstance(value, Array):
        return not value.assumed or value.no_list or _array_index(index, node)
    if not isinstance(value, Tree) or value.container:
        return False
    # Into a list of arrays goes an array; a number at a place is an element of an array.
    return _no_list_index(index, node) or (is_number(given) and _array_index(index, node))


def _array_index(index: Value, node: n.Node) -> bool:
    if isinstance(node, (n.Slice, n.Display)):
        return True
    if isinstance(index, Const):
        return index.value is None or isinstance(index.value, int)
    return _is_traced_index(index)


def _is_traced_index(index: Value) -> bool:
    """Whether an index is a tracer: what a pytree is iterated over for may be keys of a dict."""
    if isinstance(index, Tree) and isinstance(index.symbol, tuple) and index.symbol[0] == ELEMENT:
        return False
    return isinstance(index, (Array, Tree)) and index.concreteness == "abstract"


def _no_list_index(index: Value, node: n.Node) -> bool:
    """Whether neither a list nor a dict of arrays can be indexed so."""
    if isinstance(index, Const):
        return index.value is None
    return isinstance(node, n.Display) or _is_traced_index(index)


def _set_item(
    tracer: Tracer, container: Value, index: Value, value: Value, target: n.Subscript
) -> None:
    if isinstance(container, Unknown) and isinstance(value, (Array, Tree, Unknown)):
        tracer.analyses.on_wait(None, target, "[...] =")  # It may be an array of NumPy's.
    elif isinstance(container, NumpyArray):
        tracer.analyses.on_wait(value, target, "[...] =")
        tracer.analyses.on_mutate(container, "[...] =", [value], target, target.value)
        if refuses_bool(index):
            context = tracer.context(target, target.index, index)
            tracer.emit(ArrayConversion(context, "index"))
        elif tracers(value):
            context = tracer.context(target, target.value, value)
            tracer.emit(ArrayConversion(context, "item assignment"))
    elif isinstance(container, Ref):
        note_store(tracer, container, index, value, target)
    elif isinstance(container, Instance):
        method = container.cls.find("__setitem__")
        if isinstance(method, Function):
            tracer.call(method, Arguments((container, index, value)), target)
        elif container.cls.traits.module in VARIABLES:
            tracer.analyses.on_change(container, target)
    elif isinstance(container, Stateful):
        tracer.analyses.on_change(container, target)
    elif isinstance(container, Mapping):
        hashed(tracer, index, target.index, "dict key")
        mutate(tracer, container, "[...] =", [value], target, target.value, index)
    elif isinstance(container, Sequence) and container.kind == "list":
        mutate(tracer, container, "[...] =", [value], target, target.value, index)


# ------------------------------------------------------------------------ mutation


def mutate(
    tracer: Tracer,
    container: Sequence | Mapping | Value,
    how: str,
    values: list[Value],
    node: n.Node,
    subject: n.Node,
    index: Value | None = None,
) -> None:
    """Change a list, set or dict in place."""
    assert isinstance(container, (Sequence, Mapping))
    tracer.analyses.on_mutate(container, how, values, node, subject)
    made, frame = container.made, tracer.stack.frame
    held = container.cell is not None and HELD in container.cell
    for value in values if held else ():
        hold(value)
    if made is not None:
        made.frame.version += 1
        tracer.version += held or made.frame is not frame
    since = made.loops if made is not None else frame.loops
    weak = _in_loops_since(since, frame)
    weak = weak or (isinstance(container, Sequence) and container.bounded)
    if isinstance(container, Mapping):
        new: Contents | Entries = entries_after(container, how, values, index, weak)
    else:
        new = contents_after(container, how, values, index, weak)
        loops = frame.loops
        outer = made.loops if made is not None else ()
        grows = how in _GROWS and not container.bounded
        if grows and tracer.stack.level is None and loops and loops[-1] not in outer:
            new = replace(new, varies=loops[-1].node)
    if container.cell is not None:
        tracer.trail.set(container.cell, "contents", new)
        _change_either(tracer, container.cell, index)


def _change_either(tracer: Tracer, cell: Cell, index: Value | None) -> None:
    """What is changed is one of several containers: nobody knows what is in each from here on."""
    waiting: list[Cell] = [*cell.get("either", ())]
    seen = {id(cell)}
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        waiting += each.get("either", ())
        old = each["contents"]
        if isinstance(old, Contents):
            tracer.trail.set(each, "contents", Contents(None))
            continue
        place = index.value if isinstance(index, Const) else None
        known = {name: value for name, value in old.known.items() if name != place}
        tracer.trail.set(each, "contents", entries_of(known, UNKNOWN))
