"""Whether a thread stands still: it waits, and nothing in this process computes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import FrameType

_BEAT = 0.05
_LATE = 3 * _BEAT
_BEATS = 24
"""How many looks in a row must find the same."""

_BUSY = 0.2
"""The part of a processor from which on something computes."""

_NOWHERE = (0, 0)


def watch_stillness(
    thread: int,
    begins: Callable[[FrameType], None],
    ends: Callable[[float], None],
    matters: Callable[[], bool] = lambda: True,
) -> None:
    """Look at a thread for ever, from another one; say when it stands still, and when it goes on.

    Args:
        thread: the number of the one that is looked at.
        begins: is given the frame that it stands in.
        ends: is given the seconds for which it stood.
        matters: whether it is to be looked at now.
    """
    where, since, worked, used = _NOWHERE, time.monotonic(), time.process_time(), 0.0
    beats, told = 0, False
    while True:
        before = time.monotonic()
        time.sleep(_BEAT)
        frame = sys._current_frames().get(thread)
        here = (id(frame), frame.f_lasti) if frame is not None and matters() else _NOWHERE
        took, work = time.monotonic() - before, time.process_time()
        used, worked = (3 * used + (work - worked) / took) / 4, work
        if frame is None or here == _NOWHERE or here != where or used > _BUSY:
            if told:
                ends(time.monotonic() - since)
            where, since, beats, told = here, time.monotonic(), 0, False
        elif took > _LATE and not told:
            # A machine that gives this thread no time gives the others none either.
            since, beats = time.monotonic(), 0
        else:
            beats += 1
            if beats >= _BEATS and not told:
                told = True
                begins(frame)
