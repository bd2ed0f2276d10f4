"""Which settings hold where: what the files say, and what the command line says over them."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from jaxlint.config import Options, Selection
from jaxlint.workspace.cache import FOLDER
from jaxlint.workspace.exclusions import Exclusion
from jaxlint.workspace.settings import Settings, override, read_given, settings_for

Ignores = list[tuple[str, tuple[str, ...]]]


class Plan:
    """Which settings hold where, after what the command line says.

    Raises:
        jaxlint.workspace.settings.SettingsError: those that hold here cannot be used.
    """

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._selection = Selection(
            None if arguments.select is None else tuple(arguments.select),
            tuple(arguments.extend_select or ()),
            (*(arguments.ignore or ()), *(arguments.extend_ignore or ())),
        )
        self._given: dict[str, Any] = {
            name: getattr(arguments, name) for name in ("jax", "unused_noqa", "unsafe_fixes")
        }
        if arguments.ignore is not None:
            self._given["ignore"] = ()
        if arguments.ignore_noqa:
            self._given["noqa"] = "ignored"
        self._ignores: Ignores | None = arguments.per_file_ignores
        self._fixed: Settings | None = Settings() if arguments.isolated else None
        if arguments.config is not None:
            self._fixed = read_given(arguments.config)
        here = self.settings(Path.cwd())
        self.docs_url = here.options.docs_url
        self.baseline: Path | None = arguments.baseline or here.baseline
        self.cache: Path = arguments.cache_dir or (here.folder or Path.cwd()) / FOLDER
        self._exclude: list[str] | None = arguments.exclude
        self._extend_exclude: list[str] = arguments.extend_exclude or []
        self.respect_gitignore = here.respect_gitignore and not arguments.no_respect_gitignore

    def settings(self, folder: Path) -> Settings:
        """The settings of a folder, as files say."""
        return self._fixed or settings_for(folder)

    def source_of(self, folder: Path) -> str:
        """Where the settings of a folder come from, for people."""
        found = self.settings(folder).file
        return "no file" if found is None else str(found)

    def exclusions(self, folder: Path) -> list[Exclusion]:
        """What is left out of a folder."""
        said = [*(self._exclude or []), *self._extend_exclude]
        found = [Exclusion(tuple(said), Path.cwd())] if said else []
        return found if self._exclude is not None else found + self.settings(folder).exclusions

    def options(self, path: Path) -> Options:
        """The options for a file."""
        options = self.settings(path.parent).options
        given = dict(self._given)
        if self._ignores is not None:
            given["per_file_ignores"] = tuple(
                (_from(options.root, pattern), codes) for pattern, codes in self._ignores
            )
        return override(options, self._selection, **given)


def _from(root: str, pattern: str) -> str:
    """A pattern of paths from here as one from the root."""
    return os.path.relpath(pattern, root or None) if "/" in pattern else pattern
