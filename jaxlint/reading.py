"""Reading a file that somebody else made: never waits, never fills the memory."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 100_000_000
"""Bytes of the largest source file or notebook that is read."""

MOST_BYTES_BESIDE = 4_000_000
"""Bytes of the largest file beside the source that is read, settings and the like."""


def read_ordinary(path: Path | str, most: int = MOST_BYTES_BESIDE) -> bytes:
    """The bytes of an ordinary file.

    Args:
        path: where it lies.
        most: a larger file is refused.

    Raises:
        OSError: it cannot be read, is no ordinary file (a pipe, a device, a folder) or is too
            large; ``strerror`` says which.
    """
    try:
        # A pipe that nobody writes to would be waited for.
        descriptor = os.open(path, os.O_RDONLY | _AT_ONCE)
    except ValueError as error:
        raise OSError(errno.EINVAL, "its name holds a null character") from error
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no ordinary file")
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most // 1_000_000} MB")
    return data


_AT_ONCE = (
    getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
