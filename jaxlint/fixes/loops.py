"""The loops of Python as a fix sees them: which one repeats a node, and what counts its rounds."""

from __future__ import annotations

from typing import TypeAlias

import libcst as cst

from jaxlint.fixes.code import Code

Loop: TypeAlias = cst.For | cst.While | cst.CompFor
"""``for``, ``while``, and the ``for`` of a comprehension."""


def loop_around(node: cst.CSTNode, code: Code) -> Loop | None:
    """The innermost loop of its function that evaluates a node again and again."""
    below = node
    for each in code.around(node):
        if isinstance(each, (cst.FunctionDef, cst.Lambda, cst.ClassDef)) and below is each.body:
            return None
        if isinstance(each, (cst.For, cst.While)) and below is each.body:
            return each
        if isinstance(each, cst.While) and below is each.test:
            return each
        if isinstance(each, cst.CompFor) and below is not each.iter and below is not each:
            return each
        if isinstance(each, cst.BaseComp) and below is not each and below is not each.for_in:
            return _innermost(each.for_in)
        below = each
    return None


def _innermost(clause: cst.CompFor) -> cst.CompFor:
    while clause.inner_for_in is not None:
        clause = clause.inner_for_in
    return clause


def counter(loop: Loop, code: Code) -> cst.Name | None:
    """The integer that a loop counts its rounds with, of ``range`` or ``enumerate``."""
    if isinstance(loop, cst.While):
        return None
    call = loop.iter
    target: cst.BaseExpression = loop.target
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Name):
        return None
    if not code.is_free(call.func.value, loop):
        return None
    if call.func.value == "enumerate" and isinstance(target, cst.Tuple):
        target = target.elements[0].value
    elif call.func.value != "range":
        return None
    return target if isinstance(target, cst.Name) else None


def times(loop: Loop, code: Code) -> cst.BaseExpression | None:
    """How often a loop over ``range(times)`` runs; None for any other."""
    found = counter(loop, code)
    if found is None or isinstance(loop, cst.While) or not isinstance(loop.iter, cst.Call):
        return None
    only = loop.iter.args[0] if len(loop.iter.args) == 1 else None
    plain = only is not None and not only.star and isinstance(loop.target, cst.Name)
    return only.value if only is not None and plain else None
