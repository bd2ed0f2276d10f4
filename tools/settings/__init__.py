"""When JAX reads its settings, measured: at its import, when its backend starts, or each time.

Each experiment is a program of its own in a new process, which changes one setting at one moment
and prints what came of it. The result is ``jaxlint/knowledge/settings.json``.

    python -m tools.settings            # measures again, writes the table
    python -m tools.settings --check    # prints what differs from the table, writes nothing
"""
