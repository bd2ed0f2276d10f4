"""Mends calls of what is still there, made in a way that went."""

from __future__ import annotations

import libcst as cst

from jaxlint.edits import Fix
from jaxlint.events import RemovedApi
from jaxlint.fixes.calls import with_keywords
from jaxlint.fixes.code import Code
from jaxlint.knowledge.replacements import ENTERED, WAYS
from jaxlint.knowledge.rewriting import (
    CALLED_INSTEAD,
    ENTERED_BY,
    OLD_POSITIONS,
    WEIGHTED_BY_WHERE,
    Replacement,
    works_from,
)


def mended_call(event: RemovedApi, code: Code) -> Fix | None:
    """The fix for a way of calling, or of entering, that went; None when a person has to decide."""
    node = code.node(event.site)
    way = WAYS.get(event.name)
    if event.name in ENTERED and isinstance(node, cst.BaseExpression):
        return _entered(event, code, node)
    if way is not None and way.given == "no boolean":
        return _boolean(event, code, node)
    if not isinstance(node, cst.Call):
        return None
    if event.name in CALLED_INSTEAD:
        return _called_instead(event, code, node)
    old = OLD_POSITIONS.get(event.name)
    if old is not None:
        given = [each for each in node.args if each.keyword is None]
        if len(given) > len(old) or any(each.star for each in node.args):
            return None
        named = [
            code.insert_at(each.value, f"{name}=") for each, name in zip(given, old, strict=False)
        ]
        return code.fix("Pass them by keyword", *named, safe=True)
    edits = with_keywords(code, node, event.name)
    return code.fix("Pass them by keyword", *edits, safe=True) if edits else None


def _boolean(event: RemovedApi, code: Code, node: cst.CSTNode | None) -> Fix | None:
    """``where=mask`` of numbers: as booleans it selects the same, but weighs no more."""
    argument = code.enclosing(node, cst.Arg) if node is not None else None
    if not event.of_array or argument is None or argument.keyword is None:
        return None
    if argument.keyword.value != "where":
        return None
    text = f"{code.operand(argument.value)}.astype(bool)"
    safe = event.name.rpartition(".")[2] not in WEIGHTED_BY_WHERE
    return code.fix(f"Write `{text}`", code.replace_whole(argument.value, text), safe=safe)


def _called_instead(event: RemovedApi, code: Code, call: cst.Call) -> Fix | None:
    """Another function, which still is called in this way."""
    found = code.name(CALLED_INSTEAD[event.name], call)
    if found is None:
        return None
    text, imports = found
    # Of that package's releases nothing is known here: the older ones lack it.
    return code.fix(f"Write `{text}`", code.replace(call.func, text), *imports, safe=False)


def _entered(event: RemovedApi, code: Code, node: cst.BaseExpression) -> Fix | None:
    """``with mesh:`` by the function that does it now, which also decides how arrays are laid."""
    item = code.parent(node)
    new = ENTERED_BY[event.name]
    since = works_from(Replacement(new))
    found = code.name(new, node)
    if not isinstance(item, cst.WithItem) or found is None:
        return None
    if since == "never" or (since and code.releases.allow_before(since)):
        return None
    text = f"{found[0]}({code.argument(node)})"
    return code.fix(f"Write `{text}`", code.replace_whole(node, text), *found[1], safe=False)
