"""``value[index]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.events import (
    ArrayConversion,
    DataDependentShape,
    IndexConversion,
    ListArgument,
    TracedSize,
)
from jaxlint.events.arguments import INDEX, INDEX_OF_LIST
from jaxlint.knowledge import class_api
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.conversions import hashed, refuses_value
from jaxlint.tracer.operations.fit import note_mismatch
from jaxlint.tracer.operations.indices import index_of
from jaxlint.tracer.operations.lookups import entry
from jaxlint.tracer.operations.making import is_plain
from jaxlint.tracer.operations.misuse import looks_up_text, misused_at
from jaxlint.tracer.operations.ranges import note_beyond, note_no_integer, note_out_of_bounds
from jaxlint.tracer.operations.references import part as part_of_reference
from jaxlint.tracer.operations.references import read as read_reference
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values import arrays, containers, externals, objects
from jaxlint.tracer.values.arrays import (
    Array,
    AtProperty,
    Bounds,
    NumpyArray,
    Ref,
    Tree,
    refuses_bool,
)
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.avals import index as index_aval
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    contents_like,
    contents_of,
    sequence,
)
from jaxlint.tracer.values.derivations import ITEM, Derivation
from jaxlint.tracer.values.joins import any_element
from jaxlint.tracer.values.objects import Choice, Class, Function, Instance, Qualified
from jaxlint.tracer.values.pytrees import unpacked, with_keys
from jaxlint.tracer.values.value import (
    UNKNOWN,
    Clock,
    Const,
    Host,
    Unknown,
    Value,
    is_string,
    replace,
)


def item(tracer: Tracer, value: Value, index: Value, node: n.Subscript) -> Value:
    """``value[index]``."""
    return ITEMS[type(value)](tracer, value, index, node)


def fresh_keys(tracer: Tracer, value: Value, since: int = -1) -> Value:
    """The same value with keys of its own.

    Keys with a serial up to ``since`` stay what they are.
    """
    return with_keys(value, lambda key: tracer.keys.again(key, since))


def fresh(tracer: Tracer, value: Value) -> Value:
    """The same value with keys and arrays of its own, as another pass of a loop sees it."""
    value = fresh_keys(tracer, value)
    followed = tracer.buffers.followed and tracer.stack.level is None
    return tracer.buffers.renewed(value) if followed else value


def refused_index(tracer: Tracer, index: Value, node: n.Node, at: bool = False) -> bool:
    """Whether an array refuses this index: a traced mask, or a slice with traced bounds."""
    parts = [index]
    if isinstance(index, Sequence) and index.kind == "tuple" and index.items is not None:
        parts = list(index.items)
    for part in parts:
        if isinstance(part, Bounds):
            bound = next((one for one in part.given if refuses_value(one)), None)
            if bound is not None:
                tracer.emit(TracedSize(tracer.context(node, node, bound), "slice", "slice"))
                return True
        elif isinstance(part, Array) and part.dtype == "bool" and part.traced:
            tracer.emit(DataDependentShape(tracer.context(node, node, part), "mask", at=at))
            return True
    return False


def varying_size(value: Value) -> n.Node | None:
    """The loop at whose every iteration a size takes a new value."""
    if isinstance(value, Host) and isinstance(value.varies, n.Node):
        return None if value.capped else value.varies
    if isinstance(value, Sequence) and value.items is not None:
        varying = map(varying_size, unpacked(value))
        return next((found for found in varying if found is not None), None)
    return None


def varying_span(bounds: list[Value]) -> n.Node | None:
    """The loop at whose every iteration what lies between two bounds has another size.

    Two that change, as in ``x[i : i + 8]``, may stay apart by the same; what is computed of
    something unknown may change too.
    """
    if any(isinstance(bound, Unknown) and bound.symbol is None for bound in bounds):
        return None
    changing = [bound for bound in bounds if isinstance(bound, Host) and bound.varies]
    return varying_size(changing[0]) if len(changing) == 1 else None


def sliced_by(index: Value) -> n.Node | None:
    """The loop at whose every iteration ``x[:i]`` has another length."""
    return varying_span(index.given) if isinstance(index, Bounds) else None


# ------------------------------------------------------------------------- arrays


def _array(tracer: Tracer, value: Array, index: Value, node: n.Subscript) -> Value:
    if refused_index(tracer, index, node) or _is_list(tracer, value, index, node):
        return UNKNOWN
    if looks_up_text(tracer, value, index, node):
        return UNKNOWN
    note_out_of_bounds(tracer, value, index, node)
    note_beyond(tracer, value, index, node)
    if not value.assumed:
        note_no_integer(tracer, index, node)
    aval, contradiction = index_aval(value.aval, index_of(index))
    if contradiction:
        note_mismatch(tracer, (value, index), node)
    found = tracer.array([value, index], node, "", aval, sliced_by(index))
    if value.prng is None:
        return found
    if isinstance(index, Const) and isinstance(index.value, int):
        return replace(found, prng=tracer.keys.at(value.prng, index.value))
    return replace(found, prng=_view_of(tracer, value, index))


def _is_list(tracer: Tracer, value: Array, index: Value, node: n.Subscript) -> bool:
    """Whether an array is indexed by a list, which JAX takes in a tuple alone, or an iterator."""
    if value.assumed or not isinstance(index, Sequence):
        return False
    refused, where = _refused_part(index, node.index)
    if refused:
        inside = index.kind == "tuple"
        tracer.emit(ListArgument(tracer.context(node, where), INDEX, refused, inside))
    return bool(refused)


def _refused_part(index: Sequence, node: n.Node) -> tuple[str, n.Node]:
    """The kind of sequence that JAX takes for no index, and where it stands; empty for none."""
    if index.kind != "tuple":
        return (index.kind if index.kind in ("list", "iterator") else ""), node
    parts = index.items or ()
    written = isinstance(node, n.Display) and len(node.elements) == len(parts)
    for position, part in enumerate(parts):
        if isinstance(part, Sequence) and part.kind == "iterator":
            return part.kind, node.elements[position] if written else node  # type: ignore[attr-defined]
    return "", node


def _view_of(tracer: Tracer, value: Array, index: Value) -> arrays.Key | None:
    """``key[None]`` is the same key; another index may be any of several."""
    assert value.prng is not None
    if isinstance(index, Const) and index.value is None:
        return value.prng
    return tracer.keys.derived(value.prng)


def _tree(tracer: Tracer, value: Tree, index: Value, node: n.Subscript) -> Value:
    if refused_index(tracer, index, node):
        return UNKNOWN
    inner = part_of(tracer, value, index, node)
    if is_string(index) or value.container:
        return inner
    if isinstance(node.index, n.Display):
        return value.as_array()
    return replace(value, again=None) if isinstance(node.index, n.Slice) else inner


def part_of(tracer: Tracer, value: Tree, index: Value, node: n.Node) -> Tree:
    """A part of a pytree of unknown structure."""
    found = Tree(value.reason, value.concreteness)
    if not value.perturbed:
        return found
    derived = Derivation(ITEM, (value, index), node, tracer.stack.chain)
    return replace(found, perturbed=True, derived=derived)


def _numpy(tracer: Tracer, value: NumpyArray, index: Value, node: n.Subscript) -> Value:
    if _refused_by_numpy(tracer, index, node):
        return UNKNOWN
    if isinstance(index, (Array, Tree)):
        return UNKNOWN
    whole = isinstance(index, Bounds) and value.has_axes
    shape = index_aval(value.aval, index_of(index)).aval.shape
    aval = Aval(shape, value.aval.dtype)
    return NumpyArray(aval, varies=sliced_by(index), has_axes=whole)


def _refused_by_numpy(tracer: Tracer, index: Value, node: n.Subscript) -> bool:
    """Whether an array of NumPy makes another one of a tracer in its index."""
    parts: list[tuple[Value, n.Node]] = [(index, node.index)]
    if isinstance(index, Sequence) and index.kind in ("tuple", "list") and index.items is not None:
        written = isinstance(node.index, n.Display) and len(node.index.elements) == len(index.items)
        where = node.index.elements if written else [node.index] * len(index.items)  # type: ignore[attr-defined]
        parts = list(zip(index.items, where, strict=True))
    for part, at in parts:
        if isinstance(part, Tree) and not (part.container or part.optional):
            part = part.as_array()
        bound = next(filter(refuses_value, part.given), None) if isinstance(part, Bounds) else None
        if bound is not None:
            tracer.emit(TracedSize(tracer.context(node, node, bound), "slice", "slice"))
            return True
        if refuses_bool(part):
            tracer.emit(ArrayConversion(tracer.context(node, at, part), "index"))
            return True
    return False


def _at(tracer: Tracer, value: AtProperty, index: Value, node: n.Subscript) -> Value:
    if isinstance(value.array, Ref):
        return part_of_reference(value.array, index)
    if value.indexed and misused_at(tracer, value, "indexed", node):
        return UNKNOWN
    if not refused_index(tracer, index, node, at=True) and isinstance(value.array, Array):
        _is_list(tracer, value.array, index, node)
    return AtProperty(value.array, indexed=True, index=index)


# --------------------------------------------------------------------- containers


def _sequence(tracer: Tracer, value: Sequence, index: Value, node: n.Subscript) -> Value:
    if isinstance(index, Tree) and _is_parameter(index, node.index):
        index = index.as_array()
    if value.kind in ("list", "tuple"):
        for part in index.given if isinstance(index, Bounds) else [index]:
            if refuses_bool(part):
                context = tracer.context(node, node.index, part)
                tracer.emit(IndexConversion(context, value.kind))
            elif _has_axes(part):
                context = tracer.context(node, node.value)
                strings = any(map(is_string, value.items or ()))
                event = ListArgument(context, INDEX_OF_LIST, value.kind, strings=strings)
                tracer.emit(event)
    found = _element(tracer, value, index)
    return found if isinstance(index, Const) else fresh(tracer, found)


def _has_axes(index: Value) -> bool:
    """Whether an index is an array of several numbers, which is no index of Python's."""
    known = isinstance(index, (Array, NumpyArray)) and bool(index.aval.shape)
    return known and not (isinstance(index, Array) and index.assumed)


def _is_parameter(value: Tree, node: n.Node) -> bool:
    """Whether an expression is a parameter as such, and not a part of one."""
    reason = value.reason
    if not isinstance(node, n.Name) or reason is None or value.optional:
        return False
    return reason.subject == node.id and reason.role == "parameter"


def _element(tracer: Tracer, value: Sequence, index: Value) -> Value:
    items = value.items
    if isinstance(index, Bounds):
        return _slice(tracer, value, index)
    if isinstance(index, Const) and isinstance(index.value, int) and items is not None:
        return items[index.value] if -len(items) <= index.value < len(items) else UNKNOWN
    if isinstance(index, (Array, Tree)):
        return UNKNOWN
    return _of_place(tracer, any_element(value), index)


def _of_place(tracer: Tracer, value: Value, index: Value) -> Value:
    """What stands at a known place, by what stands at any: its keys are there and nowhere else."""
    if not isinstance(index, Const):
        return value
    value = tracer.buffers.renewed(value) if tracer.buffers.followed else value
    return with_keys(value, lambda key: tracer.keys.folded(key, index.key(), key.constant))


def _slice(tracer: Tracer, value: Sequence, index: Bounds) -> Value:
    items = value.items
    if items is None:
        return value
    bounds: list[Any] = []
    for part in index.parts:
        if part is not None and not isinstance(part, Const):
            return sequence(value.kind, contents_like(any_element(value)), value.made)
        bounds.append(part.value if isinstance(part, Const) else None)
    try:
        return sequence(value.kind, contents_of(items[slice(*bounds)]), tracer.stack.moment())
    except (ValueError, TypeError):
        return UNKNOWN


def _mapping(tracer: Tracer, value: Mapping, index: Value, node: n.Subscript) -> Value:
    hashed(tracer, index, node.index, "dict key")
    if not isinstance(index, Const):
        return fresh(tracer, entry(value, index))
    entries = value.entries
    found = _known(entries.known, index.value)
    if found is not None:
        return found
    rest = entries.rest
    # Which of several functions it is goes with the key.
    known = rest is not None and not isinstance(rest, Choice)
    return _of_place(tracer, rest, index) if known and rest is not None else UNKNOWN


def _known(entries: dict[Any, Value], key: object) -> Value | None:
    try:
        return entries.get(key)
    except TypeError:
        return None


def _instance(tracer: Tracer, value: Instance, index: Value, node: n.Subscript) -> Value:
    if value.cls.traits.pytree == "namedtuple":
        fields = sequence("tuple", contents_of(value.listed().values()))
        return _element(tracer, fields, index)
    method = value.cls.find("__getitem__")
    if isinstance(method, Function):
        return tracer.call(method, Arguments((value, index)), node)
    return UNKNOWN


def _class(tracer: Tracer, value: Class, index: Value, node: n.Subscript) -> Value:
    """``Stack[int]``: the class, if it is generic; what its method gives, if it has one."""
    method = value.find("__class_getitem__")
    if isinstance(method, Function):
        return tracer.call(method, Arguments((value, index)), node)
    bases = (base for each in (value, *value.above) for base in each.bases)
    generic = any(isinstance(base, Qualified) and base.name in class_api.GENERIC for base in bases)
    return value if generic and is_plain(value) else UNKNOWN


# -------------------------------------------------------------------------- others


def _qualified(tracer: Tracer, value: Qualified, index: Value, node: n.Subscript) -> Value:
    return tracer.call(Qualified(f"{value.name}.__getitem__"), Arguments((index,)), node)


def _host(tracer: Tracer, value: Host, index: Value, node: n.Subscript) -> Value:
    if value.type == "str":
        return Host("str")
    if value.type == "shape":
        return Host("shape" if isinstance(index, Bounds) else "int")
    return Host("object")


def _const(tracer: Tracer, value: Const, index: Value, node: n.Subscript) -> Value:
    return Host("str") if isinstance(value.value, str) else UNKNOWN


def _unknown(tracer: Tracer, value: Unknown, index: Value, node: n.Subscript) -> Value:
    symbol = None
    if value.symbol is not None and isinstance(index, Const):
        symbol = ("item", value.symbol, index.key())
    varies = sliced_by(index)
    made = tracer.unseen(value, index)
    if symbol is None and varies is None:
        return made
    return replace(made, symbol=symbol, varies=varies)


def _nothing(tracer: Tracer, value: Value, index: Value, node: n.Subscript) -> Value:
    return UNKNOWN


ITEMS: dict[type[Value], Callable[[Tracer, Any, Value, n.Subscript], Value]] = {
    Unknown: _unknown,
    Const: _const,
    Host: _host,
    Clock: _nothing,
    Array: _array,
    Tree: _tree,
    NumpyArray: _numpy,
    Ref: read_reference,
    AtProperty: _at,
    Bounds: _nothing,
    arrays.Donated: _nothing,
    containers.Contents: _nothing,
    containers.Entries: _nothing,
    Sequence: _sequence,
    Mapping: _mapping,
    objects.Traits: _nothing,
    objects.Class: _class,
    Instance: _instance,
    objects.Function: _nothing,
    objects.BoundMethod: _nothing,
    objects.Partial: _nothing,
    objects.Transformed: _nothing,
    Qualified: _qualified,
    objects.Imported: _nothing,
    objects.Module: _nothing,
    externals.External: _nothing,
    externals.Stateful: _nothing,
    objects.Descriptor: _nothing,
    objects.Super: _nothing,
    Choice: _nothing,
    objects.Method: _nothing,
}
