"""Transforms and higher-order functions of JAX and its libraries.

One row says what becomes a tracer in the function, of which kind, and what is
cached. The claims were measured on jax 0.10.2 (CPU) and are checked against the
installed JAX by ``tests/test_knowledge.py``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

from jaxlint.knowledge.pallas import KERNEL_CALL
from jaxlint.knowledge.transform import Callee, Carry, Entry, Feed, Transform

JIT = Transform(
    "abstract", "all", stages=True, compiles=True,
    static_positions="static_argnums", static_names="static_argnames",
    donate_positions="donate_argnums", donate_names="donate_argnames",
    entries=tuple(
        Entry(name, returns="other", computes=False) for name in ("lower", "trace", "eval_shape")
    ),
)  # fmt: skip
FILTER_JIT = Transform(
    "abstract", "arrays", stages=True, compiles=True, by_parts=True, donate_from="donate"
)
DONATED_FROM = {"all": 0, "warn": 0, "all-except-first": 1, "warn-except-first": 1}
"""Position of the first parameter that is donated, by what ``donate`` of Equinox says."""
PMAP = replace(
    JIT, static_positions="static_broadcasted_argnums", static_names="", donate_names="",
    unchecked=("donate_argnums",), options=("axis_name",), axis_name="axis_name", each=True,
    unjitted=True, entries=(), knows_methods=True,
)  # fmt: skip
CHECKPOINT = replace(
    JIT,
    compiles=False,
    static_names="",
    hashes=False,
    donate_positions="",
    donate_names="",
    entries=(),
)
GRAD = Transform(
    "differentiated", "argnums", stages=False, result="gradient", options=("argnums", "has_aux"),
    scalar=True, floats=True, transposes="all",
)  # fmt: skip
VALUE_AND_GRAD = replace(GRAD, result="value_and_gradient")
JACOBIAN = replace(GRAD, scalar=False, derivative="jacobian", basis=True)
HESSIAN = replace(JACOBIAN, derivative="hessian")
FORWARD_JACOBIAN = replace(JACOBIAN, forward=True, transposes="")
VMAP = Transform(
    "mapped",
    "in_axes",
    stages=False,
    options=("in_axes", "out_axes", "axis_name"),
    axis_name="axis_name",
    counts_axes=True,
)
SHARD_MAP = Transform(
    "abstract", "all", stages=False, function="f", specs="in_specs",
    out_specs="out_specs", options=("mesh", "in_specs", "out_specs"), mesh="mesh", replicates=True,
    no_keywords=True,
)  # fmt: skip
MODULE_JIT = replace(JIT, skips_self=True, donate_positions="", donate_names="", lifts_classes=True)
MODULE_CHECKPOINT = replace(CHECKPOINT, skips_self=True, lifts_classes=True)
MODULE_LIFT = Transform(
    "abstract", "all", stages=True, skips_self=True, repeats=True, lifts_classes=True, each=True
)
TRACE_ONLY = Transform(
    "abstract", "all", stages=True, result="unknown", computes=False, always=True
)
IDENTITY = Transform("concrete", "none", stages=False)
STAGED_ANEW = Transform("abstract", "all", stages=True, traces_anew=True)
"""Each call traces the function, and computes what it says."""

_CARRY = Feed("value", 1, "init")
_SCAN = Callee(0, "f", (_CARRY, Feed("element", 2, "xs")))
_OPERANDS = Feed("rest", 3, "operand")


def _control_flow(*callees: Callee, result: Literal["carry", "scan", "array"]) -> Transform:
    return Transform("abstract", "all", stages=True, callees=callees, result=result)


def _scan(first: Callee) -> Transform:
    row = _control_flow(first, result="scan")
    return replace(row, repeats=True, carry=Carry(0, 1, "init"), pair=True, size=(3, "length"))


def _while(cond: str, body: str, init: str) -> Transform:
    row = _control_flow(
        Callee(0, cond, (Feed("value", 2, init),)),
        Callee(1, body, (Feed("value", 2, init),)),
        result="carry",
    )
    return replace(row, repeats=True, carry=Carry(1, 2, init))


def _fori(body: str, init: str) -> Transform:
    row = _control_flow(Callee(2, body, (Feed("index"), Feed("value", 3, init))), result="carry")
    return replace(row, repeats=True, carry=Carry(0, 3, init))


def _cond() -> Transform:
    row = _control_flow(
        Callee(1, "true_fun", (_OPERANDS,)), Callee(2, "false_fun", (_OPERANDS,)), result="carry"
    )
    older = (
        Callee(2, "true_fun", (Feed("value", 1, "true_operand"),)),
        Callee(4, "false_fun", (Feed("value", 3, "false_operand"),)),
    )
    return replace(row, exclusive=True, older_callees=older, same_structure=True)


def _switch() -> Transform:
    branches = Callee(1, "branches", (Feed("rest", 2, "operand"),), listed=True)
    row = _control_flow(branches, result="carry")
    return replace(row, exclusive=True, same_structure=True)


def _differentiation(
    *callees: Callee, result: Literal["value_and_more", "value_and_tangent"]
) -> Transform:
    forward = result == "value_and_tangent"
    return Transform(
        "differentiated", "all", stages=False, callees=callees, result=result, forward=forward
    )


def _callback(position: int, feed: int) -> Transform:
    callee = Callee(position, "callback", (Feed("rest", feed),))
    return Transform("host", "none", stages=False, callees=(callee,), result="array")


_DECLARED = (1, "result_shape_dtypes")


def _shapes_of(keyword: str) -> Transform:
    return replace(TRACE_ONLY, callees=(Callee(0, keyword, (Feed("rest", 1),)),))


SHAPES_ALONE = _shapes_of("fun")
"""What runs a function on the host to know the shapes that it gives."""


@lru_cache(maxsize=64)
def of_the_user(
    jit_wrappers: tuple[str, ...], traced_callables: tuple[str, ...]
) -> dict[str, Transform]:
    """Rows for functions of the user's own, by qualified name.

    ``jit_wrappers`` compile what they are given as ``jax.jit`` does; ``traced_callables``
    trace every function that they are given at once, with arguments nobody knows.
    """
    rows = {name: replace(JIT, function="") for name in jit_wrappers}
    traces = replace(TRACE_ONLY, all_given=True, computes=True)
    return rows | dict.fromkeys(traced_callables, traces)


def _pair(apply: Entry) -> Transform:
    """A pair of functions, ``init`` and ``apply``, that run the function outside of any trace."""
    entries = (Entry("init", 1, returns="other"), apply)
    return replace(IDENTITY, result="unknown", function="f", entries=entries)


def _reduction(computation: int) -> Transform:
    scalar = Feed("scalar", 1, "init_value")
    row = _control_flow(Callee(computation, "computation", (scalar, scalar)), result="array")
    return replace(row, always=True)


def _of_module(*callees: Callee) -> Transform:
    """Control flow of linen: its functions are given the module, then the operands."""
    return _control_flow(*callees, result="carry")


_SOLVE = replace(
    _control_flow(Callee(0, "A", (Feed("value", 1, "b"),), matrix=True), result="array"),
    result="unknown", traces_anew=True,
)  # fmt: skip
"""Solvers of linear equations, which run what computes ``A @ x``."""

_MAP = replace(
    _control_flow(Callee(0, "f", (Feed("element", 1, "xs"),)), result="array"),
    repeats=True, wraps_anew=True,
)  # fmt: skip

TRANSFORMS: dict[str, Transform] = {
    "jax.jit": JIT,
    "jax.pmap": PMAP,
    "chex.TestCase.variant": JIT,
    "jax.experimental.pjit.pjit": JIT,
    "jax.checkpoint": CHECKPOINT,
    "jax.remat": CHECKPOINT,
    "jax.ad_checkpoint.checkpoint": CHECKPOINT,
    "jax.grad": GRAD,
    "jax.value_and_grad": VALUE_AND_GRAD,
    "jax.jacfwd": FORWARD_JACOBIAN,
    "jax.jacrev": JACOBIAN,
    "jax.jacobian": JACOBIAN,
    "jax.hessian": HESSIAN,
    "jax.vmap": VMAP,
    "jax.shard_map": SHARD_MAP,
    "jax.experimental.shard_map.shard_map": SHARD_MAP,
    "jax.named_call": IDENTITY,
    "jax.custom_jvp": replace(
        IDENTITY, takes_rules=True, checks_rules=True,
        options=("nondiff_argnums", "nondiff_argnames"),
    ),
    "jax.custom_vjp": replace(
        IDENTITY, takes_rules=True, checks_rules=True, refuses_tracers=True,
        options=("nondiff_argnums", "nondiff_argnames"),
    ),
    "jax.custom_gradient": replace(IDENTITY, own_rule=True),
    "jax.custom_batching.custom_vmap": replace(STAGED_ANEW, takes_rules=True, always=True),
    "jax.custom_batching.sequential_vmap": replace(STAGED_ANEW, function="f", always=True),
    "jax.experimental.sparse.sparsify": replace(
        STAGED_ANEW, function="f", always=True, keywords_stay=True
    ),
    "jax.experimental.sparse.grad": replace(GRAD, floats=False),
    "jax.experimental.sparse.value_and_grad": replace(VALUE_AND_GRAD, floats=False),
    "jax.experimental.sparse.jacfwd": replace(FORWARD_JACOBIAN, floats=False),
    "jax.experimental.sparse.jacrev": replace(JACOBIAN, floats=False),
    "jax.make_jaxpr": replace(TRACE_ONLY, static_positions="static_argnums"),
    "jax.numpy.vectorize": replace(
        VMAP, traced="all", function="pyfunc", excluded="excluded", options=(), axis_name="",
        counts_axes=False, broadcasts="signature"
    ),
    "jax.eval_shape": _shapes_of("fun"),
    "jax.closure_convert": replace(
        _shapes_of("fun"), result="function_and_more", computes=True
    ),
    "jax.linear_transpose": replace(_shapes_of("fun"), computes=True, traces_anew=True),
    "jax.jvp": _differentiation(
        Callee(0, "fun", (Feed("spread", 1, "primals"),)), result="value_and_tangent"
    ),
    "jax.vjp": replace(
        _differentiation(Callee(0, "fun", (Feed("rest", 1),)), result="value_and_more"),
        transposes="all", gives_like="arguments",
    ),
    "jax.linearize": replace(
        _differentiation(Callee(0, "fun", (Feed("rest", 1),)), result="value_and_more"),
        gives_like="value",
    ),
    "jax.experimental.checkify.checkify": Transform(
        "abstract", "none", stages=True, function="f", result="error_and_value",
        options=("errors",),
    ),
    "jax.lax.scan": replace(_scan(_SCAN), same_types=True),
    "jax.lax.map": _MAP,
    "jax.lax.while_loop": replace(
        _while("cond_fun", "body_fun", "init_val"), same_types=True, goes_on=0, one_way=(),
    ),
    "jax.lax.fori_loop": replace(
        _fori("body_fun", "init_val"), same_types=True, one_way=((0, "lower"), (1, "upper")),
    ),
    "jax.lax.cond": replace(_cond(), same_types=True, chooses=(0, "pred", False)),
    "jax.lax.switch": replace(_switch(), same_types=True, chooses=(0, "index", True)),
    "jax.lax.associative_scan": Transform(
        "concrete", "none", stages=False, result="elements",
        callees=(Callee(0, "fn", (Feed("some", 1, "elems"), Feed("some", 1, "elems"))),),
    ),
    "jax.lax.custom_root": replace(
        _control_flow(Callee(0, "f", (Feed("value", 1, "initial_guess"),)), result="carry"),
        traces_anew=True,
    ),
    "jax.lax.custom_linear_solve": replace(
        _control_flow(Callee(0, "matvec", (Feed("value", 1, "b"),)), result="carry"),
        traces_anew=True,
    ),
    **{f"jax.scipy.sparse.linalg.{name}": _SOLVE for name in ("cg", "gmres", "bicgstab")},
    "jax.scipy.optimize.minimize": replace(
        _control_flow(
            Callee(0, "fun", (Feed("value", 1, "x0"), Feed("given", 2, "args"))), result="array"
        ),
        result="unknown", traces_anew=True,
    ),
    "jax.experimental.ode.odeint": replace(
        _control_flow(
            Callee(0, "func", (Feed("value", 1, "y0"), Feed("element", 2, "t"), Feed("rest", 3))),
            result="array",
        ),
        repeats=True,
    ),
    "jax.lax.reduce": _reduction(2),
    "jax.lax.reduce_window": _reduction(2),
    "jax.numpy.apply_along_axis": Transform(
        "mapped", "all", stages=False, result="array",
        callees=(Callee(0, "func1d", (Feed("line", 2, "arr"), Feed("handed", 3))),),
    ),
    "jax.numpy.piecewise": replace(
        _control_flow(
            Callee(
                2, "funclist", (Feed("scalar", 0, "x"), Feed("rest", 3)),
                listed=True, matrix=True,
            ),
            result="array",
        ),
        exclusive=True,
    ),
    "jax.pure_callback": replace(_callback(0, 2), declared=_DECLARED),
    "jax.experimental.io_callback": replace(_callback(0, 2), declared=_DECLARED, for_effect=True),
    "jax.debug.callback": replace(_callback(0, 1), for_effect=True, at_once=True),
    KERNEL_CALL: Transform(
        "abstract", "refs", stages=True, result="unknown", function="kernel",
        options=("out_shape",),
    ),
    "jax_dataclasses.jit": replace(JIT, annotated_statics=True),
    "equinox.filter_jit": FILTER_JIT,
    "equinox.filter_pmap": replace(
        FILTER_JIT, axis_name="axis_name", each=True, no_keywords=True
    ),
    "equinox.filter_checkpoint": replace(FILTER_JIT, compiles=False),
    "equinox.filter_grad": replace(
        GRAD, traced="arrays", floats=False, transposes="first", by_parts=True
    ),
    "equinox.filter_value_and_grad": replace(
        VALUE_AND_GRAD, traced="arrays", floats=False, transposes="first", by_parts=True
    ),
    "equinox.filter_vmap": replace(
        VMAP, traced="arrays", counts_axes=False, by_parts=True, no_keywords=True
    ),
    "equinox.filter_jvp": _differentiation(
        Callee(0, "fn", (Feed("spread", 1, "primals"),)), result="value_and_tangent"
    ),
    "equinox.filter_eval_shape": replace(_shapes_of("fun"), traced="arrays"),
    "equinox.filter_make_jaxpr": replace(FILTER_JIT, compiles=False, result="unknown",
                                         computes=False),
    "equinox.filter_vjp": replace(
        _differentiation(Callee(0, "fun", (Feed("rest", 1),)), result="value_and_more"),
        transposes="all",
    ),
    "equinox.filter_jacfwd": replace(
        FORWARD_JACOBIAN, traced="arrays", floats=False, by_parts=True
    ),
    "equinox.filter_jacrev": replace(
        JACOBIAN, traced="arrays", floats=False, transposes="first", by_parts=True
    ),
    "equinox.filter_hessian": replace(
        HESSIAN, traced="arrays", floats=False, transposes="first", by_parts=True
    ),
    "equinox.filter_closure_convert": replace(
        _shapes_of("fn"), result="function", only_closures=True, computes=True
    ),
    "equinox.filter_pure_callback": _callback(0, 1),
    "equinox.filter_custom_jvp": replace(IDENTITY, takes_rules=True),
    "equinox.filter_custom_vjp": replace(IDENTITY, takes_rules=True),
    "equinox.internal.while_loop": _while("cond_fun", "body_fun", "init_val"),
    "equinox.internal.scan": _scan(_SCAN),
    "flax.nnx.jit": replace(JIT, donate_positions="", donate_names=""),
    "flax.nnx.remat": CHECKPOINT,
    "flax.nnx.pmap": PMAP,
    "flax.nnx.scan": Transform(
        "abstract", "all", stages=True, repeats=True, function="f", each=True
    ),
    "flax.nnx.eval_shape": _shapes_of("f"),
    "flax.nnx.custom_vjp": replace(IDENTITY, unseen_rules=True),
    "flax.nnx.grad": replace(GRAD, floats=False),
    "flax.nnx.value_and_grad": replace(VALUE_AND_GRAD, floats=False),
    "flax.nnx.vmap": replace(VMAP, counts_axes=False),
    "flax.nnx.cond": _cond(),
    "flax.nnx.switch": _switch(),
    "flax.nnx.fori_loop": replace(_fori("body_fun", "init_val"), always=True),
    "flax.nnx.while_loop": _while("cond_fun", "body_fun", "init_val"),
    "flax.linen.jit": MODULE_JIT,
    "flax.linen.remat": MODULE_CHECKPOINT,
    "flax.linen.checkpoint": MODULE_CHECKPOINT,
    "flax.linen.scan": replace(MODULE_LIFT, rest_axes="in_axes"),
    "flax.linen.vmap": replace(VMAP, skips_self=True, lifts_classes=True, counts_axes=False),
    "flax.linen.cond": replace(
        _of_module(
            Callee(1, "true_fun", (Feed("module", 3, "mdl"), Feed("rest", 4, "operands"))),
            Callee(2, "false_fun", (Feed("module", 3, "mdl"), Feed("rest", 4, "operands"))),
        ),
        exclusive=True, same_structure=True,
    ),
    "flax.linen.switch": replace(
        _of_module(
            Callee(
                1, "branches", (Feed("module", 2, "mdl"), Feed("rest", 3, "operands")),
                listed=True,
            )
        ),
        exclusive=True,
    ),
    "flax.linen.while_loop": replace(
        _of_module(
            Callee(0, "cond_fn", (Feed("module", 2, "mdl"), Feed("value", 3, "init"))),
            Callee(1, "body_fn", (Feed("module", 2, "mdl"), Feed("value", 3, "init"))),
        ),
        repeats=True, carry=Carry(1, 3, "init"),
    ),
    "flax.linen.jvp": _differentiation(
        Callee(0, "fn", (Feed("module", 1, "mdl"), Feed("spread", 2, "primals"))),
        result="value_and_tangent",
    ),
    "flax.linen.vjp": replace(
        _differentiation(
            Callee(0, "fn", (Feed("module", 1, "mdl"), Feed("rest", 2))), result="value_and_more"
        ),
        transposes="all",
    ),
    "haiku.remat": CHECKPOINT,
    "haiku.grad": GRAD,
    "haiku.value_and_grad": VALUE_AND_GRAD,
    "haiku.vmap": VMAP,
    "haiku.transform": _pair(Entry("apply", 2, keyed=True)),
    "haiku.multi_transform": replace(
        IDENTITY, result="unknown", function="f", parts=_pair(Entry("apply", 2, keyed=True))
    ),
    "haiku.multi_transform_with_state": replace(
        IDENTITY, result="unknown", function="f",
        parts=_pair(Entry("apply", 3, returns="with_state", keyed=True)),
    ),
    "haiku.transform_with_state": _pair(Entry("apply", 3, returns="with_state", keyed=True)),
    "haiku.without_apply_rng": replace(
        IDENTITY, result="unknown", function="f",
        entries=(Entry("init", 1, returns="other"), Entry("apply", one_less=True)),
    ),
    "haiku.eval_shape": _shapes_of("fun"),
    "haiku.scan": _scan(_SCAN),
    "haiku.map": _MAP,
    "haiku.cond": _cond(),
    "haiku.switch": _switch(),
    "haiku.fori_loop": _fori("body_fun", "init_val"),
    "haiku.while_loop": _while("cond_fun", "body_fun", "init_val"),
}  # fmt: skip
"""Qualified name -> what it does."""

HASHES_NOTHING = {"jax.jit": "eqx.filter_jit", "jax.checkpoint": "eqx.filter_checkpoint"}
"""Transforms that hash the function they are given -> what takes a module in their place."""
