"""JXL501: a timing that ends before the work does."""

from __future__ import annotations

import re

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.events import Event
from jaxlint.fixes.code import Code
from jaxlint.fixes.waiting import wait_before_clock
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import at_line, text

_NOT_THE_WORK = re.compile(r"submit|dispatch|enqueue|launch|compil|warm(?:ing)?_?up", re.IGNORECASE)
_COMPILES = re.compile(
    r"(?<!no )(?<!no re)(?<!not )(?<!not re)compil(?!ed)|\bjitting\b|\bto jit\b|\bjit[ _-]time\b",
    re.IGNORECASE,
)
"""What is said between the readings of what is timed; what is compiled already may be slow."""


class UnsyncedTiming(RuleOn[events.UnsyncedTiming]):
    """## What it does

    Finds differences of clock readings around calls of jitted functions without
    `block_until_ready` (or anything else that waits for the result) in between. Quiet where the
    names of the readings say that the dispatch, the compilation or a warm-up is timed
    (`submit_start`), or what is written between them that it is the compilation, and where most
    of the work was waited for and something more begun since.

    ## Why is this bad

    JAX returns as soon as the work is dispatched. Such a timing measures the dispatch, not the
    computation.

    ## Bad

    ```python
    f = jax.jit(lambda x: x @ x)
    x = jnp.ones((1000, 1000))
    start = time.perf_counter()
    y = f(x)
    print(time.perf_counter() - start)
    ```

    ## Instead

    ```python
    f = jax.jit(lambda x: x @ x)
    x = jnp.ones((1000, 1000))
    f(x).block_until_ready()  # compile first
    start = time.perf_counter()
    y = f(x).block_until_ready()
    print(time.perf_counter() - start)
    ```

    ## Messages

    - this clock is read while `...` at line ... may still be running: it measures the
      dispatch alone; call `jax.block_until_ready` on the result first
    """

    code = "JXL501"
    name = "unsynced-timing"
    summary = "a timing that ends before the work does"
    severity = "warning"
    in_tests = False
    fixes = (
        "`f(x)` becomes `jax.block_until_ready(f(x))`; when a loop dispatches the work, the wait "
        "comes behind it. Unsafe in and behind loops, and where it is not known that the result "
        "is what is worked on."
    )
    evidence = Evidence(
        "ends_early",
        "jax 0.10.2, CPU: two 1500x1500 products return after 0.14 ms and are done after 252 ms.",
        differs=(
            Difference("0.4.33", "large computations on the CPU are done before the call returns"),
        ),
    )

    def expected(self, event: Event, file: FileFacts) -> bool:
        """Also where the names say that the dispatch, or the compilation, is what is timed."""
        assert isinstance(event, events.UnsyncedTiming)
        read = [site.place for site in (event.site, event.started_at) if site.place is not None]
        lines = [file.source.original(place.cell, place.line) for place in read if not place.file]
        if super().expected(event, file) or any(map(_NOT_THE_WORK.search, lines)):
            return True
        sites = (event.site, event.started_at, event.reported_at, event.dispatched_at)
        places = [site.place for site in sites if site.place is not None and not site.place.file]
        places.sort(key=lambda place: (place.cell, place.line))
        around = file.lines_at(places[0], places[-1]) if places else []
        return any(map(_COMPILES.search, around))

    def message(self, event: events.UnsyncedTiming) -> str:
        magic = event.clock.startswith("IPython.")
        clock = event.clock.replace("IPython.", "%") if magic else "this clock"
        reads = f"`{clock}` stops" if magic else f"{clock} is read"
        return (
            f"{reads} while `{text(event.subject)}`{at_line(event.dispatched_at)} may still "
            "be running: it measures the dispatch alone; call `jax.block_until_ready` on the "
            "result first"
        )

    def fix(self, event: events.UnsyncedTiming, code: Code) -> Fix | None:
        return wait_before_clock(event, code)
