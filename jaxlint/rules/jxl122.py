"""JXL122: the gradient of something that has none."""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text, with_article

_NO_NUMBERS = frozenset({"an integer", "a boolean", "a complex number", "None"})
_NUMBERS = frozenset({"integer", "boolean"})


def _pass(kind: str) -> str:
    return "pass a float" if kind in _NUMBERS else "pass arrays"


class BadGradient(RuleOn[events.BadGradient]):
    """## What it does

    Finds `jax.grad`, `jax.jacfwd`, `jax.jacrev` and `jax.hessian` called with an integer or
    boolean to differentiate, or with a container or module that holds one, or a string or
    function; and `jax.grad` of a function that returns an array with axes, an integer, a boolean,
    `None`, or a tuple without `has_aux=True`; with it, of one that returns no pair. Also gradients
    that go back through `jax.lax.while_loop`, or through `jax.lax.fori_loop` with a traced bound.

    ## Why is this bad

    A gradient is defined for real inputs and a scalar output; JAX raises for anything else.
    It goes back through each pass of a loop, so it must be known how many there were.

    ## Bad

    ```python
    jax.grad(lambda x: x**2)(3)
    ```

    ## Instead

    ```python
    jax.grad(lambda x: x**2)(3.0)
    ```

    For a loop, `jax.lax.scan` or `jax.lax.fori_loop` over as many steps as it takes at most, or a
    rule of its own (`jax.custom_vjp`). For a vector output, `jax.jacobian`, or sum it first; for
    extra outputs, `has_aux=True`.

    ## Messages

    - ... of `...` at `...`, an integer, for which there is no gradient: JAX raises; pass a
      float
    - ... of `...` at `...`, a boolean, for which there is no gradient: JAX raises; pass a
      float
    - ... of `...` at `...`, a ..., for which there is no gradient: JAX raises; pass arrays
    - ... of `...` at `...`, which holds ..., for which there is no gradient: JAX raises;
      leave it out
    - ... wants a scalar, and `...` returns ...: JAX raises; sum it, use `jax.jacobian`, or
      `has_aux=True`
    - ... wants a real number, and `...` returns ...: JAX raises; return a float
    - ... of `...` goes back through ...: JAX raises; use `jax.lax.scan`, or `fori_loop` with
      Python numbers for bounds
    - ... with `has_aux=True` wants a pair, and `...` returns ...: JAX raises; return the loss and
      the rest, or leave `has_aux` out
    """

    code = "JXL122"
    name = "bad-gradient"
    summary = "the gradient of something that has none"
    fixes = (
        "A whole number that is written out gets a decimal point: `grad(f)(3)` becomes "
        "`grad(f)(3.0)`. Unsafe: the function may count with it. None for anything else."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (grad requires real- or complex-valued inputs; argument of type "
        "<class 'function'> is not a valid JAX type; gradient "
        "only defined for scalar-output functions; expected function with aux output to return a "
        "two-element tuple), ValueError (reverse-mode differentiation does not work for "
        "lax.while_loop).",
        exceptions=("TypeError", "ValueError"),
    )

    def message(self, event: events.BadGradient) -> str:
        if event.part == "input":
            what = f"{event.transform} of `{event.function}` at `{text(event.subject)}`, "
            what += f"{'which holds ' if event.holder else ''}{with_article(event.type)}, for which"
            instead = "leave it out" if event.holder else _pass(event.type)
            return f"{what} there is no gradient: JAX raises; {instead}"
        if event.part == "loop":
            return (
                f"{event.transform} of `{event.function}` goes back through {event.type}: JAX "
                "raises; use `jax.lax.scan`, or `fori_loop` with Python numbers for bounds"
            )
        if event.part == "aux":
            return (
                f"{event.transform} with `has_aux=True` wants a pair, and `{event.function}` "
                f"returns {event.type}: JAX raises; return the loss and the rest, or leave "
                "`has_aux` out"
            )
        if event.type in _NO_NUMBERS:
            return (
                f"{event.transform} wants a real number, and `{event.function}` returns "
                f"{event.type}: JAX raises; return a float"
            )
        return (
            f"{event.transform} wants a scalar, and `{event.function}` returns {event.type}: "
            "JAX raises; sum it, use `jax.jacobian`, or `has_aux=True`"
        )

    def fix(self, event: events.BadGradient, code: Code) -> Fix | None:
        number = code.node(event.subject)
        if isinstance(number, cst.UnaryOperation) and isinstance(number.operator, cst.Minus):
            number = number.expression
        if not isinstance(number, cst.Integer) or not number.value.isdecimal():
            return None
        text = f"{number.value}.0"
        return code.fix(f"Write `{text}`", code.replace(number, text), safe=False)
