"""JXL602: a name that JAX is about to remove."""

from __future__ import annotations

from jaxlint.events import Event, Kind
from jaxlint.rules.rule import Difference, Evidence, Rule, named, says


class DeprecatedApi(Rule):
    """## What it does

    Finds names and parameters that JAX deprecates, in a release that the project may run on (see
    JXL601 for how that is known).

    ## Why is this bad

    A later release will not have them.

    ## Bad

    ```python
    from jax.experimental.pjit import pjit
    ```

    ## Instead

    ```python
    from jax import jit
    ```
    """

    code = "JXL602"
    name = "deprecated-api"
    summary = "a name that JAX is about to remove"
    severity = "warning"
    listens_to = (Kind.REMOVED_API,)
    in_tests = False
    evidence = Evidence(
        "warns",
        "jax 0.10.2: DeprecationWarning when the name is looked up; the names and "
        "releases come from the deprecation tables in the source of fifty releases.",
        exceptions=("DeprecationWarning",),
        differs=(
            Difference("0.8.2", "some of the names do not warn: each message names its release"),
        ),
    )

    def judge(self, event: Event) -> bool:
        detail = event.detail
        return bool(detail["is_deprecated"]) and not detail["is_removed"] and not event.guarded

    def message(self, event: Event) -> str:
        return f"{named(event)} is deprecated since JAX {event.detail['deprecated']}{says(event)}"
