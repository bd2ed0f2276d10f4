"""JXL104: an operator or builtin that asks a tracer for its truth value"""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Fix
from jaxlint.fixes.code import Code
from jaxlint.fixes.logic import Logic, outermost
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Difference, Evidence, RuleOn
from jaxlint.rules.words import text, why_traced

_INSTEAD = {
    "and": "`jnp.logical_and` or `&`",
    "or": "`jnp.logical_or` or `|`",
    "not": "`jnp.logical_not` or `~`",
    "chained comparison": "two comparisons joined with `&`",
    "in": "`jnp.isin`",
    "bool()": "the array itself with `jnp.where`",
    "min()": "`jnp.minimum` or `jnp.min`",
    "max()": "`jnp.maximum` or `jnp.max`",
    "sorted()": "`jnp.sort`",
    "any()": "`jnp.any`",
    "all()": "`jnp.all`",
    "filter()": "`jnp.where` with a mask",
    "jax.tree.all()": "`jax.tree.reduce` with `jnp.logical_and`",
}

_OPERATORS = frozenset({"and", "or", "not", "chained comparison"})
_OF_ELEMENTS = {
    "min()": "min", "max()": "max", "sorted()": "sort", "any()": "any", "all()": "all",
}  # fmt: skip
_OF_TWO = {"min()": "minimum", "max()": "maximum"}


class TruthOfTracedValue(RuleOn[events.BoolConversion]):
    """## What it does

    Finds `and`, `or`, `not`, chained comparisons, `in` a list, `bool()`, and the
    builtins `min`, `max`, `sorted`, `any`, `all`, `filter` on tracers. In the test
    of an `if`, `while` or `assert` the statement's own rule speaks instead.

    ## Why is this bad

    Each of them asks the tracer for its truth value, which is not known while
    tracing. `0 < x < 1` hides an `and`; `max(x, 0)` hides an `if`.

    ## Bad

    ```python
    @jax.jit
    def relu(x):
        return max(x, 0.0)
    ```

    ## Instead

    ```python
    @jax.jit
    def relu(x):
        return jnp.maximum(x, 0.0)
    ```

    `jnp.logical_and`, `&`, `|`, `~`, `jnp.any`, `jnp.all`, `jnp.sort` likewise.

    ## Messages

    - `...` needs a true or false from `...` while tracing; use ...
    - a chained comparison needs a true or false from `...` while tracing; use two
      comparisons joined with `&`
    - `...` compares values that are not known while tracing; use ...
    """

    code = "JXL104"
    name = "truth-of-traced-value"
    summary = "an operator or builtin that asks a tracer for its truth value"
    fixes = (
        "`and`, `or`, `not` of booleans become `&`, `|` and `jnp.logical_not` (`~` where only "
        "tracers arrive), `a < x < b` becomes `(a < x) & (x < b)`; safe where evaluating both "
        "sides cannot raise. `max(x, y)`, `any(x)`, `bool(x)` and the like become `jnp` functions: "
        "unsafe where other code may pass Python numbers. None for `x or default`."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2: TracerBoolConversionError for `and`, `or`, `not`, `0 < s < 1`, "
        "`min(s, 1.)`, `max(v)`, `sorted(v)`, `any(m)`, `all(m)`, `s in [1., 2.]`; "
        "`sum`, `abs`, `round`, `pow` work and stay traced.",
        exceptions=("TracerBoolConversionError",),
        differs=(Difference("0.4.14", "JAX raises its base class, ConcretizationTypeError"),),
    )

    def judge(self, event: events.BoolConversion, file: FileFacts) -> bool:
        return event.construct in _INSTEAD

    def message(self, event: events.BoolConversion) -> str:
        instead = _INSTEAD[event.construct]
        construct, subject = event.construct, text(event.subject)
        asks = "a chained comparison" if construct == "chained comparison" else f"`{construct}`"
        if construct.endswith("()") and subject.startswith(construct[:-1]):
            subject = subject[len(construct) - 1 : -1]
        what = f"{asks} needs a true or false from `{subject}` while tracing"
        if event.construct in _COMPARE:
            what = f"`{text(event.subject)}` compares values that are not known while tracing"
        return f"{what}: {why_traced(event)}; use {instead}"

    def fix(self, event: events.BoolConversion, code: Code) -> Fix | None:
        node = code.node(event.site)
        if not isinstance(node, cst.BaseExpression):
            return None
        if event.construct in _OPERATORS:
            return _logic(event, node, code)
        if event.construct == "in":
            return _membership(node, code)
        return _builtin(event, node, code) if isinstance(node, cst.Call) else None


def _logic(event: events.BoolConversion, node: cst.BaseExpression, code: Code) -> Fix | None:
    test = outermost(node, code)
    logic = Logic(code, node if event.dtype == "bool" else None, code.is_only_traced(event))
    new = logic.rewritten(test)
    if new is None:
        return None
    return code.fix(
        "Write it with `&`, `|` and the like",
        code.replace(test, new.text),
        *logic.imports,
        safe=logic.safe,
    )


def _membership(node: cst.BaseExpression, code: Code) -> Fix | None:
    """``x in [1, 2]`` as ``jnp.isin(x, jnp.array([1, 2]))``."""
    if not isinstance(node, cst.Comparison) or len(node.comparisons) > 1:
        return None
    operator, among = node.comparisons[0].operator, node.comparisons[0].comparator
    isin, array = code.name("jax.numpy.isin", node), code.name("jax.numpy.array", node)
    if not isinstance(among, (cst.List, cst.Tuple)) or isin is None or array is None:
        return None
    call = f"{isin[0]}({code.argument(node.left)}, {array[0]}({code.text(among)}))"
    negation = "~" if isinstance(operator, cst.NotIn) else ""
    edits = dict.fromkeys([*isin[1], *array[1]])
    return code.fix(
        "Write `jnp.isin(...)`", code.replace(node, f"{negation}{call}"), *edits, safe=False
    )


def _builtin(event: events.BoolConversion, call: cst.Call, code: Code) -> Fix | None:
    """``max(x, y)`` as ``jnp.maximum(x, y)``, ``any(x)`` as ``jnp.any(x)``."""
    given = [each.value for each in call.args]
    if not given or any(each.keyword or each.star for each in call.args):
        return None
    display = isinstance(given[0], (cst.List, cst.Tuple))
    if event.construct == "bool()":
        name = "bool_"
    elif len(given) > 1:
        name = _OF_TWO.get(event.construct, "")
    else:
        name = _OF_ELEMENTS.get(event.construct, "") if event.of_array or display else ""
    function = code.name(f"jax.numpy.{name}", call) if name else None
    array = code.name("jax.numpy.array", call)
    if function is None or array is None:
        return None
    edits = [code.replace(call.func, function[0]), *function[1]]
    if len(given) > 2:
        if code.has_comment(call):
            return None
        edits[0] = code.replace(call, _nested(function[0], [code.argument(each) for each in given]))
    elif display and len(given) == 1:
        edits.append(code.replace_whole(given[0], f"{array[0]}({code.text(given[0])})"))
        edits += [each for each in array[1] if each not in edits]
    return code.fix(
        f"Write `jnp.{name}(...)`",
        *edits,
        safe=event.construct in _OF_TWO and not display and code.is_only_traced(event),
    )


def _nested(function: str, given: list[str]) -> str:
    """A function of two arguments, of several."""
    text = given[0]
    for each in given[1:]:
        text = f"{function}({text}, {each})"
    return text


_COMPARE = ("min()", "max()", "sorted()")
