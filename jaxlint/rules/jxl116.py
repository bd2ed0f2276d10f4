"""JXL116: an option of a transform that names no parameter."""

from __future__ import annotations

import difflib

import libcst as cst

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.assignments import walk
from jaxlint.fixes.code import Code
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import counted, text

_ALIKE = 0.75
"""How much of two names must be the same for one to be a slip of the pen (``difflib``)."""


Refused = (
    events.UnknownParameter
    | events.UnpassedPosition
    | events.AxesMismatch
    | events.MissingAxis
    | events.UnequalSizes
)
"""What an option of a transform may say that nothing fits."""


class UnknownParameter(RuleOn[Refused]):
    """## What it does

    Finds `static_argnums`, `static_argnames`, `donate_argnums` and `donate_argnames` that name a
    parameter which the function does not have, and `in_axes` of another length than the call, or
    with an axis that an argument lacks or has of another size: without `in_axes`, `vmap` maps the
    first axis of each argument, and always that of an argument with a keyword. Also `out_axes` that
    is no axis of the whole result; `in_axes` that is a dict, where it has one entry for each
    argument, or a list for `pmap`; and `static_argnums` of `jax.checkpoint`, and `argnums` of
    `jax.grad` and its like (0, if it is not there), that count an argument which the call passes by
    keyword or leaves out.

    ## Why is this bad

    JAX raises when the transform is applied (`in_axes`: when it is called).

    ## Bad

    ```python
    @partial(jax.jit, static_argnames="size")
    def fill(n, value):
        return jnp.full(n, value)
    ```

    ## Instead

    ```python
    @partial(jax.jit, static_argnames="n")
    def fill(n, value):
        return jnp.full(n, value)
    ```

    Positions count from 0.

    ## Messages

    - `...` names `...`, and `...` has no such parameter; name one that it has
    - `...` names position ..., and `...` has ... positional ...; count them from 0
    - `in_axes` has ..., and `...` is called with ...; give one entry for
      each
    - `in_axes` is ..., which ... refuses: it raises; write a tuple, with one entry for each
      argument
    - `...` names position ..., and this call has ... positional ...: JAX raises; pass it by
      position
    - ... maps axis ... of `...`, which has ...; give it `None` in `in_axes`
    - ... maps axis ... of `...`, which has ...; pass it by position, with `None` in `in_axes`
    - ... puts axis ... into a result which has ... for each element; give `out_axes` one that there
      will be
    - ... maps ... elements of `...`, and ... of `...`; map axes of one size
    """

    code = "JXL116"
    name = "unknown-parameter"
    summary = "an option of a transform that names no parameter"
    fixes = (
        "A name becomes that of the one parameter that is written nearly the same. Unsafe: it is a "
        "guess. None for positions and `in_axes`."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ValueError for static_argnums out of range, for unknown "
        "static_argnames and donate_argnames, for vmap in_axes of another length, and for axes "
        "that an argument lacks or has of another size; TypeError for in_axes of another type, and "
        "for argnums of grad that the call does not pass by position; "
        "with **kwargs in the signature an unknown name is accepted.",
        exceptions=("ValueError", "TypeError"),
        differs=(
            Difference("0.4.27", "JAX only warns", silent=True, of=(events.UnknownParameter,)),
        ),
    )

    def message(self, event: Refused) -> str:
        if isinstance(event, events.AxesMismatch):
            if event.given:
                return (
                    f"`in_axes` is {event.given}, which {event.function} refuses: it raises; "
                    "write a tuple, with one entry for each argument"
                )
            return (
                f"`in_axes` has {counted(event.entries, 'entry')}, and `{event.function}` is "
                f"called with {counted(event.count, 'argument')}; give one entry for each"
            )
        if isinstance(event, events.MissingAxis):
            if event.result:
                return (
                    f"{event.transform} puts axis {event.axis} into a result which has "
                    f"{counted(event.rank, 'axis')} for each element; give `out_axes` one that "
                    "there will be"
                )
            how = "pass it by position, with" if event.named else "give it"
            return (
                f"{event.transform} maps axis {event.axis} of `{text(event.subject)}`, which has "
                f"{counted(event.rank, 'axis')}; {how} `None` in `in_axes`"
            )
        if isinstance(event, events.UnequalSizes):
            first, this = event.sizes
            return (
                f"{event.transform} maps {first} elements of `{text(event.first)}`, and {this} of "
                f"`{text(event.subject)}`; map axes of one size"
            )
        if isinstance(event, events.UnpassedPosition):
            return (
                f"`{event.option}` names position {event.position}, and this call has "
                f"{counted(event.count, 'positional argument')}: JAX raises; pass it by position"
            )
        if event.option.endswith("names"):
            return (
                f"`{event.option}` names `{event.unknown}`, and `{event.function}` has no such "
                "parameter; name one that it has"
            )
        return (
            f"`{event.option}` names position {event.unknown}, and `{event.function}` has "
            f"{counted(event.count, 'positional parameter')}; count them from 0"
        )

    def fix(self, event: Refused, code: Code) -> Fix | None:
        call = code.node(event.site)
        if not isinstance(event, events.UnknownParameter) or not isinstance(call, cst.Call):
            return None
        named = [each for each in call.args if each.keyword and each.keyword.value == event.option]
        strings = [
            each for arg in named for each in walk(arg) if isinstance(each, cst.SimpleString)
        ]
        wrong = [each for each in strings if each.raw_value == event.unknown]
        taken = {each.raw_value for each in strings}
        free = [each for each in event.parameters if each not in taken]
        alike = difflib.get_close_matches(event.unknown, free, cutoff=_ALIKE)
        if len(wrong) != 1 or len(alike) != 1:
            return None
        text = code.text(wrong[0]).replace(event.unknown, alike[0])
        return code.fix(f"Write `{alike[0]}`", code.replace(wrong[0], text), safe=False)
