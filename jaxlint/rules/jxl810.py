"""JXL810: a module of linen or haiku made or called where it has no variables."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line, text

_OF_LINEN = {
    "jax.lax.scan": "nn.scan",
    "jax.lax.cond": "nn.cond",
    "jax.lax.switch": "nn.switch",
    "jax.lax.while_loop": "nn.while_loop",
    "jax.jit": "nn.jit",
    "jax.checkpoint": "nn.remat",
    "jax.remat": "nn.remat",
}
"""Transforms of JAX, and those of linen that bring out what a layer makes in them."""


class MisplacedLayer(RuleOn[events.MisplacedLayer]):
    """## What it does

    Finds modules of linen that can have no variables:

    - a layer or module that is called outside of any module: `nn.Dense(4)(x)`;
    - one that is made in a method that is neither `setup` nor marked `@nn.compact`;
    - what `setup` sets, read of a module that is not bound: `model.encode(x)` where `encode` uses
      `self.encoder`;
    - `init` and `apply` of the class, in place of an object: `Model.init(key, x)`;
    - `init` of a module that calls a layer first inside of `jax.lax.scan`, `cond`, `jit` or another
      transform of JAX that stages: the parameters that it makes there are tracers.

    Also modules of haiku that are made outside of any function, and so of `hk.transform`.

    What leads to the place must be in view: a function that a compact method may call is left
    alone.

    ## Why is this bad

    A module of linen holds no parameters: `init` makes them and `apply` binds them, and the layers
    of a module are those that `setup` or a compact method makes. linen raises for any other.

    A layer makes its parameters where it is called first. Where JAX traces that, `init` gives the
    tracers back when their trace is over: whatever uses them raises UnexpectedTracerError.
    linen's own transforms (`nn.scan`, `nn.cond`, `nn.jit`, `nn.remat`) bring parameters out.

    ## Bad

    ```python
    import flax.linen as nn

    class Model(nn.Module):
        def setup(self):
            self.dense = nn.Dense(4)

        def __call__(self, x):
            return nn.Dense(2)(self.dense(x))

    model = Model()
    variables = model.init(jax.random.key(0), x)
    ```

    ## Instead

    ```python
    import flax.linen as nn

    class Model(nn.Module):
        def setup(self):
            self.dense = nn.Dense(4)
            self.head = nn.Dense(2)

        def __call__(self, x):
            return self.head(self.dense(x))

    model = Model()
    variables = model.init(jax.random.key(0), x)
    ```

    ## Messages

    - `...` is called, and nothing has bound it: linen raises; call `apply` with variables that
      `init` gives
    - `...` is made in `...`, which is neither `setup` nor compact: linen raises; make it in
      `setup`, or mark the method `@nn.compact`
    - `...` of `...` is there once `setup` has run, which nothing does here: linen raises; go
      through `apply`, with `method=` for another method
    - `...` is made outside of `hk.transform`: haiku raises; make it in the function that
      `hk.transform` is given
    - `...` is asked of the class `...`: linen raises; make an object first (`...().init`)
    - `...` gives tracers as parameters of `...`, called first in ... at line ...: JAX raises when
      they are used; use `...` of linen
    - `...` gives tracers as parameters of `...`, called first in ... at line ...: JAX raises when
      they are used; call the layer once before
    """

    code = "JXL810"
    name = "misplaced-layer"
    summary = "a module of linen or haiku made or called where it has no variables"
    evidence = Evidence(
        "raises",
        "jax 0.10.2, flax 0.12.8: CallCompactUnboundModuleError, AssignSubModuleError, "
        "InvalidInstanceModuleError; AttributeError for what setup sets; UnexpectedTracerError for "
        "parameters that a transform has traced (JaxTransformError before jax 0.4.36). "
        "haiku 0.0.17: ValueError (must be initialized inside an hk.transform).",
        exceptions=(
            "CallCompactUnboundModuleError", "AssignSubModuleError", "InvalidInstanceModuleError",
            "AttributeError", "ValueError", "UnexpectedTracerError", "JaxTransformError",
        ),
    )  # fmt: skip

    def message(self, event: events.MisplacedLayer) -> str:
        if event.part == "class":
            return (
                f"`{event.method}` is asked of the class `{event.layer}`: linen raises; make an "
                f"object first (`{event.layer}().{event.method}`)"
            )
        if event.part == "outside":
            return (
                f"`{event.layer}` is made outside of `hk.transform`: haiku raises; make it in the "
                "function that `hk.transform` is given"
            )
        if event.part == "attribute":
            return (
                f"`{event.method}` of `{event.layer}` is there once `setup` has run, which nothing "
                "does here: linen raises; go through `apply`, with `method=` for another method"
            )
        if event.part == "method":
            return (
                f"`{event.layer}` is made in `{event.method}`, which is neither `setup` nor "
                "compact: linen raises; make it in `setup`, or mark the method `@nn.compact`"
            )
        if event.part == "traced":
            own = _OF_LINEN.get(event.method)
            instead = f"use `{own}` of linen" if own else "call the layer once before"
            return (
                f"`{text(event.subject)}` gives tracers as parameters of `{event.layer}`, called "
                f"first in {event.method}{at_line(event.at)}: JAX raises when they are used; "
                f"{instead}"
            )
        return (
            f"`{event.layer}` is called, and nothing has bound it: linen raises; call `apply` with "
            "variables that `init` gives"
        )
