"""The whole pipeline. Read this file first.

    text -> syntax -> program -> abstract tracer -> events -> rules -> findings

Each arrow is one line below. The tracer asks for the modules that the file imports from its own
project, when it meets the import. Positions are looked up last and only for files that have
something to report.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.config import Options
from jaxlint.findings import Checked, Finding, settle
from jaxlint.project import may_use_x64
from jaxlint.source import Source
from jaxlint.syntax.big_trees import room_for_big_trees

if TYPE_CHECKING:
    from jaxlint.events import Event
    from jaxlint.imports.modules import Library, Modules
    from jaxlint.program.nodes import Module
    from jaxlint.rules.rule import Verdict
    from jaxlint.syntax.parse import Tree
    from jaxlint.tracer.run import Traced
    from jaxlint.tracer.tracer import Tables

Parser = Callable[[Source], "Tree"]
"""Makes the syntax tree of a file; an editor's keeps trees between edits."""


@dataclass(frozen=True)
class Tools:
    """What lasts from one file to the next.

    Attributes:
        parser: makes syntax trees.
        library: knows the modules that files import; None: each file reads them anew.
    """

    parser: Parser | None = None
    library: Library | None = None


NOTHING_KEPT = Tools()


def check(source: Source, options: Options, tools: Tools = NOTHING_KEPT) -> list[Finding]:
    """The findings of one file.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    return examine(source, options, tools).findings


def examine(source: Source, options: Options, tools: Tools = NOTHING_KEPT) -> Checked:
    """The findings of one file, and whether all of it was followed.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    found = Checked(source.filename, [])
    modules = _modules(source, options, tools)
    if options.noqa == "ignored":
        source.ignore_comments()
    if concerns_jax(source, options, modules):
        with room_for_big_trees():
            # A call of its own: its trees are gone before collecting goes on.
            found = _find(source, options, tools.parser, modules)
    elif not source.is_python:
        _say_what_is_wrong(source)
    if tools.library is not None:
        tools.library.settle()
    if "noqa" in source.text.lower():
        from jaxlint.rules.comments import about_comments

        found = replace(found, findings=found.findings + about_comments(found, source, options))
    return settle(found, source, options, modules.probed if modules is not None else None)


def _say_what_is_wrong(source: Source) -> None:
    """Read a file in which nothing is looked for, as those in which something is."""
    from jaxlint.syntax.parse import parse

    with room_for_big_trees():
        parse(source)


def concerns_jax(source: Source, options: Options, modules: Modules | None = None) -> bool:
    """Whether an import of the file could bring in JAX: by itself, or in a module of the user's."""
    if source.uses_jax or source.imports(options.own_packages):
        return True
    return modules is not None and modules.bring_in_jax(source, _file(source))


def deliberate(source: Source) -> list[Event]:
    """What JAX will mind and the program expects: it catches the exception, or asserts it.

    The events have places in the file. No rule reports them.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    from jaxlint.positions import locate

    with room_for_big_trees():
        traced, tree, _ = _trace(source, Options(), None, None)
        expected = [event for event in traced.events if event.guarded or event.context.expected]
        locate([site for event in expected for site in event.sites()], tree, source)
    return expected


def watch(source: Source, options: Options, tools: Tools, tables: Tables) -> Tree:
    """Run the abstract tracer with tables that note what it does; nothing is reported.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    with room_for_big_trees():
        return _trace(source, options, None, _modules(source, options, tools), tables)[1]


def _file(source: Source) -> Path:
    return Path(os.path.abspath(source.filename))


def _modules(source: Source, options: Options, tools: Tools) -> Modules | None:
    """What finds the modules that a file imports; None for a text without a place."""
    if source.filename.startswith("<") or "\0" in source.filename:
        return None
    from jaxlint.imports.modules import Library, Modules

    return Modules(tools.library or Library(), options.sources)


def _find(
    source: Source, options: Options, parser: Parser | None, modules: Modules | None
) -> Checked:
    """From text to findings."""
    from jaxlint.fixes.code import Code
    from jaxlint.positions import locate
    from jaxlint.rules.facts import FileFacts
    from jaxlint.rules.judging import judge, report, sites

    traced, tree, program = _trace(source, options, parser, modules)
    facts = FileFacts(source, options)
    judged = judge(traced.events, facts)
    verdicts = list(judged if options.noqa == "ignored" else _not_silenced(judged))
    end = traced.gave_up_at
    locate([*sites(verdicts), *filter(None, [end])], tree, source)
    code = Code(source, tree, program, lambda: facts.releases)
    return Checked(source.filename, report(verdicts, facts, code), end.place if end else None)


def _not_silenced(verdicts: Iterable[Verdict]) -> Iterable[Verdict]:
    """Without those that a comment silences in the other module in which they happen."""
    from jaxlint.program.spots import Spot

    for verdict in verdicts:
        origin = verdict.event.site.origin
        if isinstance(origin, Spot):
            if origin.source.is_silenced(verdict.rule.code, origin.span[0]):
                continue
        yield verdict


def _trace(
    source: Source,
    options: Options,
    parser: Parser | None,
    modules: Modules | None,
    tables: Tables | None = None,
) -> tuple[Traced, Tree, Module]:
    """From text to events, the syntax that their sites are handles on, and the program of it."""
    # libcst and the tracer load with the first file that needs them.
    from jaxlint.knowledge.transforms import of_the_user
    from jaxlint.neighbours import Neighbours
    from jaxlint.program.lower import lower
    from jaxlint.syntax.parse import parse
    from jaxlint.tracer.run import TABLES, trace
    from jaxlint.tracer.tracer import Settings

    tree = (parser or parse)(source)
    own = of_the_user(options.jit_wrappers, options.traced_callables)

    def settings_of(filename: str, text: str) -> Settings:
        x64 = None if may_use_x64(filename, text) else False
        return Settings(own, options.unroll, x64)

    settings = settings_of(source.filename, source.text)
    if modules is not None:
        neighbours = Neighbours(modules, options, settings_of)
        settings = replace(settings, project=modules, file=_file(source), said=neighbours.say)
    program = lower(tree)
    return trace(program, settings, tables or TABLES), tree, program
