"""JXL404: layers of one module, or elements of a batch, that draw the same numbers."""

from __future__ import annotations

from jaxlint import events
from jaxlint.events import Event
from jaxlint.knowledge.jax_api import RANDOM
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line, short, text


class EqualDraw(RuleOn[events.EqualDraw]):
    """## What it does

    Finds two layers of one kind in a constructor that are each given a key, or a stream of keys,
    made in place of the same constant, or of the same parameter: `rngs=nnx.Rngs(0)` twice,
    `key=jax.random.key(seed)` in a comprehension over layers. Layers are those of nnx and equinox
    that draw; classes of the
    program, two of which may be meant to begin the same, as a network and its target, are left
    alone. And layers that a transform makes one beside the other from one key:
    `nn.scan(Block, variable_axes={"params": 0}, split_rngs={"params": False})`, and `nnx.vmap` with
    `in_axes=None`. And dropout of equinox or nnx in a function that is mapped over a batch of
    arrays, while its key, or the module that holds its stream, is not: `in_axes=(0, None)`. And
    samplers of `jax.random` there that draw an array of the shape of the element (`x.shape`), or
    from its distribution (`categorical(key, logits)`), or that are given copies of one key
    (`jnp.stack([key] * n)`). A random function of the element, which
    draws its weights in a shape of its own, may be one for all of them; so may what a function
    evaluates, by its name, or a loss, and what a comment says is the same on purpose.

    ## Why is this bad

    The layers begin with the same numbers, as far as their shapes go, and layers of dropout hide
    the same elements at each step: what should be independent is not. Nothing raises.

    ## Bad

    ```python
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self):
            self.query = nnx.Linear(4, 4, rngs=nnx.Rngs(0))
            self.value = nnx.Linear(4, 4, rngs=nnx.Rngs(0))
    ```

    ## Instead

    ```python
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self, rngs):
            self.query = nnx.Linear(4, 4, rngs=rngs)
            self.value = nnx.Linear(4, 4, rngs=rngs)
    ```

    ## Messages

    - `...` makes the same numbers for this `...` as for the one at line ...; give them one
      `nnx.Rngs`, or a key of their own
    - `...` makes the same numbers for each of these `...`; give them one `nnx.Rngs`, or a key of
      their own
    - `...` makes each layer from the same key (`...`), so they begin alike; split it
    - `...` gives all elements of the batch one key, and `...` at line ... hides the same in each;
      split it and map it, too
    - `...` gives all elements of the batch one key, and `...` at line ... draws the same for each;
      split it and map it, too
    """

    code = "JXL404"
    name = "equal-draw"
    summary = "layers of one module, or elements of a batch, that draw the same numbers"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "equal_draws",
        "jax 0.10.2, flax 0.12.8, equinox 0.13.8: parameters and masks of the two are equal.",
    )

    def expected(self, event: Event, file: FileFacts) -> bool:
        """Also where a comment says that all of a batch share the numbers on purpose."""
        assert isinstance(event, events.EqualDraw)
        said = bool(event.mapped) and (
            file.says_same(event.first_at, event.first_at) or file.says_same(event.site, event.site)
        )
        return super().expected(event, file) or said

    def message(self, event: events.EqualDraw) -> str:
        if event.mapped:
            does = "draws the same for" if event.layer.startswith(RANDOM) else "hides the same in"
            return (
                f"`{short(event.mapped)}` gives all elements of the batch one key, and "
                f"`{short(event.layer)}`{at_line(event.first_at)} {does} each; split it and map "
                "it, too"
            )
        if event.stacked:
            return (
                f"`{short(event.layer)}` makes each layer from the same key "
                f"(`{text(event.subject)}`), so they begin alike; split it"
            )
        layer = event.layer.rpartition(".")[2]
        which = f"this `{layer}` as for the one{at_line(event.first_at)}"
        if event.first_at.origin is event.site.origin:
            which = f"each of these `{layer}`"
        return (
            f"`{text(event.subject)}` makes the same numbers for {which}; give them one "
            "`nnx.Rngs`, or a key of their own"
        )
