"""JXL119: a Python list or tuple where a JAX function wants an array."""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.events.arguments import INDEX, INDEX_OF_LIST
from jaxlint.fixes.code import Code
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import short, text

_LISTS_TAKEN_BEFORE = dict.fromkeys(
    (f"jax.numpy.{name}" for name in ("hstack", "vstack", "column_stack")), "0.10.0"
)
"""Functions that make arrays of lists in a list -> the first release in which they refuse them."""


class ListForArray(RuleOn[events.ListArgument]):
    """## What it does

    Finds lists and tuples passed to JAX functions that take arrays only, such as
    `jnp.sum([1, 2, 3])`, combined with an array (`x + [1, 2, 3]`), or taken for an index
    (`x[[0, 2]]`); and a `range`, or another iterator, in one. Also lists in the list of arrays
    that `jnp.concatenate` and its like take, lists that are indexed by an array, and those that an
    array is to repeat (`[0.0] * n`).

    ## Why is this bad

    NumPy converts lists silently; JAX refuses, because under `jit` each element would
    become an operation of its own.

    ## Bad

    ```python
    total = jnp.sum([1.0, 2.0, 3.0])
    ```

    ## Instead

    ```python
    total = jnp.sum(jnp.array([1.0, 2.0, 3.0]))
    ```

    `jnp.array` takes lists, also in lists; `jnp.stack` and `jnp.concatenate` take lists of arrays.

    ## Messages

    - `...` takes arrays, not a Python ...; write `jnp.array(...)`
    - `...` takes a list of arrays, and there is a Python ... in it; make that an array
    - an array of JAX has no `...` with a Python ...; write `jnp.array(...)`
    - an array of JAX does not say how often a Python ... is repeated; write `int(...)` around it,
      or make it static where it is traced
    - `...` asks the array first, which has no `+` with a Python list; write `...`
    - a Python ... takes no array of several numbers for an index; write `jnp.array(...)`
    - a Python ... takes no array of several numbers for an index; take its elements one by one
    - an array of JAX takes no list for an index; write `jnp.array(...)`
    - an array of JAX takes no iterator for an index; make an array of `...`, as with `jnp.arange`
    """

    code = "JXL119"
    name = "list-for-array"
    summary = "a Python list or tuple where a JAX function wants an array"
    fixes = (
        "The list becomes `jnp.array(list)`, which is unsafe for a variable: a shape may have been "
        "meant for something else. A Ref becomes the array in it, `ref[...]`."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (requires ndarray or scalar arguments, got list) for some 400 "
        "functions of jax.numpy, jax.lax, jax.nn and jax.scipy, in and out of jit.",
        exceptions=("TypeError", "ValueError", "AttributeError"),
        differs=(
            Difference("0.8.2", "JAX takes a `range` beside other indices"),
            Difference("0.10.0", "JAX takes lists inside of the list that `jnp.hstack` is given"),
        ),
    )

    def began(self, event: events.ListArgument) -> str:
        if not event.inside:
            return ""
        return "0.8.2" if event.function == INDEX else _LISTS_TAKEN_BEFORE.get(event.function, "")

    def message(self, event: events.ListArgument) -> str:
        subject = text(event.subject)
        if event.list_kind == "Ref":
            return (
                f"`{subject}` is a Ref, which `{short(event.function)}` does not take: write "
                f"`{subject}[...]` for the array in it"
            )
        if event.inside and event.function != INDEX:
            return (
                f"`{short(event.function)}` takes a list of arrays, and there is a Python "
                f"{event.list_kind} in it; make that an array"
            )
        if event.function == INDEX:
            what = f"an array of JAX takes no {event.list_kind} for an index"
            if event.list_kind == "iterator":
                return f"{what}; make an array of `{subject}`, as with `jnp.arange`"
            return f"{what}; write `jnp.array({subject})`"
        if event.function == INDEX_OF_LIST:
            what = f"a Python {event.list_kind} takes no array of several numbers for an index"
            if event.strings:
                return f"{what}; take its elements one by one"
            return f"{what}; write `jnp.array({subject})`"
        if event.times:
            return (
                f"an array of JAX does not say how often a Python {event.list_kind} is repeated; "
                "write `int(...)` around it, or make it static where it is traced"
            )
        if event.function == "+=" and event.list_kind == "list":
            return (
                f"`{subject} +=` asks the array first, which has no `+` with a Python list; "
                f"write `{subject}.extend(...)`"
            )
        if not event.function[-1].isalnum():
            operator = event.function.rstrip("=")
            return (
                f"an array of JAX has no `{operator}` with a Python {event.list_kind}; "
                f"write `jnp.array({subject})`"
            )
        return (
            f"`{short(event.function)}` takes arrays, not a Python {event.list_kind}; "
            f"write `jnp.array({subject})`"
        )

    def fix(self, event: events.ListArgument, code: Code) -> Fix | None:
        given = code.node(event.subject)
        if event.function == "+=":
            return None  # It is the list that is to have more.
        if not isinstance(given, cst.BaseExpression) or given is code.node(event.site):
            return None
        if event.inside or event.times or event.strings:
            return None
        if event.list_kind == "Ref":
            array = code.replace_whole(given, f"{code.operand(given)}[...]")
            return code.fix("Read it", array, safe=True)
        if event.list_kind == "iterator":
            return None  # It may be a range, or end with its first use.
        if event.function.endswith("_like"):
            return None  # A shape, more likely than the array that it is to be like.
        function = code.name("jax.numpy.array", given)
        if function is None:
            return None
        array = code.replace_whole(given, f"{function[0]}({code.argument(given)})")
        # A shape in a variable may have been meant for NumPy, or for `jnp.zeros`.
        written_here = isinstance(given, (cst.List, cst.Tuple))
        return code.fix("Make it an array", array, *function[1], safe=written_here)
