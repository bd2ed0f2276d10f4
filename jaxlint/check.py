"""The whole pipeline. Read this file first.

    text -> syntax -> program -> abstract tracer -> events -> rules -> findings

Each arrow is one line of :func:`_find`. Positions are looked up last and only
for files that have something to report.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jaxlint.config import Options
from jaxlint.findings import CANNOT_CHECK, Finding, Note, settle, unused_noqa
from jaxlint.project import Releases, may_use_x64, releases_for
from jaxlint.source import Source, SourceError

if TYPE_CHECKING:
    import libcst

    from jaxlint.events import Event
    from jaxlint.rules.rule import Rule

Parser = Callable[[Source], "libcst.Module"]
"""Makes the syntax tree of a file; an editor's keeps trees between edits."""


def check(source: Source, options: Options, parser: Parser | None = None) -> list[Finding]:
    """Lint one file.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    findings: list[Finding] = []
    if source.uses_jax or source.imports(options.own_packages):
        with _room_for_big_trees():
            # A call of its own: its trees are gone before collecting goes on.
            findings = _find(source, options, parser)
    if options.unused_noqa:
        findings += unused_noqa(findings, source, options)
    return settle(findings, source, options)


def _find(source: Source, options: Options, parser: Parser | None) -> list[Finding]:
    """The pipeline itself."""
    events, module = _trace(source, options, parser)
    verdicts = list(_judge(events, source, options))
    if not verdicts:
        return []
    return _locate(verdicts, module, source, releases_for(source.filename, options.jax))


def deliberate(source: Source) -> list[Event]:
    """What JAX will mind and the program expects: it catches the exception, or asserts it.

    The events have places. No rule reports them.

    Raises:
        jaxlint.source.SourceError: the file is not Python.
    """
    with _room_for_big_trees():
        events, module = _trace(source, Options(), None)
        expected = [event for event in events if event.guarded]
        _place(expected, module, source)
    return expected


def _trace(
    source: Source, options: Options, parser: Parser | None
) -> tuple[list[Event], libcst.Module]:
    """From text to events, and the syntax that their sites are handles on."""
    # libcst and the tracer load with the first file that needs them.
    from jaxlint.knowledge.transforms import of_the_user
    from jaxlint.program.lower import lower
    from jaxlint.syntax.parse import parse
    from jaxlint.tracer.run import trace

    module = (parser or parse)(source)
    own = of_the_user(options.jit_wrappers, options.traced_callables)
    return trace(lower(module), own, options.unroll).events, module


def _judge(events: list[Event], source: Source, options: Options) -> Iterator[tuple[Rule, Event]]:
    """The events that some selected rule wants reported."""
    from jaxlint.events import Kind
    from jaxlint.rules.registry import by_kind

    in_tests = options.is_test_file(source.filename)
    _date([event for event in events if event.kind is Kind.REMOVED_API], source, options)
    for event in events:
        if event.kind is Kind.WIDE_DTYPE and may_use_x64(source.filename, source.text):
            continue
        for rule in by_kind().get(event.kind, ()):
            speaks = (rule.in_tests or not in_tests) and (
                rule.default or options.enables(rule.code)
            )
            if speaks and options.wants(rule.code, source.filename) and rule.judge(event):
                yield rule, event


def _date(changes: list[Event], source: Source, options: Options) -> None:
    """Say of each removed or deprecated name whether a release that the project uses lacks it."""
    if not changes:
        return
    releases = releases_for(source.filename, options.jax)
    for event in changes:
        for state in ("removed", "deprecated"):
            version = event.detail[state]
            event.detail[f"is_{state}"] = bool(version) and releases.allow_from(version)


def _locate(
    verdicts: list[tuple[Rule, Event]], module: libcst.Module, source: Source, releases: Releases
) -> list[Finding]:
    """Buy positions and write the messages."""
    from jaxlint.rules.rule import describe

    _place([event for _, event in verdicts], module, source)
    findings = []
    for rule, event in verdicts:
        place = event.site.place
        assert place is not None
        if _is_shown_on_purpose(rule, event, source):
            continue
        notes = []
        for link in event.reason.chain() if event.reason else ():
            assert link.site.place is not None
            at = link.site.place
            notes.append(Note(at.line, at.column, describe(link), at.cell))
        findings.append(
            Finding(
                rule.code,
                rule.message(event) + rule.exceptions_for(event, releases),
                source.filename,
                place.line,
                place.column,
                place.end_line,
                place.end_column,
                rule.severity,
                tuple(notes),
                place.cell,
            )
        )
    return findings


def _is_shown_on_purpose(rule: Rule, event: Event, source: Source) -> bool:
    """Whether a notebook does it knowingly: a cell tagged as raising, a key used to time."""
    if source.cells is None:
        return False
    places = [site.place for site in event.sites() if site.place is not None]
    lines = [source.cells.program_line(place.cell, place.line) for place in places]
    if rule.severity == "error":
        return source.cells.expects_errors(lines[0])
    uses_key = rule.code.startswith("JXL40")
    return uses_key and any(source.cells.origin(line).timed for line in lines)


def _place(events: list[Event], module: libcst.Module, source: Source) -> None:
    """Fill in the places and texts of all sites of some events."""
    from jaxlint.events import Place
    from jaxlint.syntax.spans import Spans

    sites = [site for event in events for site in event.sites()]
    spans = Spans(module, source.tree_if_any, source.text, [site.origin for site in sites])
    for site in sites:
        if site.place is None:
            span = spans.of(site.origin)
            cell, line, column = source.at(span.line, span.column)
            _, end_line, end_column = source.at(span.end_line, span.end_column)
            site.place = Place(line, column, end_line, end_column, cell)
            site.text = spans.snippet(site.origin)


def internal_error(filename: str, error: BaseException) -> Finding:
    """The one finding for a file on which jaxlint itself failed."""
    reason = f"{type(error).__name__}: {error}".splitlines()[0][:120]
    message = (
        f"jaxlint failed on this file ({reason}); the other files were checked. "
        "Please report it with the file"
    )
    return Finding(CANNOT_CHECK, message, filename, 1, 0, 1, 0)


def not_checked(error: SourceError) -> Finding:
    """The one finding for a file that is not Python, or cannot be read."""
    line, column = max(error.line, 1), max(error.column, 0)
    message = f"{error.reason}; the file was not checked"
    return Finding(
        CANNOT_CHECK, message, error.filename, line, column, line, column, cell=error.cell
    )


def bad_cells(source: Source) -> list[Finding]:
    """A finding for each cell of a notebook that was left out."""
    findings = []
    for cell, line, column, reason in source.bad_cells:
        message = f"{reason}; the cell was not checked"
        name = source.filename
        findings.append(Finding(CANNOT_CHECK, message, name, line, column, line, column, cell=cell))
    return findings


_DEEPEST = 6000


@contextmanager
def _room_for_big_trees() -> Iterator[None]:
    """Raise the recursion limit and pause the garbage collector for one file.

    A syntax tree is all live objects: collecting while it is built only costs.
    """
    import sys

    limit = sys.getrecursionlimit()
    collecting = gc.isenabled()
    sys.setrecursionlimit(max(limit, _DEEPEST))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()
