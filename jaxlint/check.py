"""The whole pipeline. Read this file first.

    text -> syntax -> program -> abstract tracer -> events -> rules -> findings

Each arrow is one line below. The tracer asks for the modules that the file imports from its own
project, when it meets the import. Positions are looked up last and only for files that have
something to report.

There are two kinds of syntax, and one program comes of both. Python's own tree is there in a tenth
of the time that libcst takes, and most files have nothing to report: they are done with it. A file
that has is read again with libcst, whose tree keeps every character, which fixes need.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from jaxlint.config import Options
from jaxlint.findings import Checked, Finding, settle
from jaxlint.project import may_use_x64
from jaxlint.source import Source, SourceError
from jaxlint.syntax.big_trees import with_room_for_big_trees

if TYPE_CHECKING:
    from jaxlint.events import Event
    from jaxlint.imports.modules import Library, Modules
    from jaxlint.program.nodes import Module
    from jaxlint.rules.facts import FileFacts
    from jaxlint.rules.rule import Verdict
    from jaxlint.syntax.parse import Tree
    from jaxlint.tracer.run import Traced
    from jaxlint.tracer.tracer import Settings, Tables

Parser = Callable[[Source], "Tree"]
"""Makes the syntax tree of a file; an editor's keeps trees between edits."""

Read: TypeAlias = "tuple[Tree | None, Module]"
"""The concrete syntax of a file, if there is one, and its program."""


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

_LARGEST_CONCRETE = 500_000
"""Characters of the largest file that libcst is asked to read, where Python has: of a literal of a
million characters it makes half a gigabyte. What is larger is reported without fixes."""


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


@with_room_for_big_trees
def _say_what_is_wrong(source: Source) -> None:
    """Read a file in which nothing is looked for, as those in which something is."""
    from jaxlint.syntax.parse import parse

    parse(source)


def concerns_jax(source: Source, options: Options, modules: Modules | None = None) -> bool:
    """Whether an import of the file could bring in JAX: by itself, or in a module of the user's."""
    if source.uses_jax or source.imports(options.own_packages):
        return True
    return modules is not None and modules.bring_in_jax(source, _file(source))


@with_room_for_big_trees
def deliberate(source: Source) -> list[Event]:
    """What JAX will mind and the program expects: it catches the exception, or asserts it.

    The events have places in the file. No rule reports them.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    from jaxlint.positions import locate

    tree, program = _read(source, None)
    traced = _trace(source, program, Options(), None)
    expected = [event for event in traced.events if event.guarded or event.context.expected]
    locate([site for event in expected for site in event.sites()], tree, source)
    return expected


@with_room_for_big_trees
def watch(source: Source, options: Options, tools: Tools, tables: Tables) -> Tree:
    """Run the abstract tracer with tables that note what it does; nothing is reported.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    tree, program = _read(source, None)
    _trace(source, program, options, _modules(source, options, tools), tables)
    return tree


def _file(source: Source) -> Path:
    return Path(os.path.abspath(source.filename))


def _modules(source: Source, options: Options, tools: Tools) -> Modules | None:
    """What finds the modules that a file imports; None for a text without a place."""
    if source.filename.startswith("<") or "\0" in source.filename:
        return None
    from jaxlint.imports.modules import Library, Modules

    return Modules(tools.library or Library(), options.sources)


@with_room_for_big_trees
def _find(
    source: Source, options: Options, parser: Parser | None, modules: Modules | None
) -> Checked:
    """From text to findings."""
    from jaxlint.neighbours import Neighbours
    from jaxlint.rules.facts import FileFacts
    from jaxlint.rules.judging import judge

    facts = FileFacts(source, options)

    def judged(read: Read) -> tuple[Traced, list[Verdict]]:
        traced = _trace(source, read[1], options, modules)
        found: Iterable[Verdict] = judge(traced.events, facts)
        if modules is not None:
            found = Neighbours(modules, options, partial(_settings, options)).unsaid(found)
        return traced, list(found if options.noqa == "ignored" else _not_silenced(found, source))

    # An editor keeps trees from one edit to the next: it has the concrete syntax at little cost.
    kept = _read_again(source, parser) if parser is not None else None
    if kept is not None:
        return _report(kept, *judged(kept), facts)
    plain = _read_plainly(source)
    if plain is None:
        concrete = _read(source, parser)
        return _report(concrete, *judged(concrete), facts)
    traced, verdicts = judged(plain)
    if not verdicts and traced.gave_up_at is None:
        return Checked(source.filename, [])
    again = _read_again(source, parser)
    if again is None:
        return _report(plain, traced, verdicts, facts)
    if not _moved(verdicts, traced, plain[1], again[1]):
        traced, verdicts = judged(again)
    return _report(again, traced, verdicts, facts)


def _moved(verdicts: list[Verdict], traced: Traced, plain: Module, concrete: Module) -> bool:
    """Whether what was found is told of the concrete syntax of the file from now on.

    Not where that is another program: it is followed once more then.
    """
    from jaxlint.program.counterparts import counterparts
    from jaxlint.rules.judging import sites

    known = counterparts(plain, concrete)
    if known is None:
        return False
    for site in filter(None, [*sites(verdicts), traced.gave_up_at]):
        site.origin = known.get(id(site.origin), site.origin)
    return True


def _report(read: Read, traced: Traced, verdicts: list[Verdict], facts: FileFacts) -> Checked:
    """What was found in a file, with its places; and the fixes, where its syntax is concrete."""
    from jaxlint.fixes.code import Code
    from jaxlint.positions import locate
    from jaxlint.rules.judging import report, sites

    (tree, program), source, end = read, facts.source, traced.gave_up_at
    locate([*sites(verdicts), *filter(None, [end])], tree, source)
    code = Code(source, tree, program, facts.releases_of) if tree is not None else None
    return Checked(source.filename, report(verdicts, facts, code), end.place if end else None)


def _not_silenced(verdicts: Iterable[Verdict], source: Source) -> Iterable[Verdict]:
    """Without those that a comment silences in the other module in which they happen."""
    from jaxlint.program.spots import Spot

    for verdict in verdicts:
        origin = verdict.event.site.origin
        if isinstance(origin, Spot) and origin.source is not source:
            if origin.source.is_silenced(verdict.rule.code, origin.span[0]):
                continue
        yield verdict


def _read_plainly(source: Source) -> Read | None:
    """The program of a file by Python's own syntax, of which no tree is kept.

    None where that is not the same: cells have outputs, and there may be newer syntax in the file
    than the running Python reads.
    """
    from jaxlint.program.lower_ast import lower_ast

    if source.cells is not None:
        return None
    try:
        return None, lower_ast(source)
    except (SourceError, RecursionError, MemoryError):
        return None


def _read_again(source: Source, parser: Parser | None) -> Read | None:
    """The concrete syntax of a file that Python has read; None if it is not for libcst."""
    if len(source.text) > _LARGEST_CONCRETE:
        return None
    try:
        return _read(source, parser)
    except SourceError:
        return None


def _read(source: Source, parser: Parser | None) -> tuple[Tree, Module]:
    """The concrete syntax of a file, and its program.

    Raises:
        jaxlint.source.SourceError: the file is not Python, or libcst cannot read it.
    """
    # libcst loads with the first file that needs it.
    from jaxlint.program.lower import lower
    from jaxlint.syntax.parse import parse

    tree = (parser or parse)(source)
    return tree, lower(tree)


def _trace(
    source: Source,
    program: Module,
    options: Options,
    modules: Modules | None,
    tables: Tables | None = None,
) -> Traced:
    """From program to events."""
    # The tracer loads with the first file that needs it.
    from jaxlint.tracer.run import TABLES, trace

    settings = _settings(options, source.filename, source.text)
    if modules is not None:
        settings = replace(settings, project=modules, file=_file(source))
    return trace(program, settings, tables or TABLES)


def _settings(options: Options, filename: str, text: str) -> Settings:
    """What the tracer is told of a file, but for what finds modules for it."""
    from jaxlint.knowledge.transforms import of_the_user
    from jaxlint.tracer.tracer import Settings

    own = of_the_user(options.jit_wrappers, options.traced_callables)
    return Settings(own, options.unroll, None if may_use_x64(filename, text) else False)
