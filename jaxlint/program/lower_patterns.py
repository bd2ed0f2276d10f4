"""From the concrete syntax of ``case`` to patterns."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from jaxlint.program import nodes as n
from jaxlint.program.lower_expressions import Expressions

_SINGLETONS = {"None": None, "True": True, "False": False}


def pattern(lower: Expressions, node: cst.CSTNode) -> n.Pattern:
    """One pattern."""
    if isinstance(node, cst.MatchValue):
        return n.Pattern(node, "value", lower.expression(node.value))
    if isinstance(node, cst.MatchSingleton):
        constant = n.Constant(node.value, _SINGLETONS[node.value.value])
        return n.Pattern(node, "is", constant)
    if isinstance(node, cst.MatchAs):
        name = lower.bind(node.name) if isinstance(node.name, cst.Name) else None
        if node.pattern is None:
            return n.Pattern(node, "any", name=name)
        return n.Pattern(node, "or", parts=[pattern(lower, node.pattern)], name=name)
    if isinstance(node, cst.MatchStar):
        return n.Pattern(node, "star", name=lower.bind(node.name) if node.name else None)
    if isinstance(node, cst.MatchOr):
        return n.Pattern(node, "or", parts=[pattern(lower, each.pattern) for each in node.patterns])
    if isinstance(node, cst.MatchClass):
        return _class(lower, node)
    if isinstance(node, cst.MatchMapping):
        parts = [pattern(lower, each.pattern) for each in node.elements]
        rest = lower.bind(node.rest) if isinstance(node.rest, cst.Name) else None
        keys = [_text(each.key) for each in node.elements]
        return n.Pattern(node, "mapping", parts=parts, name=rest, keys=keys)
    assert isinstance(node, (cst.MatchList, cst.MatchTuple))
    return n.Pattern(node, "sequence", parts=_elements(lower, node.patterns))


def _class(lower: Expressions, node: cst.MatchClass) -> n.Pattern:
    value = lower.expression(node.cls)
    parts = _elements(lower, node.patterns)
    parts += [pattern(lower, each.pattern) for each in node.kwds]
    return n.Pattern(node, "class", value, parts, keys=[each.key.value for each in node.kwds])


def _text(key: cst.BaseExpression) -> str:
    """What stands in the quotes of a key; empty for any other."""
    texts = (cst.SimpleString, cst.ConcatenatedString)
    value = key.evaluated_value if isinstance(key, texts) else ""
    return value if isinstance(value, str) else ""


def _elements(lower: Expressions, listed: Iterable[cst.CSTNode]) -> list[n.Pattern]:
    return [
        pattern(lower, each.value if isinstance(each, cst.MatchSequenceElement) else each)
        for each in listed
    ]
