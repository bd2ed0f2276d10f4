"""Transforms and higher-order functions of JAX and its libraries.

One row says what becomes a tracer in the function, of which kind, and what is
cached. The claims were measured on jax 0.10.2 (CPU) and are checked against the
installed JAX by ``tests/test_knowledge.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal


@dataclass(frozen=True, slots=True)
class Feed:
    """Where one argument of a traced callable comes from.

    ``value``: the argument of the higher-order function at ``position``;
    ``element``: one element of it along its first axis; ``rest``: that argument
    and all after it; ``spread``: the elements of that tuple, one argument each;
    ``index``: a traced integer.
    """

    kind: Literal["value", "element", "rest", "spread", "index"]
    position: int = 0
    keyword: str = ""


@dataclass(frozen=True, slots=True)
class Callee:
    """A callable that a higher-order function calls, and with what."""

    position: int
    keyword: str
    feeds: tuple[Feed, ...]
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Transform:
    """What a transform does to the function it is given.

    Attributes:
        concreteness: which kind of tracer its traced parameters become;
            ``concrete`` when nothing changes, ``host`` when the function runs outside
            of any trace.
        traced: which parameters become tracers.
        full: every JAX operation in the body gives a tracer, whatever its inputs.
        caches: the body runs once per signature; later calls skip it.
        callees: empty for a wrapper, which returns the transformed function;
            otherwise the callables that are called at once.
        result: what comes back.
        static_positions, static_names: options that name static parameters.
        skips_self: the first parameter of a method is never traced.
        function: keyword by which a wrapper takes the function.
        all_given: it traces every function among its arguments, with values unknown.
    """

    concreteness: Literal["abstract", "mapped", "differentiated", "concrete", "host"]
    traced: Literal["all", "argnums", "in_axes", "arrays", "refs", "none"]
    full: bool
    caches: bool = False
    callees: tuple[Callee, ...] = ()
    result: Literal[
        "same", "gradient", "value_and_gradient", "array", "carry", "scan", "unknown"
    ] = "same"
    static_positions: str = ""
    static_names: str = ""
    skips_self: bool = False
    function: str = "fun"
    all_given: bool = False


JIT = Transform(
    "abstract", "all", full=True, caches=True,
    static_positions="static_argnums", static_names="static_argnames",
)  # fmt: skip
FILTER_JIT = Transform("abstract", "arrays", full=True, caches=True)
PMAP = replace(JIT, static_positions="static_broadcasted_argnums", static_names="")
CHECKPOINT = replace(JIT, caches=False, static_names="")
GRAD = Transform("differentiated", "argnums", full=False, result="gradient")
VALUE_AND_GRAD = replace(GRAD, result="value_and_gradient")
VMAP = Transform("mapped", "in_axes", full=False)
SHARD_MAP = Transform("abstract", "all", full=False, function="f")
MODULE_JIT = replace(JIT, skips_self=True)
MODULE_CHECKPOINT = replace(CHECKPOINT, skips_self=True)
MODULE_LIFT = Transform("abstract", "all", full=True, skips_self=True)
TRACE_ONLY = Transform("abstract", "all", full=True, result="unknown")
IDENTITY = Transform("concrete", "none", full=False)

_CARRY = Feed("value", 1, "init")
_SCAN = Callee(0, "f", (_CARRY, Feed("element", 2, "xs")))
_OPERANDS = Feed("rest", 3, "operands")


def _control_flow(*callees: Callee, result: Literal["carry", "scan", "array"]) -> Transform:
    return Transform("abstract", "all", full=True, callees=callees, result=result)


def _differentiation(*callees: Callee) -> Transform:
    return Transform("differentiated", "all", full=False, callees=callees, result="unknown")


def _callback(position: int, feed: int) -> Transform:
    callee = Callee(position, "callback", (Feed("rest", feed),))
    return Transform("host", "none", full=False, callees=(callee,), result="array")


@lru_cache(maxsize=64)
def of_the_user(
    jit_wrappers: tuple[str, ...], traced_callables: tuple[str, ...]
) -> dict[str, Transform]:
    """Rows for functions of the user's own, by qualified name.

    ``jit_wrappers`` compile what they are given as ``jax.jit`` does; ``traced_callables``
    trace every function that they are given at once, with arguments nobody knows.
    """
    rows = {name: replace(JIT, function="") for name in jit_wrappers}
    return rows | dict.fromkeys(traced_callables, replace(TRACE_ONLY, all_given=True))


TRANSFORMS: dict[str, Transform] = {
    "jax.jit": JIT,
    "jax.pmap": PMAP,
    "jax.experimental.pjit.pjit": JIT,
    "jax.checkpoint": CHECKPOINT,
    "jax.remat": CHECKPOINT,
    "jax.ad_checkpoint.checkpoint": CHECKPOINT,
    "jax.grad": GRAD,
    "jax.value_and_grad": VALUE_AND_GRAD,
    "jax.jacfwd": GRAD,
    "jax.jacrev": GRAD,
    "jax.jacobian": GRAD,
    "jax.hessian": GRAD,
    "jax.vmap": VMAP,
    "jax.shard_map": SHARD_MAP,
    "jax.experimental.shard_map.shard_map": SHARD_MAP,
    "jax.named_call": IDENTITY,
    "jax.custom_jvp": IDENTITY,
    "jax.custom_vjp": IDENTITY,
    "jax.custom_gradient": IDENTITY,
    "jax.make_jaxpr": replace(TRACE_ONLY, static_positions="static_argnums"),
    "jax.numpy.vectorize": replace(VMAP, traced="all", function="pyfunc"),
    "jax.eval_shape": replace(
        TRACE_ONLY, callees=(Callee(0, "fun", (Feed("rest", 1),)),)
    ),
    "jax.closure_convert": replace(
        TRACE_ONLY, callees=(Callee(0, "fun", (Feed("rest", 1),)),)
    ),
    "jax.jvp": _differentiation(Callee(0, "fun", (Feed("spread", 1, "primals"),))),
    "jax.vjp": _differentiation(Callee(0, "fun", (Feed("rest", 1),))),
    "jax.linearize": _differentiation(Callee(0, "fun", (Feed("rest", 1),))),
    "jax.lax.scan": _control_flow(_SCAN, result="scan"),
    "jax.lax.map": _control_flow(Callee(0, "f", (Feed("element", 1, "xs"),)), result="array"),
    "jax.lax.while_loop": _control_flow(
        Callee(0, "cond_fun", (Feed("value", 2, "init_val"),)),
        Callee(1, "body_fun", (Feed("value", 2, "init_val"),)),
        result="carry",
    ),
    "jax.lax.fori_loop": _control_flow(
        Callee(2, "body_fun", (Feed("index"), Feed("value", 3, "init_val"))), result="carry"
    ),
    "jax.lax.cond": _control_flow(
        Callee(1, "true_fun", (_OPERANDS,)), Callee(2, "false_fun", (_OPERANDS,)), result="carry"
    ),
    "jax.lax.switch": _control_flow(
        Callee(1, "branches", (Feed("rest", 2, "operands"),), listed=True), result="carry"
    ),
    "jax.lax.associative_scan": Transform(
        "concrete", "none", full=False, result="array",
        callees=(Callee(0, "fn", (Feed("value", 1, "elems"), Feed("value", 1, "elems"))),),
    ),
    "jax.lax.custom_root": _control_flow(
        Callee(0, "f", (Feed("value", 1, "initial_guess"),)), result="array"
    ),
    "jax.pure_callback": _callback(0, 2),
    "jax.experimental.io_callback": _callback(0, 2),
    "jax.debug.callback": _callback(0, 1),
    "jax.experimental.pallas.pallas_call": Transform(
        "abstract", "refs", full=True, result="unknown", function="kernel"
    ),
    "equinox.filter_jit": FILTER_JIT,
    "equinox.filter_pmap": FILTER_JIT,
    "equinox.filter_checkpoint": replace(FILTER_JIT, caches=False),
    "equinox.filter_grad": replace(GRAD, traced="arrays"),
    "equinox.filter_value_and_grad": replace(VALUE_AND_GRAD, traced="arrays"),
    "equinox.filter_vmap": replace(VMAP, traced="arrays"),
    "equinox.filter_jvp": _differentiation(Callee(0, "fn", (Feed("spread", 1, "primals"),))),
    "flax.nnx.jit": JIT,
    "flax.nnx.remat": CHECKPOINT,
    "flax.nnx.grad": replace(GRAD, traced="arrays"),
    "flax.nnx.value_and_grad": replace(VALUE_AND_GRAD, traced="arrays"),
    "flax.nnx.vmap": replace(VMAP, traced="arrays"),
    "flax.linen.jit": MODULE_JIT,
    "flax.linen.remat": MODULE_CHECKPOINT,
    "flax.linen.checkpoint": MODULE_CHECKPOINT,
    "flax.linen.scan": MODULE_LIFT,
    "flax.linen.vmap": replace(VMAP, skips_self=True),
    "haiku.remat": CHECKPOINT,
    "haiku.transform": replace(IDENTITY, result="unknown"),
    "haiku.transform_with_state": replace(IDENTITY, result="unknown"),
    "haiku.without_apply_rng": replace(IDENTITY, result="unknown"),
    "haiku.scan": _control_flow(_SCAN, result="scan"),
    "haiku.cond": _control_flow(
        Callee(1, "true_fun", (_OPERANDS,)), Callee(2, "false_fun", (_OPERANDS,)), result="carry"
    ),
    "haiku.while_loop": _control_flow(
        Callee(0, "cond_fun", (Feed("value", 2, "init_val"),)),
        Callee(1, "body_fun", (Feed("value", 2, "init_val"),)),
        result="carry",
    ),
}  # fmt: skip
"""Qualified name -> what it does."""

DIFFERENTIATED_FIRST = frozenset(
    name for name, row in TRANSFORMS.items() if row.traced == "argnums"
)
"""Transforms that differentiate with respect to ``argnums``, the first parameter by default."""
