"""JXL602: a name that JAX is about to remove."""

from __future__ import annotations

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.renames import mended
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import advice, package, what_went


class DeprecatedApi(RuleOn[events.RemovedApi]):
    """## What it does

    Finds names, parameters and ways of calling that JAX deprecates, in a release that the project
    may run on (see JXL601 for how that is known).

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

    ## Messages

    - `...` is deprecated since JAX ...; ...
    - `...` as a context manager is deprecated since JAX ...; use ...
    """

    code = "JXL602"
    name = "deprecated-api"
    summary = "a name that JAX is about to remove"
    severity = "warning"
    in_tests = False
    fixes = (
        "The name that does the same now, where there is one on every release that the project "
        "allows, with the parameters that it takes; the calls of `jax.ops.index_update` and of "
        "methods that went become expressions. `jaxlint upgrade` lists what a person has to do."
    )
    evidence = Evidence(
        "warns",
        "jax 0.10.2: DeprecationWarning when the name is looked up; the names and "
        "releases were found by looking every name up in 118 releases.",
        exceptions=("DeprecationWarning",),
        differs=(
            Difference("0.10.1", "some of the names do not warn: each message names its release"),
        ),
    )

    def judge(self, event: events.RemovedApi, file: FileFacts) -> bool:
        going = file.may_lack(event, event.deprecated)
        return going and not file.may_lack(event, event.removed)

    def message(self, event: events.RemovedApi) -> str:
        since = f"{package(event)} {event.deprecated}"
        return f"{what_went(event)} is deprecated since {since}{advice(event)}"

    def fix(self, event: events.RemovedApi, code: Code) -> Fix | None:
        return mended(event, code)
