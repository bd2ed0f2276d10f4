"""JXL701: a mask that keeps the value out and the gradient in."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.safe_arguments import masked_argument
from jaxlint.knowledge import gradients
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import at_line, short, text


class MaskedGradient(RuleOn[events.MaskedGradient]):
    """## What it does

    Finds operations whose bad numbers a mask (`jnp.where`, `lax.select`) leaves out of the
    result, and whose gradient is NaN for just these numbers: `x / y` behind `y == 0`,
    `jnp.sqrt(x)` and `jnp.log(x)` behind `x > 0`, powers, `arccos`, `arctan2`. It speaks where
    reverse mode goes back through the operation (`jax.grad`, `value_and_grad`, `vjp`, `jacrev`,
    `hessian`) to something that is differentiated.

    A bound is a mask, too: `jnp.sqrt(jnp.maximum(x, 0))`, `jnp.arccos(jnp.clip(x, -1, 1))` send
    zero times infinity back to all that is beyond it.

    That the bad number occurs is the mask's own word: it must leave out that number, or what is
    beyond it, of the very value that the operation is given. Which operations break at which
    numbers is measured: `python -m tools.measure.gradients`.

    ## Why is this bad

    A mask sends a cotangent of zero back to what it leaves out. Zero times an infinite derivative
    is NaN, and one NaN in a batch is NaN in every parameter. The value, and so the loss, looks
    right; `jax_debug_nans` shows it. Forward mode (`jax.jvp`, `jax.jacfwd`) is not affected.

    ## Bad

    ```python
    @jax.grad
    def loss(x):
        return jnp.sum(jnp.where(x > 0, jnp.sqrt(x), 0.0))
    ```

    ## Instead

    ```python
    @jax.grad
    def loss(x):
        positive = x > 0
        safe = jnp.where(positive, x, 1.0)
        return jnp.sum(jnp.where(positive, jnp.sqrt(safe), 0.0))
    ```

    The inner mask gives the operation a harmless argument, the outer one takes its result out
    again. `jnp.maximum(x, 1e-6)` or `x + 1e-6` in its place serve as well, and do in place of
    `jnp.maximum(x, 0)`.

    ## Limits

    What code out of view computes is not followed, nor is a gradient that is taken somewhere
    else of a function that nobody in view differentiates. A mask that leaves out more than the
    bad numbers, such as `x > 1` in front of `jnp.sqrt(x)`, says nothing of whether they occur.

    ## Messages

    - the gradient of `...` is NaN where `...` at line ... masks its value; mask its argument too,
      with a safe number
    - the gradient of `...` is NaN beyond the bound of `...` at line ..., where its slope is
      infinite; choose one beside it
    """

    code = "JXL701"
    name = "masked-gradient"
    summary = "a mask that guards a value and not its gradient, which is NaN"
    severity = "warning"
    fixes = (
        "The argument is masked too: `x / y` behind `y == 0` becomes `x / jnp.where(y == 0, 1.0, "
        "y)`, with a number at which the derivative is finite, as measured. Unsafe: the operation "
        "computes something else for what is left out. None where the mask is out of view, cannot "
        "be written twice, or others read the result."
    )
    evidence = Evidence(
        "nan_gradient",
        "jax 0.10.2: jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.))(0.) is nan, its value "
        "0.0, and jax.jacfwd of it 0.0.",
        differs=(
            Difference("0.7.0", "the gradient is NaN too, and JAX does not say where it became so"),
        ),
    )

    def message(self, event: events.MaskedGradient) -> str:
        if gradients.plain_name(event.mask) in gradients.BOUNDS:
            return (
                f"the gradient of `{text(event.subject)}` is NaN beyond the bound of "
                f"`{short(event.mask)}`{at_line(event.masked_at)}, where its slope is infinite; "
                "choose one beside it"
            )
        return (
            f"the gradient of `{text(event.subject)}` is NaN where `{short(event.mask)}`"
            f"{at_line(event.masked_at)} masks its value; mask its argument too, with a safe number"
        )

    def same_cause(self, event: events.MaskedGradient) -> Hashable | None:
        return event.masked_at.place

    def fix(self, event: events.MaskedGradient, code: Code) -> Fix | None:
        operation, select = code.node(event.site), code.node(event.masked_at)
        return masked_argument(operation, event.operation, select, event.mask, code)
