"""JXL914: gradients of one device, where all devices have the same parameters."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text


class UnreducedGradient(RuleOn[events.UnreducedGradient]):
    """## What it does

    Finds steps under `jax.pmap` that update parameters from gradients which nobody has summed over
    the devices, though the parameters are the same on all of them (`in_axes` says None,
    `flax.jax_utils.replicate`, `jnp.broadcast_to`, zeros) and the step sums its loss; and
    gradients of a loss that is summed over the devices before it is differentiated, of which those
    of the first device alone are read. Quiet where
    anything else than numbers goes from device to device in some function of the file, where code
    out of view gets the gradients, and where the file takes means along the first axis: there the
    devices may meet later.

    ## Why is this bad

    Each device trains a model of its own on its part of the data, and the models drift apart. The
    loss that is logged is the mean over all of them and goes down; what is saved in the end is the
    model of one device, which has seen an eighth of the data. To sum the loss is not enough: the
    gradient of `psum(loss)` is that of the device's own loss, times the number of devices.

    ## Bad

    ```python
    import optax

    optimizer = optax.sgd(0.1)

    def loss_fn(params, x):
        return jnp.mean((x @ params - 1) ** 2)

    @partial(jax.pmap, axis_name="devices", in_axes=(None, None, 0))
    def step(params, state, x):
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(params, updates), state, jax.lax.pmean(loss, "devices")

    params = jnp.ones(3)
    step(params, optimizer.init(params), jnp.ones((1, 8, 3)))
    ```

    ## Instead

    ```python
    import optax

    optimizer = optax.sgd(0.1)

    def loss_fn(params, x):
        return jnp.mean((x @ params - 1) ** 2)

    @partial(jax.pmap, axis_name="devices", in_axes=(None, None, 0))
    def step(params, state, x):
        loss, grads = jax.value_and_grad(loss_fn)(params, x)
        grads = jax.lax.pmean(grads, "devices")
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(params, updates), state, jax.lax.pmean(loss, "devices")

    params = jnp.ones(3)
    step(params, optimizer.init(params), jnp.ones((1, 8, 3)))
    ```

    ## Messages

    - `...` updates what all devices share by gradients of each one: they drift apart; use
      `jax.lax.pmean` on the gradients
    - `...` gives gradients of each device's own part, though it sums the loss, and one's are read;
      use `jax.lax.psum` on the gradients
    """

    code = "JXL914"
    name = "unreduced-gradient"
    summary = "parameters of all devices that each updates by gradients of its own"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "differs",
        "jax 0.10.2, two processes on the CPU with gloo: after a step the parameters are others in "
        "each process, and the loss is the same.",
    )

    def message(self, event: events.UnreducedGradient) -> str:
        if event.read:
            return (
                f"`{text(event.subject)}` gives gradients of each device's own part, though it "
                "sums the loss, and one's are read; use `jax.lax.psum` on the gradients"
            )
        return (
            f"`{text(event.subject)}` updates what all devices share by gradients of each one: "
            "they drift apart; use `jax.lax.pmean` on the gradients"
        )
