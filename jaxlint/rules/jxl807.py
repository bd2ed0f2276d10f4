"""JXL807: a list of layers in a module of nnx."""

from __future__ import annotations

from jaxlint import events
from jaxlint.project import releases_for
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text

_SINCE = "0.12.0"
_INSTEAD = {"dict": "nnx.Dict"}


class PlainContainer(RuleOn[events.PlainContainer]):
    """## What it does

    Finds lists, tuples and dictionaries of modules, variables or arrays that become an attribute
    of an `nnx.Module` as they are. An attribute that is annotated, and a class with options
    (`pytree=False`), are left alone. It speaks where the project allows flax 0.12 or later.

    ## Why is this bad

    From flax 0.12 on a module is a pytree, of which a plain container is a static part: what is
    in it would neither be trained nor saved. flax raises.

    ## Bad

    ```python
    from flax import nnx

    class Model(nnx.Module):
        def __init__(self, rngs: nnx.Rngs):
            self.layers = [nnx.Linear(4, 4, rngs=rngs) for _ in range(3)]
    ```

    ## Instead

    ```python
    from flax import nnx

    class Model(nnx.Module):
        def __init__(self, rngs: nnx.Rngs):
            self.layers = nnx.List([nnx.Linear(4, 4, rngs=rngs) for _ in range(3)])
    ```

    `nnx.Dict` takes a dictionary, `nnx.data` whatever there is.

    ## Messages

    - `...` is a plain ... of what nnx follows: flax 0.12 raises; wrap it in `...`
    """

    code = "JXL807"
    name = "plain-container"
    summary = "a plain list or dictionary of layers in a module of nnx"
    evidence = Evidence(
        "raises",
        "jax 0.10.2, flax 0.12.8: ValueError (found data assigned to a static attribute).",
        exceptions=("ValueError",),
    )

    def judge(self, event: events.PlainContainer, file: FileFacts) -> bool:
        return releases_for(file.source.filename, package="flax").allow_from(_SINCE)

    def message(self, event: events.PlainContainer) -> str:
        instead = _INSTEAD.get(event.container, "nnx.List")
        return (
            f"`{text(event.subject)}` is a plain {event.container} of what nnx follows: "
            f"flax 0.12 raises; wrap it in `{instead}`"
        )
