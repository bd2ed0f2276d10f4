"""JXL403: a constant PRNG key made in a traced function."""

from __future__ import annotations

import re
from collections.abc import Hashable

from jaxlint import events
from jaxlint.events import Event
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import is_dummy, text, tracing

_BINDS_DUMMY = re.compile(r"\s*\w*(?:dummy|place_?holder|pholder|fake)\w*\s*(?::[^=]*)?=[^=]")
"""A line that binds what is of use for its shape alone, as its name says."""

_FIXED = re.compile(
    r"#.*\b(?:fixed|constant|deterministic\w*|reproducib\w+)\b.*\b(?:key|seed|rng|noise|random\w*|"
    r"predict\w*|evaluat\w*|result\w*|sampl\w*)\b",
    re.IGNORECASE,
)
"""A comment which says that the key stays the same on purpose."""


class ConstantKey(RuleOn[events.ConstantKey]):
    """## What it does

    Finds `jax.random.key(0)`, `PRNGKey(0)` or `nnx.Rngs(0)` inside a traced function that takes
    arguments, where a sampler consumes the key. Quiet where a comment or its name says that it is a
    dummy ("not used here", `dummy_key`) or stays as it is ("fixed key"), and for the parameters of
    a model: they may begin the same at every call.

    ## Why is this bad

    The key is a constant of the compiled program: every call, and every step of a `scan`, draws the
    same numbers.

    ## Bad

    ```python
    @jax.jit
    def dropout(x):
        key = jax.random.key(0)
        return x * jax.random.bernoulli(key, 0.5, x.shape)
    ```

    ## Instead

    ```python
    @jax.jit
    def dropout(key, x):
        return x * jax.random.bernoulli(key, 0.5, x.shape)
    ```

    ## Messages

    - `...` is a constant while ... traces `...` (line ...): every call draws the same
      numbers; pass the key as an argument
    """

    code = "JXL403"
    name = "constant-key"
    summary = "a constant PRNG key made in a traced function"
    severity = "warning"
    in_tests = False
    in_timings = False
    evidence = Evidence(
        "repeats",
        "jax 0.10.2: the same sample at each call.",
    )

    def expected(self, event: Event, file: FileFacts) -> bool:
        """Also where a comment says that it is fixed, or a dummy; or the variable that is bound."""
        assert isinstance(event, events.ConstantKey)
        place = event.site.place
        said = file.says_same(event.site, event.site) or is_dummy(event)
        if place is not None and not place.file:
            said = said or any(map(_FIXED.search, file.comments_at(place)))
        line = file.source.original(place.cell, place.line) if place and not place.file else ""
        return super().expected(event, file) or said or _BINDS_DUMMY.match(line) is not None

    def same_cause(self, event: events.ConstantKey) -> Hashable:
        tracing = event.context.tracing
        return tracing and tracing.function, tracing and tracing.site.place, text(event.subject)

    def message(self, event: events.ConstantKey) -> str:
        return (
            f"`{text(event.subject)}` is a constant while {tracing(event)}: every call draws "
            "the same numbers; pass the key as an argument"
        )
