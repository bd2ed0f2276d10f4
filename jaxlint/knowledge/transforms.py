"""Transforms and higher-order functions of JAX and its libraries.

One row says what becomes a tracer in the function, of which kind, and what is
cached. The claims were measured on jax 0.10.2 (CPU) and are checked against the
installed JAX by ``tests/test_knowledge.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from jaxlint.knowledge.pallas import KERNEL_CALL


@dataclass(frozen=True, slots=True)
class Feed:
    """Where one argument of a traced callable comes from.

    ``value``: the argument of the higher-order function at ``position``;
    ``element``: one element of it along its first axis; ``rest``: that argument
    and all after it; ``handed``: the same as they are, and keywords; ``spread``: the elements
    of that tuple, one argument each; ``given``: the same as they are; ``some``: some of its
    elements; ``line``: one line of it; ``scalar``: a scalar of it; ``index``: a traced integer;
    ``module``: the module that a lifted function belongs to.
    """

    kind: Literal[
        "value", "element", "rest", "handed", "given", "spread", "some", "line", "scalar", "index",
        "module",
    ]  # fmt: skip
    position: int = 0
    keyword: str = ""


@dataclass(frozen=True, slots=True)
class Callee:
    """A callable that a higher-order function calls, and with what.

    ``listed``: the argument is a list of callables. ``matrix``: it may also be an array.
    """

    position: int
    keyword: str
    feeds: tuple[Feed, ...]
    listed: bool = False
    matrix: bool = False


@dataclass(frozen=True, slots=True)
class Carry:
    """What must go out of a body in the structure in which it came in.

    ``callee``: which of the callees is the body; ``position``, ``keyword``: the argument
    that it gets first.
    """

    callee: int
    position: int
    keyword: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A method of a transform's result that calls the function.

    Attributes:
        name: how it is called.
        first: how many of its positional arguments the function does not get.
        one_less: it drops one argument less than the method it stands for.
        returns: what it gives back: what the function returns, the same with a state, or
            something else.
        computes: False where it asks for shapes alone.
    """

    name: str
    first: int = 0
    one_less: bool = False
    returns: Literal["same", "with_state", "other"] = "same"
    computes: bool = True


MESH = "jax.sharding.Mesh"
"""The type of a mesh of devices."""

SPEC = "jax.sharding.PartitionSpec"
"""The type of a spec: which axes of a mesh an array is cut along."""

SHARDING = "jax.sharding.NamedSharding"
"""The type of a mesh and a spec together: how an array lies on the devices."""

UNMAPPED = "jax.sharding.PartitionSpec()"
"""The type of a spec that names no axis: what it is for is the same on every device."""

GIVES_LIKE = "jax.vjp.f_vjp"
"""What gives tangents or cotangents: called with the like of what it gives, then with those."""

Rule = Literal["jvp", "jvps", "vjp", "forward", "backward"]
"""What a rule of differentiation is given: primals and tangents; tangent, result and primals;
the arguments, then residuals and cotangent. ``forward`` and ``backward`` are told as well what
is perturbed."""

RULES: dict[str, Rule] = {
    "defjvp": "jvp",
    "def_jvp": "jvp",
    "defjvps": "jvps",
    "defvjp": "vjp",
    "def_fwd": "forward",
    "def_bwd": "backward",
}
"""Method that gives a function its rules -> what they are given."""


@dataclass(frozen=True, slots=True)
class Transform:
    """What a transform does to the function it is given. A row is complete: the tracer knows
    no transform by name.

    Attributes:
        concreteness: which kind of tracer its traced parameters become;
            ``concrete`` when nothing changes, ``host`` when the function runs outside
            of any trace.
        traced: which parameters become tracers: ``all``, those that ``argnums`` or
            ``in_axes`` choose, ``arrays`` by type, ``refs`` all as references, ``none``.
        stages: every JAX operation in the body gives a tracer, whatever its inputs.
        compiles: the body runs once per signature; later calls skip it.
        computes: False where JAX asks for shapes alone.
        repeats: the body runs again and again on the device.
        exclusive: of several callees one runs.
        callees: empty for a wrapper, which returns the transformed function;
            otherwise the callables that are called at once.
        older_callees: the same for the form in which the operands come in between.
        carry: what a loop gives back as it came.
        pair: the body returns a pair: carry and output.
        size: position and keyword of an argument that must be static: how many iterations.
        same_structure: all callees return the same structure.
        same_types: what must have the same structure must have the same shapes and dtypes too.
        result: what comes back.
        options: positional parameters after the function.
        static_positions, static_names: options that name static parameters.
        hashes: what is given for those must be hashable.
        donate_positions, donate_names: options that name donated parameters.
        unchecked: options that may name parameters which the function does not have.
        excluded: option that names parameters that stay as they are.
        specs: option with one entry for each argument; one that is None stays as it is.
        out_specs: the same for the result.
        axis_name: option that gives a mapped axis a name, for ``psum`` and its like.
        mesh: option whose mesh has the names of the axes that the function runs along.
        rest_axes: option with axes for the arguments after the carry; one that is a name, such
            as ``flax.linen.broadcast``, leaves its argument as it is.
        skips_self: the first parameter of a method is never traced.
        function: keyword by which a wrapper takes the function.
        all_given: it traces every function among its arguments, with values unknown.
        scalar: the function returns a scalar of floats, of floats.
        derivative: its axes: those of the argument alone, or behind those of the result, once or
            twice.
        declared: position and keyword of the argument that describes what comes back.
        gives_like: what the function gives that comes with the value: a tuple with the like of
            each argument, or the like of the value; empty when nobody can see.
        broadcasts: it maps the axes that an argument has, unless this option says which.
        counts_axes: a tuple of axes has one entry for each argument.
        takes_rules: methods of the result give it rules of differentiation.
        checks_rules: JAX refuses rules that return another structure than it asks for.
        refuses_tracers: a call raises where a parameter that ``nondiff_argnums`` names is a tracer.
        own_rule: the function returns its result and its rule.
        lifts_classes: of a module class it makes a module class.
        forward: tangents go along with the values; False where they come back.
        transposes: cotangents go back through the function, to what it differentiates: all that
            becomes a tracer, or the first argument alone.
        basis: it asks for every direction at once, which maps the tangents.
        entries: methods of the result that call the function.
        parts: the function returns a function to initialize and several to apply: what is made of
            each.
        replicates: every JAX operation in the body gives a tracer of what is the same on all
            devices.
        only_closures: a function that reads nothing from around it is left alone.
        traces_anew: each call traces the function again, whether or not it is the same one.
        always: it traces also under ``jax.disable_jit``.
        unjitted: under ``jax.disable_jit`` it maps instead.
        each: the function is given one element of each argument, of which nobody knows the shape.
        for_effect: the function is called for what it does, and not for what it gives.
        at_once: outside of any trace Python calls the function, and no compiled program does.
        by_parts: what it returns is a pytree, and where it compiles, it tells one function from
            another by the parts that it has as a pytree: to look at those takes longer than to
            make a wrapper.
    """

    concreteness: Literal["abstract", "mapped", "replicated", "differentiated", "concrete", "host"]
    traced: Literal["all", "argnums", "in_axes", "arrays", "refs", "none"]
    stages: bool
    compiles: bool = False
    computes: bool = True
    repeats: bool = False
    exclusive: bool = False
    callees: tuple[Callee, ...] = ()
    older_callees: tuple[Callee, ...] = ()
    carry: Carry | None = None
    pair: bool = False
    size: tuple[int, str] | None = None
    same_structure: bool = False
    same_types: bool = False
    result: Literal[
        "same", "gradient", "value_and_gradient", "array", "carry", "scan", "unknown",
        "value_and_more", "value_and_tangent", "error_and_value", "function",
        "function_and_more", "elements",
    ] = "same"  # fmt: skip
    options: tuple[str, ...] = ()
    static_positions: str = ""
    static_names: str = ""
    hashes: bool = True
    donate_positions: str = ""
    donate_names: str = ""
    unchecked: tuple[str, ...] = ()
    excluded: str = ""
    specs: str = ""
    out_specs: str = ""
    axis_name: str = ""
    mesh: str = ""
    rest_axes: str = ""
    skips_self: bool = False
    function: str = "fun"
    all_given: bool = False
    scalar: bool = False
    derivative: Literal["gradient", "jacobian", "hessian"] = "gradient"
    declared: tuple[int, str] | None = None
    gives_like: Literal["", "arguments", "value"] = ""
    counts_axes: bool = False
    broadcasts: str = ""
    takes_rules: bool = False
    checks_rules: bool = False
    refuses_tracers: bool = False
    own_rule: bool = False
    lifts_classes: bool = False
    forward: bool = False
    transposes: Literal["", "all", "first"] = ""
    basis: bool = False
    entries: tuple[Entry, ...] = ()
    parts: Transform | None = None
    replicates: bool = False
    only_closures: bool = False
    traces_anew: bool = False
    always: bool = False
    unjitted: bool = False
    each: bool = False
    for_effect: bool = False
    at_once: bool = False
    by_parts: bool = False

    def entry(self, name: str) -> Entry | None:
        """The method of the result with this name that calls the function."""
        return next((entry for entry in self.entries if entry.name == name), None)

    @property
    def plain(self) -> bool:
        """Whether the function runs as if nothing had been done to it."""
        return self.traced == "none" and not self.stages

    @property
    def is_second(self) -> bool:
        """Whether it differentiates what it has differentiated."""
        return self.derivative == "hessian"

    @property
    def statics_by_option(self) -> bool:
        """Whether it compiles with static arguments that options name."""
        return self.static_positions.startswith("static_")


JIT = Transform(
    "abstract", "all", stages=True, compiles=True,
    static_positions="static_argnums", static_names="static_argnames",
    donate_positions="donate_argnums", donate_names="donate_argnames",
    entries=tuple(
        Entry(name, returns="other", computes=False) for name in ("lower", "trace", "eval_shape")
    ),
)  # fmt: skip
FILTER_JIT = Transform("abstract", "arrays", stages=True, compiles=True, by_parts=True)
PMAP = replace(
    JIT, static_positions="static_broadcasted_argnums", static_names="", donate_names="",
    unchecked=("donate_argnums",), options=("axis_name",), axis_name="axis_name", each=True,
    unjitted=True, entries=(),
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
    scalar=True, transposes="all",
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

_CARRY = Feed("value", 1, "init")
_SCAN = Callee(0, "f", (_CARRY, Feed("element", 2, "xs")))
_OPERANDS = Feed("rest", 3, "operands")


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
    branches = Callee(1, "branches", (Feed("rest", 2, "operands"),), listed=True)
    return replace(_control_flow(branches, result="carry"), exclusive=True)


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
    _control_flow(Callee(0, "f", (Feed("element", 1, "xs"),)), result="array"), repeats=True
)

TRANSFORMS: dict[str, Transform] = {
    "jax.jit": JIT,
    "jax.pmap": PMAP,
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
    "jax.custom_batching.custom_vmap": replace(IDENTITY, takes_rules=True),
    "jax.make_jaxpr": replace(TRACE_ONLY, static_positions="static_argnums"),
    "jax.numpy.vectorize": replace(
        VMAP, traced="all", function="pyfunc", excluded="excluded", options=(), axis_name="",
        counts_axes=False, broadcasts="signature"
    ),
    "jax.eval_shape": _shapes_of("fun"),
    "jax.closure_convert": replace(
        _shapes_of("fun"), result="function_and_more", computes=True
    ),
    "jax.linear_transpose": replace(_shapes_of("fun"), computes=True),
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
    "jax.lax.while_loop": replace(_while("cond_fun", "body_fun", "init_val"), same_types=True),
    "jax.lax.fori_loop": replace(_fori("body_fun", "init_val"), same_types=True),
    "jax.lax.cond": replace(_cond(), same_types=True),
    "jax.lax.switch": _switch(),
    "jax.lax.associative_scan": Transform(
        "concrete", "none", stages=False, result="elements",
        callees=(Callee(0, "fn", (Feed("some", 1, "elems"), Feed("some", 1, "elems"))),),
    ),
    "jax.lax.custom_root": replace(
        _control_flow(Callee(0, "f", (Feed("value", 1, "initial_guess"),)), result="array"),
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
            Callee(2, "funclist", (Feed("scalar", 0, "x"), Feed("rest", 3)), listed=True),
            result="array",
        ),
        exclusive=True,
    ),
    "jax.pure_callback": replace(_callback(0, 2), declared=_DECLARED),
    "jax.experimental.io_callback": replace(_callback(0, 2), declared=_DECLARED, for_effect=True),
    "jax.debug.callback": replace(_callback(0, 1), for_effect=True, at_once=True),
    KERNEL_CALL: Transform(
        "abstract", "refs", stages=True, result="unknown", function="kernel"
    ),
    "equinox.filter_jit": FILTER_JIT,
    "equinox.filter_pmap": replace(FILTER_JIT, axis_name="axis_name", each=True),
    "equinox.filter_checkpoint": replace(FILTER_JIT, compiles=False),
    "equinox.filter_grad": replace(
        GRAD, traced="arrays", scalar=False, transposes="first", by_parts=True
    ),
    "equinox.filter_value_and_grad": replace(
        VALUE_AND_GRAD, traced="arrays", scalar=False, transposes="first", by_parts=True
    ),
    "equinox.filter_vmap": replace(VMAP, traced="arrays", counts_axes=False, by_parts=True),
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
    "equinox.filter_jacfwd": replace(FORWARD_JACOBIAN, traced="arrays", by_parts=True),
    "equinox.filter_jacrev": replace(
        JACOBIAN, traced="arrays", transposes="first", by_parts=True
    ),
    "equinox.filter_hessian": replace(HESSIAN, traced="arrays", transposes="first", by_parts=True),
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
    "flax.nnx.custom_vjp": IDENTITY,
    "flax.nnx.grad": replace(GRAD, scalar=False),
    "flax.nnx.value_and_grad": replace(VALUE_AND_GRAD, scalar=False),
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
    "haiku.transform": _pair(Entry("apply", 2)),
    "haiku.multi_transform": replace(
        IDENTITY, result="unknown", function="f", parts=_pair(Entry("apply", 2))
    ),
    "haiku.multi_transform_with_state": replace(
        IDENTITY, result="unknown", function="f",
        parts=_pair(Entry("apply", 3, returns="with_state")),
    ),
    "haiku.transform_with_state": _pair(Entry("apply", 3, returns="with_state")),
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
