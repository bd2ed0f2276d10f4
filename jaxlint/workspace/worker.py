"""A process that lints files for another one, until that one goes away.

Tasks come in on standard input and results go out on standard output, pickled: both ends
are this program. When the other end closes, or dies, this process ends at once, whatever
it is doing.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
from typing import BinaryIO

from jaxlint.workspace.lint import Task

READY = "ready"
"""The first thing that a worker says."""


def main() -> None:
    """Answer tasks in turn."""
    answers = os.fdopen(os.dup(1), "wb")
    # What a library prints must not get between the answers.
    os.dup2(2, 1)
    waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, waiting), daemon=True).start()
    _answer(answers, READY)
    while True:
        _answer(answers, waiting.get().run())


def _answer(answers: BinaryIO, answer: object) -> None:
    try:
        pickle.dump(answer, answers)
        answers.flush()
    except OSError:
        os._exit(1)


def _receive(tasks: BinaryIO, waiting: queue.SimpleQueue[Task]) -> None:
    """Take tasks; the end of the stream is the end of this process."""
    try:
        while True:
            waiting.put(pickle.load(tasks))
    finally:
        os._exit(1)


if __name__ == "__main__":
    main()
