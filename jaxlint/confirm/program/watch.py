"""From findings to a watch list: which lines, in which code, and which names to look at."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from jaxlint.events import Kind
from jaxlint.findings import Finding
from jaxlint.knowledge.measured import consumers
from jaxlint.rules.registry import find_rule
from jaxlint.rules.rule import Rule

Scope = tuple[str, int]
"""(name, first line) of a code object, as Python itself names it."""

At = tuple[int, int]
"""Line from 1, column from 0 in UTF-8 bytes."""

_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
_ANONYMOUS = {
    ast.Lambda: "<lambda>",
    ast.ListComp: "<listcomp>",
    ast.SetComp: "<setcomp>",
    ast.DictComp: "<dictcomp>",
    ast.GeneratorExp: "<genexpr>",
}


def watchlist(files: dict[str, list[Finding]], texts: dict[str, str]) -> dict[str, Any]:
    """What the observer reads.

    Args:
        files: absolute path -> its findings, also for files without any. Findings
            are numbered through in this order.
        texts: absolute path -> source, for the files with findings.
    """
    content: dict[str, list[dict[str, Any]]] = {}
    number = 0
    for path, findings in files.items():
        entries = content[path] = []
        if not findings:
            continue
        tree, lines = ast.parse(texts[path]), texts[path].splitlines()
        for finding in findings:
            entries.append(_entry(number, finding, tree, lines))
            number += 1
    return {"files": content, "consumers": sorted(consumers())}


def _entry(number: int, finding: Finding, tree: ast.Module, lines: list[str]) -> dict[str, Any]:
    rule = find_rule(finding.code)
    first = _in_bytes(lines, finding.line, finding.column)
    last = _in_bytes(lines, finding.end_line, finding.end_column)
    return {
        "number": number,
        "lines": [finding.line, finding.end_line],
        "scopes": scopes_at(tree, first),
        "names": names_in(tree, first, last),
        "look": _look(rule) if rule is not None else "",
    }


def _look(rule: Rule) -> str:
    """What the observer has to look at besides the line itself."""
    if rule.evidence.kind == "effect" and rule.evidence.effects != ("output",):
        return "changes"
    if Kind.STALE_READ in rule.listens_to:
        return "stale"
    looks = {"ends_early": "ready", "waits": "reads", "no_effect": "same", "unrolls": "loop"}
    return looks.get(rule.evidence.kind, "")


def _in_bytes(lines: list[str], line: int, column: int) -> At:
    """A place as ``ast`` counts it."""
    text = lines[line - 1] if line <= len(lines) else ""
    return line, len(text[:column].encode())


def scopes_at(tree: ast.Module, at: At) -> list[Scope]:
    """The code objects around a place, innermost first; the module is the last."""
    found: list[Scope] = []
    _descend(tree, at, found)
    return [*reversed(found), ("<module>", 1)]


def _descend(node: ast.AST, at: At, found: list[Scope]) -> None:
    outer = set(map(id, _evaluated_outside(node)))
    for child in ast.iter_child_nodes(node):
        if not _covers(child, at):
            continue
        if isinstance(node, _SCOPES) and id(child) not in outer:
            found.append(_scope(node))
        _descend(child, at, found)
        return


def _covers(node: ast.AST, at: At) -> bool:
    if isinstance(node, (ast.arguments, ast.comprehension, ast.match_case)):
        # These have no place of their own: their parts have.
        return any(_covers(child, at) for child in ast.iter_child_nodes(node))
    if not isinstance(node, (ast.stmt, ast.expr, ast.keyword, ast.ExceptHandler, ast.arg)):
        if isinstance(node, ast.withitem):
            return any(_covers(child, at) for child in ast.iter_child_nodes(node))
        return False
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    start = (first, 0) if first < node.lineno else (node.lineno, node.col_offset)
    end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
    return start <= at < end or start == at


def _evaluated_outside(node: ast.AST) -> Iterator[ast.AST]:
    """Parts of a function, class or comprehension that run in the code around it."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from node.decorator_list
        yield node.args
        if node.returns is not None:
            yield node.returns
    elif isinstance(node, ast.ClassDef):
        yield from (*node.decorator_list, *node.bases, *node.keywords)
    elif isinstance(node, ast.Lambda):
        yield node.args
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        yield node.generators[0].iter


def _scope(node: ast.AST) -> Scope:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return node.name, min([node.lineno, *(d.lineno for d in node.decorator_list)])
    assert isinstance(node, ast.expr)
    return _ANONYMOUS[type(node)], node.lineno


def names_in(tree: ast.Module, first: At, last: At) -> list[str]:
    """The names and dotted names (``x``, ``self.count``) between two places."""
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Name, ast.Attribute)):
            continue
        start = (node.lineno, node.col_offset)
        end = (node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        if first <= start and end <= last:
            name = _dotted(node)
            if name:
                found[name] = None
    return list(found)


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""
