"""From a frame inside JAX to the user's line that led there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import FrameType, ModuleType

from .watchlist import Watchlist

_DEEPEST = 12

OTHER, JAX = -1, -2


def current_test() -> str:
    """The test that pytest runs now, as it names itself; empty outside of one."""
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]


@dataclass
class UserLine:
    """A line of a named file that is being run.

    Attributes:
        file: number of the file.
        line: the line.
        scope: first line of the function it stands in.
        direct: nothing but JAX and NumPy lies between it and where one looked from.
    """

    file: int
    line: int
    scope: int
    direct: bool


class Stack:
    """Tells the user's frames from those of JAX and of other libraries."""

    def __init__(self, watchlist: Watchlist, jax: ModuleType) -> None:
        self._watchlist = watchlist
        self._kinds: dict[str, int] = {}
        site = os.path.dirname(os.path.dirname(os.path.abspath(jax.__file__ or "")))
        self._jax = tuple(
            os.path.join(site, name) + os.sep for name in ("jax", "jaxlib", "numpy", "ml_dtypes")
        )

    def kind(self, filename: str) -> int:
        """The number of a named file, or :data:`JAX`, or :data:`OTHER`."""
        try:
            return self._kinds[filename]
        except KeyError:
            number = self._watchlist.number_of(filename)
            if number < 0:
                number = JAX if filename.startswith((*self._jax, "<")) else OTHER
            self._kinds[filename] = number
            return number

    def is_below_jax(self, frame: FrameType) -> bool:
        """Whether JAX has called the function, itself or by way of others."""
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(self._jax[0]):
            caller = caller.f_back
        return caller is not None

    def user_lines(self, frame: FrameType | None, most: int = _DEEPEST) -> list[UserLine]:
        """The lines of named files on the stack, the innermost first.

        Of more than ``most`` lines those in the middle are left out: the last one is
        always the outermost.
        """
        found: list[UserLine] = []
        direct = True
        while frame is not None:
            kind = self.kind(frame.f_code.co_filename)
            if kind >= 0:
                scope = frame.f_code.co_firstlineno
                del found[most - 1 :]
                found.append(UserLine(kind, frame.f_lineno or scope, scope, direct))
            elif kind == OTHER:
                direct = False
            frame = frame.f_back
        return found

    def user_line(self, frame: FrameType | None) -> UserLine | None:
        """The innermost line of a named file on the stack."""
        direct = True
        while frame is not None:
            kind = self.kind(frame.f_code.co_filename)
            if kind >= 0:
                scope = frame.f_code.co_firstlineno
                return UserLine(kind, frame.f_lineno or scope, scope, direct)
            direct = direct and kind == JAX
            frame = frame.f_back
        return None
