"""JXL113: something that is no array passed to a compiled function."""

from __future__ import annotations

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.statics import as_static
from jaxlint.knowledge.libraries import ARRAYS_OF, JITS
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line, text, with_article

_EQUAL_AGAIN = frozenset({"string", "function", "class"})
"""What can be hashed, and is the same at the next call."""


def _advice(event: events.InvalidArgument) -> str:
    """What to write instead."""
    if event.what == "iterator":
        return "make it a list, or stack the arrays"
    if not event.holder:
        return "name its parameter in `static_argnames`"
    if event.module in JITS:
        return f"compile with `{JITS[event.module]}`"
    if event.holder.endswith(" object"):
        return f"make that field of `{event.holder.removesuffix(' object')}` static"
    return "pass that apart, as a static argument"


class NotAnArray(RuleOn[events.InvalidArgument]):
    """## What it does

    Finds strings, functions, classes, sets, objects of unregistered classes and modules of linen,
    which hold no arrays, that are passed to a parameter of a jitted function that is not static,
    or lie in a container, named tuple, registered dataclass or module that is; or to `scan`,
    `cond`, `while_loop`, `fori_loop`, in what they carry or take apart; or to `vmap`, where it maps
    them; or to the `init` of an optimizer. A parameter that is annotated as `Callable` is told of
    where no call is in view: only a `jax.tree_util.Partial` can be passed there.

    ## Why is this bad

    JAX turns every argument that is not static into a tracer, and it can do that with arrays,
    numbers and pytrees of them only.

    ## Bad

    ```python
    @jax.jit
    def apply(x, activation):
        return activation(x)

    apply(x, jnp.tanh)
    ```

    ## Instead

    ```python
    @partial(jax.jit, static_argnames="activation")
    def apply(x, activation):
        return activation(x)
    ```

    or close over it; a class of your own can be registered with
    `jax.tree_util.register_dataclass`.

    ## Messages

    - `...` is a ..., and `...`, compiled at line ..., takes arrays: JAX raises; name its
      parameter in `static_argnames`
    - `...` is an iterator, and `...`, compiled at line ..., takes arrays: JAX raises; make it a
      list, or stack the arrays
    - `...` is a ..., and ... takes arrays: JAX raises; let the function read it from outside
    - `...` holds a ..., and ... takes arrays: JAX raises; keep its arrays alone
      (`eqx.filter(model, eqx.is_array)`)
    - `...` holds a ..., and ... takes arrays: JAX raises; let the function read it from outside
    - `...` holds a ..., and ... takes arrays: JAX raises; register its class as a pytree
      (`jax.tree_util.register_dataclass`)
    - `...` is a ..., and ... takes arrays: JAX raises; register its class as a pytree
      (`jax.tree_util.register_dataclass`)
    - `...` holds a ..., and `...`, compiled at line ..., takes arrays: JAX raises; pass that
      apart, as a static argument
    - `...` holds a ..., and `...`, compiled at line ..., takes arrays: JAX raises; make that field
      of `...` static
    - `...` holds a ..., and `...`, compiled at line ..., takes arrays: JAX raises; compile with
      `eqx.filter_jit`
    """

    code = "JXL113"
    name = "not-an-array"
    summary = "something that is no array passed to a compiled function"
    fixes = (
        "For a string, function or class, `static_argnames` is added to the `jax.jit` of the "
        "function. Unsafe: each new one compiles anew. None for objects and containers."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (error interpreting argument as an abstract array) for "
        "str, function, partial, class, set, dtype and unregistered objects, also "
        "inside a tuple, dict, named tuple or registered dataclass; jax.tree_util.Partial, None "
        "and tuples of numbers are fine.",
        exceptions=("TypeError",),
    )

    def message(self, event: events.InvalidArgument) -> str:
        if event.latent:
            return (
                f"`{event.parameter}` of `{event.function}`, compiled{at_line(event.wrapped_at)}, "
                "is to be a function: JAX raises as soon as a call passes one that is no "
                f"`jax.tree_util.Partial`; {_advice(event)}"
            )
        is_or_holds = "holds" if event.holder else "is"
        if not event.called:
            what = f"`{text(event.subject)}` {is_or_holds} {with_article(event.what)}"
            if event.module in ARRAYS_OF:
                instead = f"keep its arrays alone (`{ARRAYS_OF[event.module]}`)"
                return f"{what}, and {event.function} takes arrays: JAX raises; {instead}"
            instead = (
                "register its class as a pytree (`jax.tree_util.register_dataclass`)"
                if event.what.endswith(" object")
                else "let the function read it from outside"
            )
            return f"{what}, and {event.function} takes arrays: JAX raises; {instead}"
        return (
            f"`{text(event.subject)}` {is_or_holds} {with_article(event.what)}, and "
            f"`{event.function}`, compiled{at_line(event.wrapped_at)}, takes arrays: JAX raises; "
            f"{_advice(event)}"
        )

    def fix(self, event: events.InvalidArgument, code: Code) -> Fix | None:
        if event.what not in _EQUAL_AGAIN or not event.parameter:
            return None
        edits = as_static(code.node(event.wrapped_at), event.parameter, code)
        title = f"Make `{event.parameter}` static"
        return None if edits is None else code.fix(title, *edits, safe=False)
