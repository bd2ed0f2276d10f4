"""What the transforms of libraries do to a function, against the rows of ``TRANSFORMS``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pkgutil import resolve_name
from typing import Any

import jax
import jax.numpy as jnp

from jaxlint.knowledge.transform import Transform
from jaxlint.knowledge.transforms import TRANSFORMS

Function = Callable[..., Any]
Run = Callable[[Function], Callable[[], Any]]
"""Makes of a function to be transformed a call of the transformed one."""
Form = Callable[[Function, Function], Any]
"""Calls a transform with a function, and what it gives back if that is a function."""

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
    transform, short = resolve_name(name), name.rpartition(".")[2]
    if name in SPECIAL:
        return partial(SPECIAL[name], transform)
    if name.startswith("flax.linen."):
        return partial(_lifted, partial(LIFTED.get(short, _lift), transform))
    argument = TWO if TRANSFORMS[name].concreteness == "mapped" else ONE
    if name.startswith("haiku."):
        form = CALLED.get(short, lambda lift, body: lift(body)(argument))
        return partial(_inside_haiku, form, transform)
    if short in CALLED:
        return lambda body: partial(CALLED[short], transform, body)
    return lambda body: partial(transform(body), argument)


def _inside_haiku(form: Form, transform: Function, body: Function) -> Callable[[], Any]:
    import haiku

    outer = haiku.transform(lambda: form(transform, body))
    return partial(outer.apply, {}, None)


CALLED: dict[str, Form] = {
    "cond": lambda cond, body: cond(True, body, body, ONE),
    "switch": lambda switch, body: switch(0, [body, body], ONE),
    "fori_loop": lambda loop, body: loop(0, 2, lambda _, x: body(x), ONE),
    "while_loop": lambda loop, body: loop(lambda x: x < 2.0, lambda x: body(x) + 1.0, ONE),
    "scan": lambda scan, body: scan(lambda carry, x: (carry, body(x)), ONE, TWO),
    "map": lambda map_, body: map_(body, TWO),
    "eval_shape": lambda eval_shape, body: eval_shape(body, ONE),
    "filter_eval_shape": lambda eval_shape, body: eval_shape(body, ONE),
    "filter_closure_convert": lambda convert, body: convert(body, ONE),
    "filter_jvp": lambda jvp, body: jvp(body, (ONE,), (ONE,)),
    "filter_vjp": lambda vjp, body: vjp(body, ONE),
}
"""Transforms that call the function at once, by their own name: how each is called."""


# ------------------------------------------------------------------------------- flax.linen


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


def _lift(transform: Function, method: Function) -> Function:
    lifted: Function = transform(method)
    return lifted


def _lifted_vmap(vmap: Function, method: Function) -> Function:
    lifted: Function = vmap(method, variable_axes={}, split_rngs={})
    return lifted


def _lifted_scan(scan: Function, method: Function) -> Function:
    scanned = scan(lambda module, carry, x: (carry, method(module, x)))
    return lambda module, x: scanned(module, ONE, x)


def _lifted_cond(cond: Function, method: Function) -> Function:
    return lambda module, x: cond(True, method, method, module, x)


def _lifted_switch(switch: Function, method: Function) -> Function:
    return lambda module, x: switch(0, [method, method], module, x)


def _lifted_while_loop(loop: Function, method: Function) -> Function:
    def goes_on(_: Any, x: Any) -> Any:
        return (x < 2.0).all()

    return lambda module, x: loop(goes_on, lambda mdl, x: method(mdl, x) + 1.0, module, x)


def _lifted_jvp(jvp: Function, method: Function) -> Function:
    return lambda module, x: jvp(method, module, (x,), (x,), {})


def _lifted_vjp(vjp: Function, method: Function) -> Function:
    return lambda module, x: vjp(method, module, x)[0]


LIFTED: dict[str, Callable[[Function, Function], Function]] = {
    "vmap": _lifted_vmap,
    "scan": _lifted_scan,
    "cond": _lifted_cond,
    "switch": _lifted_switch,
    "while_loop": _lifted_while_loop,
    "jvp": _lifted_jvp,
    "vjp": _lifted_vjp,
}
"""Transforms of linen that are not simply called on a method, by their own name."""


# ------------------------------------------------------------------------------ one by one


def _filter_custom_jvp(custom_jvp: Function, body: Function) -> Callable[[], Any]:
    function: Any = custom_jvp(body)
    function.def_jvp(lambda primals, tangents: (*primals, *tangents))
    return partial(function, ONE)


def _filter_custom_vjp(custom_vjp: Function, body: Function) -> Callable[[], Any]:
    function: Any = custom_vjp(body)
    function.def_fwd(lambda perturbed, x: (x, None))
    function.def_bwd(lambda residuals, cotangent, perturbed, x: cotangent)
    return partial(function, ONE)


def _nnx_custom_vjp(custom_vjp: Function, body: Function) -> Callable[[], Any]:
    function: Any = custom_vjp(body)
    function.defvjp(lambda x: (x, None), lambda residuals, cotangent: (cotangent,))
    return partial(function, ONE)


def _nnx_scan(scan: Function, body: Function) -> Callable[[], Any]:
    return partial(scan(lambda carry, x: (carry, body(x))), ONE, TWO)


def _pmap(pmap: Function, body: Function) -> Callable[[], Any]:
    return partial(pmap(body), jnp.ones((1, 2)))


def _pure_callback(callback: Function, body: Function) -> Callable[[], Any]:
    return partial(callback, body, ONE, result_shape_dtypes=ONE)


def _without_apply_rng(without: Function, body: Function) -> Callable[[], Any]:
    return partial(without(resolve_name("haiku.transform")(body)).apply, {}, ONE)


def _multi_transform(state: list[Any], several: Function, body: Function) -> Callable[[], Any]:
    pair = several(lambda: (body, {"only": body}))
    return partial(pair.apply["only"], {}, *state, None, ONE)


def _internal(form: Form, loop: Function, body: Function) -> Callable[[], Any]:
    return partial(form, partial(loop, kind="lax"), body)


def _variant(variant: Function, body: Function) -> Callable[[], Any]:
    """The variant of a test that compiles, with an option of another one."""
    import chex

    made: list[Function] = []

    def test(self: Any) -> None:
        made.append(self.variant(body, ignore_argnums=(1,)))

    case = type("Case", (chex.TestCase,), {"test": chex.variants(with_jit=True)(test)})
    for name in [each for each in dir(case) if each.startswith("test")]:
        case(name).debug()
    return partial(made[0], ONE)


SPECIAL: dict[str, Callable[[Function, Function], Callable[[], Any]]] = {
    "chex.TestCase.variant": _variant,
    "equinox.filter_custom_jvp": _filter_custom_jvp,
    "equinox.filter_custom_vjp": _filter_custom_vjp,
    "equinox.filter_pmap": _pmap,
    "equinox.filter_pure_callback": _pure_callback,
    "equinox.internal.scan": partial(_internal, CALLED["scan"]),
    "equinox.internal.while_loop": partial(_internal, CALLED["while_loop"]),
    "flax.nnx.custom_vjp": _nnx_custom_vjp,
    "flax.nnx.pmap": _pmap,
    "flax.nnx.scan": _nnx_scan,
    "haiku.multi_transform": partial(_multi_transform, []),
    "haiku.multi_transform_with_state": partial(_multi_transform, [{}]),
    "haiku.transform": lambda transform, body: partial(transform(body).apply, {}, None, ONE),
    "haiku.transform_with_state": lambda transform, body: partial(
        transform(body).apply, {}, {}, None, ONE
    ),
    "haiku.vmap": partial(_inside_haiku, lambda vmap, body: vmap(body, split_rng=False)(TWO)),
    "haiku.without_apply_rng": _without_apply_rng,
}
"""Transforms that are called as no other is."""
