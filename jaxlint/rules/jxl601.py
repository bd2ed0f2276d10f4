"""JXL601: a name that is gone from JAX."""

from __future__ import annotations

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.renames import mended
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import advice, package, what_went


class RemovedApi(RuleOn[events.RemovedApi]):
    """## What it does

    Finds names, parameters, attributes and ways of calling that a release of JAX (of chex,
    equinox, flax, haiku, optax and orbax, for their own) no longer has, if the project may run on
    that release. Which releases those are is read from the project's requirements
    (`jax>=0.4.30,<0.7` in `pyproject.toml`, `setup.cfg`, `requirements.txt` or a lock file), for
    JAX also from the option `jaxlint-jax`. Names behind a version test, `hasattr` or `try` are left
    alone.

    ## Why is this bad

    The code fails as soon as JAX is upgraded.

    ## Bad

    ```python
    from jax.config import config
    ```

    ## Instead

    ```python
    from jax import config
    ```

    ## Messages

    - `...` was removed in ...; use ...
    - `...=` of `...` was removed in ...; ...
    - `...` with ... was removed in JAX ...; pass ...
    - `...` called on the class, with ..., was removed in ...; ...
    - `...` as a module was removed in JAX ...; write ...
    """

    code = "JXL601"
    name = "removed-api"
    summary = "a name that is gone from JAX"
    fixes = (
        "The name that does the same now, where there is one on every release that the project "
        "allows, with the parameters that it takes; the calls of `jax.ops.index_update` and of "
        "methods that went become expressions. `jaxlint upgrade` lists what a person has to do."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2: AttributeError or ImportError for each of the names whose removal "
        "was found by asking 118 releases from 0.2.0 to 0.12.0.1; TypeError for the "
        "parameters, ValueError for a `where=` that is not boolean.",
        exceptions=("AttributeError", "ImportError", "TypeError", "ValueError"),
        differs=(
            Difference(
                "0.10.2", "some of the names are still there: each message names its release"
            ),
        ),
    )

    def judge(self, event: events.RemovedApi, file: FileFacts) -> bool:
        return file.may_lack(event, event.removed)

    def message(self, event: events.RemovedApi) -> str:
        return f"{what_went(event)} was removed in {package(event)} {event.removed}{advice(event)}"

    def fix(self, event: events.RemovedApi, code: Code) -> Fix | None:
        return mended(event, code)
