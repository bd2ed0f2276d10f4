"""How a function comes under a trace: transforms and functions that take functions.

The tables say how each is written, so that programs make sense; what it traces is asked of JAX.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Rank = Literal["out", "in", "out+in", "out+in+in", "0", "lifted in", "out+1"]


@dataclass(frozen=True, slots=True)
class Signature:
    """What the innermost function takes and returns.

    Attributes:
        params: its parameters, as written.
        subjects: those that a construct may be about, with what is known of each: ``in`` for an
            array of the rank the program chose, ``0`` for a scalar.
        result: what it returns; empty for an array or scalar of its only parameter.
        prologue: its first statements.
    """

    params: str
    subjects: tuple[tuple[str, Literal["in", "0"]], ...]
    result: str = ""
    prologue: tuple[str, ...] = ()


PLAIN = Signature("x", (("x", "in"),))
CARRY = Signature("carry", (("carry", "in"),), "carry + 20.0")


@dataclass(frozen=True, slots=True)
class Form:
    """One way under a trace.

    In the texts ``{T}`` is the name as the program spells it, ``{f}`` the function, ``{x}`` the
    argument, ``{n}`` a fresh name.

    Attributes:
        name: the full name of what traces.
        text: how it is applied; with ``{x}`` it is called at once, else it returns a function.
        part: which of the functions it takes, where it takes several.
        signature: what a function written for it looks like.
        adapt: a plain function made into one of that signature.
        lift: axes that the argument has more than the function sees.
        out: rank of the result, of that of the function's result (``out``) and argument (``in``).
        wants: what the function must return: anything, a scalar, or what its argument is like.
        pick: how to get at an array in the result.
        options: what may be written after the function.
        decorates: whether it may stand as a decorator.
        block: statements that define ``{n}``, which is then the function.
        weight: how often it is chosen.
        traces_only: nothing is run, or each call traces anew, so an effect is not lost.
        by_rank: whether it traces depends on the rank of the argument.
    """

    name: str
    text: str = "{T}({f})"
    part: str = ""
    signature: Signature = PLAIN
    adapt: str = ""
    lift: int = 0
    out: Rank = "out"
    wants: Literal["any", "scalar", "like"] = "any"
    pick: str = ""
    options: tuple[str, ...] = ()
    decorates: bool = False
    block: tuple[str, ...] = ()
    weight: int = 1
    traces_only: bool = False
    by_rank: bool = False

    @property
    def title(self) -> str:
        """Its name in the report."""
        return f"{self.name} {self.part}".strip()

    @property
    def at_once(self) -> bool:
        """Whether it calls the function, instead of returning another one."""
        return "{x}" in self.text and not self.block

    def rank(self, argument: int, result: int) -> int:
        """Rank of what comes back."""
        return {
            "out": result, "in": argument, "out+in": result + argument, "0": 0,
            "out+in+in": result + 2 * argument, "lifted in": argument + self.lift,
            "out+1": result + 1,
        }[self.out]  # fmt: skip


_STATIC = 'static_argnames=("n",)'
_LIKE = "lambda w: w + 0.0 * jnp.sum({f}(w))"
_ROW = Signature("carry, row", (("row", "in"), ("row", "in"), ("carry", "0")), "carry + 1.0, row")
_INDEX = Signature("i, carry", (("i", "0"), ("carry", "in")), "carry + 1.0")
_TEST = Signature("carry", (("carry", "in"),), "jnp.sum(carry) < 50.0")
_ADAPT_ROW = "lambda c, row: (c + 1.0, {f}(row))"
_ADAPT_INDEX = "lambda i, c: c + 0.0 * jnp.sum({f}(c))"
_ADAPT_TEST = "lambda c: jnp.sum(c) + 0.0 * jnp.sum({f}(c)) < 50.0"
_ADAPT_BODY = "lambda c: c + 20.0 + 0.0 * jnp.sum({f}(c))"
_LIKE_X = Signature("x", (("x", "in"),), "x * 2.0")
_MODULE = Signature("module, x", (("x", "in"),), "x * 2.0")
_RULE = Signature(
    "primals, tangents", (("x", "in"), ("x", "in"), ("tangents[0]", "in")),
    "x * 2.0, tangents[0] * 2.0", ("(x,) = primals",),
)  # fmt: skip


def _loops(module: str, suffix: str = "") -> tuple[Form, ...]:
    """The control flow that several libraries have in JAX's shape; ``suffix`` ends the calls."""
    lax = module == "jax.lax"
    return (
        Form(f"{module}.scan", f"{{T}}({{f}}, jnp.float32(0.0), {{x}}{suffix})",
             signature=_ROW, adapt=_ADAPT_ROW, lift=1, out="lifted in", pick="[1]",
             wants="like", weight=3 if lax else 1),
        Form(f"{module}.scan", f"{{T}}({{f}}, {{x}}, None, length=3{suffix})", part="carry",
             signature=Signature("carry, _", (("carry", "in"),), "carry * 1.0, carry"),
             adapt="lambda c, _: (c + 0.0 * jnp.sum({f}(c)), None)", out="in", pick="[0]"),
        Form(f"{module}.while_loop", f"{{T}}({{f}}, lambda c: c + 20.0, {{x}}{suffix})",
             part="cond", signature=_TEST, adapt=_ADAPT_TEST, out="in"),
        Form(f"{module}.while_loop", f"{{T}}(lambda c: jnp.sum(c) < 50.0, {{f}}, {{x}}{suffix})",
             part="body", signature=CARRY, adapt=_ADAPT_BODY, out="in"),
        Form(f"{module}.fori_loop", f"{{T}}(0, 3, {{f}}, {{x}}{suffix})", signature=_INDEX,
             adapt=_ADAPT_INDEX, out="in", weight=2 if lax else 1),
    )  # fmt: skip


def _branches(module: str) -> tuple[Form, ...]:
    return (
        Form(f"{module}.cond", "{T}(jnp.sum({x}) > 0, {f}, lambda w: w, {x})", part="true",
             signature=_LIKE_X, adapt=_LIKE, out="in", weight=2),
        Form(f"{module}.cond", "{T}(jnp.sum({x}) > 0, lambda w: w, {f}, {x})", part="false",
             signature=_LIKE_X, adapt=_LIKE, out="in"),
        Form(f"{module}.switch", "{T}(1, [lambda w: w, {f}], {x})", signature=_LIKE_X,
             adapt=_LIKE, out="in"),
    )  # fmt: skip


JAX_FORMS = (
    Form("jax.jit", options=(_STATIC, "donate_argnums=()", "inline=True"), decorates=True,
         weight=12),
    Form("jax.jit", "{T}({f}).lower({x})", part="lower", out="0", pick=" and 0.0",
         traces_only=True),
    Form("jax.grad", wants="scalar", out="in", options=("argnums=0", "allow_int=True"),
         decorates=True, weight=5),
    Form("jax.value_and_grad", wants="scalar", out="in", pick="[1]", options=("argnums=0",),
         decorates=True, weight=4),
    Form("jax.value_and_grad", "{T}(lambda w: ({f}(w), w), has_aux=True)", part="has_aux",
         wants="scalar", out="in", pick="[1]"),
    Form("jax.vmap", lift=1, out="out+1", options=("in_axes=0", "out_axes=0"), decorates=True,
         weight=6),
    Form("jax.pmap", lift=1, out="out+1", options=("in_axes=0",), decorates=True, weight=2),
    Form("jax.jacfwd", out="out+in", options=("argnums=0",), decorates=True, weight=2),
    Form("jax.jacrev", out="out+in", options=("argnums=0",), decorates=True, weight=2),
    Form("jax.jacobian", out="out+in"),
    Form("jax.hessian", wants="scalar", out="out+in+in", decorates=True, weight=2),
    Form("jax.linearize", "{T}({f}, {x})", pick="[0]", weight=2),
    Form("jax.jvp", "{T}({f}, ({x},), ({x},))", pick="[1]", weight=2),
    Form("jax.vjp", "{T}({f}, {x})", pick="[0]", weight=2),
    Form("jax.checkpoint", options=("prevent_cse=False",
         "policy=jax.checkpoint_policies.everything_saveable"), decorates=True, weight=3),
    Form("jax.remat", decorates=True),
    Form("jax.ad_checkpoint.checkpoint"),
    Form("jax.named_call", options=('name="net"',), decorates=True),
    Form("jax.custom_jvp", part="function", signature=_LIKE_X, adapt=_LIKE, out="in",
         block=("{n} = {T}({f})", "{n}.defjvps(lambda t, y, w: t)"), weight=2),
    Form("jax.custom_jvp", part="rule", signature=_RULE,
         adapt="lambda p, t: ({f}(p[0]) * 0.0 + p[0], t[0])", wants="like", out="in",
         block=("@{T}", "def {n}_of(w):", "    return w * 2.0", "", "{n}_of.defjvp({f})",
                "{n} = jax.grad(lambda w: jnp.sum({n}_of(w)))"), weight=2),
    Form("jax.custom_jvp", part="defjvps", signature=Signature(
             "t, y, x", (("x", "in"), ("t", "in"), ("y", "in")), "t * 1.0"),
         adapt="lambda t, y, w: t + 0.0 * jnp.sum({f}(w))", out="in",
         block=("@{T}", "def {n}_of(w):", "    return w * 2.0", "", "{n}_of.defjvps({f})",
                "{n} = jax.grad(lambda w: jnp.sum({n}_of(w)))")),
    Form("jax.custom_vjp", part="function", signature=_LIKE_X, adapt=_LIKE, out="in",
         block=("{n} = {T}({f})", "{n}.defvjp(lambda w: (w, None), lambda res, ct: (ct,))"),
         weight=2),
    Form("jax.custom_vjp", part="forward rule", signature=Signature(
             "x", (("x", "in"),), "x * 2.0, x"), adapt="lambda w: (w + 0.0 * jnp.sum({f}(w)), w)",
         out="in", block=("@{T}", "def {n}_of(w):", "    return w * 2.0", "",
                "{n}_of.defvjp({f}, lambda res, ct: (ct,))",
                "{n} = jax.grad(lambda w: jnp.sum({n}_of(w)))"), weight=2),
    Form("jax.custom_vjp", part="backward rule", signature=Signature(
             "res, ct", (("res", "in"), ("ct", "in")), "(ct * 2.0,)"),
         adapt="lambda res, ct: (ct + 0.0 * jnp.sum({f}(res)),)", out="in",
         block=("@{T}", "def {n}_of(w):", "    return w * 2.0", "",
                "{n}_of.defvjp(lambda w: (w * 2.0, w), {f})",
                "{n} = jax.grad(lambda w: jnp.sum({n}_of(w)))"), weight=2),
    Form("jax.custom_gradient", "{T}(lambda w: ({f}(w), lambda ct: ct))", wants="like", out="in"),
    Form("jax.closure_convert", "{T}({f}, {x})[0]({x})"),
    Form("jax.eval_shape", "{T}({f}, {x})", out="0", pick=".size * 0.0", traces_only=True,
         weight=2),
    Form("jax.make_jaxpr", out="0", pick=" and 0.0", traces_only=True, decorates=True,
         weight=2),
    Form("jax.numpy.vectorize", decorates=True, by_rank=True),
    Form("jax.numpy.apply_along_axis", "{T}({f}, 0, {x})", lift=1, out="out+1", by_rank=True),
    Form("jax.numpy.piecewise", "{T}({x}, [{x} > 0], [{f}, lambda w: w])", signature=_LIKE_X,
         adapt=_LIKE, out="in"),
    Form("jax.shard_map", text="{T}({f}, mesh=MESH, in_specs=P(), out_specs=P())",
         weight=2),
    Form("jax.shard_map", part="sharded",
         text='{T}({f}, mesh=MESH, in_specs=P("i"), out_specs=P("i"))', wants="like"),
    Form("jax.experimental.shard_map.shard_map",
         text="{T}({f}, MESH, in_specs=P(), out_specs=P())"),
    Form("jax.experimental.checkify.checkify", pick="[1]", weight=2, traces_only=True),
    *_loops("jax.lax"),
    *_branches("jax.lax"),
    Form("jax.lax.cond", "{T}(jnp.sum({x}) > 0, lambda: {f}({x}), lambda: {x})", part="thunks",
         wants="like", out="in"),
    Form("jax.lax.map", "{T}({f}, {x})", lift=1, out="out+1", weight=2),
    Form("jax.lax.associative_scan", "{T}({f}, {x})", lift=1, out="lifted in",
         signature=Signature("a, b", (("a", "in"), ("b", "in")), "a + b"),
         adapt="lambda a, b: a + b + 0.0 * jnp.sum({f}(b))"),
    Form("jax.lax.reduce", "{T}(jnp.ravel({x}), jnp.float32(0.0), {f}, (0,))", out="0",
         signature=Signature("a, b", (("a", "0"), ("b", "0")), "a + b"),
         adapt="lambda a, b: a + b + 0.0 * jnp.sum({f}(b))"),
    Form("jax.pure_callback", "{T}({f}, jax.ShapeDtypeStruct({x}.shape, jnp.float32), {x})",
         signature=_LIKE_X, adapt=_LIKE, out="in"),
    Form("jax.debug.callback", "{T}({f}, {x})", out="0", pick=" or 0.0"),
    Form("jax.tree.map", '{T}({f}, {{"a": {x}}})', pick='["a"]'),
    Form("functools.partial", weight=2),
)  # fmt: skip


def _same(package: str, *names: str, weight: int = 1, **what: Any) -> tuple[Form, ...]:
    """Transforms of a library that are written as JAX's are."""
    return tuple(Form(f"{package}.{name}", decorates=True, weight=weight, **what) for name in names)


def _haiku(name: str, text: str, part: str = "", **what: Any) -> Form:
    """A transform that works inside of ``hk.transform`` only; ``text`` is its use with ``v``."""
    block = (
        "def {n}_net(v):",
        f"    return {text}",
        "",
        "{n} = partial(hk.without_apply_rng(hk.transform({n}_net)).apply, {{}})",
    )
    return Form(f"haiku.{name}", part=part, block=block, **what)


def _linen(
    name: str,
    text: str,
    part: str = "",
    signature: Signature = _MODULE,
    adapt: str = "lambda module, w: w + 0.0 * jnp.sum({f}(w))",
    lift: int = 0,
) -> Form:
    """A lifted transform that works in a module only; ``text`` is its use with ``self, v``."""
    block = (
        "class {n}_Net(nn.Module):",
        "    @nn.compact",
        "    def __call__(self, v):",
        f"        return {text}",
        "",
        "{n} = partial({n}_Net().apply, {{}})",
    )
    return Form(f"flax.linen.{name}", "", part, signature, adapt, lift, "lifted in", block=block)


LIBRARY_FORMS = (
    *_same("equinox", "filter_jit", weight=4),
    *_same("equinox", "filter_checkpoint"),
    *_same("equinox", "filter_grad", weight=2, wants="scalar", out="in"),
    *_same("equinox", "filter_value_and_grad", wants="scalar", out="in", pick="[1]"),
    *_same("equinox", "filter_vmap", weight=2, lift=1, out="out+1"),
    *_same("equinox", "filter_jacfwd", "filter_jacrev", out="out+in"),
    *_same("equinox", "filter_hessian", wants="scalar", out="out+in+in"),
    *_same("equinox", "filter_make_jaxpr", out="0", pick=" and 0.0", traces_only=True),
    Form("equinox.filter_jvp", "{T}({f}, ({x},), ({x},))", pick="[1]"),
    Form("equinox.filter_vjp", "{T}({f}, {x})", pick="[0]"),
    Form("equinox.filter_eval_shape", "{T}({f}, {x})", out="0", pick=".size * 0.0",
         traces_only=True),
    Form("equinox.filter_closure_convert", "{T}({f}, {x})({x})"),
    Form("equinox.filter_pure_callback",
         "{T}({f}, {x}, result_shape_dtypes=jax.ShapeDtypeStruct({x}.shape, jnp.float32))",
         signature=_LIKE_X, adapt=_LIKE, out="in"),
    Form("equinox.filter_custom_jvp", part="rule", signature=Signature(
             "primals, tangents", (("x", "in"),), "x * 2.0, tangents[0] * 2.0",
             ("(x,) = primals",)),
         adapt="lambda p, t: (p[0] + 0.0 * jnp.sum({f}(p[0])), t[0])", out="in",
         block=("@{T}", "def {n}_of(w):", "    return w * 2.0", "", "{n}_of.def_jvp({f})",
                "{n} = jax.grad(lambda w: jnp.sum({n}_of(w)))")),
    Form("equinox.filter_custom_vjp", part="function", signature=_LIKE_X, adapt=_LIKE, out="in",
         block=("{n} = {T}({f})", "{n}.def_fwd(lambda perturbed, w: (w, None))",
                "{n}.def_bwd(lambda res, ct, perturbed, w: ct)")),
    Form("equinox.internal.while_loop",
         '{T}({f}, lambda c: c + 20.0, {x}, kind="lax")', part="cond",
         signature=_TEST, adapt=_ADAPT_TEST, out="in"),
    Form("equinox.internal.while_loop",
         '{T}(lambda c: jnp.sum(c) < 50.0, {f}, {x}, kind="bounded", max_steps=3)', part="body",
         signature=CARRY, adapt=_ADAPT_BODY, out="in"),
    Form("equinox.internal.scan", '{T}({f}, jnp.float32(0.0), {x}, kind="lax")', lift=1,
         signature=_ROW, adapt=_ADAPT_ROW, out="lifted in", pick="[1]", wants="like"),
    *_same("flax.nnx", "jit", weight=4),
    *_same("flax.nnx", "remat", "checkpoint"),
    *_same("flax.nnx", "grad", weight=2, wants="scalar", out="in"),
    *_same("flax.nnx", "value_and_grad", wants="scalar", out="in", pick="[1]"),
    *_same("flax.nnx", "vmap", "pmap", lift=1, out="out+1"),
    Form("flax.nnx.eval_shape", "{T}({f}, {x})", out="0", pick=".size * 0.0", traces_only=True),
    Form("flax.nnx.scan", lift=1, out="out+1",
         block=("{n} = {T}({f}, in_axes=0, out_axes=0)",)),
    Form("flax.nnx.scan", part="carry", signature=Signature(
             "carry, row", (("row", "in"), ("carry", "0")), "carry + 1.0, row"),
         adapt=_ADAPT_ROW, lift=1, out="lifted in", wants="like", block=(
             "@{T}", "def {n}_step(carry, row):", "    return ({f})(carry, row)", "",
             "{n} = lambda w: {n}_step(jnp.float32(0.0), w)[1]")),
    Form("flax.nnx.custom_vjp", part="function", signature=_LIKE_X, adapt=_LIKE, out="in",
         block=("{n} = {T}({f})", "{n}.defvjp(lambda w: (w, None), lambda res, ct: (ct,))")),
    Form("flax.nnx.while_loop", "{T}({f}, lambda c: c + 20.0, {x})", part="cond",
         signature=_TEST, adapt=_ADAPT_TEST, out="in"),
    Form("flax.nnx.while_loop", "{T}(lambda c: jnp.sum(c) < 50.0, {f}, {x})", part="body",
         signature=CARRY, adapt=_ADAPT_BODY, out="in"),
    Form("flax.nnx.fori_loop", "{T}(0, 3, {f}, {x})", signature=_INDEX, adapt=_ADAPT_INDEX,
         out="in"),
    *_branches("flax.nnx"),
    Form("haiku.transform", signature=PLAIN, block=("{n} = partial({T}({f}).apply, {{}}, None)",),
         weight=3),
    Form("haiku.transform", part="init", out="0", pick=" or 0.0", block=(
        "{n} = partial({T}({f}).init, jax.random.key(0))",)),
    Form("haiku.without_apply_rng",
         block=("{n} = partial({T}(hk.transform({f})).apply, {{}})",)),
    Form("haiku.transform_with_state", pick="[0]",
         block=("{n} = partial({T}({f}).apply, {{}}, {{}}, None)",)),
    Form("haiku.multi_transform", block=(
        "def {n}_build():", "    return {f}, ({f},)", "",
        "{n} = partial({T}({n}_build).apply[0], {{}}, None)")),
    _haiku("remat", "{T}({f})(v)"),
    _haiku("grad", "{T}({f})(v)", wants="scalar", out="in"),
    _haiku("value_and_grad", "{T}({f})(v)[1]", wants="scalar", out="in"),
    _haiku("vmap", "{T}({f}, split_rng=False)(v)", lift=1, out="out+1"),
    _haiku("map", "{T}({f}, v)", lift=1, out="out+1"),
    _haiku("eval_shape", "jnp.zeros({T}({f}, v).shape)", traces_only=True),
    _haiku("scan", "{T}({f}, jnp.float32(0.0), v)[1]", signature=_ROW, adapt=_ADAPT_ROW, lift=1,
           out="lifted in", wants="like"),
    _haiku("while_loop", "{T}({f}, lambda c: c + 20.0, v)", "cond", signature=_TEST,
           adapt=_ADAPT_TEST, out="in"),
    _haiku("while_loop", "{T}(lambda c: jnp.sum(c) < 50.0, {f}, v)", "body", signature=CARRY,
           adapt=_ADAPT_BODY, out="in"),
    _haiku("fori_loop", "{T}(0, 3, {f}, v)", signature=_INDEX, adapt=_ADAPT_INDEX, out="in"),
    _haiku("cond", "{T}(jnp.sum(v) > 0, {f}, lambda w: w, v)", signature=_LIKE_X, adapt=_LIKE,
           out="in"),
    _haiku("switch", "{T}(1, [lambda w: w, {f}], v)", signature=_LIKE_X, adapt=_LIKE, out="in"),
    _linen("cond", "{T}(jnp.sum(v) > 0, {f}, lambda module, w: w, self, v)"),
    _linen("switch", "{T}(1, [lambda module, w: w, {f}], self, v)"),
    _linen("while_loop", "{T}({f}, lambda module, c: c + 20.0, self, v)", "cond",
           Signature("module, carry", (("carry", "in"),), "jnp.sum(carry) < 50.0"),
           "lambda module, c: jnp.sum(c) + 0.0 * jnp.sum({f}(c)) < 50.0"),
    _linen("while_loop", "{T}(lambda module, c: jnp.sum(c) < 50.0, {f}, self, v)", "body",
           Signature("module, carry", (("carry", "in"),), "carry + 20.0"),
           "lambda module, c: c + 20.0 + 0.0 * jnp.sum({f}(c))"),
    _linen("jit", "{T}({f})(self, v)"),
    _linen("remat", "{T}({f})(self, v)"),
    _linen("vmap", '{T}({f}, variable_axes={{"params": None}}, split_rngs={{"params": False}},'
                   " in_axes=0)(self, v)", lift=1),
    _linen("scan", "{T}({f})(self, jnp.float32(0.0), v)[1]", "",
           Signature("module, carry, row", (("row", "in"), ("carry", "0")), "carry + 1.0, row"),
           "lambda module, c, row: (c + 1.0, row + 0.0 * jnp.sum({f}(row)))", 1),
    _linen("jvp", "{T}({f}, self, (v,), (v,), {{}})[1]"),
    _linen("vjp", "{T}({f}, self, v)[0]"),
)  # fmt: skip
