"""JXL107: a tracer made into a NumPy array."""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.counterparts import as_jax
from jaxlint.fixes.updates import as_update
from jaxlint.knowledge import numpy_api, scipy_api
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import given_to, short, text, why_traced


class NumpyOnTracer(RuleOn[events.ArrayConversion]):
    """## What it does

    Finds NumPy and SciPy functions that need a real `ndarray` and get a tracer, or call a
    function that returns one to them, and NumPy arrays that are indexed with, or written
    with, a tracer.

    ## Why is this bad

    NumPy computes at once, and a tracer has no numbers yet. Some thirty NumPy
    functions (`np.sum`, `np.mean`, `np.reshape`, ...) hand over to the array's own
    method and do work; jaxlint knows which, because it asked all of them. `ndarray + tracer`
    works too.

    SciPy's solvers (`scipy.optimize.minimize`, `scipy.integrate.odeint`, ...) call the function
    that they are given with numbers. Under a trace it returns a tracer all the same as soon as it
    uses a traced value or, under `jax.jit`, any function of JAX.

    ## Bad

    ```python
    @jax.jit
    def f(x):
        return np.exp(x)
    ```

    ## Instead

    ```python
    @jax.jit
    def f(x):
        return jnp.exp(x)
    ```

    For a NumPy-only library, `jax.pure_callback`.

    ## Messages

    - `...` is a NumPy array and cannot hold a tracer; make it a JAX array and use `...`
    - `...` makes a NumPy array of `...` while tracing; use `...`
    - `...` makes a NumPy array of `...` while tracing; call it by `jax.pure_callback`
    - `...` makes a NumPy array of `...` while tracing; call it by `jax.debug.callback`
    - `...` makes a NumPy array of its argument while tracing; use `...`
    - `...` makes a NumPy array of what `...` returns while tracing; use `...`
    - `...` makes a NumPy array of what `...` returns while tracing; call it by `jax.pure_callback`
    - a NumPy array cannot be indexed with `...` while tracing; make it a JAX array first
      with `jnp.asarray`
    """

    code = "JXL107"
    name = "numpy-on-tracer"
    summary = "a tracer made into a NumPy array"
    fixes = (
        "`np.f(x)` becomes `jnp.f(x)` where every release allowed has it and takes the arguments; "
        "an array that is indexed with a tracer becomes `jnp.asarray(array)`; one that is written "
        "to is made with `jnp`, and updated with `.at`. Unsafe where other code may call the "
        "function with NumPy arrays."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2, numpy 2.4: TracerArrayConversionError under jit, grad and vmap for "
        "np.asarray, np.exp, np.where, np.dot and some 300 more; for np.array([s]), A[n] and "
        "A[n] = 1; ValueError for A[0] = s. np.sum, np.mean, np.reshape and others work. scipy "
        "1.17: the same for 134 functions, and for what functions return to them; "
        "ConcretizationTypeError or TracerBoolConversionError where SciPy wants a float (quad).",
        exceptions=(
            "TracerArrayConversionError",
            "ConcretizationTypeError",
            "TracerBoolConversionError",
            "ValueError",
        ),
    )

    def message(self, event: events.ArrayConversion) -> str:
        subject = text(event.subject)
        if event.construct == "index":
            what = f"a NumPy array cannot be indexed with `{subject}` while tracing"
            instead = "make it a JAX array first with `jnp.asarray`"
        elif event.construct == "item assignment":
            what = f"`{subject}` is a NumPy array and cannot hold a tracer"
            instead = f"make it a JAX array and use `{subject}.at[...].set(...)`"
        else:
            given = given_to(event.construct, event.subject)
            made_of = f"what `{subject}` returns" if event.returned else given
            what = f"`{short(event.construct)}` makes a NumPy array of {made_of} while tracing"
            instead = _instead(event.construct)
        return f"{what}: {why_traced(event)}; {instead}"

    def fix(self, event: events.ArrayConversion, code: Code) -> Fix | None:
        node, only_traced = code.node(event.site), code.is_only_traced(event)
        if isinstance(node, cst.Subscript):
            if event.construct == "item assignment":
                return _as_updates(node, code)
            return _as_indexed(node, only_traced, code)
        if not isinstance(node, cst.Call) or code.qualified(node.func) != event.construct:
            return None
        edits = as_jax(node, code)
        if edits is None:
            return None
        title = f"Write `{_counterpart(event.construct)}(...)`"
        return code.fix(title, *edits, safe=only_traced)


def _as_indexed(node: cst.Subscript, only_traced: bool, code: Code) -> Fix | None:
    """``weights[i]`` as ``jnp.asarray(weights)[i]``."""
    function = code.name("jax.numpy.asarray", node)
    if function is None or isinstance(code.parent(node), (cst.AssignTarget, cst.AugAssign)):
        return None
    array = f"{function[0]}({code.argument(node.value)})"
    return code.fix(
        "Make it a JAX array",
        code.replace_whole(node.value, array),
        *function[1],
        safe=only_traced,
    )


def _as_updates(target: cst.Subscript, code: Code) -> Fix | None:
    """``out = np.zeros(3)`` and ``out[0] = x`` as ``jnp.zeros(3)`` and ``out.at[0].set(x)``."""
    made = code.value_of(target.value) if isinstance(target.value, cst.Name) else None
    edits = as_jax(made, code) if isinstance(made, cst.Call) else None
    update = as_update(target, code)
    if edits is None or update is None:
        return None
    return code.fix("Make it a JAX array, and update it", *edits, update[0], safe=False)


def _instead(name: str) -> str:
    if name in numpy_api.ASSERTS:
        return "call it by `jax.debug.callback`"
    written = _counterpart(name)
    return f"use `{written}`" if written else "call it by `jax.pure_callback`"


def _counterpart(name: str) -> str:
    if name.startswith("numpy."):
        return "jnp." + name.removeprefix("numpy.")
    return short(scipy_api.counterpart(name)) if name.startswith("scipy.") else "the jnp function"
