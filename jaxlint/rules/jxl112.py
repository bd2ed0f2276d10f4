"""JXL112: a JAX array changed in place."""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.updates import array_of, as_update, method_of
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short, text


class InPlaceAssignment(RuleOn[events.ItemAssignment]):
    """## What it does

    Finds `x[i] = v`, `x[i] += v` and `del x[i]` on a JAX array, inside `jit` or
    outside, and the same of `x.at[i]`, and of what `np.asarray` and `jax.device_get` make of
    one.

    ## Why is this bad

    JAX arrays are immutable: the assignment raises TypeError. What `np.asarray` gives is a view
    of the same numbers, which raises ValueError: it cannot be written either.

    ## Bad

    ```python
    x = jnp.zeros(3)
    x[0] = 1.0
    ```

    ## Instead

    ```python
    x = jnp.zeros(3)
    x = x.at[0].set(1.0)
    ```

    Under `jit` the copy is optimised away. `x += 1` without an index is fine: it
    binds the name anew. So is `ref[...] = v` on a mutable Ref, as in Pallas, and an assignment
    whose `except TypeError` does it in the other way: it is meant for arrays of NumPy.

    ## Messages

    - `...` is a view of a JAX array, which NumPy cannot write: it raises; copy it first, with
      `np.array(...)`
    - `...` is a JAX array and cannot be changed in place, which `...` does; use `...`
    - `...` is a JAX array and cannot be changed in place; use `jnp.delete`, or keep the
      elements you want
    - `...` is a JAX array and cannot be changed in place; write `...`
    """

    code = "JXL112"
    name = "in-place-assignment"
    summary = "a JAX array changed in place"
    even_if_guarded = True
    fixes = (
        "`x[i] = v` becomes `x = x.at[i].set(v)`, `+=` becomes `.add` and so on. Unsafe for an "
        "attribute (`self.x[i] = v`): its object may not want to be changed. None for `del`, and "
        "for an array of an outer function."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (JAX arrays are immutable), in and outside jit; "
        "`del x[i]` raises AttributeError or TypeError; ValueError (assignment destination is "
        "read-only) for np.asarray(x)[i] = v.",
        exceptions=("TypeError", "AttributeError", "NotImplementedError", "ValueError"),
    )

    def judge(self, event: events.ItemAssignment, file: FileFacts) -> bool:
        return not event.otherwise

    def message(self, event: events.ItemAssignment) -> str:
        array = text(event.subject)
        if event.view:
            return (
                f"`{array}` is a view of a JAX array, which NumPy cannot write: it raises; copy it "
                "first, with `np.array(...)`"
            )
        wrong = f"`{array}` is a JAX array and cannot be changed in place"
        if event.construct == "del":
            return f"{wrong}; use `jnp.delete`, or keep the elements you want"
        if event.construct.startswith("numpy."):
            return f"{wrong}, which `{short(event.construct)}` does; use `{array}.at[...]`"
        method = method_of(event.operator) or "set"
        index = event.site.text[len(array) :] if event.site.text.startswith(array) else "[...]"
        index = index.removeprefix(".at")
        return f"{wrong}; write `{array} = {array}.at{index}.{method}(...)`"

    def fix(self, event: events.ItemAssignment, code: Code) -> Fix | None:
        target = code.node(event.site)
        if event.view or not isinstance(target, cst.Subscript):
            return None
        update = as_update(target, code)
        if update is None:
            return None
        array = code.text(array_of(target))
        return code.fix(
            f"Write `{array} = {array}.at[...].{update[1]}(...)`",
            update[0],
            safe=isinstance(array_of(target), cst.Name),
        )
