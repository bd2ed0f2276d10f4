"""Waiting for work that was dispatched, before a clock is read."""

from __future__ import annotations

import libcst as cst

from jaxlint.edits import Edit, Fix
from jaxlint.events import UnsyncedTiming
from jaxlint.fixes.code import Code

_WAIT = "jax.block_until_ready"


def wait_before_clock(event: UnsyncedTiming, code: Code) -> Fix | None:
    """Waits for the work where it is dispatched; that of a loop, once behind the loop."""
    work, clock = code.node(event.waits_for), code.node(event.site)
    if not isinstance(work, cst.BaseExpression) or clock is None or _waited_for(work, code):
        return None
    while isinstance(above := code.parent(work), (cst.BinaryOperation, cst.UnaryOperation)):
        work = above  # What is made of it takes its time too.
    if isinstance(above, cst.Expr) and not event.returns:
        return None  # It may give nothing that could be waited for.
    named = code.name(_WAIT, work)
    if named is None:
        return None
    wait, imports = named
    loop = _loop_before(work, clock, code)
    result = _result(work, code)
    if isinstance(loop, (cst.For, cst.While)) and result is not None:
        edits = [code.insert_after(loop, f"{wait}({result})")]
    else:
        edits = _around(loop if isinstance(loop, cst.ListComp) else work, wait, code)
    safe = loop is None and event.returns and not _again(clock, code)
    return code.fix(f"Wait for it: `{wait}(...)`", *edits, *imports, safe=safe)


def _around(node: cst.BaseExpression, wait: str, code: Code) -> list[Edit]:
    """An expression as the argument of a call: its own text stays as it is."""
    line, column, end_line, end_column = code.whole(node)
    if node.lpar and not isinstance(node, (cst.Tuple, cst.GeneratorExp)):
        return [Edit(line, column, line, column, wait)]
    return [
        Edit(line, column, line, column, f"{wait}("),
        Edit(end_line, end_column, end_line, end_column, ")"),
    ]


def _waited_for(node: cst.CSTNode, code: Code) -> bool:
    """Whether a wait stands around it already, which does not do."""
    calls = (each for each in code.around(node) if isinstance(each, cst.Call))
    functions = (call.func for call in calls if call is not node)
    return any(
        isinstance(each, (cst.Name, cst.Attribute))
        and code.text(each).endswith("block_until_ready")
        for each in functions
    )


def _loop_before(
    work: cst.CSTNode, clock: cst.CSTNode, code: Code
) -> cst.For | cst.While | cst.ListComp | None:
    """The outermost loop that dispatches the work and has ended when the clock is read."""
    around_clock = {id(each) for each in code.around(clock)}
    found: cst.For | cst.While | cst.ListComp | None = None
    for each in code.around(work):
        # A `with` that has the clock read when it ends is around what it times.
        if id(each) in around_clock or isinstance(each, (cst.With, cst.FunctionDef, cst.Lambda)):
            break
        if isinstance(each, (cst.For, cst.While, cst.ListComp)):
            found = each
    return found


def _result(work: cst.CSTNode, code: Code) -> str | None:
    """The variables that hold what the work gives; None when it goes elsewhere."""
    statement = code.parent(work)
    if not isinstance(statement, cst.Assign) or statement.value is not work:
        return None
    target = statement.targets[-1].target
    parts = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
    known = all(isinstance(each, (cst.Name, cst.Attribute)) for each in parts)
    return code.operand(target) if known else None


def _again(clock: cst.CSTNode, code: Code) -> bool:
    """Whether the clock is read again and again: waiting holds up all of the loop."""
    return any(isinstance(each, (cst.For, cst.While)) for each in code.around(clock))
