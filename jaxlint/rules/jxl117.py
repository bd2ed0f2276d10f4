"""JXL117: a value used after its buffers were donated."""

from __future__ import annotations

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.donations import not_donated
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import at_line, text


class DonatedUse(RuleOn[events.DonatedUse]):
    """## What it does

    Finds variables that are used after they were passed to a donated parameter
    (`donate_argnums`, `donate_argnames`; `donate` of `eqx.filter_jit`) of a jitted function, or
    that the same call gets twice. So are lists, objects and other variables that hold the same
    array.

    ## Why is this bad

    The compiled function has reused the memory: the old array is deleted.

    ## Bad

    ```python
    step = jax.jit(jnp.add, donate_argnums=0)
    state = jnp.zeros(3)
    new_state = step(state, batch)
    change = new_state - state
    ```

    ## Instead

    ```python
    step = jax.jit(jnp.add, donate_argnums=0)
    state = jnp.zeros(3)
    state = step(state, batch)
    ```

    What is needed of the old value is computed before the call, or inside of it.

    ## Messages

    - `...` was donated to `...` at line ..., which may have overwritten it: reading it
      raises; use the result, or do not donate it
    - an array of `...` was donated to `...` at line ..., which may have overwritten it:
      reading it raises; use the result, or do not donate it
    - `...` is donated to `...`, and the same call gets it twice: JAX raises; pass `....copy()`
    - an array of `...` is donated to `...`, and the same call gets it twice: JAX raises; copy one
      of them
    """

    code = "JXL117"
    name = "donated-use"
    summary = "a value used after its buffers were donated"
    fixes = (
        "The `jax.jit` of the function donates that argument no more. Unsafe: the values are the "
        "same, and the array takes its memory again. Where the call can bind its result to the "
        "name that it was given, that is better. None where the option is no literal."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2, CPU: RuntimeError (Array has been deleted) for print, float, "
        "indexing and np.asarray; ValueError (buffer has been deleted or donated) when "
        "passed to an operation; x.shape works. A buffer that no output can take over "
        "is kept. RuntimeError (Attempt to use a buffer that was previously donated in the same "
        "call; Attempt to donate the same buffer twice) for one that the call gets twice.",
        exceptions=("RuntimeError", "ValueError"),
        differs=(Difference("0.4.27", "an argument passed by keyword is not donated"),),
    )

    def message(self, event: events.DonatedUse) -> str:
        subject = f"`{text(event.subject)}`"
        if event.again:
            how = "copy one of them" if event.within else f"pass `{text(event.subject)}.copy()`"
            what = f"an array of `{text(event.subject)}`" if event.within else subject
            what = f"{what} is donated to `{event.function}`"
            return f"{what}, and the same call gets it twice: JAX raises; {how}"
        if event.within:
            subject = f"an array of `{text(event.subject)}`"
        return (
            f"{subject} was donated to `{event.function}`"
            f"{at_line(event.donated_at)}, which may have overwritten it: reading it raises; use "
            "the result, or do not donate it"
        )

    def fix(self, event: events.DonatedUse, code: Code) -> Fix | None:
        made = code.node(event.made_at)
        edits = not_donated(made, event.position, event.parameter, code)
        title = f"Do not donate `{text(event.subject)}`"
        return code.fix(title, *edits, safe=False) if edits else None
