"""``copy.copy`` and ``copy.deepcopy``: other containers and objects with the same in them."""

from __future__ import annotations

from jaxlint.knowledge.python_api import COPIES_DEEPLY, SAYS_HOW_TO_COPY
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    contents_like,
    contents_of,
    mapping,
    sequence,
)
from jaxlint.tracer.values.objects import Class, Function, Instance, Qualified, Transformed
from jaxlint.tracer.values.value import Const, Host, Value, replace

_SAME = (Class, Const, Function, Host, NumpyArray, Qualified, Transformed, Tree)
"""What nobody can change, and NumPy's arrays, of which no element is known."""

_DEEPEST = 8


def copied(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Another object with the same in it, or copies of that."""
    value = arguments.get(0, "x")
    if value is None:
        return tracer.unseen(*arguments.all())
    return _Copying(tracer, _DEEPEST if name == COPIES_DEEPLY else 1).copy(value)


class _Copying:
    """One copy: what several parts share stays shared."""

    def __init__(self, tracer: Tracer, deepest: int) -> None:
        self._tracer = tracer
        self._deepest = deepest
        self._made: dict[int, Value] = {}
        self._kept: list[Value] = []

    def copy(self, value: Value, depth: int = 0) -> Value:
        """A copy of a value that lies so deep in what is copied."""
        if isinstance(value, _SAME) or depth == self._deepest == 1:
            return value
        which = id(value.attributes) if isinstance(value, Instance) else id(value)
        if which in self._made:
            return self._made[which]
        if isinstance(value, Array):
            self._made[which] = replace(value)
            return self._made[which]
        if depth < self._deepest:
            self._kept.append(value)  # Its id is taken as long as this goes on.
            if isinstance(value, Instance):
                return self._object(value, which, depth)
            if isinstance(value, (Sequence, Mapping)):
                made = self._made[which] = self._container(value, depth)
                return made
        return self._tracer.unseen(value)

    def _container(self, value: Sequence | Mapping, depth: int) -> Value:
        now, deeper = self._tracer.stack.moment(), depth + 1
        if isinstance(value, Mapping):
            entries = value.entries
            known = {key: self.copy(each, deeper) for key, each in entries.known.items()}
            rest = self.copy(entries.rest, deeper) if entries.rest is not None else None
            return mapping(known, rest, now)
        if value.kind == "iterator":
            return self._tracer.unseen(value)
        contents = value.contents
        if contents.items is None:
            found = contents_like(self.copy(contents.element, deeper), contents.length)
        else:
            found = contents_of(self.copy(each, deeper) for each in contents.items)
        return sequence(value.kind, found, now)

    def _object(self, value: Instance, which: int, depth: int) -> Value:
        """Of an object whose class says nothing of how it is copied."""
        cls = value.cls
        if cls.traits.library or any(cls.find(name) is not None for name in SAYS_HOW_TO_COPY):
            return self._tracer.unseen(value)
        attributes: dict[str, Value] = {}
        made = self._made[which] = Instance(
            cls, attributes, self._tracer.stack.moment(), value.heir
        )
        for name, held in value.attributes.items():
            attributes[name] = self.copy(held, depth + 1)
        return made
