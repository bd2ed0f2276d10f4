"""PRNG keys: which key was consumed where, and by whom a second time."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from types import FrameType, ModuleType
from typing import Any

from .journal import Journal
from .stack import JAX, OTHER, Stack, UserLine

_MOST_KEYS = 20_000
_BYTES_OF_A_KEY = 64
_CALLERS = 4

At = tuple[int, int, int]
"""File, line, and first line of the function around it."""


def _values(frame: FrameType) -> list[Any]:
    """What a frame's names are bound to, those of its module that it uses included."""
    code, names = frame.f_code, frame.f_globals
    return [*frame.f_locals.values(), *(names[name] for name in code.co_names if name in names)]


class Keys:
    """Follows keys through the functions of ``jax.random`` that consume them.

    ``again``: the same object was consumed before, traced or not. ``equal``: another
    object with the same value was consumed before by the same function of the
    user's, as ``keys[0]`` twice gives. JAX's own checker (``jax.debug_key_reuse``)
    would raise and change the run.
    """

    def __init__(self, journal: Journal, stack: Stack, jax: ModuleType) -> None:
        self._journal = journal
        self._stack = stack
        self._tracer = jax.core.Tracer
        self._objects: OrderedDict[int, tuple[Any, At]] = OrderedDict()
        self._values: OrderedDict[tuple[bytes, int, int], At] = OrderedDict()

    def consumed(self, frame: FrameType) -> None:
        """A consuming function has been called: its first argument is the key."""
        caller = frame.f_back
        if caller is None or self._stack.kind(caller.f_code.co_filename) == JAX:
            return
        code = frame.f_code
        key = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        lines = self._stack.user_lines(caller, _CALLERS)
        if key is None or not lines:
            return
        owner = self._owner(key, caller) or lines[0]
        use, first = self._use_of(key, owner, lines)
        places = tuple((line.file, line.line, line.scope) for line in lines)
        traced = isinstance(key, self._tracer)
        facts = ((owner.file, owner.line, owner.scope), owner.direct, traced)
        self._journal.count("key", use, places, first, code.co_name, *facts)

    def _owner(self, key: Any, frame: FrameType | None) -> UserLine | None:
        """The outermost function of the user's that knows the key: there it is used again."""
        owner, direct = None, True
        while frame is not None:
            kind = self._stack.kind(frame.f_code.co_filename)
            if kind >= 0 and any(value is key for value in _values(frame)):
                owner = UserLine(kind, frame.f_lineno or 1, frame.f_code.co_firstlineno, direct)
            direct = direct and kind != OTHER
            frame = frame.f_back
        return owner

    def _use_of(self, key: Any, owner: UserLine, lines: list[UserLine]) -> tuple[str, At | None]:
        place = (owner.file, owner.line, owner.scope)
        seen = self._objects.get(id(key))
        again = seen is not None and seen[0]() is key
        try:
            self._objects[id(key)] = (weakref.ref(key), place)
        except TypeError:
            return "first", None
        if len(self._objects) > _MOST_KEYS:
            self._objects.popitem(last=False)
        equal = self._equal_before(key, lines)
        if again and seen is not None:
            return "again", seen[1]
        return ("equal", equal) if equal is not None else ("first", None)

    def _equal_before(self, key: Any, lines: list[UserLine]) -> At | None:
        """Where the function that runs now consumed a key of the same value before."""
        value = self._bytes(key)
        if not value:
            return None
        found = None
        for line in lines:
            known = (value, line.file, line.scope)
            found = found or self._values.get(known)
            self._values[known] = (line.file, line.line, line.scope)
        while len(self._values) > _MOST_KEYS:
            self._values.popitem(last=False)
        return found

    def _bytes(self, key: Any) -> bytes:
        """The value of one concrete key; empty for a tracer and for many keys in one array."""
        array = getattr(key, "_base_array", key)
        if isinstance(array, self._tracer) or getattr(array, "nbytes", 1000) > _BYTES_OF_A_KEY:
            return b""
        import numpy

        try:
            content: bytes = numpy.asarray(array).tobytes()
        except Exception:
            # Deleted, on another host, or behind a transfer guard.
            return b""
        return content
