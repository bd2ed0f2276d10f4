"""From findings to a watch list: which lines, in which code, and which names to look at."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from jaxlint.confirm.evidence.registry import all_kinds
from jaxlint.confirm.observer.watchlist import Watch, Watchlist
from jaxlint.confirm.places import Position, heads_in, names_in, scopes_at
from jaxlint.confirm.program.candidates import Candidate
from jaxlint.findings import Finding
from jaxlint.knowledge.measured import consumers
from jaxlint.knowledge.settings import table
from jaxlint.rules.registry import find_rule


def watchlist(
    files: dict[str, list[Finding]], texts: dict[str, str], besides: Iterable[Candidate] = ()
) -> Watchlist:
    """What the observer reads.

    Args:
        files: absolute path -> its findings, also for files without any. Findings
            are numbered through in this order.
        texts: absolute path -> source, for the files with findings.
        besides: places that are watched besides.
    """
    more: dict[str, list[Watch]] = {}
    for each in besides:
        more.setdefault(each.file, []).append(each.watch)
    found = Watchlist(consumers(), settings=table()["variables"])
    number = 0
    for path, findings in files.items():
        watches = []
        if findings:
            tree, lines = ast.parse(texts[path]), texts[path].splitlines()
            watches = [_watch(n, each, tree, lines) for n, each in enumerate(findings, number)]
        found.watch(path, [*watches, *more.get(path, ())])
        number += len(findings)
    return found


def _watch(number: int, finding: Finding, tree: ast.Module, lines: list[str]) -> Watch:
    rule = find_rule(finding.code)
    kind = all_kinds()[rule.evidence.kind] if rule is not None else None
    first = _in_bytes(lines, finding.line, finding.column)
    last = _in_bytes(lines, finding.end_line, finding.end_column)
    return Watch(
        number,
        (finding.line, finding.end_line),
        scopes_at(tree, first),
        kind.names(tree, first, last) if kind is not None else names_in(tree, first, last),
        kind.look(rule) if rule is not None and kind is not None else "",
        finding.line in heads_in(tree),
    )


def _in_bytes(lines: list[str], line: int, column: int) -> Position:
    """A place as ``ast`` counts it."""
    text = lines[line - 1] if line <= len(lines) else ""
    return line, len(text[:column].encode())
