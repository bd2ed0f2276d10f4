"""JXL402: the same PRNG key consumed at every iteration."""

from __future__ import annotations

from collections.abc import Hashable

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.events import Event
from jaxlint.fixes.code import Code
from jaxlint.fixes.splitting import split_each_time
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import is_dummy, named_key, text


class KeyReusedInLoop(RuleOn[events.KeyReuse]):
    """## What it does

    Finds PRNG keys from outside a loop, comprehension, `scan` or `fori_loop` that its body consumes
    without making a new one for each iteration, and keys that a loop which counts makes of the same
    constant in each of its iterations, itself or in a step (`x = step(x)`). Quiet where a comment
    says so ("the same key"), where what is repeated evaluates or shows something, by its name, or
    sets up a module in a `scan`, and where each iteration overwrites what the last one drew, which
    nobody has read: a timing.

    ## Why is this bad

    Every iteration draws the same numbers.

    ## Bad

    ```python
    key = jax.random.key(0)
    for _ in range(10):
        noise = jax.random.normal(key, (3,))
    ```

    ## Instead

    ```python
    key = jax.random.key(0)
    for _ in range(10):
        key, subkey = jax.random.split(key)
        noise = jax.random.normal(subkey, (3,))
    ```

    or `jax.random.fold_in(key, i)`; in a `scan`, pass `jax.random.split(key, n)` as `xs`.

    ## Messages

    - PRNG key `...` is used again in every iteration: all draw the same numbers; split it
      inside, or use `jax.random.fold_in(..., i)`
    - PRNG key `...` is used again in every iteration of ...: all draw the same numbers;
      split it inside, or use `jax.random.fold_in(..., i)`
    - PRNG key `...` is made of the same constant in every iteration: all draw the same numbers;
      make it before the loop and split it inside
    """

    code = "JXL402"
    name = "key-reused-in-loop"
    summary = "the same PRNG key consumed at every iteration"
    severity = "warning"
    in_tests = False
    in_timings = False
    fixes = (
        "The key is split inside of the loop: `key, subkey = jax.random.split(key)`; a "
        "comprehension goes over `jax.random.split(key, n)`; where the key must stay, and the "
        "loop has a counter, it becomes `jax.random.fold_in(key, i)`. Unsafe: the numbers drawn "
        "are others. None for the body of a `scan` that closes over the key."
    )
    evidence = Evidence(
        "repeats",
        "jax 0.10.2: equal samples at every iteration; KeyReuseError under jax.debug_key_reuse.",
    )

    def judge(self, event: events.KeyReuse, file: FileFacts) -> bool:
        return event.repeated == "loop"

    def expected(self, event: Event, file: FileFacts) -> bool:
        """Also where a comment says that it is the same key on purpose."""
        assert isinstance(event, events.KeyReuse)
        said = file.says_same(event.first_at, event.site) or is_dummy(event)
        return super().expected(event, file) or said

    def same_cause(self, event: events.KeyReuse) -> Hashable:
        return event.cause

    def message(self, event: events.KeyReuse) -> str:
        if event.made_at is not None:
            return (
                f"PRNG key {named_key(event)} is made of the same constant in every iteration: all "
                "draw the same numbers; make it before the loop and split it inside"
            )
        where = f" of {event.body_of}" if event.body_of else ""
        key = text(event.subject) + event.inside
        return (
            f"PRNG key {named_key(event)} is used again in every iteration{where}: all draw the "
            f"same numbers; split it inside, or use `jax.random.fold_in({key}, i)`"
        )

    def fix(self, event: events.KeyReuse, code: Code) -> Fix | None:
        return split_each_time(event, code)
