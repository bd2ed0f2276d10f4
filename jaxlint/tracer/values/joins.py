"""What is certain of a value that is one thing on one path and another on the other."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Several
from typing import TYPE_CHECKING, Any

from jaxlint.tracer.values import avals
from jaxlint.tracer.values.arrays import Array, Concreteness, NumpyArray, Tree, merged_key, weaker
from jaxlint.tracer.values.containers import (
    Contents,
    Entries,
    Mapping,
    Sequence,
    contents_like,
    contents_of,
    entries_of,
    mapping,
    sequence,
)
from jaxlint.tracer.values.derivations import EITHER, Derivation
from jaxlint.tracer.values.objects import Instance
from jaxlint.tracer.values.pytrees import source_of
from jaxlint.tracer.values.value import (
    SOMETHING,
    UNKNOWN,
    Clock,
    Const,
    Host,
    Unknown,
    Value,
    type_name,
)

if TYPE_CHECKING:
    from jaxlint.tracer.state.frames import Moment


def same(left: Value, right: Value) -> bool:
    """Whether the tracer cannot tell the two apart."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    try:
        return bool(left.key() == right.key())
    except (RecursionError, ValueError):
        return False


def join(left: Value, right: Value) -> Value:
    """What is certain of a value that is one or the other."""
    if left is right:
        return right
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _join_unlike(left, right)
    if type(left) is type(right):
        found = _JOINS.get(type(left))
        if found is not None:
            joined: Value = found(left, right)
            return joined
        return left if same(left, right) else UNKNOWN
    if isinstance(left, (Const, Host, Clock)) and isinstance(right, (Const, Host, Clock)):
        return _join_host(left, right)
    if isinstance(left, Array) and isinstance(right, Tree):
        left, right = right, left
    if isinstance(left, Tree) and isinstance(right, Array) and right.traced:
        return left
    return _join_unlike(left, right)


def _join_unlike(left: Value, right: Value) -> Value:
    """Of values of different kinds: a tracer on one path is one if it is an array at all."""
    source = source_of(left) or source_of(right)
    for value in (left, right):
        if source_of(value) is None and not isinstance(value, (Const, Host)):
            source = None
    if isinstance(left, Unknown) and isinstance(right, Unknown) and left.present and right.present:
        return Unknown(present=True, source=source) if source is not None else SOMETHING
    return Unknown(source=source) if source is not None else UNKNOWN


def join_all(values: Several[Value]) -> Value:
    """Join of one or more values."""
    joined = values[0]
    for value in values[1:]:
        joined = join(joined, value)
    return joined


def one_of(values: Iterable[Value]) -> Value:
    """Join of any number of values; unknown for none."""
    found = list(values)
    return join_all(found) if found else UNKNOWN


def any_element(value: Sequence) -> Value:
    """One value that stands for every element."""
    contents = value.contents
    if contents.items is None:
        return contents.element
    return one_of(contents.items)


def any_entry(value: Mapping) -> Value:
    """One value that stands for every value of a dict."""
    return one_of(value.entries.all())


def _join_host(left: Value, right: Value) -> Value:
    if same(left, right):
        return left
    kind = type_name(left)
    return Host(kind if kind == type_name(right) else "object")


def _join_const(left: Const, right: Const) -> Value:
    return left if same(left, right) else _join_host(left, right)


def _join_tree(left: Tree, right: Tree) -> Value:
    return left if left.container else right


def _join_arrays(left: Array, right: Array) -> Value:
    concreteness: Concreteness = left.concreteness
    if left.concreteness != right.concreteness:
        # Only what both of them refuse may be reported.
        concreteness = weaker(left.concreteness, right.concreteness)
    return Array(
        left.traced if left.traced == right.traced else None,
        avals.join(left.aval, right.aval),
        left.reason or right.reason,
        concreteness,
        left.assumed or right.assumed,
        merged_key(left.prng, right.prng),
        left.varies if left.varies is right.varies else None,
        left.symbol if left.symbol == right.symbol else None,
        perturbed=left.perturbed and right.perturbed,
        derived=_either(left, right),
    )


def _either(left: Array, right: Array) -> Derivation | None:
    """Cotangents go back to both."""
    if left.derived is right.derived or left.derived is None or right.derived is None:
        return left.derived if left.derived is right.derived else None
    return Derivation(EITHER, (left, right))


def _join_numpy(left: NumpyArray, right: NumpyArray) -> Value:
    varies = left.varies if left.varies is right.varies else None
    cell = left.cell if left.cell is right.cell else None
    return NumpyArray(avals.join(left.aval, right.aval), varies, cell)


def _join_contents(left: Contents, right: Contents) -> Contents:
    if left.items is not None and right.items is not None and len(left.items) == len(right.items):
        pairs = zip(left.items, right.items, strict=True)
        return contents_of(one if one is other else join(one, other) for one, other in pairs)
    # An empty container says nothing about its elements.
    parts = [
        contents.element if contents.items is None else join_all(contents.items)
        for contents in (left, right)
        if contents.items is None or contents.items
    ]
    varies = left.varies if left.varies is right.varies else None
    return contents_like(one_of(parts), varies=varies)


def _join_sequences(left: Sequence, right: Sequence) -> Value:
    if left.state is right.state:
        return left
    if left.kind != right.kind:
        return UNKNOWN
    contents = _join_contents(left.contents, right.contents)
    return sequence(left.kind, contents, left.made or right.made)


def _join_entries(left: Entries, right: Entries) -> Entries:
    known: dict[Any, Value] = {}
    rest: Value | None = None
    for name in {**left.known, **right.known}:
        if name in left.known and name in right.known:
            known[name] = join(left.known[name], right.known[name])
        else:
            rest = UNKNOWN
    for other in (left.rest, right.rest):
        if other is not None:
            rest = other if rest is None else join(rest, other)
    return entries_of(known, rest)


def _join_mappings(left: Mapping, right: Mapping) -> Value:
    if left.cell is right.cell:
        return left
    joined = _join_entries(left.entries, right.entries)
    return mapping(joined.known, joined.rest, left.made or right.made)


def _join_instances(left: Instance, right: Instance) -> Value:
    if left.attributes is right.attributes:
        return left
    if left.cls is not right.cls or len(_joining) == _MOST_NESTED:
        return UNKNOWN
    pair = id(left.attributes), id(right.attributes)
    if pair in _joining:
        return UNKNOWN  # Objects that hold each other.
    attributes: dict[str, Value] = {}
    _joining.append(pair)
    try:
        for name in {**left.attributes, **right.attributes}:
            one, other = left.attributes.get(name), right.attributes.get(name)
            attributes[name] = UNKNOWN if one is None or other is None else join(one, other)
    finally:
        _joining.pop()
    return Instance(left.cls, attributes, _earlier(left.made, right.made))


def _earlier(one: Moment | None, other: Moment | None) -> Moment | None:
    """Of two moments the one in fewer loops: an object made there may still be that one."""
    if one is None or other is None:
        return None
    return one if len(one.loops) <= len(other.loops) else other


_MOST_NESTED = 4
"""Objects inside of objects whose attributes are joined one by one."""

_joining: list[tuple[int, int]] = []
"""Objects whose attributes are being joined."""


_JOINS: dict[type[Value], Any] = {
    Const: _join_const,
    Host: _join_host,
    Clock: _join_host,
    Tree: _join_tree,
    Array: _join_arrays,
    NumpyArray: _join_numpy,
    Sequence: _join_sequences,
    Mapping: _join_mappings,
    Instance: _join_instances,
    Contents: _join_contents,
    Entries: _join_entries,
}
