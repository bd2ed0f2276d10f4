"""The values that a finding names, looked up in a running frame without running anything."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType, MappingProxyType, ModuleType
from typing import Any

_MOST_LEAVES = 200


class Values:
    """Looks at names; knows a tracer and an array when it sees one."""

    def __init__(self, jax: ModuleType) -> None:
        self._tracer = jax.core.Tracer
        self._array = jax.Array

    def is_tracer(self, value: Any) -> bool:
        return isinstance(value, self._tracer)

    def state(self, frame: FrameType, names: list[str]) -> str:
        """What the named values are: ``tracer`` if any is or holds one, ``array``, ``other``.

        ``unknown`` when none of the names can be looked up.
        """
        state = "unknown"
        for name in names:
            for value in self.find(frame, name):
                kind = self._kind(value)
                if kind == "tracer":
                    return kind
                if state != "array":
                    state = kind
        return state

    def _kind(self, value: Any) -> str:
        kind = "other"
        waiting = [value]
        for _ in range(_MOST_LEAVES):
            if not waiting:
                break
            item = waiting.pop()
            if isinstance(item, self._tracer):
                return "tracer"
            if isinstance(item, self._array):
                kind = "array"
            elif isinstance(item, (list, tuple)):
                waiting += item[:_MOST_LEAVES]
            elif isinstance(item, dict):
                waiting += list(item.values())[:_MOST_LEAVES]
        return kind

    def find(self, frame: FrameType, name: str) -> list[Any]:
        """The value of a name or dotted name: a list of one, or empty when it has none."""
        first, *attributes = name.split(".")
        scope = frame.f_locals
        if first not in scope:
            scope = frame.f_globals
            if first not in scope:
                return []
        return _follow(scope[first], attributes)

    def reader(self, frame: FrameType, name: str) -> Callable[[], list[Any]] | None:
        """A function that reads an outer name again later; None when the name is local."""
        first, *attributes = name.split(".")
        code = frame.f_code
        if first in code.co_freevars or (first in code.co_varnames and attributes):
            # The frame is gone later: what is kept is the object, or the closure's cell.
            cell = _cell(frame, first)
            if cell is not None:
                return lambda: _follow(cell.cell_contents, attributes)
            if not attributes or first not in frame.f_locals:
                return None
            owner = frame.f_locals[first]
            return lambda: _follow(owner, attributes)
        if first in code.co_varnames or first not in frame.f_globals:
            return None
        namespace = frame.f_globals
        return lambda: _follow(namespace[first], attributes) if first in namespace else []

    def anything_unready(self, frame: FrameType) -> bool:
        """Whether an array that the frame knows is still being computed."""
        for value in list(frame.f_locals.values()):
            items = value if isinstance(value, (list, tuple)) else [value]
            for item in items[:_MOST_LEAVES]:
                if isinstance(item, self._array) and not isinstance(item, self._tracer):
                    ready = getattr(item, "is_ready", None)
                    if ready is not None and not item.is_deleted() and not ready():
                        return True
        return False


def _cell(frame: FrameType, name: str) -> Any:
    """The closure cell of a free variable, by way of the functions that refer to the code."""
    import gc
    from types import FunctionType

    for owner in gc.get_referrers(frame.f_code):
        if isinstance(owner, FunctionType) and owner.__closure__:
            cells = dict(zip(frame.f_code.co_freevars, owner.__closure__, strict=False))
            cell = cells.get(name)
            try:
                if cell is not None and cell.cell_contents is frame.f_locals.get(name):
                    return cell
            except ValueError:
                continue
    return None


def _follow(value: Any, attributes: list[str]) -> list[Any]:
    """Attributes of plain objects and named tuples; properties are the user's code: not run."""
    for attribute in attributes:
        fields = getattr(value, "__dict__", None)
        if isinstance(fields, (dict, MappingProxyType)) and attribute in fields:
            value = fields[attribute]
        elif isinstance(value, tuple) and attribute in getattr(value, "_fields", ()):
            value = getattr(value, attribute)
        else:
            return []
    return [value]
