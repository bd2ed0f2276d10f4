"""The whole pipeline. Read this file first.

    text -> syntax -> program -> abstract tracer -> events -> rules -> findings

Each arrow is one line of :func:`_trace` or :func:`_find`. Positions are looked up last
and only for files that have something to report.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxlint.config import Options
from jaxlint.findings import Finding, settle, unused_noqa
from jaxlint.source import Source

if TYPE_CHECKING:
    from jaxlint.events import Event
    from jaxlint.syntax.parse import Tree

Parser = Callable[[Source], "Tree"]
"""Makes the syntax tree of a file; an editor's keeps trees between edits."""


def check(source: Source, options: Options, parser: Parser | None = None) -> list[Finding]:
    """Lint one file.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    from jaxlint.syntax.big_trees import room_for_big_trees

    findings: list[Finding] = []
    if source.uses_jax or source.imports(options.own_packages):
        with room_for_big_trees():
            # A call of its own: its trees are gone before collecting goes on.
            findings = _find(source, options, parser)
    if options.unused_noqa:
        findings += unused_noqa(findings, source, options)
    return settle(findings, source, options)


def deliberate(source: Source) -> list[Event]:
    """What JAX will mind and the program expects: it catches the exception, or asserts it.

    The events have places. No rule reports them.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    from jaxlint.positions import locate
    from jaxlint.syntax.big_trees import room_for_big_trees

    with room_for_big_trees():
        events, tree = _trace(source, Options(), None)
        expected = [event for event in events if event.guarded]
        locate(expected, tree, source)
    return expected


def _find(source: Source, options: Options, parser: Parser | None) -> list[Finding]:
    """From text to findings."""
    from jaxlint.positions import locate
    from jaxlint.rules.facts import FileFacts
    from jaxlint.rules.judging import judge, report

    events, tree = _trace(source, options, parser)
    facts = FileFacts(source, options)
    verdicts = judge(events, facts)
    if not verdicts:
        return []
    locate([verdict.event for verdict in verdicts], tree, source)
    return report(verdicts, facts)


def _trace(source: Source, options: Options, parser: Parser | None) -> tuple[list[Event], Tree]:
    """From text to events, and the syntax that their sites are handles on."""
    # libcst and the tracer load with the first file that needs them.
    from jaxlint.knowledge.transforms import of_the_user
    from jaxlint.program.lower import lower
    from jaxlint.syntax.parse import parse
    from jaxlint.tracer.run import trace

    # The parser in C trusts its input not to be nested without end: Python looks first.
    assert source.tree is not None
    tree = (parser or parse)(source)
    own = of_the_user(options.jit_wrappers, options.traced_callables)
    return trace(lower(tree), own, options.unroll).events, tree
