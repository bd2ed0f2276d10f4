"""Python's containers: what is in them is immutable, which list or dict it is a cell.

A list or dict that the program can change keeps its contents in a :data:`Cell`, a slot that
only the trail writes (``state.trail``): all names of the same list see the same contents, and
what one branch does to it can be undone before the other one runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from jaxlint.tracer.values.derivations import some
from jaxlint.tracer.values.value import KEY_DEPTH, UNKNOWN, Const, Value, immutable

if TYPE_CHECKING:
    from jaxlint.program import nodes as n
    from jaxlint.tracer.state.frames import Moment

MOST = 2_000
"""A container of more values, counted along every path, is followed no further."""

SequenceKind = Literal["tuple", "list", "set", "iterator"]


@immutable
class Contents(Value):
    """The elements of a sequence.

    Attributes:
        items: the elements, when their number is known.
        element: otherwise stands for all of them.
        length: the number of elements of a long ``range``.
        varies: the loop that makes it longer at each iteration.
        size: how many values it is made of.
    """

    items: tuple[Value, ...] | None
    element: Value = UNKNOWN
    length: int | None = None
    varies: n.Node | None = None
    size: int = 1

    def key(self, depth: int = KEY_DEPTH) -> object:
        if depth == 0:
            return id(self)
        if self.items is None:
            return ("of", self.element.key(depth - 1), self.length)
        return tuple(item.key(depth - 1) for item in self.items)

    @property
    def weight(self) -> int:
        return self.size


@immutable
class Entries(Value):
    """The entries of a dict: ``known`` by constant key; ``rest`` stands for all others, if any."""

    known: dict[Any, Value]
    rest: Value | None = None
    size: int = 1

    def key(self, depth: int = KEY_DEPTH) -> object:
        if depth == 0:
            return id(self)
        known = tuple((name, value.key(depth - 1)) for name, value in self.known.items())
        return (known, self.rest.key(depth - 1) if self.rest is not None else None)

    @property
    def weight(self) -> int:
        return self.size

    def all(self) -> list[Value]:
        """Every value, ``rest`` last."""
        return [*self.known.values(), *([self.rest] if self.rest is not None else [])]


Cell = dict[str, Any]
"""A slot, ``contents``; its identity is that of a Python object. Of what is one of two objects,
nobody knows which, there is another: ``either``, with their cells. What objects hold has a mark."""

HELD = "held"
"""The mark of what an object holds: whoever is given the object sees it change."""


@immutable
class Sequence(Value):
    """A tuple, list, set or iterator.

    Attributes:
        kind: which of them.
        state: what is in it, or where that stands.
        made: when, for those that can be changed.
        bounded: what is put into it may be in it or not: what is too many falls out at the other
            end, or it stands for several.
        followed: the library of the module that holds it looks into it.
    """

    kind: SequenceKind
    state: Contents | Cell
    made: Moment | None = None
    bounded: bool = False
    followed: bool = False

    @property
    def contents(self) -> Contents:
        """The elements, now."""
        state = self.state
        if isinstance(state, Contents):
            return state
        found: Contents = state["contents"]
        return found

    @property
    def items(self) -> tuple[Value, ...] | None:
        """The elements, when their number is known."""
        return self.contents.items

    @property
    def cell(self) -> Cell | None:
        """Which list it is; None for a tuple or iterator."""
        return self.state if isinstance(self.state, dict) else None

    @property
    def weight(self) -> int:
        return self.contents.weight

    def key(self, depth: int = KEY_DEPTH) -> object:
        which = id(self.state) if isinstance(self.state, dict) or self.kind == "iterator" else 0
        return (self.kind, which, self.contents.key(depth))


@immutable
class Mapping(Value):
    """A dict."""

    cell: Cell
    made: Moment | None = None

    @property
    def entries(self) -> Entries:
        """The entries, now."""
        found: Entries = self.cell["contents"]
        return found

    @property
    def weight(self) -> int:
        return self.entries.weight

    def key(self, depth: int = KEY_DEPTH) -> object:
        return ("dict", id(self.cell), self.entries.key(depth))


def hold(value: Value) -> None:
    """An object holds a value from here on: mark the containers in it."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (Sequence, Mapping)):
            cell = each.cell
            if cell is None or HELD not in cell:
                inside = each.entries.all() if isinstance(each, Mapping) else each.items or ()
                waiting += inside
            if cell is not None:
                cell[HELD] = True


def weigh(values: Iterable[Value]) -> int:
    """How many values a container of these is made of."""
    return 1 + sum([value.weight for value in values])


def contents_of(items: Iterable[Value]) -> Contents:
    """Contents of known elements; of unknown ones where they would be too many."""
    known = tuple(items)
    size = weigh(known)
    if size > MOST:
        return Contents(None, UNKNOWN, len(known))
    return Contents(known, size=size)


def contents_like(
    element: Value, length: int | None = None, varies: n.Node | None = None
) -> Contents:
    """Contents of an unknown number of elements that are all alike."""
    if element.weight >= MOST:
        element = UNKNOWN
    element = some(element)
    return Contents(None, element, length, varies, 1 + element.weight)


def entries_of(known: dict[Any, Value], rest: Value | None = None) -> Entries:
    """Entries of a dict; unknown ones where they would be too many."""
    size = weigh([*known.values(), *([rest] if rest is not None else [])])
    if size > MOST:
        return Entries({}, UNKNOWN)
    return Entries(known, rest, size)


def stands_in(one: Value, other: Value) -> bool:
    """Whether ``other`` is as empty as ``one`` would be if it were false: ``given or {}``."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return bool(one.entries.known) and not other.entries.known and other.entries.rest is None
    if isinstance(one, Sequence) and isinstance(other, Sequence) and one.kind == other.kind:
        return bool(one.items) and other.items is not None and not other.items
    return False


def are_distinct(items: list[Value]) -> bool:
    """Whether all are constants, none of which is there twice."""
    constants = [item.value for item in items if isinstance(item, Const)]
    return len(set(constants)) == len(items)


def tuple_of(items: Iterable[Value], made: Moment | None = None) -> Sequence:
    """A tuple of known elements."""
    return Sequence("tuple", contents_of(items), made)


def iterator_of(items: Iterable[Value], made: Moment | None = None) -> Sequence:
    """An iterator over known elements."""
    return Sequence("iterator", contents_of(items), made)


def sequence(kind: SequenceKind, contents: Contents, made: Moment | None = None) -> Sequence:
    """A new sequence; lists and sets get a cell of their own."""
    if kind in ("list", "set"):
        return Sequence(kind, {"contents": contents}, made)
    return Sequence(kind, contents, made)


def mapping(
    known: dict[Any, Value], rest: Value | None = None, made: Moment | None = None
) -> Mapping:
    """A new dict."""
    return Mapping({"contents": entries_of(known, rest)}, made)


def mutable_kind(value: Value) -> str | None:
    """``list``, ``dict`` or ``set`` for a container that can be changed, else None."""
    if isinstance(value, Sequence):
        return value.kind if value.kind in ("list", "set") else None
    return "dict" if isinstance(value, Mapping) else None
