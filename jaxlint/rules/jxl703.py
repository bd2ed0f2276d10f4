"""JXL703: rules of differentiation that JAX does not take."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line, text


class BadRule(RuleOn[events.RuleMismatch | events.NondiffTracer]):
    """## What it does

    Finds functions with rules of their own (`jax.custom_vjp`, `jax.custom_jvp`) whose rules JAX
    refuses: a backward rule that does not return one cotangent for each argument, in a tuple, or
    one of another shape than its argument; a forward rule that does not return a pair of result
    and residuals; a jvp rule that does not return primal and tangent, in one shape; and a tracer
    for a parameter of a `custom_vjp` function that `nondiff_argnums` names. Also rules that take
    another number of arguments than JAX gives them: those that `nondiff_argnums` names come first.

    ## Why is this bad

    JAX raises, not where the rule stands but when somebody takes a gradient, often long after the
    function itself has been used: calling it without a gradient never runs the rules.

    `nondiff_argnums` is for functions and other values that are no arrays, whatever its name says.
    An array that needs no gradient is an ordinary argument, with None for its cotangent.

    ## Bad

    ```python
    @jax.custom_vjp
    def clipped(x):
        return x

    def fwd(x):
        return x, None

    def bwd(_, g):
        return jnp.clip(g, -1.0, 1.0)

    clipped.defvjp(fwd, bwd)
    jax.grad(clipped)(2.0)
    ```

    ## Instead

    ```python
    def bwd(_, g):
        return (jnp.clip(g, -1.0, 1.0),)
    ```

    ## Limits

    A tracer for such a parameter of a `custom_jvp` function raises only where the call is staged
    first and differentiated later; that is not found.

    ## Messages

    - the bwd rule of `...` at line ... returns ..., and JAX raises when the gradient is taken;
      return a tuple of ..., one cotangent for each argument
    - the fwd rule of `...` at line ... returns ..., and JAX raises when the gradient is taken;
      return a pair of the result and the residuals
    - the jvp rule of `...` at line ... returns ..., and JAX raises when the gradient is taken;
      return a pair of primal and tangent
    - the bwd rule of `...` at line ... returns `...` for `...`, `...`, and JAX raises when the
      gradient is taken; return the shape of `...`, or None
    - the jvp rule of `...` at line ... returns `...` beside a result `...`, and JAX raises when the
      gradient is taken; return a tangent of its shape
    - JAX gives the ... rule of `...` at line ... other arguments (...) than it takes (...):
      TypeError; take ...
    - `...` is a tracer, and `...` at line ... names `...` in nondiff_argnums: JAX raises; pass it
      as an ordinary argument, with None for its cotangent
    """

    code = "JXL703"
    name = "bad-rule"
    summary = "a rule of differentiation that JAX refuses"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (Custom VJP bwd rule must produce an output with the same "
        "container structure as the args tuple; Custom VJP fwd rule must produce a pair; Custom "
        "JVP rule must produce a pair), UnexpectedTracerError (Found a JAX Tracer object passed "
        "as an argument to a custom_vjp function in a position indicated by nondiff_argnums); "
        "ValueError (Custom VJP bwd rule must produce an output with the same type), where the "
        "shapes differ: another dtype is cast. For a jvp rule that is TypeError.",
        exceptions=("TypeError", "UnexpectedTracerError", "ValueError"),
    )

    def message(self, event: events.RuleMismatch | events.NondiffTracer) -> str:
        if isinstance(event, events.NondiffTracer):
            return (
                f"`{text(event.subject)}` is a tracer, and `{event.function}`"
                f"{at_line(event.defined_at)} names `{event.parameter}` in nondiff_argnums: "
                "JAX raises; pass it as an ordinary argument, with None for its cotangent"
            )
        if event.takes:
            return (
                f"JAX gives the {event.rule} rule of `{event.function}`"
                f"{at_line(event.defined_at)} other arguments ({event.given}) than it takes "
                f"({event.takes}): TypeError; take {event.wanted}"
            )
        return (
            f"the {event.rule} rule of `{event.function}`{at_line(event.defined_at)} returns "
            f"{event.returns}, and JAX raises when the gradient is taken; return {event.wanted}"
        )
