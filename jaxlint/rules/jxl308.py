"""JXL308: the result of a pure update thrown away."""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Edit, Fix
from jaxlint.fixes.code import Code
from jaxlint.knowledge import discarded, jax_api, numpy_api, python_api
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text, tracing


class DiscardedUpdate(RuleOn[events.DiscardedUpdate]):
    """## What it does

    Finds `x.at[i].set(v)`, `x.sort()`, `jax.random.split(key)`, `optax.apply_updates(...)`,
    `state.replace(...)`, `state.apply_gradients(...)`, `jax.jit(f)` and `partial(jax.jit, ...)` as
    statements of their own, functions of arrays that change nothing in place
    (`jax.lax.stop_gradient`, `pmean`, `with_sharding_constraint`), `jax.tree.map` of a `lambda`
    that only computes, settings whose `with` is missing (`jax.debug_nans(True)`), and, in traced
    code, checks and callbacks that JAX leaves out (`jax.pure_callback`, `eqx.error_if`);
    loops of JAX with an array in their carry (`jax.lax.fori_loop(0, n, body, x)`) in a function
    that returns something; functions of the program that only make a changed copy of a parameter;
    what reads a checkpoint back (`checkpointer.restore(path, params)`);
    parameters that get a changed copy of themselves which nothing reads or returns; items of a
    copy (`np.array(x)[0] = 1`); errors of `checkify` that nobody throws; and
    changes of a list or dict that a traced function is given, if it
    neither returns it nor looks at it afterwards.

    ## Why is this bad

    The functions return something new and leave their argument as it was: thrown away,
    they do nothing. A setting made as a context manager holds inside of its `with` alone, and what
    a compiled program does not need, it does not run. JAX takes the arguments of a traced function
    apart and hands it copies of their containers: the caller's stay as they were. Nothing raises.

    ## Bad

    ```python
    x.at[0].set(1.0)
    ```

    ## Instead

    ```python
    x = x.at[0].set(1.0)
    ```

    ## Messages

    - `...` returns a new array and leaves `...` as it was; write `... = ...`
    - `...` returns a changed copy and leaves `...` as it was; write `... = ...`
    - `...` returns ... and changes nothing; assign its result
    - `...` is bound to a changed copy that nothing reads, and the caller's stays as it was; return
      it
    - `...` is a copy that nobody holds, and what is written to it is lost; bind it to a name first
    - the errors that `...` finds are thrown away; bind them, and call `error.throw()`
    - `...` sets nothing before it is entered; write `with ...(...):`, or use `jax.config.update`
    - JAX leaves `...` out of the compiled program: nothing reads its result; use it, or call
      what is run for its effect (`jax.debug.callback`)
    - `...` is a copy of the argument, made when ... traces `...` (line ...): the change is
      lost; return what is new
    """

    code = "JXL308"
    name = "discarded-update"
    summary = "the result of a pure update thrown away"
    severity = "warning"
    in_tests = False
    fixes = (
        "`x.at[i].set(v)` becomes `x = x.at[i].set(v)`; unsafe for what may change the shape or "
        "type (`x.sort()`, `optax.apply_updates(params, updates)`) and for an attribute. None "
        "where nothing reads `x` afterwards, for `jax.random.split` and for a changed argument."
    )
    evidence = Evidence(
        "no_effect",
        "jax 0.10.2: the program gives the same results with the marked line deleted.",
        differs=(
            Difference("0.4.36", "`jax.tree_util.register_dataclass` takes no class by itself"),
        ),
    )

    def message(self, event: events.DiscardedUpdate) -> str:
        if event.copied:
            return (
                f"`{text(event.subject)}` is a copy of the argument, made when {tracing(event)}: "
                "the change is lost; return what is new"
            )
        if event.unread:
            return (
                f"`{text(event.subject)}` is bound to a changed copy that nothing reads, and the "
                "caller's stays as it was; return it"
            )
        if event.construct.startswith("."):
            subject = text(event.subject)
            what = "a changed copy" if event.of_object else "a new array"
            return (
                f"`{subject}{event.construct}(...)` returns {what} and leaves `{subject}` as it "
                f"was; write `{subject} = {subject}{event.construct}(...)`"
            )
        if event.construct in numpy_api.CONVERTS:
            return (
                f"`{text(event.subject)}` is a copy that nobody holds, and what is written to it "
                "is lost; bind it to a name first"
            )
        if event.construct in discarded.GIVES_ERRORS:
            return (
                f"the errors that `{text(event.subject)}` finds are thrown away; bind them, and "
                "call `error.throw()`"
            )
        if event.construct in discarded.CONTEXTS:
            return (
                f"`{event.construct}` sets nothing before it is entered; write "
                f"`with {event.construct}(...):`, or use `jax.config.update`"
            )
        if event.construct in discarded.LEFT_OUT:
            return (
                f"JAX leaves `{event.construct}` out of the compiled program: nothing reads its "
                "result; use it, or call what is run for its effect (`jax.debug.callback`)"
            )
        what = _what_returns(event.construct)
        return f"`{event.construct}` returns {what} and changes nothing; assign its result"

    def fix(self, event: events.DiscardedUpdate, code: Code) -> Fix | None:
        call, statement = code.node(event.site), code.statement_at(event.site)
        if not isinstance(call, cst.Call) or not isinstance(statement, cst.Expr):
            return None
        updated = None if event.copied else _updated(event, call, code)
        if statement.value is not call or not isinstance(updated, (cst.Name, cst.Attribute)):
            return None
        if isinstance(updated, cst.Name):
            if not code.binds(updated) or not code.is_read_after(updated.value, statement):
                return None
        array = code.text(updated)
        line, column, *_ = code.whole(call)
        return code.fix(
            f"Write `{array} = ...`",
            Edit(line, column, line, column, f"{array} = "),
            safe=isinstance(updated, cst.Name) and event.construct.startswith(".at["),
        )


def _what_returns(function: str) -> str:
    row = TRANSFORMS.get(function)
    if (row is not None and not row.callees) or function in python_api.MAKES_FUNCTIONS:
        return "a new function"
    if function in jax_api.COPIES:
        return "a changed copy"
    return "new keys" if function.startswith("jax.random.") else "new values"


def _updated(event: events.DiscardedUpdate, call: cst.Call, code: Code) -> cst.CSTNode | None:
    """What the result of a call is the next value of."""
    if event.construct.startswith("."):
        return code.node(event.subject)
    position = jax_api.UPDATED.get(event.construct, len(call.args))
    given = call.args[: position + 1]
    if len(given) <= position or any(each.keyword or each.star for each in given):
        return None
    return given[position].value
