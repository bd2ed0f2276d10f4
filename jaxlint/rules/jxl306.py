"""JXL306: a clock, random number or file read in traced code."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import tracing


class HostInput(RuleOn[events.HostInput]):
    """## What it does

    Finds `time.time()`, `random`, `np.random`, `datetime.now()`, `os.environ`, `open`, `input` and
    their like in traced code. Quiet where whoever compiles the function calls it once.

    ## Why is this bad

    They run once, while JAX traces; the compiled function keeps the value it got then, at every
    call.

    ## Bad

    ```python
    @jax.jit
    def noisy(x):
        return x + np.random.normal()
    ```

    ## Instead

    ```python
    @jax.jit
    def noisy(key, x):
        return x + jax.random.normal(key, x.shape)
    ```

    Read clocks, files and the environment outside, and pass the values in;
    `jax.experimental.io_callback` for what must happen at each call.

    The environment holds still while a program runs, but for what the program sets: what is read
    of it is reported where the file sets that variable too, and not in a function of another
    module. What one traced function asks of the environment, or of a clock, is one finding.

    ## Messages

    - `...` ... only while ... traces `...` (line ...): each call uses the same value; read
      it outside and pass it in
    - `...` draws a number only while ... traces `...` (line ...): each call uses the same
      value; use `jax.random` and pass its key
    """

    code = "JXL306"
    name = "host-input"
    summary = "a clock, random number or file read in traced code"
    severity = "warning"
    in_tests = False
    evidence = Evidence(
        "stale",
        "jax 0.10.2: the same value at each call of the compiled function; another one "
        "at each call under jax.disable_jit.",
    )

    def judge(self, event: events.HostInput, file: FileFacts) -> bool:
        return event.context.reached is None or event.what != "the environment"

    def same_cause(self, event: events.HostInput) -> Hashable | None:
        traced = event.context.tracing
        if traced is None or event.what not in ("the environment", "a clock"):
            return None
        return event.what, traced.function, traced.site.place

    def message(self, event: events.HostInput) -> str:
        instead = (
            "use `jax.random` and pass its key"
            if event.what == "a random number"
            else "read it outside and pass it in"
        )
        name = event.function.replace("numpy.", "np.").removeprefix("builtins.")
        does = _DOES.get(event.what, f"reads {event.what}")
        return (
            f"`{name.removesuffix('.__getitem__')}` {does} only while "
            f"{tracing(event)}: each call uses the same value; {instead}"
        )


_DOES = {"a clock": "reads the clock", "a random number": "draws a number"}
