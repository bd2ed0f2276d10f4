"""JXL111: a tracer for a parameter that must be static."""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.statics import as_static
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short, text, why_traced


class StaticArgumentTraced(RuleOn[events.StaticArgument]):
    """## What it does

    Finds tracers given to parameters of JAX and NumPy functions that must be Python values:
    `axis`, `keepdims`, `ord`, `decimals`, the order of axes.

    ## Why is this bad

    They decide what the compiled program looks like, so they must be known while tracing.

    ## Bad

    ```python
    @jax.jit
    def total(x, axis):
        return jnp.sum(x, axis=axis)
    ```

    ## Instead

    ```python
    @partial(jax.jit, static_argnames="axis")
    def total(x, axis):
        return jnp.sum(x, axis=axis)
    ```
    """

    code = "JXL111"
    name = "static-argument-traced"
    summary = "a tracer for a parameter that must be static"
    fixes = (
        "Where the tracer is a parameter as the caller gave it, `static_argnames` is added to the "
        "`jax.jit` of the function, or what is static there already gets one more entry. Unsafe: "
        "callers must pass something that can be hashed, and each new value compiles anew."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2, each parameter of each public function asked: ConcretizationTypeError for "
        "sum(axis=n), TracerIntegerConversionError for concatenate(axis=n), ValueError "
        "(non-hashable static) for cumsum(axis=n), norm(ord=n), TracerBoolConversionError for "
        "argmax(keepdims=b), TypeError for lax.reduce_sum(axes=n).",
        exceptions=(
            "ConcretizationTypeError", "TracerIntegerConversionError", "ValueError",
            "TracerBoolConversionError", "TracerArrayConversionError", "TypeError",
        ),
    )  # fmt: skip

    def message(self, event: events.StaticArgument) -> str:
        return (
            f"`{event.parameter}` of `{short(event.function)}` must be static, and "
            f"`{text(event.subject)}` is a tracer: {why_traced(event)}; make it static "
            "(`static_argnames`)"
        )

    def fix(self, event: events.StaticArgument, code: Code) -> Fix | None:
        root = event.reason.root if event.reason is not None else None
        if root is None or root.role != "parameter" or not _as_given(event, code):
            return None
        edits = as_static(code.node(root.transform_site), root.subject, code)
        title = f"Make `{root.subject}` static"
        return None if edits is None else code.fix(title, *edits, safe=False)


def _as_given(event: events.StaticArgument, code: Code) -> bool:
    """Whether the tracer is a parameter itself, handed on from function to function at most."""
    assert event.reason is not None
    name = ""
    for link in event.reason.chain():
        if link.role == "argument":
            call = code.node(link.site)
            given = call.args if isinstance(call, cst.Call) else ()
            if not any(_is_name(each.value, name) for each in given):
                return False
        elif link.role != "parameter":
            return False
        name = link.subject
    return _is_name(code.node(event.subject), name)


def _is_name(node: cst.CSTNode | None, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
