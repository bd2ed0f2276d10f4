"""JXL908: a fork of a process in which JAX runs."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line, text


class ForkAfterStart(RuleOn[events.ForkAfterStart]):
    """## What it does

    Finds processes that are forked after JAX has used a device: `os.fork`, what
    `multiprocessing.get_context("fork")` gives, and, where the file shows the program from its
    start and chooses no other way, `multiprocessing.Process`, `multiprocessing.Pool` and
    `concurrent.futures.ProcessPoolExecutor`, which fork on Linux before Python 3.14.

    ## Why is this bad

    JAX runs threads of its own. The new process has a copy of their locks, and none of the
    threads: what waits for one of them there waits for ever. `jnp.ones(3)` in it may hang the
    program, at some runs and not at others. JAX warns at each fork.

    ## Bad

    ```python
    import multiprocessing

    key = jax.random.key(0)
    if __name__ == "__main__":
        with multiprocessing.Pool(4) as pool:
            pool.map(load, files)
    ```

    ## Instead

    ```python
    import multiprocessing

    key = jax.random.key(0)
    if __name__ == "__main__":
        with multiprocessing.get_context("spawn").Pool(4) as pool:
            pool.map(load, files)
    ```

    or start the processes before the first use of a device.

    ## Messages

    - `...` forks after ... at line ... has started JAX: the new process may hang; use
      `multiprocessing.get_context("spawn")`
    """

    code = "JXL908"
    name = "fork-after-start"
    summary = "a process forked after JAX has used a device"
    severity = "warning"
    evidence = Evidence(
        "warns_alone",
        "jax 0.10.2, Python 3.11 on Linux: RuntimeWarning at each fork; a child that computes "
        "`jnp.ones(3).sum()` still stands there after ten seconds.",
        exceptions=("RuntimeWarning",),
    )

    def same_cause(self, event: events.ForkAfterStart) -> Hashable:
        return event.after.place

    def message(self, event: events.ForkAfterStart) -> str:
        called = ".".join(event.function.split(".")[-2:])
        what = "the import" if event.by_import else f"`{text(event.after)}`"
        return (
            f"`{called}` forks after {what}{at_line(event.after)} has started JAX: the new "
            'process may hang; use `multiprocessing.get_context("spawn")`'
        )
