"""What a dict gives for a key that nobody in view knows: ``LOSSES[args.loss]``."""

from __future__ import annotations

from jaxlint.tracer.operations.comparison import asked_of
from jaxlint.tracer.values.containers import Mapping
from jaxlint.tracer.values.joins import any_entry, chosen_where
from jaxlint.tracer.values.objects import Choice, Told
from jaxlint.tracer.values.value import Const, Unknown, Value


def entry(value: Mapping, key: Value, default: Value | None = None) -> Value:
    """One value that stands for those that may stand at a key.

    Which of a few functions, classes or objects it is goes with the key: tests of it, and other
    dicts that are asked for it, tell.

    Args:
        value: the dict.
        key: what it is asked for.
        default: what it gives for other keys than its own, if it gives something.
    """
    entries, symbol = value.entries, asked_of(key)
    found = any_entry(value)
    if entries.rest is not None or symbol is None or not isinstance(found, Unknown):
        return found
    tests = {name: ("==", symbol, Const(name).key()) for name in entries.known}
    told: list[Told] = [
        frozenset((test, other == name) for other, test in tests.items()) for name in entries.known
    ]
    values = list(entries.known.values())
    if default is not None:
        values.append(default)
        told.append(frozenset((test, False) for test in tests.values()))
    chosen = chosen_where(values, told) if values else found
    return chosen if isinstance(chosen, Choice) else found
