"""What ``evaluate`` says for certain of calls drawn at random, against what real JAX returns."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jax

from jaxlint.tracer.values.given import Abstract
from jaxlint.tracer.values.results import Outcome, evaluate
from tools.measure.__main__ import TARGET
from tools.measure.arguments import Refused, working_call
from tools.measure.checking import Contradiction, contradictions, drawn_call
from tools.measure.experiments import Subject, observe
from tools.measure.functions import MODULES, functions, parameters_of

ROWS: Mapping[str, Any] = json.loads(TARGET.read_text("utf-8"))["functions"]


@cache
def every_function() -> dict[str, Callable[..., Any]]:
    """Those of which it was measured what they return."""
    return {
        name: function
        for module in MODULES
        if module.startswith("jax") and module != "jax"
        for name, function in functions(module)
        if "returns" in ROWS.get(name, {})
    }


@cache
def subject_of(name: str) -> Subject:
    """A function and arguments with which it runs."""
    function = every_function()[name]
    parameters = parameters_of(function)
    assert parameters is not None
    known = ROWS[name]["call"]
    try:
        values, _ = working_call(name, function, parameters, known)
    except Refused:
        values, _ = working_call(name, function, parameters, known, traced=True)
    return Subject(name, function, parameters, values)


def wrong_about(name: str, seed: int) -> list[Contradiction] | None:
    """What is said for certain of one call and is not so; None when the call does not run."""

    def said(given: Mapping[str, Abstract], x64: bool | None) -> Outcome:
        return evaluate(name, given, x64)

    subject = subject_of(name)
    seen = observe(subject, *drawn_call(subject, seed))
    return None if seen is None else list(contradictions(said, seen, seed))


def main() -> int:
    """``python -m tests.differential.results FIRST COUNT``: so many calls of every function."""
    first, count = int(sys.argv[1]), int(sys.argv[2])
    ran = wrong = 0
    for name in sorted(every_function()):
        for seed in range(first, first + count):
            found = wrong_about(name, seed)
            ran += found is not None
            wrong += bool(found)
            for one in (found or ())[:1]:
                print(f"--- {name} seed {seed}")
                print(f"given {dict(one.given)} x64={one.x64}")
                print(f"said {one.said}\nseen {one.seen}", flush=True)
        jax.clear_caches()
    print(f"{len(every_function())} functions: {ran} calls ran, {wrong} contradicted")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
