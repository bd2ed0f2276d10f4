"""JXL125: an argument that a JAX function lacks or refuses."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short, text


class RefusedArgument(RuleOn[events.RefusedArgument]):
    """## What it does

    Finds calls of JAX functions that leave out what every release wants, layers of equinox and nnx
    that are made without the `key` or `rngs` that they draw from, dropout of equinox that is called
    without a `key`; the state of an optimizer in place of the gradients; data where `apply` of
    haiku wants its `rng`; keywords for what
    `jax.shard_map` or `eqx.filter_vmap` makes; calls that give a number for
    the dtype (`jnp.zeros(3, 4)`), an array for the axis (`jnp.concatenate(x, y)`), a number or an
    array of floats for the PRNG key (`jax.random.normal(0, (3,))`), or several keys where one is
    wanted; arrays indexed by a float
    (`x[n / 2]`), or added to None or a string; None, strings, dicts and functions where arrays are
    wanted (`jnp.mean(None)`, `jnp.linalg.norm(grads)` of a dict); arrays with axes where
    `jax.lax.cond` takes one boolean, `jax.lax.switch` and each bound of `fori_loop` one integer;
    and `jax.debug.print` with a text that has other fields than there are arguments.

    ## Why is this bad

    JAX raises TypeError, or ValueError. Shapes are one tuple, and a random function wants its key
    first, a single one: `split` gives several.

    ## Bad

    ```python
    image = jnp.zeros(28, 28)
    noise = jax.random.normal(0, image.shape)
    ```

    ## Instead

    ```python
    image = jnp.zeros((28, 28))
    noise = jax.random.normal(jax.random.key(0), image.shape)
    ```

    ## Messages

    - `...` wants `...`, which is left out: JAX raises; pass it
    - `...` is given to `...` for the dtype: JAX raises; write a shape as one tuple
    - `...` is given to `...` for the axis: JAX raises; put the arrays into one list
    - `...` is given to `...` for the key: JAX raises; pass a key (`jax.random.key(0)`) first
    - `...` takes a single key, and `...` are several: JAX raises; pass one of them, or use
      `jax.vmap`
    - `...` takes one key for each stream, and `...` holds several: it raises; pass one of them
    - `...` is a function, which has no `...` with ...: it raises; take the arrays of a tree
      alone (`eqx.filter(tree, eqx.is_array)`)
    - `...` is ..., which has no `...` with ...: it raises; pass an array or number
    - None has no `...` with ...: it raises; pass an array or number
    - `...` takes arrays, and `...` ...: JAX raises; pass an array or number
    - `...` takes arrays, and `...` is a dict: JAX raises; take its arrays one by one, with
      `jax.tree.map`
    - `...` takes arrays, not None: JAX raises; pass an array or number
    - `...` takes one boolean, and `...` is `...`: JAX raises; reduce it with `jnp.all` or
      `jnp.any`, or choose number by number with `jnp.where`
    - `...` takes one boolean, and `...` is ...: JAX raises; pass one boolean
    - `...` takes one boolean, not None: JAX raises; pass one boolean
    - `...` takes one integer, and `...` is ...: JAX raises; pass one integer
    - `...` of an optimizer takes the gradients first, and `...` is its state: it raises; swap them
    - what `...` makes takes no arguments by keyword, as `...`: it raises; pass it by position
    - `...` is no integer, which an index must be: JAX raises; divide with `//`, or round it
    - `...` is given to `...` for what comes back: JAX raises; write
      `jax.ShapeDtypeStruct(shape, dtype)`
    - `...` has no place in the text of `jax.debug.print`: JAX raises; write `{...}` there
    """

    code = "JXL125"
    name = "refused-argument"
    summary = "an argument that a JAX function lacks or refuses"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (missing 1 required positional argument; Cannot interpret '4' as a "
        "data type; JAX encountered invalid PRNG key data; indexer must have integer or boolean "
        "type), ValueError (accepts a single key, but was given a key array; unused arguments), "
        "KeyError and IndexError for a field without an argument, AttributeError ('int' object has "
        "no attribute 'dtype') for a shape where pure_callback wants arrays described. flax "
        "0.12.8: ValueError and InvalidRngError (RNGs should be of shape (2,) or PRNGKey). equinox "
        "0.13.8: RuntimeError (Dropout requires a key when running in non-deterministic mode).",
        exceptions=(
            "TypeError", "ValueError", "KeyError", "IndexError", "AttributeError",
            "InvalidRngError", "RuntimeError",
        ),
    )  # fmt: skip

    def message(self, event: events.RefusedArgument) -> str:
        function = short(event.function)
        if not event.wanted:
            return f"`{function}` wants `{event.parameter}`, which is left out: JAX raises; pass it"
        subject = text(event.subject)
        if event.wanted == "single key":
            return self._about_key(event, function, subject)
        if event.wanted == "operand":
            return self._about_operand(event, subject)
        if event.wanted == "array":
            what = f"`{function}` takes arrays, and `{subject}` {event.parameter}"
            if subject == "None":
                return f"`{function}` takes arrays, not None: JAX raises; pass an array or number"
            if event.parameter.endswith("dict"):
                return f"{what}: JAX raises; take its arrays one by one, with `jax.tree.map`"
            return f"{what}: JAX raises; pass an array or number"
        if event.wanted == "scalar":
            return self._about_scalar(event, f"`{function}` takes one", subject)
        if event.wanted == "gradients":
            what = f"`{function}` of an optimizer takes the gradients first"
            return f"{what}, and `{subject}` is its state: it raises; swap them"
        if event.wanted == "position":
            what = f"what `{function}` makes takes no arguments by keyword, as `{event.parameter}`"
            return f"{what}: it raises; pass it by position"
        if event.wanted == "index":
            what = f"`{subject}` is no integer, which an index must be"
            return f"{what}: JAX raises; divide with `//`, or round it"
        if event.wanted == "field":
            what = f"`{subject}` has no place in the text of `{function}`"
            return f"{what}: JAX raises; write `{{{event.parameter}}}` there"
        if event.wanted == "description":
            what = f"`{subject}` is given to `{function}` for what comes back"
            return f"{what}: JAX raises; write `jax.ShapeDtypeStruct(shape, dtype)`"
        given = f"`{subject}` is given to `{function}` for the {event.wanted}"
        if event.wanted == "axis":
            return f"{given}: JAX raises; put the arrays into one list"
        if event.wanted == "dtype":
            return f"{given}: JAX raises; write a shape as one tuple"
        return f"{given}: JAX raises; pass a key (`jax.random.key(0)`) first"

    def _about_operand(self, event: events.RefusedArgument, subject: str) -> str:
        problem = f"`{subject}` is {event.parameter}: it raises"
        if subject == "None":
            problem = f"None{event.parameter.removeprefix('None, which')}: it raises"
        if event.parameter.startswith("a function"):
            return f"{problem}; take the arrays of a tree alone (`eqx.filter(tree, eqx.is_array)`)"
        return f"{problem}; pass an array or number"

    def _about_key(self, event: events.RefusedArgument, function: str, subject: str) -> str:
        if event.parameter == "rngs":
            what = f"`{function}` takes one key for each stream, and `{subject}` holds several"
            return f"{what}: it raises; pass one of them"
        what = f"`{function}` takes a single key, and `{subject}` are several"
        return f"{what}: JAX raises; pass one of them, or use `jax.vmap`"

    def _about_scalar(self, event: events.RefusedArgument, takes: str, subject: str) -> str:
        what = "not None" if subject == "None" else f"and `{subject}` {event.parameter}"
        given = f", {what}: JAX raises;"
        if event.function.endswith(("switch", "fori_loop")):
            return f"{takes} integer{given} pass one integer"
        if event.parameter.endswith("]`"):
            instead = "reduce it with `jnp.all` or `jnp.any`, or choose number by number with"
            return f"{takes} boolean{given} {instead} `jnp.where`"
        return f"{takes} boolean{given} pass one boolean"
