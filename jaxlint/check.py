"""The whole pipeline. Read this file first.

    text -> syntax -> program -> abstract tracer -> events -> rules -> findings

Each arrow is one line below. Positions are looked up last and only for files that have
something to report.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jaxlint.config import Options
from jaxlint.findings import Checked, Finding, settle
from jaxlint.project import may_use_x64
from jaxlint.source import Source
from jaxlint.syntax.big_trees import room_for_big_trees

if TYPE_CHECKING:
    from jaxlint.events import Event
    from jaxlint.syntax.parse import Tree
    from jaxlint.tracer.run import Traced

Parser = Callable[[Source], "Tree"]
"""Makes the syntax tree of a file; an editor's keeps trees between edits."""


def check(source: Source, options: Options, parser: Parser | None = None) -> list[Finding]:
    """The findings of one file.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    return examine(source, options, parser).findings


def examine(source: Source, options: Options, parser: Parser | None = None) -> Checked:
    """The findings of one file, and whether all of it was followed.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    found = Checked(source.filename, [])
    if concerns_jax(source, options):
        with room_for_big_trees():
            # A call of its own: its trees are gone before collecting goes on.
            found = _find(source, options, parser)
    return settle(found, source, options)


def concerns_jax(source: Source, options: Options) -> bool:
    """Whether an import of the file could bring in JAX, by itself or in a package of the user's."""
    return source.uses_jax or source.imports(options.own_packages)


def deliberate(source: Source) -> list[Event]:
    """What JAX will mind and the program expects: it catches the exception, or asserts it.

    The events have places. No rule reports them.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    from jaxlint.positions import locate

    with room_for_big_trees():
        traced, tree = _trace(source, Options(), None)
        expected = [event for event in traced.events if event.guarded or event.context.expected]
        locate([site for event in expected for site in event.sites()], tree, source)
    return expected


def _find(source: Source, options: Options, parser: Parser | None) -> Checked:
    """From text to findings."""
    from jaxlint.positions import locate
    from jaxlint.rules.facts import FileFacts
    from jaxlint.rules.judging import judge, report, sites

    traced, tree = _trace(source, options, parser)
    facts = FileFacts(source, options)
    verdicts = judge(traced.events, facts)
    end = traced.gave_up_at
    locate([*sites(verdicts), *filter(None, [end])], tree, source)
    return Checked(source.filename, report(verdicts, facts), end.place if end else None)


def _trace(source: Source, options: Options, parser: Parser | None) -> tuple[Traced, Tree]:
    """From text to events, and the syntax that their sites are handles on."""
    # libcst and the tracer load with the first file that needs them.
    from jaxlint.knowledge.transforms import of_the_user
    from jaxlint.program.lower import lower
    from jaxlint.syntax.parse import parse
    from jaxlint.tracer.run import trace
    from jaxlint.tracer.tracer import Settings

    tree = (parser or parse)(source)
    own = of_the_user(options.jit_wrappers, options.traced_callables)
    x64 = None if may_use_x64(source.filename, source.text) else False
    return trace(lower(tree), Settings(own, options.unroll, x64)), tree
