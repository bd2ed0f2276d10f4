"""JXL401: a PRNG key used twice."""

from __future__ import annotations

import re
from collections.abc import Hashable

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.events import Event
from jaxlint.fixes.code import Code
from jaxlint.fixes.splitting import split_before
from jaxlint.knowledge.libraries import SETS_PARAMETERS
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line, is_dummy, named_key, text

_BINDS = re.compile(r"\s*(?P<name>[\w.]+(?:\s*,\s*[\w.]+)*)\s*(?::[^=]*)?=\s*(?P<made>[^=\s].*)")
_COPY = re.compile(r"(?:^|[._])(?:target|teacher|ema|copy)(?:_|$)")
"""Names of what begins as a copy of something."""


def _is_made_again(event: events.KeyReuse, file: FileFacts) -> bool:
    """Whether two lines make the same: a copy, as its name says, or again in another cell."""
    first, now = event.first_at.place, event.site.place
    if first is None or now is None or first.file or now.file:
        return False
    lines = (file.source.original(place.cell, place.line) for place in (first, now))
    one, other = map(_BINDS.match, lines)
    if one is None or other is None:
        return False
    if event.sampler in SETS_PARAMETERS and _COPY.search(other["name"]):
        return True
    if event.first_called is None or one["made"] != other["made"]:
        return False
    if one["made"].count("(") != one["made"].count(")"):
        return False  # The call goes on in the next line.
    return first.cell != now.cell or _COPY.search(other["name"]) is not None


class KeyReused(RuleOn[events.KeyReuse]):
    """## What it does

    Finds PRNG keys that are consumed a second time: by a sampler of `jax.random`, by `split`, or by
    a function in view that does so with its argument. `fold_in`, `clone` and `key_data` do not
    consume a key; `init` of a flax module consumes it for modules that are alike, none of which is
    named as a copy (`target_net`). Branches that exclude each other count once, as do the
    alternatives of a `jnp.where`. So does what nobody reads: a call whose result is only waited
    for, as in a benchmark, or overwritten before it is read; and what compares: `eval(model, key)`
    and `eval(other, key)`, or what a function called `plot_...` has others draw. Quiet where a
    comment, or the text beside the cell, says so ("same key on purpose", "a dummy"). Reuses of one
    key by one run of a function are one finding, which names the places.

    ## Why is this bad

    The same key gives the same random bits: two samples that should be independent are equal, or
    correlated, and nothing raises.

    ## Bad

    ```python
    key = jax.random.key(0)
    x = jax.random.normal(key, (3,))
    y = jax.random.uniform(key, (3,))
    ```

    ## Instead

    ```python
    key = jax.random.key(0)
    x_key, y_key = jax.random.split(key)
    x = jax.random.normal(x_key, (3,))
    y = jax.random.uniform(y_key, (3,))
    ```

    ## Messages

    - PRNG key `...` was already used by `...` at line ...: both draw the same random bits;
      split it and use each part once
    """

    code = "JXL401"
    name = "key-reused"
    summary = "a PRNG key used twice"
    severity = "warning"
    in_tests = False
    in_timings = False
    fixes = (
        "The key is split before its first use: `key, subkey = jax.random.split(key)`, of which "
        "that use takes `subkey` and what follows `key`; of an attribute, an element or a name of "
        "another function each use gets a variable. Unsafe: the numbers drawn are others. None "
        "where the two uses are not in the same function, or the key is in a container."
    )
    evidence = Evidence(
        "key_reuse",
        "jax 0.10.2: KeyReuseError under jax.debug_key_reuse for typed keys, eager and "
        "compiled, through split, indexing, closures, vmap and cond; legacy PRNGKey "
        "arrays give equal samples without any check.",
    )

    def judge(self, event: events.KeyReuse, file: FileFacts) -> bool:
        return event.repeated == "call"

    def expected(self, event: Event, file: FileFacts) -> bool:
        """Also where a comment says that it is the same key on purpose."""
        assert isinstance(event, events.KeyReuse)
        said = file.says_same(event.first_at, event.site) or is_dummy(event)
        return super().expected(event, file) or said or _is_made_again(event, file)

    def same_cause(self, event: events.KeyReuse) -> Hashable:
        return event.cause

    def message(self, event: events.KeyReuse) -> str:
        first = event.first.replace("jax.random", "random")
        if event.first_called is not None:
            first = text(event.first_called)
        where = at_line(event.first_at)
        return (
            f"PRNG key {named_key(event)} was already used by `{first}`{where}: both draw the same "
            "random bits; split it and use each part once"
        )

    def fix(self, event: events.KeyReuse, code: Code) -> Fix | None:
        return split_before(event, code)
