"""JXL106: a Python number wanted from a tracer."""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Edit, Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.counterparts import as_jax
from jaxlint.knowledge import jax_api, python_api
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import given_to, or_static, why_traced

_TYPES = frozenset({"float()", "int()"})
_COMPUTES = (
    cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.ComparisonTarget, cst.Return,
)  # fmt: skip
"""What may have an array in place of a number."""

_KEEPS = (cst.Assign, cst.AugAssign, cst.Element, cst.IfExp)
"""What may, if the number is no integer: that may become a size."""


_INTEGERS = ("math.", "operator.", "bin", "chr", "hex", "oct")
"""How the constructs begin that want an integer, but for those with a rule of their own."""


class NumberFromTracer(RuleOn[events.ScalarConversion | events.IndexConversion]):
    """## What it does

    Finds `int(x)`, `float(x)`, `complex(x)`, `x.item()`, `x.tolist()`, functions of
    `math`, `operator.index`, `chr`, `hex` and the like, `json.dumps` and `pickle.dumps` of what
    holds a tracer, and format specs such as `f"{x:.2f}"` or `"%.2f" % x` on tracers.

    ## Why is this bad

    Each of them needs a Python number now, and while JAX traces there is none. Under
    eager `jax.grad` alone `int(x)` and `x.item()` still work; `float(x)` does not.

    ## Bad

    ```python
    @jax.jit
    def scale(x, n):
        return x * math.sqrt(n)
    ```

    ## Instead

    ```python
    @jax.jit
    def scale(x, n):
        return x * jnp.sqrt(n)
    ```

    To convert a type, `x.astype(jnp.float32)`; to print, `jax.debug.print("{x:.2f}", x=x)`;
    a number that shapes the program is a static argument.

    ## Messages

    - `...` needs the value of `...` while tracing; use `.astype(...)`, or make `...` static
      (`static_argnames="..."`)
    - `...` needs the value of `...` while tracing; keep the array, or take the value
      outside
    - `...` needs the value of `...` while tracing; use `jax.debug.print("{x:.2f}", x=x)` or
      format it outside
    - `...` needs the value of `...` while tracing; use `...`
    - `...` needs the value of its argument while tracing; use `...`
    - `...` needs the value of its argument while tracing; use `.astype(...)`, or make `...`
      static (`static_argnames="..."`)
    """

    code = "JXL106"
    name = "number-from-tracer"
    summary = "a Python number wanted from a tracer"
    fixes = (
        "`math.f(x)` becomes `jnp.f(x)`; `float(x)`, `int(x)` and `x.item()`, where arithmetic "
        "or `return` uses them, `x.astype(float)`, `x.astype(int)` and `x`. Only `math`, in "
        "functions that nobody calls but JAX, is safe."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ConcretizationTypeError for int(s), float(s), complex(s), s.item(), "
        "v.tolist(), math.sin(s) and '%f' % s; TracerIntegerConversionError for math.gcd(n, 2); "
        "TypeError for f'{s:.3f}', format(s, '.3f') and "
        "'{:.2f}'.format(s). math.prod works. f'{s}' shows the tracer.",
        exceptions=("ConcretizationTypeError", "TracerIntegerConversionError", "TypeError"),
    )

    def judge(
        self, event: events.ScalarConversion | events.IndexConversion, file: FileFacts
    ) -> bool:
        return isinstance(event, events.ScalarConversion) or event.construct.startswith(_INTEGERS)

    def message(self, event: events.ScalarConversion | events.IndexConversion) -> str:
        construct = event.construct
        subject = given_to(construct, event.subject)
        if construct in python_api.MATH_ON_ARRAYS:
            counterpart = python_api.MATH_ON_ARRAYS[construct]
            instead = f"use `{counterpart.replace('jax.numpy.', 'jnp.')}`"
        elif "format" in construct:
            instead = 'use `jax.debug.print("{x:.2f}", x=x)` or format it outside'
        elif construct in ("int()", "float()", "complex()"):
            instead = f"use `.astype(...)`{or_static(event)}"
        else:
            instead = "keep the array, or take the value outside"
        return (
            f"`{construct}` needs the value of {subject} while tracing: "
            f"{why_traced(event)}; {instead}"
        )

    def fix(
        self, event: events.ScalarConversion | events.IndexConversion, code: Code
    ) -> Fix | None:
        construct, call = event.construct, _call(code.node(event.site), code)
        if call is None:
            return None
        if construct.startswith("math."):
            known = code.qualified(call.func) == construct
            edits = as_jax(call, code) if known else None
            safe = construct not in python_api.MATH_ROUNDS and code.is_only_traced(event)
            return code.fix("Write it with `jnp`", *edits, safe=safe) if edits else None
        if not _computes_with(call, construct, code) or code.has_comment(call):
            return None
        if construct == ".item()" and isinstance(call.func, cst.Attribute) and not call.args:
            return code.fix(
                "Keep the array", code.replace(call, code.text(call.func.value)), safe=False
            )
        if construct in _TYPES and len(call.args) == 1 and isinstance(call.func, cst.Name):
            edits = _converted(call, call.func.value, code.is_only_traced(event), code)
            return code.fix("Convert the array", *edits, safe=False) if edits else None
        return None


def _call(node: cst.CSTNode | None, code: Code) -> cst.Call | None:
    """The call that wants the number: the node, or what it is an argument of."""
    above = code.parent(node) if node is not None else None
    if isinstance(above, cst.Arg):
        node = code.parent(above)
    return node if isinstance(node, cst.Call) else None


def _computes_with(call: cst.Call, construct: str, code: Code) -> bool:
    """Whether an array will do where the number goes: no size, no index of a list."""
    above = code.parent(call)
    if isinstance(above, cst.Arg):
        function = code.parent(above)
        name = code.qualified(function.func) if isinstance(function, cst.Call) else ""
        return construct == "float()" and name.startswith(f"{jax_api.PACKAGE}.")
    return isinstance(above, _COMPUTES) or (construct == "float()" and isinstance(above, _KEEPS))


def _converted(call: cst.Call, kind: str, only_traced: bool, code: Code) -> list[Edit] | None:
    """``float(x)`` as ``x.astype(float)``, where ``x`` may be a number through ``jnp.asarray``."""
    value = call.args[0].value
    if only_traced:
        return [code.replace(call, f"{code.operand(value)}.astype({kind})")]
    function = code.name(f"{jax_api.NUMPY}.asarray", call)
    if function is None:
        return None
    new = f"{function[0]}({code.argument(value)}, dtype={kind})"
    return [code.replace(call, new), *function[1]]
