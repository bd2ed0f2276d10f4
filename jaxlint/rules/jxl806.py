"""JXL806: ``apply`` of linen without what the layers ask for."""

from __future__ import annotations

from jaxlint import events
from jaxlint.knowledge.layers import PARAMETERS_IN
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line

_WORDS = {
    "rngs": "needs a key of the stream `{name}`, and gets none: linen raises; "
    "pass `rngs={{'{name}': key}}`",
    "mutable": "changes the collection `{name}`, which is not mutable: linen raises; "
    "pass `mutable=['{name}']` and keep what it returns",
    "variables": "reads the collection `{name}`, which is not among the variables: linen raises; "
    "pass `{{'params': params, '{name}': ...}}`",
}


class IncompleteApply(RuleOn[events.IncompleteApply]):
    """## What it does

    Finds calls of `apply` of a module of linen that lack what one of its layers asks for:

    - `rngs=`, where an `nn.Dropout`, the dropout of attention, or `self.make_rng("...")` draws;
    - `mutable=`, where an `nn.BatchNorm` updates its running statistics;
    - a collection of variables (`batch_stats`), where a layer, or `self.variable`, reads it; the
      parameters (`params`), where what `init` gave for them is passed without the dict around it.

    The module, what it is made of and the arguments of the call must be in view: a layer that is
    switched off (`deterministic=True`, `use_running_average=True`), or of which nobody can say
    that it runs, asks for nothing.

    ## Why is this bad

    linen gives a module only what the call brings. It raises at the first training step, where
    the evaluation before it, with the layer switched off, has run.

    ## Bad

    ```python
    import flax.linen as nn

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            return nn.Dropout(0.5, deterministic=not train)(nn.Dense(4)(x))

    model = Model()
    variables = model.init(jax.random.key(0), x, train=False)
    y = model.apply(variables, x, train=True)
    ```

    ## Instead

    ```python
    import flax.linen as nn

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            return nn.Dropout(0.5, deterministic=not train)(nn.Dense(4)(x))

    model = Model()
    variables = model.init(jax.random.key(0), x, train=False)
    y = model.apply(variables, x, train=True, rngs={"dropout": jax.random.key(1)})
    ```

    A stream that is not given is made of the one called `params`, if there is one.

    ## Messages

    - `...` (line ...) needs a key of the stream `...`, and gets none: linen raises; pass
      `rngs={'...': key}`
    - `...` (line ...) changes the collection `...`, which is not mutable: linen raises; pass
      `mutable=['...']` and keep what it returns
    - `...` (line ...) reads the collection `...`, which is not among the variables: linen raises;
      pass `{'params': params, '...': ...}`
    - `...` (line ...) reads the collection `params`, which is not among the variables: linen
      raises; pass `{'params': ...}`
    """

    code = "JXL806"
    name = "incomplete-apply"
    summary = "`apply` of linen without the keys or collections that its layers ask for"
    evidence = Evidence(
        "raises_inside",
        "jax 0.10.2, flax 0.12.8: InvalidRngError for a key, ModifyScopeVariableError for a "
        "collection that is not mutable, ScopeCollectionNotFound for one that is not there.",
        exceptions=("InvalidRngError", "ModifyScopeVariableError", "ScopeCollectionNotFound"),
    )

    def message(self, event: events.IncompleteApply) -> str:
        layer = event.layer.rpartition(".")[2]
        where = at_line(event.asked_at).replace(" at ", "")
        asks = _WORDS[event.lacks].format(name=event.name)
        if event.name == PARAMETERS_IN and event.lacks == "variables":
            asks = asks.replace("'params': params, ", "")
        return f"`{layer}`{f' ({where})' if where else ''} {asks}"
