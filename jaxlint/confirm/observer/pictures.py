"""Pictures of values, shallow and by identity: what has changed between two moments?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Picture = tuple[str, object, Any]
"""Kind (``container``, ``object``, ``leaf``), the value itself, and pictures of its parts."""

MOST_PARTS = 1000


def picture(value: Any, is_own: Callable[[type], bool], depth: int) -> Picture:
    """Look at a value.

    Args:
        value: what to look at.
        is_own: whether to look into the attributes of objects of a class.
        depth: how many levels of containers and objects to look into.
    """
    if depth:
        if isinstance(value, (list, set, tuple)) and len(value) <= MOST_PARTS:
            parts = {str(i): picture(v, is_own, depth - 1) for i, v in enumerate(value)}
            return "container", value, parts
        if isinstance(value, dict) and len(value) <= MOST_PARTS:
            parts = {_name(k): picture(v, is_own, depth - 1) for k, v in value.items()}
            return "container", value, parts
        if is_own(type(value)) and hasattr(value, "__dict__"):
            fields = list(vars(value).items())
            return "object", value, {k: picture(v, is_own, depth - 1) for k, v in fields}
    return "leaf", value, None


def _name(key: Any) -> str:
    """A name for a dict key, without asking objects of the user's for their ``repr``."""
    return repr(key) if isinstance(key, (str, int)) else str(id(key))


def changes_inside(
    old: Picture, new: Picture, is_tracer: Callable[[Any], bool]
) -> Iterator[tuple[str, bool]]:
    """Kinds of change (``mutation``, ``attribute``) of one value, and whether a tracer got in."""
    kind, _, parts = new
    if parts is None or old[2] is None:
        return
    for name, part in parts.items():
        was = old[2].get(name)
        if was is None or was[1] is not part[1]:
            yield ("attribute" if kind == "object" else "mutation"), is_tracer(part[1])
        else:
            yield from changes_inside(was, part, is_tracer)
    if kind == "container" and len(parts) < len(old[2]):
        yield "mutation", False
