"""A program of its own: says of signals whether it got them. See ``signals.py``.

It is started with the signals blocked, so that they wait, and answers each number that it
reads with 1 or 0. It ends with the process that asks.
"""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Answer until nobody asks."""
    while asked := os.read(0, 1):
        number = asked[0]
        got = number in signal.sigpending()
        if got:
            signal.sigwait([number])
        os.write(1, bytes([got]))


if __name__ == "__main__":
    main()
