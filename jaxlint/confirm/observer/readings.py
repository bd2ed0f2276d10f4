"""What traced code has read from outside, and whether that is another value later."""

from __future__ import annotations

import weakref
from types import FrameType
from typing import Any

from .journal import Journal
from .pictures import changes_inside, picture
from .values import Values
from .watchlist import Watch

_MOST_READINGS = 8
_MOST_BYTES = 100_000
_LONGEST = 40


class Readings:
    """Keeps what outer names were bound to when traced code read them."""

    def __init__(self, journal: Journal, values: Values) -> None:
        self._journal = journal
        self._values = values
        self._readings: dict[tuple[int, str], list[tuple[Any, _Kept]]] = {}

    def note(self, frame: FrameType, watch: Watch) -> None:
        """Traced code is about to read what the finding names."""
        for name in watch.names:
            readings = self._readings.setdefault((watch.number, name), [])
            self._compare(watch.number, name)
            if len(readings) < _MOST_READINGS:
                reader = self._values.reader(frame, name)
                for value in reader() if reader is not None else ():
                    readings.append((reader, _Kept(value)))

    def compare(self) -> None:
        """At the end: which values are other ones now?"""
        for number, name in self._readings:
            self._compare(number, name)

    def _compare(self, number: int, name: str) -> None:
        for reader, kept in self._readings[number, name]:
            for value in reader():
                if not kept.told and not kept.is_same(value):
                    kept.told = True
                    self._journal.count("stale", number, name, kept.text, _short(value))


class _Kept:
    """A value as it was when traced code read it, without keeping big things alive."""

    def __init__(self, value: Any) -> None:
        self.text = _short(value)
        self.told = False
        self._picture = picture(value, _nothing, 1)
        self._bytes = _bytes(value)
        try:
            self._ref: Any = weakref.ref(value)
            self._picture = ("leaf", None, None)
        except TypeError:
            self._ref = lambda: value

    def is_same(self, value: Any) -> bool:
        if self._ref() is not value or self._bytes != _bytes(value):
            return False
        return not any(changes_inside(self._picture, picture(value, _nothing, 1), _nothing))


def _bytes(value: Any) -> bytes:
    """The content of a small NumPy array: it may be changed in place."""
    if type(value).__module__ == "numpy" and type(value).__name__ == "ndarray":
        if value.nbytes <= _MOST_BYTES and value.dtype.kind != "O":
            content: bytes = value.tobytes()
            return content
    return b""


def _nothing(value: Any) -> bool:
    return False


def _short(value: Any) -> str:
    """A value in short; only what prints without running the user's code."""
    if value is None or isinstance(value, (bool, int, float, str)):
        text = repr(value)
        return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    if isinstance(value, (list, tuple, dict, set)):
        return f"{type(value).__name__} of {len(value)}"
    shape = getattr(value, "shape", None)
    what = f" of shape {tuple(shape)}" if isinstance(shape, tuple) else ""
    return f"{type(value).__name__}{what}"
