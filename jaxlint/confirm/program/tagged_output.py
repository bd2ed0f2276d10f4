"""What several processes write, line by line, each line with the number of its process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from typing import BinaryIO

_AT_ONCE = 65536
_LONGEST = 1 << 20
"""Bytes of a line that are held back until it ends."""

_MOMENT = 2.0
"""Seconds in which what a process has written arrives after its end: a child of it may live on."""


class TaggedOutput:
    """Writes ``[1] loss 0.5`` to standard output for the line ``loss 0.5`` of process 1."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    def follow(self, number: int, process: subprocess.Popen[bytes]) -> None:
        """Pass on what a process writes to both of its pipes."""
        tag = f"[{number}] ".encode()
        for pipe, stream in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
            assert pipe is not None
            task = (tag, pipe.fileno(), getattr(stream, "buffer", None))
            thread = threading.Thread(target=self._pass_on, args=task, daemon=True)
            thread.start()
            self._threads.append(thread)

    def finish(self) -> None:
        """All processes have ended: write what is still on its way."""
        latest = time.monotonic() + _MOMENT
        for thread in self._threads:
            thread.join(max(0.0, latest - time.monotonic()))

    def _pass_on(self, tag: bytes, pipe: int, stream: BinaryIO | None) -> None:
        begun = b""
        while data := os.read(pipe, _AT_ONCE):
            # Progress bars go back to the start of their line.
            *lines, begun = re.split(rb"\r?\n|\r", begun + data)
            if len(begun) > _LONGEST:
                lines, begun = [*lines, begun], b""
            self._write(tag, lines, stream)
        self._write(tag, [begun] if begun else [], stream)

    def _write(self, tag: bytes, lines: list[bytes], stream: BinaryIO | None) -> None:
        text = b"".join(tag + line + b"\n" for line in lines)
        if stream is None or not text:
            return
        with self._lock:
            try:
                stream.write(text)
                stream.flush()
            except (OSError, ValueError):
                pass  # Nobody reads it any more; the processes are not to wait for that.
