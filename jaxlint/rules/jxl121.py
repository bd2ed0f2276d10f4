"""JXL121: a body of scan, cond or a loop that returns the wrong structure."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import at_line


class WrongStructure(RuleOn[events.StructureMismatch]):
    """## What it does

    Finds bodies of `scan` that do not return a pair, branches of `cond` and `switch` that return
    different structures, and bodies of `while_loop` and `fori_loop` that do not return what they
    were given: in another structure, or with another shape or dtype; conditions of `while_loop`
    that are not one boolean. Also `jax.tree.map` and `optax.apply_updates` of trees that have
    different structures, gradients of another structure than the parameters from which the state of
    the optimizer was made, callbacks that give arrays of another shape than JAX is told, and
    tangents and cotangents that do not fit what they belong to.

    ## Why is this bad

    The compiled loop has one type for its carry, and a `cond` one type for its result.

    ## Bad

    ```python
    def body(total, x):
        return total + x

    jax.lax.scan(body, 0.0, xs)
    ```

    ## Instead

    ```python
    def body(total, x):
        return total + x, None

    total, _ = jax.lax.scan(body, 0.0, xs)
    ```

    ## Messages

    - the body of ... does not return a pair; return the new carry and an output, which may
      be None
    - the body of ... returns another structure than the carry that it got; return the same
      containers with the same keys and lengths
    - the branches of ... return different structures; return the same containers with the
      same keys and lengths from each
    - the trees that ... gets have different structures: it raises; give it the same containers with
      the same keys and lengths
    - the optimizer gets gradients of another structure than the parameters at line ..., of which
      its state was made: it raises; differentiate with respect to those
    - ... takes primals and tangents as two tuples of one structure: it raises; write `(x,)` and
      `(v,)`
    - what ... gives takes one cotangent of the structure of the result: it raises; give it the same
      containers with the same keys and lengths
    - what ... gives takes tangents of the structure of the arguments: it raises; give it the same
      containers with the same keys and lengths
    - ... gets `...` for `...`: it raises; a tangent or cotangent has the shape and dtype of what it
      belongs to
    - the branches of ... return `...` and `...`; make them one shape and dtype
    - ... is told `...`, and its function returns ...: it raises when it runs; describe what
      comes back
    - the condition of ... gives ...: JAX raises; return one boolean, as `jnp.all` and `jnp.any` do
    - the carry of ... comes in as `...` and goes out as `...`: TypeError; begin with the type
      that the body returns, or cast there
    """

    code = "JXL121"
    name = "wrong-structure"
    summary = "a body of scan, cond or a loop that returns the wrong structure"
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TypeError (scan body output must be a pair; cond_fun must "
        "return a boolean scalar; carry input and output"
        " must have the same pytree structure; cond branch outputs must have the same "
        "pytree structure; ... must have equal types, but they differ). The carry may change "
        "its dtype where it is weak, as that of a Python number is. ValueError (pytree structure "
        "error) for trees. RuntimeError (Incorrect output shape; Mismatched number of outputs from "
        "callback) when a callback runs.",
        exceptions=("TypeError", "ValueError", "RuntimeError"),
    )

    def message(self, event: events.StructureMismatch) -> str:
        if event.part == "condition":
            given = f"`{event.after}`" if event.after.endswith("]") else event.after
            return (
                f"the condition of {event.transform} gives {given}: JAX raises; "
                "return one boolean, as `jnp.all` and `jnp.any` do"
            )
        if event.before:
            return self._message_about_types(event)
        if event.part == "trees":
            return (
                f"the trees that {event.transform} gets have different structures: it raises; "
                "give it the same containers with the same keys and lengths"
            )
        if event.part == "tangents":
            return (
                f"{event.transform} takes primals and tangents as two tuples of one structure: it "
                "raises; write `(x,)` and `(v,)`"
            )
        if event.part == "cotangent":
            back = event.transform.endswith("vjp")
            wants = "one cotangent" if back else "tangents"
            return (
                f"what {event.transform} gives takes {wants} of the structure of the "
                f"{'result' if back else 'arguments'}: it raises; give it the same containers with "
                "the same keys and lengths"
            )
        if event.part == "gradients":
            return (
                "the optimizer gets gradients of another structure than the parameters"
                f"{at_line(event.made_at)}, of which its state was made: it raises; differentiate "
                "with respect to those"
            )
        if event.part == "branches":
            return (
                f"the branches of {event.transform} return different structures; "
                "return the same containers with the same keys and lengths from each"
            )
        if event.part == "scan":
            return (
                f"the body of {event.transform} does not return a pair; "
                "return the new carry and an output, which may be None"
            )
        return (
            f"the body of {event.transform} returns another structure than the carry that it got; "
            "return the same containers with the same keys and lengths"
        )

    def _message_about_types(self, event: events.StructureMismatch) -> str:
        if event.part == "callback":
            after = f"`{event.after}`" if event.after.endswith("]") else event.after
            return (
                f"{event.transform} is told `{event.before}`, and its function returns {after}: "
                "it raises when it runs; describe what comes back"
            )
        if event.part in ("tangents", "cotangent"):
            return (
                f"{event.transform} gets `{event.after}` for `{event.before}`: it raises; a "
                "tangent or cotangent has the shape and dtype of what it belongs to"
            )
        if event.part == "branches":
            return (
                f"the branches of {event.transform} return `{event.before}` and `{event.after}`; "
                "make them one shape and dtype"
            )
        return (
            f"the carry of {event.transform} comes in as `{event.before}` and goes out as "
            f"`{event.after}`: TypeError; begin with the type that the body returns, or cast there"
        )
