"""What runs on the way out of a block, however that is left: ``finally``, the end of a ``with``."""

from __future__ import annotations

from jaxlint.tracer.state.trail import Writes, joined_at
from jaxlint.tracer.tracer import Tracer


class WayOut:
    """The way out of a block of the running function, which a ``return`` in it takes, too.

    It is made where the block begins; :meth:`begins` and :meth:`ends` stand around what runs last.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._trail = tracer.trail
        self._frame = tracer.stack.frame
        self._since = len(self._frame.exits)
        self._before: Writes | None = None

    def begins(self) -> None:
        """The block has been left."""
        if len(self._frame.exits) > self._since:
            self._before = self._trail.written(self._frame.mark)

    def ends(self) -> None:
        """What runs last has run: for each ``return``, too."""
        before, self._before = self._before, None
        if before is None:
            return
        now = self._trail.written(self._frame.mark)
        changed = {
            where: write
            for where, write in now.items()
            if where not in before or before[where][2] is not write[2]
        }
        exits = self._frame.exits
        for number in range(self._since, len(exits)):
            exits[number] = {**exits[number], **_as_left(exits[number], before, changed)}


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
