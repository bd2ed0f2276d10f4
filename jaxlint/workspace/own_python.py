"""How jaxlint starts a Python of its own, whatever the folder it stands in holds.

``python -m`` and ``python -c`` put the current folder first on the search path, and with
it a ``multiprocessing.py`` or ``jax.py`` that is there to be linted. So the process that is
started here is given its search path before it imports anything.
"""

from __future__ import annotations

import os
import sys

import jaxlint


def command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of jaxlint in a new process.

    Args:
        module: full name of the module; it runs as ``__main__``.
        arguments: what it finds in ``sys.argv[1:]``.
    """
    start = (
        f"import sys; sys.path[:] = {_search_path()!a}; "
        f"import runpy; runpy.run_module({module!r}, run_name='__main__')"
    )
    return [sys.executable or "", "-c", start, *arguments]


def _search_path() -> list[str]:
    """This process's own, with jaxlint where it lies; the current folder is not in it."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(jaxlint.__file__)))
    here = [os.path.abspath(entry) for entry in sys.path if entry]
    return here if home in here else [*here, home]
