"""Asks JAX of which functions it refuses the shapes that their rules call impossible.

``python -m tools.measure.mismatches [NAME ...]`` writes ``knowledge/mismatches.json``. The rule
for the shape of a result was found with calls that ran, so that it may be wrong of those that
cannot: each function is called with shapes that have nothing to do with each other, with numbers
in place of arrays, and with options. It is listed when JAX refused, for a reason that has to do
with shapes, every call that the rule calls impossible, and there were enough of them.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax

from jaxlint.knowledge.measured import result_of, signature_of
from jaxlint.tracer.values.results import evaluate
from tools.measure.abstracting import abstract, is_struct, struct
from tools.measure.arguments import working_call
from tools.measure.experiments import (
    SHAPES,
    Subject,
    drafts,
    observe,
    option_value,
    options,
    with_lists,
)
from tools.measure.functions import MODULES, functions, parameters_of

TARGET = Path(__file__).parents[2] / "jaxlint" / "knowledge" / "mismatches.json"

DRAWN = 600
"""Calls that are drawn for each function, most of which can run or say nothing."""

ENOUGH = 6
"""So many of them must be impossible by the rule for it to be believed."""

MOST = 40
"""So many are asked of JAX."""


def asked(subject: Subject) -> tuple[int, list[dict[str, Any]]]:
    """How many impossible calls JAX refused, and those that it did not refuse."""
    refused = 0
    ran: list[dict[str, Any]] = []
    for draft in _drawn(subject):
        given = {name: abstract(value) for name, value in draft.items()}
        if not evaluate(subject.name, given, False).contradiction:
            continue
        if observe(subject, draft) is not None:
            ran.append(draft)
        else:
            refused += 1
        if refused + len(ran) >= MOST:
            break
    return refused, ran


def _drawn(subject: Subject) -> Iterator[dict[str, Any]]:
    """Calls with shapes that are drawn one by one."""
    tried = options(subject)
    whole = [*drafts(subject, 40)]
    for number in range(DRAWN):
        rng = random.Random(f"{subject.name} impossible {number}")
        draft = {name: _reshaped(value, rng) for name, value in rng.choice(whole).items()}
        for name, values in tried.items():
            if rng.random() < 0.3:
                draft[name] = option_value(rng.choice(values), draft, number)
        yield draft


def _reshaped(value: Any, rng: random.Random) -> Any:
    """An array of another shape, or a number in its place; a key stays one."""
    if isinstance(value, tuple):
        return tuple(_reshaped(item, rng) for item in value)
    if not is_struct(value) or jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key):
        return value
    if rng.random() < 0.08:
        return rng.choice((2, 3, 2.0))
    name = f"{'~' if value.weak_type else ''}{value.dtype.name}"
    return struct(name, rng.choice(SHAPES))


def believed(only: frozenset[str]) -> tuple[list[str], dict[str, Any]]:
    """The functions of which every impossible call was refused; of the others one that ran."""
    found, wrong = [], {}
    for module in MODULES:
        for name, function in functions(module):
            if only and name not in only:
                continue
            subject = _subject(name, function)
            answers = [asked(each) for each in with_lists(subject)] if subject is not None else []
            ran = [draft for _, drafts in answers for draft in drafts]
            if ran:
                wrong[name] = ran[0]
            elif sum(refused for refused, _ in answers) >= ENOUGH:
                found.append(name)
        jax.clear_caches()
    return found, wrong


def _subject(name: str, function: Any) -> Subject | None:
    parameters, row = parameters_of(function), signature_of(name)
    if parameters is None or row is None or result_of(name) is None:
        return None
    try:
        values, _ = working_call(name, function, parameters, None)
    except Exception:
        return None
    return Subject(name, function, parameters, values)


def main() -> int:
    """Ask of what is named on the command line, or of everything."""
    parser = argparse.ArgumentParser(prog="python -m tools.measure.mismatches")
    parser.add_argument("names", nargs="*", help="functions; all where none is given")
    only = frozenset(parser.parse_args().names)
    found, wrong = believed(only)
    for name, draft in wrong.items():
        print(f"{name} runs with {draft}")
    print(f"{len(found)} functions refuse what their rules call impossible, {len(wrong)} do not")
    if not only:
        TARGET.write_text(json.dumps({"jax": jax.__version__, "functions": found}, indent=0) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
