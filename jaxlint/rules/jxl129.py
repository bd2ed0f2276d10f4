"""JXL129: an attribute of an array used as what it is not."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text, why_is_traced


class MisusedAttribute(RuleOn[events.MisusedAttribute]):
    """## What it does

    Finds `x.shape(0)`, `x.T()`, `x.size()` and `x(0)`, which call what is no function; `x.at(0)`,
    `x.at[i][j]`, `x.at[i] + 1` and other uses of an update that has not said what it does; and
    `x.shape = ...`. Also arrays taken for a named tuple, an object or a dict: `x._replace(...)`,
    `x.params`, `x["w"]`, `{**x}`, as in the body of a `fori_loop` whose parameters are swapped.

    ## Why is this bad

    JAX raises. `x.at[i]` is no array: it waits for one of its methods, `set`, `add`, `get` and the
    like, so that all indices belong into one pair of brackets.

    ## Bad

    ```python
    q_table = jnp.zeros((16, 4))
    q_table = q_table.at[3][1].add(0.5)
    ```

    ## Instead

    ```python
    q_table = jnp.zeros((16, 4))
    q_table = q_table.at[3, 1].add(0.5)
    ```

    ## Messages

    - `...` is no function: JAX raises; leave the brackets out, or index with square ones
    - `...` is an array, which nobody can call: JAX raises; index with square brackets
    - `...` calls `at`: JAX raises; index it with square brackets (`x.at[...]`)
    - `...` indexes `at` twice: JAX raises; put all indices into one pair of brackets (`x.at[i, j]`)
    - `...` is nothing that `at` has: JAX raises; index it, and then call `set`, `add` or `get`
    - `...` takes `.at[...]` for an array: JAX raises; call a method of it (`.at[...].add(...)`)
    - `...` sets what follows from the elements of an array: JAX raises; make another one
    - `...` asks an array for what no array has, which raises; pass the object that was meant
    - `...` asks an array for what no array has, which raises; take the index first, and then the
      carry
    - `...` asks a function for what arrays have: AttributeError; take the arrays of a tree alone
      (`eqx.filter(tree, eqx.is_array)`)
    - `...` is None, which nobody can call: TypeError; put the module together again (`eqx.combine`)
    - `...` looks a name up in an array, which raises; pass the object that was meant
    - `...` looks a name up in an array, which raises; take the carry first, and then the element
    - `**` takes a dict, and `...` is an array, which raises; pass the object that was meant
    - `**` takes a dict, and `...` is an array, which raises; take the index first, and then the
      carry
    """

    code = "JXL129"
    name = "misused-attribute"
    summary = "an attribute of an array used as what it is not"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError ('tuple' object is not callable; '_IndexUpdateRef' object is not "
        "subscriptable; unsupported operand type(s)), AttributeError ('_IndexUpdateRef' object has "
        "no attribute 'at'; property 'shape' of 'ArrayImpl' object has no setter; "
        "DynamicJaxprTracer has no attribute _replace), TypeError (JAX does not support string "
        "indexing; 'DynamicJaxprTracer' object is not a mapping).",
        exceptions=("TypeError", "AttributeError"),
    )

    def message(self, event: events.MisusedAttribute) -> str:
        what = f"`{text(event.subject)}`"
        if event.use in _SAYS:
            return _SAYS[event.use].format(what)
        if event.name == "at":
            return f"{what} {_OF_AT[event.use]}"
        if event.use in _EXPECTED:
            return _expected(event, _EXPECTED[event.use].format(what))
        if not event.name:
            problem = f"{what} is an array, which nobody can call"
            return f"{problem}: JAX raises; index with square brackets"
        problem = f"{what} is no function"
        return f"{problem}: JAX raises; leave the brackets out, or index with square ones"


_SAYS = {
    "set": "{} sets what follows from the elements of an array: JAX raises; make another one",
    "of_function": (
        "{} asks a function for what arrays have: AttributeError; take the arrays of a tree alone "
        "(`eqx.filter(tree, eqx.is_array)`)"
    ),
    "taken_out": (
        "{} is None, which nobody can call: TypeError; put the module together again "
        "(`eqx.combine`)"
    ),
}
"""What is wrong, by what is done, and what to do."""

_EXPECTED = {
    "lacked": "{} asks an array for what no array has, which raises",
    "mapped": "`**` takes a dict, and {} is an array, which raises",
    "indexed": "{} looks a name up in an array, which raises",
}
"""What is wrong where another object was expected than an array."""

_GIVEN_FIRST = {
    "jax.lax.fori_loop": "take the index first, and then the carry",
    "jax.lax.scan": "take the carry first, and then the element",
}
"""What the bodies of loops are given, in which order."""


def _expected(event: events.MisusedAttribute, problem: str) -> str:
    """Where another object was expected than an array: why it is one, and what to do."""
    if event.reason is None:
        return f"{problem}; pass the object that was meant"
    advice = _GIVEN_FIRST.get(event.reason.root.transform, "pass the object that was meant")
    return f"{problem}: {why_is_traced(event.reason)}; {advice}"


_OF_AT = {
    "called": "calls `at`: JAX raises; index it with square brackets (`x.at[...]`)",
    "indexed": (
        "indexes `at` twice: JAX raises; put all indices into one pair of brackets (`x.at[i, j]`)"
    ),
    "asked": (
        "is nothing that `at` has: JAX raises; index it, and then call `set`, `add` or `get`"
    ),
    "operand": (
        "takes `.at[...]` for an array: JAX raises; call a method of it (`.at[...].add(...)`)"
    ),
}
"""What is wrong with an update that waits for its method."""
