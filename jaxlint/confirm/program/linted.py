"""What the linter says before anything runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from jaxlint.config import Options
from jaxlint.confirm.observer.watchlist import Watchlist
from jaxlint.confirm.program.candidates import Candidate, candidates_in, project_of
from jaxlint.confirm.program.watches import watchlist
from jaxlint.findings import CANNOT_CHECK, NOT_FINISHED, Finding, Note
from jaxlint.project import top_of_project
from jaxlint.source import Source, SourceError, read_source
from jaxlint.workspace.discovery import find, python_files
from jaxlint.workspace.lint import lint_source

NOTEBOOK = ".ipynb"
"""Notebooks have no lines that a Python process could be seen on."""

_TOO_NEW = (
    f"Python {sys.version_info.major}.{sys.version_info.minor}, which jaxlint runs on, cannot read "
    "it; install jaxlint where the command runs"
)


@dataclass
class Linted:
    """The files of a run with their findings.

    Attributes:
        files: absolute path -> findings, for each file that could be read.
        texts: absolute path -> source.
        given: absolute path -> the path as the user wrote it, by which tests are recognised.
        problems: files that could not be linted, a line each.
        beside: absolute path -> source, for the project's other files: who calls the linted
            ones from there is known, whatever paths the user gives.
        unfinished: files that were not followed to their end, a line each.
    """

    files: dict[str, list[Finding]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    beside: dict[str, str] = field(default_factory=dict)
    unfinished: list[str] = field(default_factory=list)

    @cached_property
    def candidates(self) -> list[Candidate]:
        """Places that are watched in case that something happens there."""
        found: list[Candidate] = []
        project = project_of({**self.beside, **self.texts})
        for path, text in self.texts.items():
            found += candidates_in(path, text, project, len(self.findings) + len(found))
        return found

    @cached_property
    def watchlist(self) -> Watchlist:
        """What the observer is told to look at."""
        found = watchlist(self.files, self.texts, self.candidates)
        for path in self.beside:
            found.watch(path, [])
        return found

    @property
    def names(self) -> list[set[str]]:
        """The names, without attributes, that each finding is about."""
        watches = {watch.number: watch for watch in self.watchlist.watches}
        found = [watches[number].names for number in range(len(self.findings))]
        return [{name.split(".")[0] for name in names} for names in found]

    @property
    def findings(self) -> list[Finding]:
        """All findings, numbered through as in the watch list."""
        return [finding for findings in self.files.values() for finding in findings]


def lint(paths: Sequence[Path], options: Options, progress: Callable[[int, int], None]) -> Linted:
    """Lint the files that the paths stand for.

    Raises:
        jaxlint.workspace.discovery.PathError: a path does not exist or has no Python file.
    """
    linted = Linted()
    away: list[Finding] = []
    files = [file for file in python_files(paths) if file.suffix != NOTEBOOK]
    for number, file in enumerate(files):
        progress(number, len(files))
        try:
            source = read_source(file)
        except SourceError as error:
            linted.problems.append(str(error))
            continue
        # Real JAX judges each place on its own.
        found = lint_source(source, replace(options, group=False)).findings
        findings = [finding for finding in found if finding.severity != "note"]
        linted.unfinished += [str(each) for each in found if each.code == NOT_FINISHED]
        problems = [finding for finding in findings if finding.code == CANNOT_CHECK]
        if problems:
            linted.problems += map(str, problems)
            continue
        if source.tree_if_any is None:
            # What it runs on can: but where its functions are cannot be told here.
            linted.problems.append(f"{file}: {_TOO_NEW}")
            continue
        path = os.path.realpath(file)
        away += [finding for finding in findings if finding.happens_at is not None]
        linted.files[path] = [
            replace(finding, filename=path) for finding in findings if finding.happens_at is None
        ]
        linted.texts[path] = source.text
        linted.given[path] = source.filename
    for finding in away:
        _watch_where_it_happens(linted, finding)
    linted.beside = {
        path: source.text for path, source in _project_of(paths) if path not in linted.files
    }
    return linted


def _project_of(paths: Sequence[Path]) -> Iterator[tuple[str, Source]]:
    """All files of the projects that the paths are of, that can be read."""
    folders = (Path(os.path.abspath(path)) for path in paths)
    tops = {top_of_project(each if each.is_dir() else each.parent) for each in folders}
    for file in find(sorted(top for top in tops if top is not None)).files:
        if file.suffix != NOTEBOOK:
            try:
                yield os.path.realpath(file), read_source(file)
            except SourceError:
                continue


def _watch_where_it_happens(linted: Linted, finding: Finding) -> None:
    """Add a finding to the module in which it happens: once, however many files lead there."""
    moved = _where_it_happens(finding)
    path = moved.filename
    if path not in linted.files:
        try:
            source = read_source(Path(path))
        except SourceError as error:
            linted.problems.append(str(error))
            return
        if source.tree_if_any is None:
            linted.problems.append(f"{path}: {_TOO_NEW}")
            return
        linted.files[path] = []
        linted.texts[path] = source.text
        linted.given[path] = finding.path(finding.happens_at.file if finding.happens_at else "")
    if not any(_same_place(moved, other) for other in linted.files[path]):
        linted.files[path].append(moved)


def _same_place(one: Finding, other: Finding) -> bool:
    return (one.code, one.line, one.column) == (other.code, other.line, other.column)


def _where_it_happens(finding: Finding) -> Finding:
    """A finding in the module in which it happens; its reasons are told from there."""
    at = finding.happens_at
    assert at is not None
    there = os.path.realpath(finding.path(at.file))
    message = finding.message.removeprefix(f"in {at.file}, line {at.line}: ")
    return Finding(
        finding.code, f"reached from {finding.where}: {message}", there,
        at.line, at.column, at.end_line, at.end_column, finding.severity,
        tuple(_told_from(there, finding, note) for note in finding.notes),
    )  # fmt: skip


def _told_from(there: str, finding: Finding, note: Note) -> Note:
    file = os.path.realpath(finding.path(note.file))
    return replace(note, file="" if file == there else os.path.relpath(file, Path(there).parent))
