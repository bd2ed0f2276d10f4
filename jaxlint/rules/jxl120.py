"""JXL120: a function that JAX cannot trace."""

from __future__ import annotations

from jaxlint import events
from jaxlint.events.arguments import NO_FUNCTION
from jaxlint.knowledge.transforms import HASHES_NOTHING
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text, with_article


class Untraceable(RuleOn[events.Untraceable]):
    """## What it does

    Finds `jit` of a generator function, functions that `cond`, `scan`, `while_loop` and their like
    give another number of arguments than they take, arrays in the place of such functions
    (`lax.cond(p, x + 1, x - 1)`), modules of Equinox and their methods in the place of functions
    that JAX looks up by their hash (`jax.jit(model)`, `lax.scan(self.step, ...)`), functions under
    `jit` or `vmap` that return what is no array (a string, a function, an object of a class that is
    no pytree, a set, an iterator), and kernels of Pallas that return an array.

    ## Why is this bad

    A compiled function computes arrays from arrays. JAX refuses a generator when the
    transform is applied, and anything else that is no array when the function returns it, in a
    tuple or dictionary too. A kernel writes its results into references, and returns nothing.
    A module of Equinox is hashed by its arrays, which have no hash, and so are its methods.

    ## Bad

    ```python
    @jax.jit
    def numbers(x):
        for i in range(3):
            yield x + i
    ```

    ## Instead

    ```python
    @jax.jit
    def numbers(x):
        return jnp.stack([x + i for i in range(3)])
    ```

    ## Messages

    - ... cannot trace a generator function: JAX raises; return the arrays in a tuple,
      without `yield`
    - a function that ... traces returns ..., and only arrays can be returned: JAX
      raises; return it from a function around it
    - ... does not give `...` as many arguments (...) as it takes (...): TypeError; give it as
      many parameters
    - ... hashes what it calls, with the arrays of its `...`, which have no hash: TypeError; give it
      a `lambda` around that
    - ... hashes what it calls, with the arrays of its `...`, which have no hash: TypeError; give it
      a `lambda` around that, or use `...`
    - ... is given `...` to call, which is no function: TypeError; write `lambda: ...`
    - a kernel of ... returns an array: ValueError; write it into the reference for the result
      (`o_ref[...] = x`)
    """

    code = "JXL120"
    name = "untraceable-function"
    summary = "a function that JAX cannot trace"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (expected a function, got a generator function) at jit; "
        "TypeError (returned a value of type str) at the call; TypeError (<lambda>() takes 0 "
        "positional arguments but 1 was given); ValueError (The kernel function in "
        "the pallas_call ... should return None).",
        exceptions=("TypeError", "ValueError"),
    )

    def message(self, event: events.Untraceable) -> str:
        if event.takes:
            return (
                f"{event.transform} does not give `{event.what}` as many arguments ({event.given}) "
                f"as it takes ({event.takes}): TypeError; give it as many parameters"
            )
        if event.hashed_with:
            instead = HASHES_NOTHING.get(event.transform)
            return (
                f"{event.transform} hashes what it calls, with the arrays of its "
                f"`{event.hashed_with}`, which have no hash: TypeError; give it a `lambda` around "
                f"that{f', or use `{instead}`' if instead else ''}"
            )
        if event.what == NO_FUNCTION:
            return (
                f"{event.transform} is given `{text(event.subject)}` to call, which is no "
                "function: TypeError; write `lambda: ...`"
            )
        if event.what == "array":
            return (
                f"a kernel of {event.transform} returns an array: ValueError; "
                "write it into the reference for the result (`o_ref[...] = x`)"
            )
        if event.what == "generator function":
            return (
                f"{event.transform} cannot trace {with_article(event.what)}: JAX raises; "
                "return the arrays in a tuple, without `yield`"
            )
        return (
            f"a function that {event.transform} traces returns {with_article(event.what)}, and "
            "only arrays can be returned: JAX raises; return it from a function around it"
        )
