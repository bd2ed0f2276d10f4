"""What the linter says before anything runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from jaxlint.config import Options
from jaxlint.confirm.observer.watchlist import Watchlist
from jaxlint.confirm.program.watches import watchlist
from jaxlint.findings import CANNOT_CHECK, Finding
from jaxlint.source import SourceError, read_source
from jaxlint.workspace.discovery import python_files
from jaxlint.workspace.lint import lint_source

NOTEBOOK = ".ipynb"
"""Notebooks have no lines that a Python process could be seen on."""


@dataclass
class Linted:
    """The files of a run with their findings.

    Attributes:
        files: absolute path -> findings, for each file that could be read.
        texts: absolute path -> source.
        given: absolute path -> the path as the user wrote it, by which tests are recognised.
        problems: files that could not be linted, a line each.
    """

    files: dict[str, list[Finding]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @cached_property
    def watchlist(self) -> Watchlist:
        """What the observer is told to look at."""
        return watchlist(self.files, self.texts)

    @property
    def names(self) -> list[set[str]]:
        """The names, without attributes, that each finding is about."""
        return [{name.split(".")[0] for name in watch.names} for watch in self.watchlist.watches]

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
        problems = [finding for finding in findings if finding.code == CANNOT_CHECK]
        if problems:
            linted.problems += map(str, problems)
            continue
        path = os.path.realpath(file)
        linted.files[path] = [replace(finding, filename=path) for finding in findings]
        linted.texts[path] = source.text
        linted.given[path] = source.filename
    return linted
