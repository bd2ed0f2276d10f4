"""JXL708: gradients of one batch that those of the next one overwrite."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line


class OverwrittenGradient(RuleOn[events.OverwrittenGradient]):
    """## What it does

    Finds loops over batches that compute the gradients of each at the same parameters, bind them to
    the same name, and leave them there unread until the loop is over: `loss, grads =
    jax.value_and_grad(loss_fn)(params, batch)`. Quiet where the loop reads them, changes what it
    differentiates at, or may end early. And gradients that a later statement overwrites with those
    of something else before anything reads them: two networks that get the gradients of one.

    ## Why is this bad

    Only the gradients of the last batch are left. Where they were to be accumulated over
    microbatches, all the others have been computed for nothing, and an average over four is a
    fourth of the last one.

    ## Bad

    ```python
    def loss_fn(params, batch):
        return jnp.mean((batch @ params) ** 2)

    for batch in batches:
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
    params = params - 0.1 * grads / len(batches)
    ```

    ## Instead

    ```python
    def loss_fn(params, batch):
        return jnp.mean((batch @ params) ** 2)

    total = jnp.zeros_like(params)
    for batch in batches:
        loss, grads = jax.value_and_grad(loss_fn)(params, batch)
        total = total + grads
    params = params - 0.1 * total / len(batches)
    ```

    Of a pytree, `jax.tree.map(jnp.add, total, grads)`.

    ## Messages

    - each pass of the loop overwrites `...`, and what is read after it are the gradients of the
      last batch alone; add them up
    - the gradients in `...` are overwritten at line ... before anything reads them; bind those to
      another name
    """

    code = "JXL708"
    name = "overwritten-gradient"
    summary = "gradients that the next pass of a loop overwrites before anything reads them"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "wrong_result",
        "jax 0.10.2: the gradients are those of the last batch, and not the sum of all.",
    )

    def message(self, event: events.OverwrittenGradient) -> str:
        if event.by is not None:
            return (
                f"the gradients in `{event.name}` are overwritten{at_line(event.by)} before "
                "anything reads them; bind those to another name"
            )
        return (
            f"each pass of the loop overwrites `{event.name}`, and what is read after it are the "
            "gradients of the last batch alone; add them up"
        )
