"""Loaded into the processes that lint: ends those that take too long, notes what is executed.

Python tells an audit hook of every code object that it runs as a module or by ``exec``, and
of every file that is opened: the opening of a file of the hunt begins its time. The timer
counts processor time and ends the process also inside of native code.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import resource
import signal
import sys
import sysconfig

_HERE = os.path.dirname(os.path.abspath(__file__))
_REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))
_FOLDER = os.environ["HUNT_FOLDER"] + os.sep
_SECONDS = float(os.environ["HUNT_SECONDS"])
_LOG = os.environ["HUNT_LOG"]
_LIBRARY = [os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
_NEEDED = ("libcst", "pathspec", "yaml", "_yaml", "tomli", "typing_extensions", "__editable__",
           "_virtualenv", "distutils-precedence")  # fmt: skip
_MOST_MEMORY = 6_000_000_000
_STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork",
           "socket.connect", "webbrowser.open", "os.startfile")  # fmt: skip


def _is_ours(path: str) -> bool:
    """Whether code of this file may run: Python's, jaxlint's, and what jaxlint needs."""
    if path.startswith(("<frozen ", "<string>")):
        return True
    path = os.path.realpath(path)
    if path.startswith(_FOLDER):
        return False
    package = path.partition("site-packages" + os.sep)[2]
    if package:
        return package.startswith(_NEEDED)
    return path.startswith((_REPOSITORY + os.sep, *_LIBRARY))


def _note(text: str) -> None:
    with open(_LOG, "a", encoding="utf-8", errors="backslashreplace") as log:
        log.write(text + "\n")


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and str(arguments[0]).startswith(_FOLDER):
        signal.setitimer(signal.ITIMER_PROF, _SECONDS)
    elif event == "exec":
        name = getattr(arguments[0], "co_filename", "<string>")
        if not _is_ours(name):
            _note(f"exec {name}")
    elif event in _STARTS:
        _note(f"{event} {arguments}")


resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
if "-c" in sys.orig_argv:
    # Of the two ends, the one that lints.
    sys.addaudithook(_hear)

sys.path.remove(_HERE)
del sys.modules["sitecustomize"]
with contextlib.suppress(ImportError):
    importlib.import_module("sitecustomize")
