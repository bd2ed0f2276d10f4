"""JXL501: a timing that ends before the work does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.events import Event, Place
from jaxlint.fixes.code import Code
from jaxlint.fixes.waiting import wait_before_clock
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import at_line, text

_NOT_THE_WORK = re.compile(r"submit|dispatch|enqueue|launch|compil|warm(?:ing)?_?up", re.IGNORECASE)
_BOUND = re.compile(r"\s*(\w+)\s*=[^=]")
"""The name that a line binds."""

_ASKS_HOW_LONG = re.compile(r"\s*(?:if|elif|while)\b.*\)\s*-\s*[\w.]+\s*[<>]")
"""A line that compares how long something has taken: every so often, or until time is up."""

_BEHIND = 3
"""Lines in which the readings may be used."""

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
    (`submit_start`), or what is written between them, or where they are used, that it is the
    compilation, where most of the work was waited for and something more begun since, and where
    the time is only compared (`if time.time() - start > budget`).

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
        if any(map(_ASKS_HOW_LONG.match, lines)):
            return True
        sites = (event.site, event.started_at, event.reported_at, event.dispatched_at)
        places = [site.place for site in sites if site.place is not None and not site.place.file]
        places.sort(key=lambda place: (place.cell, place.line))
        return any(map(_COMPILES.search, _said(file, places, lines))) if places else False

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


def _said(file: FileFacts, places: Sequence[Place], read: Iterable[str]) -> Iterator[str]:
    """What is written at a timing, and where its readings are used; not what is said of others.

    Args:
        file: where it is.
        places: of it, in order.
        read: the lines that read the clock.
    """
    names = [found[1] for found in map(_BOUND.match, read) if found is not None]
    named = re.compile(rf"\b(?:{'|'.join(names)})\b") if names else _BOUND
    above = file.lines_above(places[0])
    others = [number for number, line in enumerate(above, 1) if named.search(line)]
    yield from above[max(others, default=0) :]
    yield from file.lines_from(places[0], places[-1])
    behind = file.lines_behind(places[-1], _BEHIND)
    yield from filter(named.search, takewhile(lambda line: not _binds(line, named), behind))


def _binds(line: str, named: re.Pattern[str]) -> bool:
    """Whether a line binds one of these names."""
    found = _BOUND.match(line)
    return found is not None and named.fullmatch(found[1]) is not None
