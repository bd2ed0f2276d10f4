"""What the transforms of libraries do to a function, against the rows of ``TRANSFORMS``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pkgutil import resolve_name
from typing import Any

import jax
import jax.numpy as jnp

from jaxlint.knowledge.transforms import TRANSFORMS, Transform

Function = Callable[..., Any]
Run = Callable[[Function], Callable[[], Any]]
"""Makes of a function to be transformed a call of the transformed one."""

ONE = jnp.float32(1.0)
TWO = jnp.ones(2)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a function noted when a transform called it.

    Attributes:
        traced: its parameter was a tracer.
        full: an operation on constants gave a tracer.
        concrete: a condition on its parameter could be decided.
        cached: a second, equal call did not run its body.
    """

    traced: bool
    full: bool
    concrete: bool
    cached: bool


def seen(run: Run) -> Seen:
    """What one transform does."""
    notes: list[tuple[bool, bool, bool]] = []

    def body(x: Any) -> Any:
        constant = jnp.zeros(()) + 1
        concrete = True
        try:
            bool((x > 0).all())
        except jax.errors.TracerBoolConversionError:
            concrete = False
        kinds = [isinstance(value, jax.core.Tracer) for value in (x, constant)]
        notes.append((kinds[0], kinds[1], concrete))
        return x * 1.0

    call = run(body)
    call()
    first = len(notes)
    call()
    # Some run a body several times before they trace it: what is refused once is refused.
    traced, full, concrete = zip(*notes, strict=True)
    return Seen(any(traced), any(full), all(concrete), cached=len(notes) == first)


def claimed(row: Transform) -> Seen:
    """What a row of ``TRANSFORMS`` says of that."""
    return Seen(
        traced=row.concreteness not in ("concrete", "host"),
        full=row.stages,
        concrete=row.concreteness in ("concrete", "host", "differentiated"),
        cached=row.compiles,
    )


def differs(name: str) -> str:
    """How a transform differs from its row; empty when it does not."""
    found, claim = seen(run_of(name)), claimed(TRANSFORMS[name])
    if not claim.cached:
        # Rows name the caches whose loss costs a compilation; jax.checkpoint keeps traces too.
        found = replace(found, cached=False)
    return "" if found == claim else f"{found} instead of {claim}"


def run_of(name: str) -> Run:
    """How to run a transform."""
    if name in SPECIAL:
        return partial(SPECIAL[name], resolve_name(name))
    if name.startswith("flax.linen."):
        return partial(_lifted, resolve_name(name))
    argument = TWO if TRANSFORMS[name].concreteness == "mapped" else ONE
    if name.startswith("haiku."):
        return partial(_inside_haiku, lambda lift, body: lift(body)(argument), resolve_name(name))
    return partial(_wrapped, argument, resolve_name(name))


def _wrapped(argument: Any, transform: Function, body: Function) -> Callable[[], Any]:
    return partial(transform(body), argument)


def _lifted(lift: Function, body: Function) -> Callable[[], Any]:
    """A function of a module and an array: the module must come through untraced."""
    from flax import linen

    def method(module: Any, x: Any) -> Any:
        assert isinstance(module, linen.Module)
        return body(x)

    lifted = lift(method)

    class Module(linen.Module):  # type: ignore[misc]
        @linen.compact  # type: ignore[untyped-decorator]
        def __call__(self, x: Any) -> Any:
            return lifted(self, x)

    return partial(Module().apply, {}, TWO)


def _lifted_scan(scan: Function, body: Function) -> Callable[[], Any]:
    def lift(method: Function) -> Function:
        scanned = scan(lambda module, carry, x: (carry, method(module, x)))
        return lambda module, x: scanned(module, ONE, x)

    return _lifted(lift, body)


def _inside_haiku(use: Function, transform: Function, body: Function) -> Callable[[], Any]:
    import haiku

    outer = haiku.transform(lambda: use(transform, body))
    return partial(outer.apply, {}, None)


SPECIAL: dict[str, Callable[[Function, Function], Callable[[], Any]]] = {
    "equinox.filter_jvp": lambda jvp, body: partial(jvp, body, (ONE,), (ONE,)),
    "equinox.filter_pmap": partial(_wrapped, jnp.ones((1, 2))),
    "flax.linen.scan": _lifted_scan,
    "flax.linen.vmap": lambda vmap, body: _lifted(
        partial(vmap, variable_axes={}, split_rngs={}), body
    ),
    "haiku.transform": lambda transform, body: partial(transform(body).apply, {}, None, ONE),
    "haiku.transform_with_state": lambda transform, body: partial(
        transform(body).apply, {}, {}, None, ONE
    ),
    "haiku.without_apply_rng": lambda without, body: partial(
        without(resolve_name("haiku.transform")(body)).apply, {}, ONE
    ),
    "haiku.scan": partial(
        _inside_haiku, lambda scan, body: scan(lambda carry, x: (carry, body(x)), ONE, TWO)
    ),
    "haiku.cond": partial(_inside_haiku, lambda cond, body: cond(True, body, body, ONE)),
    "haiku.while_loop": partial(
        _inside_haiku,
        lambda loop, body: loop(lambda x: x < 2.0, lambda x: body(x) + 1.0, ONE),
    ),
}
"""Transforms that are not simply called on a function."""
