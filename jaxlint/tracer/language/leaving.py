"""What runs on the way out of a block, however that is left: ``finally``, the end of a ``with``."""

from __future__ import annotations

from jaxlint.tracer.state.trail import Writes, joined_at
from jaxlint.tracer.tracer import Tracer


class WayOut:
    """The way out of a block of the running function, which a ``return`` in it takes, too.

    And so does a ``break``. It is made where the block begins; :meth:`begins` and :meth:`ends`
    stand around what runs last.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._trail = tracer.trail
        self._frame = frame = tracer.stack.frame
        self._exits, self._jumps = len(frame.exits), len(frame.jumps)
        self._before: tuple[Writes | None, Writes | None] = None, None

    def begins(self) -> None:
        """The block has been left."""
        frame, written = self._frame, self._trail.written
        self._before = (
            written(frame.mark) if len(frame.exits) > self._exits else None,
            written(frame.loop_mark) if len(frame.jumps) > self._jumps else None,
        )

    def ends(self) -> None:
        """What runs last has run: for each ``return`` and ``break``, too."""
        frame, (returned, jumped) = self._frame, self._before
        if returned is not None:
            changed = _changed(returned, self._trail.written(frame.mark))
            for number in range(self._exits, len(frame.exits)):
                frame.exits[number] = _after(frame.exits[number], returned, changed)
        if jumped is not None:
            changed = _changed(jumped, self._trail.written(frame.loop_mark))
            for number in range(self._jumps, len(frame.jumps)):
                kind, left = frame.jumps[number]
                frame.jumps[number] = kind, _after(left, jumped, changed)


def _changed(before: Writes, now: Writes) -> Writes:
    """What was written in between."""
    return {
        where: write
        for where, write in now.items()
        if where not in before or before[where][2] is not write[2]
    }


def _after(left: Writes, before: Writes, changed: Writes) -> Writes:
    return {**left, **_as_left(left, before, changed)}


def _as_left(left: Writes, before: Writes, changed: Writes) -> Writes:
    """What was changed last, where a ``return`` has left the block with what it wrote.

    Of what it wrote otherwise than who got to the end of the block, either may hold.
    """
    return {
        where: joined_at(left[where], write)
        if where in left and (where not in before or before[where][2] is not left[where][2])
        else write
        for where, write in changed.items()
    }
