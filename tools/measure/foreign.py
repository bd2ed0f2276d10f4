"""What each function does with something that is no array in place of an array.

``python -m tools.measure.foreign [NAME ...]`` writes ``knowledge/foreign.json``: None, a string, a
dict and a function are handed over for each parameter that a call with arrays gives one to, alone
and, where a list of arrays or numbers is taken, in a list: there also a list of the numbers.
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxlint.knowledge.foreign import IN_LISTS, Foreign
from tools.measure.arguments import Refused, call, working_call
from tools.measure.functions import MODULES, functions, parameters_of

TARGET = Path(__file__).parents[2] / "jaxlint" / "knowledge" / "foreign.json"

SAMPLES: dict[Foreign, Any] = {
    "None": None,
    "string": "a",
    "dict": {"a": np.ones(2, np.float32)},
    "function": lambda x: x,
}
"""What is tried for each kind."""

_LIST: Foreign = "list"
"""The kind that is tried in lists alone."""


def refused(
    function: Callable[..., Any], parameters: list[inspect.Parameter], values: dict[str, Any]
) -> dict[str, list[str]]:
    """The kinds that each parameter refuses, given arguments with which the function runs."""
    found: dict[str, list[str]] = {}
    for parameter in parameters:
        for name, make in _ways(function, parameters, values, parameter):
            kinds = [*SAMPLES, *([_LIST] if name.endswith(IN_LISTS) else [])]
            trials = {
                kind: {**values, parameter.name: make(SAMPLES.get(kind, _LIST))} for kind in kinds
            }
            kinds = [kind for kind in trials if not runs(function, parameters, trials[kind])]
            if kinds:
                found[name] = [*map(str, kinds)]
    return found


def _ways(
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    values: dict[str, Any],
    parameter: inspect.Parameter,
) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    """In place of the array, of each of several, and of what lies in a list."""
    given = values.get(parameter.name)
    if parameter.kind is parameter.VAR_POSITIONAL:
        if isinstance(given, tuple) and given and isinstance(given[0], jax.Array):
            yield parameter.name, lambda sample: (sample, *given[1:])
        return
    if isinstance(given, jax.Array):
        yield parameter.name, lambda sample: sample
    elif not isinstance(given, list):
        return
    for array in (given[0] if isinstance(given, list) else given, 1.0):
        if runs(function, parameters, {**values, parameter.name: [array, array]}):
            yield parameter.name + IN_LISTS, partial(_beside, array)
            return


def _beside(array: Any, sample: Any) -> list[Any]:
    """A list of an array and a sample, or of lists of the numbers of the array."""
    if sample is not _LIST:
        return [array, sample]
    numbers = [*np.ravel(array)] if isinstance(array, float) else [*array.ravel()]
    return [numbers, numbers]


def runs(
    function: Callable[..., Any], parameters: list[inspect.Parameter], values: dict[str, Any]
) -> bool:
    """Whether the function takes these arguments."""
    try:
        call(function, parameters, values)
    except Exception:
        return False
    return True


def measured(only: frozenset[str]) -> dict[str, dict[str, list[str]]]:
    """What every function refuses, or those that are named."""
    found = {}
    for module in MODULES:
        if not module.startswith("jax"):
            continue
        for name, function in functions(module):
            parameters = parameters_of(function)
            if parameters is None or (only and name not in only):
                continue
            try:
                values, _ = working_call(name, function, parameters, None)
            except Refused:
                continue
            row = refused(function, parameters, values)
            if row:
                found[name] = row
        jax.clear_caches()
    return found


def main() -> int:
    """Ask of what is named on the command line, or of everything."""
    parser = argparse.ArgumentParser(prog="python -m tools.measure.foreign")
    parser.add_argument("names", nargs="*", help="functions; all where none is given")
    only = frozenset(parser.parse_args().names)
    found = measured(only)
    if only:
        print(json.dumps(found, indent=1))
        return 0
    rows = [
        f"{json.dumps(name)}: {json.dumps({each: ' '.join(kinds) for each, kinds in row.items()})}"
        for name, row in found.items()
    ]
    head = f'{{"jax": {json.dumps(jax.__version__)}, "functions": {{\n'
    TARGET.write_text(head + ",\n".join(rows) + "\n}}\n", "utf-8")
    print(f"{len(found)} functions refuse what is no array")
    return 0


if __name__ == "__main__":
    sys.exit(main())
