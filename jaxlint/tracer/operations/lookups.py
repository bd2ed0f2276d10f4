"""What a dict gives for a key that nobody in view knows: ``LOSSES[args.loss]``."""

from __future__ import annotations

from jaxlint.tracer.operations.comparison import asked_of
from jaxlint.tracer.values.containers import Mapping
from jaxlint.tracer.values.joins import any_entry, chosen_where
from jaxlint.tracer.values.objects import Choice, Told
from jaxlint.tracer.values.value import NAMED, Const, Unknown, Value


def entry(value: Mapping, key: Value, default: Value | None = None) -> Value:
    """One value that stands for those that may stand at a key.

    Which of a few functions, classes or objects it is goes with the key: tests of it, and other
    dicts that are asked for it, tell. Who runs the program may say any of them: an argument of the
    command line, a setting. What a function is given that nobody in view calls says nothing.

    Args:
        value: the dict.
        key: what it is asked for.
        default: what it gives for other keys than its own, if it gives something.
    """
    entries, symbol = value.entries, asked_of(key)
    found = any_entry(value)
    if entries.rest is not None or not _is_said(symbol) or not isinstance(found, Unknown):
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


def _is_said(symbol: object) -> bool:
    """Whether who runs the program says what a symbol stands for, or what it is a part of."""
    while isinstance(symbol, tuple) and symbol[0] in ("attribute", "item"):
        symbol = symbol[1]
    return isinstance(symbol, tuple) and symbol[0] == NAMED
