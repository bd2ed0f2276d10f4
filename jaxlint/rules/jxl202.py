"""JXL202: a new callable compiled on every call of a function."""

from __future__ import annotations

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.lifting import lifted
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn

_BENCHMARKS = frozenset({"bench", "benchmark", "timeit", "profile"})
"""Words by which a function says that it measures, of which compiling may be a part."""


class FreshCallableInCall(RuleOn[events.FreshTransform]):
    """## What it does

    Finds functions that make a callable, wrap it with `jax.jit` and call it, and
    that are themselves called in a loop or from three places or more, one after
    the other.

    ## Why is this bad

    Every call of the function makes a new function object, which JAX traces and
    compiles from scratch.

    ## Bad

    ```python
    def predict(params, x):
        run = jax.jit(partial(model, params))
        return run(x)

    for x in batches:
        predict(params, x)
    ```

    ## Instead

    ```python
    run = jax.jit(model)

    for x in batches:
        run(params, x)
    ```

    Quiet in `main`, in set-up that runs once, in factories that return the
    function, behind `functools.cache`, and in code that is traced itself; and where
    each call closes over another Python value or object, is for arrays of other shapes, or is told
    by a text which variant of several it is, so that it must compile anyway; where it
    warms it up before it measures; and in a function that says it is a benchmark, by its name.

    ## Messages

    - ... gets a new ... at every call of `...`: JAX traces and compiles each; make it once,
      outside, and pass what changes as arguments
    - ... compiles at every call of `...`, whatever function it gets; call it under `jax.jit`
    """

    code = "JXL202"
    name = "fresh-callable-in-call"
    summary = "a new callable compiled on every call of a function"
    severity = "warning"
    in_tests = False
    even_if_guarded = True
    fixes = (
        "The wrapper is made at the top of the file, before the function. Unsafe: what it closes "
        "over is read once. None where it needs anything that the function knows."
    )
    evidence = Evidence(
        "retraces",
        "jax 0.10.2: 5 traces in 5 calls of the function around it.",
    )

    def judge(self, event: events.FreshTransform, file: FileFacts) -> bool:
        if event.repeated != "call" or event.wrapped == "same function":
            return False
        return _BENCHMARKS.isdisjoint(event.owner.rpartition(".")[2].lower().split("_"))

    def message(self, event: events.FreshTransform) -> str:
        if event.wrapped == events.ANY_FUNCTION:
            return (
                f"{event.transform} compiles at every call of `{event.owner}`, whatever function "
                "it gets; call it under `jax.jit`"
            )
        return (
            f"{event.transform} gets a new {event.wrapped} at every call of `{event.owner}`: JAX "
            f"traces and compiles each; make it once, outside, and pass what changes as arguments"
        )

    def fix(self, event: events.FreshTransform, code: Code) -> Fix | None:
        return lifted(event, code)
