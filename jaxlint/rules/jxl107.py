"""JXL107: a tracer made into a NumPy array."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import short, text, why_traced


class NumpyOnTracer(RuleOn[events.ArrayConversion]):
    """## What it does

    Finds NumPy and SciPy functions that need a real `ndarray` and get a tracer, and
    NumPy arrays that are indexed with, or written with, a tracer.

    ## Why is this bad

    NumPy computes at once, and a tracer has no numbers yet. Some thirty NumPy
    functions (`np.sum`, `np.mean`, `np.reshape`, ...) hand over to the array's own
    method and do work; jaxlint knows which, because it asked all of them. `ndarray + tracer`
    works too.

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
    - a NumPy array cannot be indexed with `...` while tracing; make it a JAX array first
      with `jnp.asarray`
    """

    code = "JXL107"
    name = "numpy-on-tracer"
    summary = "a tracer made into a NumPy array"
    evidence = Evidence(
        "raises",
        "jax 0.10.2, numpy 2.4: TracerArrayConversionError under jit, grad and vmap for "
        "np.asarray, np.exp, np.where, np.dot and some 300 more; for np.array([s]), A[n] and "
        "A[n] = 1; ValueError for A[0] = s. np.sum, np.mean, np.reshape and others work.",
        exceptions=("TracerArrayConversionError", "ValueError"),
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
            what = f"`{short(event.construct)}` makes a NumPy array of `{subject}` while tracing"
            instead = f"use `{_counterpart(event.construct)}`"
        return f"{what}: {why_traced(event)}; {instead}"


def _counterpart(name: str) -> str:
    if name.startswith("numpy."):
        return "jnp." + name.removeprefix("numpy.")
    return "jax." + name if name.startswith("scipy.") else "the jnp function"
