"""JXL905: a setting changed after the backend of JAX has started."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import at_line, text


class SettingAfterStart(RuleOn[events.LateSetting]):
    """## What it does

    Finds what must come before the first use of a device and comes after it: `XLA_FLAGS`,
    `XLA_PYTHON_CLIENT_PREALLOCATE`, `CUDA_VISIBLE_DEVICES` in the environment, `jax_platforms` and
    `jax_num_cpu_devices` in `jax.config`, `jax.distributed.initialize()`. Every array, every key
    and `jax.devices()` use a device.

    It also finds `jax_enable_x64` turned on after arrays were made, at the top of a file.

    ## Why is this bad

    JAX starts its backend once and reads these settings then. Later changes are ignored in
    silence, or refused. Arrays that were made before x64 was turned on stay narrow, and what is
    computed with them has lost its digits.

    ## Bad

    ```python
    import os

    n = jax.device_count()
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    ```

    ## Instead

    ```python
    import os

    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    n = jax.device_count()
    ```

    ## Messages

    - `...` comes too late: ... at line ... has already used a device, which starts the backend of
      JAX; move it before that
    - `...` is turned on after ... at line ... has made an array, which keeps its narrow dtype;
      turn it on before that
    """

    code = "JXL905"
    name = "setting-after-start"
    summary = "a setting changed after the first use of a device"
    severity = "warning"
    evidence = Evidence(
        "after_start",
        "jax 0.10.2: with the marked line first the program gives another result; where it stands "
        "it changes nothing, or raises RuntimeError (jax_num_cpu_devices, "
        "jax.distributed.initialize). The variables of GPUs are read by a plugin when the backend "
        "starts; a plugin that stands in for it shows that (`python -m tools.settings`).",
        exceptions=("RuntimeError",),
        differs=(Difference("0.5.0", "the setting `jax_num_cpu_devices` does not exist"),),
    )

    def judge(self, event: events.LateSetting, file: FileFacts) -> bool:
        return event.read != "import"

    def message(self, event: events.LateSetting) -> str:
        what = "the import" if event.by_import else f"`{text(event.after)}`"
        after = f"{what}{at_line(event.after)}"
        if event.read == "arrays":
            return (
                f"`{event.setting}` is turned on after {after} has made an array, which keeps "
                "its narrow dtype; turn it on before that"
            )
        return (
            f"`{event.setting}` comes too late: {after} has already used a device, which starts "
            "the backend of JAX; move it before that"
        )
