"""JXL901: a variable of the environment set after JAX, at its import, has read it."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line


class SettingAfterImport(RuleOn[events.LateSetting]):
    """## What it does

    Finds `os.environ["JAX_ENABLE_X64"] = "1"` and other variables that JAX reads when it is
    imported, set after an import of JAX, of a library that imports it, or of a module of the
    project that does.

    ## Why is this bad

    Nothing raises and nothing changes: JAX has read the variable by then, and keeps what it read.

    ## Bad

    ```python
    import os
    import jax

    os.environ["JAX_PLATFORMS"] = "cpu"
    ```

    ## Instead

    ```python
    jax.config.update("jax_platforms", "cpu")
    ```

    before the first use of a device, or the variable above the first import of JAX.

    Files that start other processes, for which the variables may be meant, are left alone.

    ## Messages

    - `...` is set too late: JAX read it during the import at line ...; set it above that import
    """

    code = "JXL901"
    name = "setting-after-import"
    summary = "a variable of the environment set after JAX has read it"
    severity = "warning"
    evidence = Evidence(
        "after_import",
        "jax 0.10.2: with the marked line first the program gives another result; where it stands "
        "the variable changes nothing. `python -m tools.settings` asks this of every option of "
        "jax.config.",
    )

    def judge(self, event: events.LateSetting, file: FileFacts) -> bool:
        return event.read == "import"

    def message(self, event: events.LateSetting) -> str:
        return (
            f"`{event.setting}` is set too late: JAX read it during the import"
            f"{at_line(event.after)}; set it above that import"
        )
