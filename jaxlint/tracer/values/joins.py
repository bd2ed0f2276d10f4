"""What is certain of a value that is one thing on one path and another on the other."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Several
from typing import TYPE_CHECKING, Any

from jaxlint.knowledge import jax_api
from jaxlint.knowledge.libraries import FOLLOWED, gives_array
from jaxlint.tracer.values import avals
from jaxlint.tracer.values.arrays import (
    Array,
    Concreteness,
    Donated,
    NumpyArray,
    Reach,
    Tree,
    differing,
    merged_key,
    weaker,
)
from jaxlint.tracer.values.avals import Aval
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
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import (
    BoundMethod,
    Choice,
    Class,
    Function,
    Imported,
    Instance,
    Method,
    Partial,
    Qualified,
    Told,
    Traits,
    Transformed,
    made_at,
)
from jaxlint.tracer.values.pytrees import map_leaves, source_of
from jaxlint.tracer.values.value import (
    NONE,
    SOMETHING,
    UNKNOWN,
    Again,
    Clock,
    Const,
    Host,
    Unknown,
    Value,
    replace,
    texts_of,
    type_name,
)

if TYPE_CHECKING:
    from jaxlint.program import nodes as n
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
    joined = _joined(left, right)
    if isinstance(joined, (Unknown, Tree)):
        again = _again(left, right)
        if again is not joined.again:
            return replace(joined, again=again)
    return joined


def _joined(left: Value, right: Value) -> Value:
    if isinstance(left, Imported) or isinstance(right, Imported):
        return _join_imported(left, right)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _join_unlike(left, right)
    if isinstance(left, _CHOSEN) and isinstance(right, _CHOSEN):
        return _join_chosen(left, right)
    if (left is NONE or right is NONE) and _or_none(left) and _or_none(right):
        chosen = _join_chosen(left, right)
        return chosen if isinstance(chosen, Choice) else _join_unlike(left, right)
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


def _join_imported(left: Value, right: Value) -> Value:
    """Of what nobody has read yet: that is looked up when somebody does."""
    first, other = (left, right) if isinstance(left, Imported) else (right, left)
    assert isinstance(first, Imported)
    if same(first, other) or any(same(each, other) for each in first.others):
        return first
    return replace(first, others=(*first.others, other))


def _join_traits(left: Traits, right: Traits) -> Traits:
    """Of a class that a branch registers as a pytree, or gives fields: what may be of it."""
    if left == right:
        return left
    return Traits(
        library=left.library or right.library,
        pytree=left.pytree if left.pytree == right.pytree else "registered",
        plain_dataclass=left.plain_dataclass and right.plain_dataclass,
        frozen=left.frozen and right.frozen,
        by_identity=left.by_identity or right.by_identity,
        module=left.module or right.module,
        fields=left.fields if left.fields == right.fields else None,
        static_fields=left.static_fields | right.static_fields,
        leaves=left.leaves if left.leaves == right.leaves else None,
    )


def _join_chosen(left: Value, right: Value) -> Value:
    """Of functions, classes and objects: each of them, where they are few."""
    if isinstance(left, Instance) and isinstance(right, Instance) and left.cls is right.cls:
        return _join_instances(left, right)
    return _chosen([*_options(left), *_options(right)])


def chosen_where(values: Several[Value], told: Several[Told]) -> Value:
    """Join of values, each with what tests had said where it came about."""
    joined = one_of(values)
    if not isinstance(joined, Choice) or not all(map(_or_none, values)):
        return joined
    pairs = zip(values, told, strict=True)
    options = [(each, when | said) for value, said in pairs for each, when in _options(value)]
    return _chosen([(each, when) for each, when in options if may_be(when)] or options)


def may_be(told: Told) -> bool:
    """Whether one test has not said two things: what it chose is there in its own branch alone."""
    return len({symbol for symbol, _ in told}) == len(told)


def _chosen(options: list[tuple[Value, Told]]) -> Value:
    """One of several, or nobody knows what if they are too many."""
    found: list[tuple[Value, Told]] = []
    for option, when in options:
        for place, (other, other_when) in enumerate(found):
            if same(option, other):
                found[place] = other, when & other_when
                break
        else:
            found.append((option, when))
    if len(found) == 1:
        return found[0][0]
    few = len(found) <= _MOST_OPTIONS and _may_be_followed([option for option, _ in found])
    # Of two that one place has made the one is older: which of them it is goes with when it is.
    few = few and len({made_at(option) for option, _ in found}) == len(found)
    return Choice(*map(tuple, zip(*found, strict=True))) if few else UNKNOWN


def _options(value: Value) -> list[tuple[Value, Told]]:
    if isinstance(value, Choice):
        return list(zip(value.options, value.when, strict=True))
    return [(value, frozenset())]


def _or_none(value: Value) -> bool:
    """Whether a value may be one of several: such a thing, or None."""
    return value is NONE or may_be_one_of(value)


def may_be_one_of(value: Value) -> bool:
    """Whether a value is an object, class or function, of which a choice can be made."""
    return isinstance(value, _CHOSEN)


def _may_be_followed(options: list[Value]) -> bool:
    """Whether each of several may be followed; a library that is there or not may, in any case."""
    there = [option for option in options if option is not NONE]
    alone = len(there) == 1 and isinstance(there[0], Qualified)
    return alone or all(map(_may_be_chosen, options))


def _may_be_chosen(value: Value) -> bool:
    """Whether each of several may be followed: what holds arrays, or is NumPy's, is not."""
    if isinstance(value, Method):
        receiver = value.receiver
        return isinstance(receiver, External) or (
            isinstance(receiver, Instance) and _may_be_chosen(receiver)
        )
    if isinstance(value, Qualified):
        return value.name.startswith(jax_api.PACKAGE) or gives_array(value.name)
    if isinstance(value, Instance):
        return not value.cls.traits.pytree and value.cls.traits.module not in FOLLOWED
    return True


def _join_unlike(left: Value, right: Value) -> Value:
    """Of values of different kinds: a tracer on one path is one if it is an array at all."""
    source = source_of(left) or source_of(right)
    for value in (left, right):
        if source_of(value) is None and not isinstance(value, (Const, Host)):
            source = None
    if isinstance(left, Unknown) and isinstance(right, Unknown) and left.present and right.present:
        return Unknown(present=True, source=source) if source is not None else SOMETHING
    passed = _is_passed(left, right) or _is_passed(right, left)
    return Unknown(source=source, passed=passed) if source is not None or passed else UNKNOWN


def _again(left: Value, right: Value) -> Again | None:
    """Of what a running function gives, and what else it may be."""
    one, other = _again_of(left), _again_of(right)
    if one is None or other is None:
        found, beside = (one, right) if one is not None else (other, left)
        return replace(found, besides=_either_of(found.besides, beside)) if found else None
    if one.code is not other.code:
        return None
    return Again(one.code, one.mapped or other.mapped, _either_of(one.besides, other.besides))


def _again_of(value: Value) -> Again | None:
    return value.again if isinstance(value, (Unknown, Tree)) else None


def _either_of(one: Value | None, other: Value | None) -> Value | None:
    return join(one, other) if one is not None and other is not None else one or other


def returned(code: n.Function, values: Several[Value]) -> Value:
    """What a function gives that returns these: what it gives of its own is nothing new."""
    whole = join_all(values)
    again = _again_of(whole)
    if again is None or again.code is not code or again.besides is None:
        return whole
    return map_leaves(again.besides, _remapped) if again.mapped else again.besides


def _remapped(value: Value) -> Value:
    """What is certain of a leaf of which transforms make others, as often as nobody knows."""
    if not isinstance(value, Array):
        return value if value is NONE or isinstance(value, Tree) else UNKNOWN
    aval = Aval(None, value.aval.dtype)
    return Array(value.traced or None, aval, value.reason, value.concreteness)


def _is_passed(value: Value, other: Value) -> bool:
    """Whether one stands where None stood, and the other is not None again."""
    known = isinstance(other, (Array, NumpyArray, Instance, Sequence, Mapping))
    again = isinstance(other, Unknown) and (other.passed or other.present)
    return isinstance(value, Unknown) and value.passed and (known or again)


def gone_where(values: Several[object]) -> Donated | None:
    """What was given away on some of the paths that meet, and is there on the others."""
    gone = [each for each in values if isinstance(each, Donated)]
    there = [each for each in values if isinstance(each, (Array, Mapping, Sequence, Instance))]
    if not gone or len(gone) + len(there) < len(values):
        return None
    held = join_all([*(each.value for each in gone), *there])
    when = frozenset.intersection(*(each.when for each in gone))
    return replace(gone[0], value=held, when=when)


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
    """One value that stands for every value of a dict.

    Which of several functions it is goes with the key, and nothing is known of that.
    """
    found = one_of(value.entries.all())
    return UNKNOWN if isinstance(found, Choice) else found


def _join_host(left: Value, right: Value) -> Value:
    if same(left, right):
        return left
    kind = type_name(left)
    kind = kind if kind == type_name(right) else "object"
    both = texts_of(left), texts_of(right)
    texts = frozenset().union(*both) if all(both) else frozenset()
    few = texts if len(texts) <= _MOST_TEXTS else frozenset()
    return Host(kind, differs=differing((left, right)), among=few)


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
        reach=_reach_of_both(left, right),
        differs=differing((left, right)),
        extent=left.extent if left.extent == right.extent else None,
        unplaced=left.unplaced and right.unplaced,
        varying=left.varying if left.varying == right.varying else None,
        of_logits=left.of_logits if left.of_logits == right.of_logits else None,
        zero=left.zero if right.zero is not None else None,
        pairs=left.pairs if right.pairs is not None else None,
        number=left.number if left.number == right.number else None,
        kept_by=left.kept_by if right.kept_by else "",
    )


def _either(left: Array, right: Array) -> Derivation | None:
    """Cotangents go back to both."""
    if left.derived is right.derived:
        return left.derived
    if (left.derived is None or right.derived is None) and left.perturbed == right.perturbed:
        return None
    return Derivation(EITHER, (left, right))


def _reach_of_both(left: Array, right: Array) -> Reach:
    if left.reach == right.reach:
        return left.reach
    return "all" if left.reach and right.reach else ""


def _join_numpy(left: NumpyArray, right: NumpyArray) -> Value:
    varies = left.varies if left.varies is right.varies else None
    cell = left.cell if left.cell is right.cell else None
    return NumpyArray(
        avals.join(left.aval, right.aval), varies, cell, left.has_axes and right.has_axes,
        differing((left, right)), left.readonly and right.readonly,
    )  # fmt: skip


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
    joined = sequence(left.kind, contents, left.made or right.made)
    if joined.cell is not None and left.cell is not None and right.cell is not None:
        joined.cell["either"] = left.cell, right.cell
    return joined


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
    entries = _join_entries(left.entries, right.entries)
    joined = mapping(entries.known, entries.rest, left.made or right.made)
    joined.cell["either"] = left.cell, right.cell
    return joined


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
    made = _earlier(left.made, right.made)
    return Instance(left.cls, attributes, made, left.heir or right.heir)


def _earlier(one: Moment | None, other: Moment | None) -> Moment | None:
    """Of two moments the one in fewer loops: an object made there may still be that one."""
    if one is None or other is None:
        return None
    return one if len(one.loops) <= len(other.loops) else other


_CHOSEN = (
    BoundMethod, Choice, Class, External, Function, Instance, Method, Partial, Qualified,
    Transformed,
)  # fmt: skip
"""What a choice is made of."""

_MOST_OPTIONS = 4

_MOST_TEXTS = 8

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
    Traits: _join_traits,
    Contents: _join_contents,
    Entries: _join_entries,
}
