"""A pytree with other parts: ``eqx.tree_at``."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.holding import held_in
from jaxlint.tracer.values.pytrees import map_leaves
from jaxlint.tracer.values.value import Unknown, Value

_PLACE = "place"
"""Begins the symbol of what stands in a tree for one of its leaves."""


def with_parts(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``tree_at(where, tree, replace)``; ``replace_fn`` makes a new part of the old one.

    ``where`` is asked of a tree with something of its own in the place of each leaf, as equinox
    does it: what it gives back says where it lies.
    """
    where, tree = arguments.get(0, "where"), arguments.get(1, "pytree")
    new, change = arguments.get(2, "replace"), arguments.get(3, "replace_fn")
    if where is None or tree is None or not arguments.closed or (new is None) is (change is None):
        return tracer.unseen(*arguments.all())
    places = _Places(tracer, tree)
    chosen = tracer.call(where, Arguments((places.marked,)), node)
    parts = places.parts(chosen)
    if change is not None:
        given = [tracer.call(change, Arguments((places.old(part),)), node) for part in parts]
    elif isinstance(new, Sequence) and new.items is not None and parts != [chosen]:
        given = list(new.items)
    else:
        given = [new or tree]
    if not parts or len(given) != len(parts):
        return tracer.unseen(*arguments.all())
    for part, value in zip(parts, given, strict=True):
        places.put(part, value)
    return places.whole()


class _Places:
    """A tree of which each leaf can be told from the others."""

    def __init__(self, tracer: Tracer, tree: Value) -> None:
        self._tracer = tracer
        self._made = tracer.stack.moment()
        self._leaves: list[Value] = []
        self._containers: dict[int, Value] = {}
        self.marked = map_leaves(tree, self._mark, self._made, fresh=True)

    def _mark(self, leaf: Value) -> Value:
        self._leaves.append(leaf)
        return Unknown(symbol=(_PLACE, len(self._leaves) - 1))

    def parts(self, chosen: Value) -> list[Value]:
        """The parts that were chosen, one or several; none where some are not in view."""
        several = isinstance(chosen, Sequence) and chosen.items is not None
        several = several and not self._holds(chosen)
        found = list(chosen.items or ()) if several and isinstance(chosen, Sequence) else [chosen]
        return found if all(map(self._holds, found)) else []

    def _holds(self, part: Value) -> bool:
        """Whether a part is of this tree."""
        if isinstance(part, Unknown):
            return _leaf_of(part) is not None
        return any(each is part for each in held_in(self.marked))

    def old(self, part: Value) -> Value:
        """What has been in the place of a part."""
        return map_leaves(part, self._restored, self._made, fresh=True)

    def put(self, part: Value, value: Value) -> None:
        """Put something in the place of a part, or somewhere in a leaf that nobody can see into."""
        place = _leaf_of(part)
        if place is None:
            self._containers[id(part)] = value
        elif isinstance(part, Unknown) and part.symbol == (_PLACE, place):
            self._leaves[place] = value
        else:
            self._leaves[place] = self._tracer.unseen(self._leaves[place], value)

    def whole(self) -> Value:
        """The tree as it is now."""
        return map_leaves(
            self.marked, self._restored, self._made, fresh=True, instead=self._containers
        )

    def _restored(self, leaf: Value) -> Value:
        place = _leaf_of(leaf)
        return leaf if place is None else self._leaves[place]


def _leaf_of(value: Value) -> int | None:
    """Which leaf a value stands for, or lies in; None: it does neither."""
    symbol = value.symbol if isinstance(value, Unknown) else None
    while isinstance(symbol, tuple) and symbol[0] == "attribute":
        symbol = symbol[1]
    place = symbol[1] if isinstance(symbol, tuple) and symbol[0] == _PLACE else None
    return place if isinstance(place, int) else None
