"""Lints one file: whatever it holds costs one finding, and nothing is raised.

The one place for this: every door (command, flake8, editors, confirm) and every worker
process comes through :func:`lint`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.cells import BadCell
from jaxlint.check import Tools, concerns_jax, examine
from jaxlint.config import Options
from jaxlint.findings import Finding, bad_cells, internal_error, not_checked
from jaxlint.imports.modules import Library, Probed
from jaxlint.source import Source, SourceError, read_source


@dataclass
class Linted:
    """What was found in one file.

    Attributes:
        filename: as the user wrote it.
        findings: by position; a file that could not be checked has one that says so.
        failed: jaxlint itself failed on it.
        probed: the modules of its project that the findings depend on.
    """

    filename: str
    findings: list[Finding] = field(default_factory=list)
    failed: bool = False
    probed: Probed = field(default_factory=Probed)


@dataclass(frozen=True)
class Task:
    """A file, and the options that hold for it."""

    path: str
    options: Options

    def run(self) -> Linted:
        """Read and lint the file."""
        return lint(self.path, lambda: read_source(Path(self.path)), self.options)


_LIBRARY = Library()
_KEPT = Tools(library=_LIBRARY)


def modules_kept() -> Library:
    """What this process knows of modules that files import.

    A run that begins later asks it to :meth:`~Library.forget` what may have changed.
    """
    return _LIBRARY


def lint(name: str, read: Callable[[], Source], options: Options, tools: Tools = _KEPT) -> Linted:
    """Lint what can be read.

    Args:
        name: the file, as the user wrote it.
        read: gives the source; may raise as the linting may.
        options: which rules speak and how.
        tools: keep what several files, or edits, have in common.
    """
    try:
        with warnings.catch_warnings():
            # Python warns of odd literals when it reads them: about the program, not to its user.
            warnings.simplefilter("ignore")
            return _cell_by_cell(name, read(), options, tools)
    except SourceError as error:
        return Linted(name, [not_checked(error)])
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        # libcst's parser reports a failure of its own as something that is no Exception.
        return Linted(name, [internal_error(name, error)], failed=True)


def _cell_by_cell(name: str, source: Source, options: Options, tools: Tools) -> Linted:
    """Lint a file; a notebook without the cells that cannot be read."""
    size = len(source.text)
    if size > options.max_file_size and concerns_jax(source, options):
        reason = f"it has {size:,} characters, and max-file-size is {options.max_file_size:,}"
        raise SourceError(source.filename, 1, 0, reason)
    while True:
        try:
            checked = examine(source, options, tools)
            probed = checked.probed or Probed()
            return Linted(name, bad_cells(source) + checked.shown, probed=probed)
        except SourceError as error:
            if not error.cell:
                raise
            source = source.without(BadCell(error.cell, error.line, error.column, error.reason))


def lint_source(source: Source, options: Options) -> Linted:
    """Lint a file that has been read."""
    return lint(source.filename, lambda: source, options)
