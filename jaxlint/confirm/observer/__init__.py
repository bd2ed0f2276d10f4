"""The observer: watches JAX inside the user's own processes and writes down what happens.

It runs in whatever Python the user's command starts, where jaxlint need not be
installed. So this folder imports the standard library alone (and jax once the
user's program has imported it), and its parts import each other relatively:
``bootstrap/sitecustomize.py`` loads it under a private name.

Nothing is patched. ``sys.monitoring`` (``sys.settrace`` before Python 3.12)
shows the lines that have findings and a few functions of JAX; listeners of
``jax.monitoring`` show traces and compilations. No error in here reaches the
program that is being watched: :func:`journal.Journal.trouble` keeps it.
"""

from __future__ import annotations

RUN_VARIABLE = "JAXLINT_CONFIRM_RUN"
"""Environment variable that names the folder of a run: the watch list and the journals."""


def start(folder: str) -> None:
    """Watch this process; the journal goes to ``folder``. Called before any user code."""
    from .arrival import when_jax_arrives
    from .journal import JournalFile

    journal = JournalFile(folder)

    def activate() -> None:
        from .session import Session
        from .watchlist import Watchlist

        Session(journal, Watchlist.read(folder), folder).begin()

    when_jax_arrives(activate, journal)
