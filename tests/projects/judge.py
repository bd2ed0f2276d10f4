"""What the `verify.py` of each project is made of: real JAX shows what it does with each place.

`@mistake("train.fit")` shows that something goes wrong in the function `fit` of `train.py`,
`@trap("train.fit")` that nothing does. Run as a script it prints one line for each.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import numpy as np

_SHOWN: list[tuple[str, str, Callable[[], None]]] = []


def mistake(place: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """The function shows that a mistake is made there."""
    return _register("mistake", place)


def trap(place: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """The function shows that all is well there."""
    return _register("trap", place)


def _register(kind: str, place: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def add(function: Callable[[], None]) -> Callable[[], None]:
        _SHOWN.append((kind, place, function))
        return function

    return add


def raises(
    error: type[Exception] | tuple[type[Exception], ...] | str,
    function: Callable[..., Any],
    *args: Any,
) -> None:
    """The call raises this type of exception, or one that says so."""
    raised: Exception | None = None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            function(*args)
    except Exception as caught:
        raised = caught
    if isinstance(error, str):
        said = f"{type(raised).__name__}: {raised}"
        assert error in said, said
    else:
        assert isinstance(raised, error), repr(raised)


def printed(function: Callable[..., Any], *args: Any) -> str:
    """What the call prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        jax.block_until_ready(function(*args))
        jax.effects_barrier()
    return out.getvalue()


def compilations(function: Callable[..., Any], *args: Any) -> int:
    """How many functions the call compiles."""
    count = 0

    def listen(event: str, duration: float, **more: Any) -> None:
        nonlocal count
        count += event == "/jax/core/compile/backend_compile_duration"

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            jax.block_until_ready(function(*args))
    finally:
        jax.monitoring.clear_event_listeners()
    return count


def traces(code_of: Callable[..., Any], function: Callable[..., Any], *args: Any) -> int:
    """How often Python runs the body of one function while another is called."""
    code = code_of.__code__
    count = 0

    def profile(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is code

    sys.setprofile(profile)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            function(*args)
    finally:
        sys.setprofile(None)
    return count


def same(one: Any, other: Any) -> bool:
    """Whether two trees of arrays are equal."""
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in pairs)


def returns_early(function: Callable[..., Any], *args: Any) -> None:
    """The time that the call gives back is less than what the work takes."""
    with contextlib.redirect_stdout(io.StringIO()):
        function(*args)
        seconds, result = function(*args)
    before = time.perf_counter()
    jax.block_until_ready(result)
    assert time.perf_counter() - before > seconds, (seconds, "is all the time it took")


class Keys:
    """Counts which keys are consumed, by the data that they hold."""

    def __init__(self) -> None:
        self.drawn: list[bytes] = []

    @property
    def reused(self) -> bool:
        return len(set(self.drawn)) < len(self.drawn)


@contextlib.contextmanager
def consumed() -> Any:
    """Record the keys that `jax.random` draws with outside of traces."""
    keys = Keys()
    names = ("normal", "uniform", "permutation", "bernoulli", "split", "categorical", "choice",
             "randint")  # fmt: skip
    kept = {name: getattr(jax.random, name) for name in names}

    def wrap(draw: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(key: Any, *args: Any, **kwargs: Any) -> Any:
            if not isinstance(key, jax.core.Tracer):
                keys.drawn.append(np.asarray(jax.random.key_data(key)).tobytes())
            return draw(key, *args, **kwargs)

        return wrapped

    for name, draw in kept.items():
        setattr(jax.random, name, wrap(draw))
    try:
        yield keys
    finally:
        for name, draw in kept.items():
            setattr(jax.random, name, draw)


def main() -> None:
    """Run all that is registered; the exit status says whether each held."""
    failed = 0
    for kind, place, function in _SHOWN:
        try:
            function()
        except Exception:
            failed += 1
            print(f"FAILED {kind} {place}")
            traceback.print_exc(file=sys.stdout)
        else:
            print(f"{kind} {place}")
    sys.exit(bool(failed))
