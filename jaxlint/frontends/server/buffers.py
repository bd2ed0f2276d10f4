"""Files and notebooks that are open in the editor, as the linter sees them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.cells import cells_to_program
from jaxlint.check import Tools
from jaxlint.config import Options
from jaxlint.findings import CANNOT_CHECK, Finding
from jaxlint.frontends.server.half_typed import still_true
from jaxlint.imports.modules import Library, Modules, Probed
from jaxlint.source import Source
from jaxlint.syntax.reparse import Reparser
from jaxlint.workspace.lint import lint


@dataclass
class Buffer:
    """One open file or notebook.

    Attributes:
        name: its path, or a name in its place while it has none.
        library: the modules that open files import; other open files are among them.
        findings: of the last lint.
        linted: the text of it, or of the code cells with their numbers.
    """

    name: str
    library: Library
    findings: list[Finding] = field(default_factory=list)
    linted: dict[int, str] = field(default_factory=dict)
    _probed: Probed = field(default_factory=Probed)
    _good: tuple[str, list[Finding]] = ("", [])
    _parser: Reparser = field(default_factory=Reparser)

    @property
    def folder(self) -> Path:
        """Where its settings are looked for."""
        return Path(self.name).parent

    @property
    def path(self) -> Path:
        """The file that imports of it mean."""
        return Path(os.path.abspath(self.name))

    def is_current(self, options: Options) -> bool:
        """Whether the modules that its findings depend on are what they were."""
        return Modules(self.library, options.sources).still(self._probed)

    def lint_text(self, text: str, options: Options) -> list[Finding]:
        """Lint a Python file; nothing is raised."""
        self.library.overlay(self.path, text)
        self.linted = {0: text}
        normal = text.replace("\r\n", "\n").replace("\r", "\n")
        found = self._lint(lambda: Source(normal, self.name), options)
        if any(finding.code == CANNOT_CHECK for finding in found):
            self.findings = still_true(self._good[0], normal, self._good[1]) + found
        else:
            self._good = normal, found
        return self.findings

    def lint_cells(self, cells: list[tuple[int, str]], options: Options) -> list[Finding]:
        """Lint the code cells of a notebook, numbered; nothing is raised."""
        self.linted = dict(cells)

        def read() -> Source:
            program = cells_to_program(cells)
            return Source(program.text, self.name, program)

        return self._lint(read, options)

    def _lint(self, read: Callable[[], Source], options: Options) -> list[Finding]:
        linted = lint(self.name, read, options, Tools(self._parser, self.library))
        self.findings, self._probed = linted.findings, linted.probed
        return self.findings
