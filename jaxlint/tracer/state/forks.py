"""Forks: alternatives of which one run of the program takes one, and how they come together."""

from __future__ import annotations

from jaxlint.tracer.state.stack import Branches, Stack
from jaxlint.tracer.state.trail import Trail, Writes


class Fork:
    """Alternatives of which one run of the program takes one.

    Attributes:
        at_last: one of them is perhaps for the last pass of a loop.
    """

    def __init__(self, stack: Stack, trail: Trail, token: object = None) -> None:
        self.at_last = False
        self._stack = stack
        self._trail = trail
        self._token = object() if token is None else token
        self._frame = stack.frame
        self._ends: list[tuple[object, Writes]] = []
        self._left = 0

    def __enter__(self) -> Fork:
        self._keeping = self._trail.keeping()
        self._keeping.__enter__()
        self._stopped = self._frame.stopped
        return self

    def arm(self, taken: object) -> _Arm:
        """One alternative; ``taken`` tells it from the others."""
        return _Arm(self, taken)

    def begin(self, taken: object) -> tuple[int, Branches]:
        """An alternative begins; gives what :meth:`end` needs."""
        path = self._stack.path
        self._stack.path = (*path, (self._token, taken, False))
        self._frame.stopped = self._stopped
        self._frame.conditional += 1
        return self._trail.mark, path

    def end(self, taken: object, mark: int, path: Branches) -> None:
        """It has ended: keep what it wrote, and take it back."""
        frame = self._frame
        self._stack.path = path
        frame.conditional -= 1
        if frame.stopped:
            self._left += 1
            frame.stopped = False
        else:
            self._ends.append((taken, self._trail.written(mark)))
        self._trail.undo(mark)

    def __exit__(self, *error: object) -> None:
        try:
            if error[0] is None:
                self._join()
        finally:
            self._keeping.__exit__(None, None, None)

    def _join(self) -> None:
        self._trail.join([writes for _, writes in self._ends], self.at_last)
        if not self._ends and self._left:
            self._frame.stopped = True
        elif len(self._ends) == 1 and self._left:
            self._stack.only(self._token, self._ends[0][0])


class _Arm:
    """The ``with`` block of one alternative."""

    __slots__ = ("_fork", "_mark", "_path", "_taken")

    def __init__(self, fork: Fork, taken: object) -> None:
        self._fork = fork
        self._taken = taken

    def __enter__(self) -> None:
        self._mark, self._path = self._fork.begin(self._taken)

    def __exit__(self, *error: object) -> None:
        self._fork.end(self._taken, self._mark, self._path)
