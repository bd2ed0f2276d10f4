"""JXL909: another value in each process, where JAX takes it to be the same in all."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import at_line, text


class UnequalValue(RuleOn[events.UnequalValue]):
    """## What it does

    Finds values that differ between the processes of one program, and that JAX takes to be the
    same in all of them: PRNG keys that only some processes have split, behind a test of
    `jax.process_index()`; keys and numbers that come of a clock, of `os.getpid()`, `os.urandom()`,
    `uuid.uuid4()`, `hash()` of a text (Python salts it in each process) and the like; arrays made
    of `jax.process_index()`. They get to the devices of all processes as arguments of a compiled
    function whose shardings are over all devices (a spec alone belongs to the mesh of
    `jax.set_mesh`), or that is given an array which lies on all of them, or as arrays that such a
    function closes over; as arguments of `shard_map`; and by `jax.device_put`.

    `jax.random.fold_in(key, jax.process_index())` is how each process draws data of its own: it is
    reported only where nothing but such values makes what is to be the same on every device.
    What `broadcast_one_to_all` gives is the same in all. Files that ask for no process and start no
    cluster, and random numbers that another file may have seeded, are left alone.

    ## Why is this bad

    Nothing raises, save in `jax.device_put`. Each process passes its own value and believes that
    the others pass the same: a "replicated" array then holds other numbers on each host, and
    training goes on with parameters that are not one model.

    ## Bad

    ```python
    replicated = jax.NamedSharding(jax.make_mesh((jax.device_count(),), ("data",)), jax.P())
    key = jax.random.key(0)
    if jax.process_index() == 0:
        key, own = jax.random.split(key)
        print(jax.random.normal(own))
    params = jax.jit(init, out_shardings=replicated)(key)
    ```

    ## Instead

    ```python
    replicated = jax.NamedSharding(jax.make_mesh((jax.device_count(),), ("data",)), jax.P())
    key, own = jax.random.split(jax.random.key(0))
    if jax.process_index() == 0:
        print(jax.random.normal(own))
    params = jax.jit(init, out_shardings=replicated)(key)
    ```

    ## Messages

    - `...` differs between processes by their number at line ..., and JAX takes it to be the same;
      give all the same, or use `make_array_from_process_local_data`
    - `...` differs between processes by their host at line ..., and JAX takes it to be the same;
      use a fixed seed, or `broadcast_one_to_all`
    - `...` differs between processes by the test at line ..., and JAX takes it to be the same; do
      for all what some do there
    - `...` differs between processes by the test at line ..., and is refused; do for all what some
      do there
    - `...` differs between processes by their number at line ..., and is refused; give all the
      same, or use `make_array_from_process_local_data`
    """

    code = "JXL909"
    name = "unequal-value"
    summary = "another value in each process, where JAX takes it to be the same in all"
    severity = "warning"
    evidence = Evidence(
        "differs",
        "jax 0.10.2, two processes on the CPU with gloo: what is replicated holds other numbers in "
        "each process, without a message; device_put raises AssertionError.",
        exceptions=("AssertionError",),
        differs=(
            Difference("0.5.1", "JAX raises where several processes on the CPU compute together"),
            Difference("0.7.1", "there is no `jax.set_mesh`"),
        ),
    )

    def message(self, event: events.UnequalValue) -> str:
        why = f"by {_CAUSES[event.by]}{at_line(event.source)}"
        what = "and is refused" if event.compared else "and JAX takes it to be the same"
        subject = event.name or text(event.subject)
        return f"`{subject}` differs between processes {why}, {what}; {_TELL[event.by]}"


_CAUSES = {"rank": "their number", "host": "their host", "gate": "the test"}

_TELL = {
    "rank": "give all the same, or use `make_array_from_process_local_data`",
    "host": "use a fixed seed, or `broadcast_one_to_all`",
    "gate": "do for all what some do there",
}
