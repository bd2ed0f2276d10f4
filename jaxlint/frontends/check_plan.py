"""Which settings hold where: what the files say, and what the command line says over them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from jaxlint.config import Options
from jaxlint.workspace.settings import Settings, override, read_settings, settings_for


class Plan:
    """Which settings hold where, after what the command line says."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._given: dict[str, Any] = {
            name: _joined(getattr(arguments, name))
            for name in ("select", "extend_select", "ignore")
        }
        self._given |= {
            name: getattr(arguments, name) for name in ("jax", "unused_noqa", "unsafe_fixes")
        }
        self._fixed: Settings | None = Settings() if arguments.isolated else None
        if arguments.config is not None:
            self._fixed = read_settings(arguments.config) or Settings()
        here = self.settings(Path.cwd())
        self.baseline: Path | None = arguments.baseline or here.baseline
        self.home = here.folder or Path.cwd()
        self.exclude = (*here.exclude, *(arguments.exclude or ()))
        self.ignore_files = here.respect_gitignore and not arguments.no_respect_gitignore

    def settings(self, folder: Path) -> Settings:
        """The settings of a folder, as files say."""
        return self._fixed or settings_for(folder)

    def options(self, path: Path) -> Options:
        """The options for a file."""
        return override(self.settings(path.parent).options, **self._given)


def _joined(lists: list[list[str]] | None) -> tuple[str, ...] | None:
    return None if lists is None else tuple(code for each in lists for code in each)
