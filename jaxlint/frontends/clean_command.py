"""``jaxlint clean``: delete what is remembered of earlier runs."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from jaxlint.frontends.complaints import fail, warn
from jaxlint.frontends.parser import Parser
from jaxlint.project import SKIPPED_FOLDERS
from jaxlint.workspace.cache import FOLDER, is_cache
from jaxlint.workspace.settings import SettingsError, settings_for


def make_parser() -> Parser:
    """What reads the options."""
    parser = Parser(
        "jaxlint clean",
        f"Deletes the folders {FOLDER} that earlier runs have left: that of the project, and\n"
        "those below the folders that are named.",
    )
    parser.add_argument("paths", nargs="*", metavar="FOLDER", help="(.)")
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    found: dict[Path, None] = {}
    for path in map(Path, arguments.paths or ["."]):
        if not path.is_dir():
            return fail(f"{path}: no such folder")
        try:
            home = settings_for(path).folder
        except SettingsError:
            home = None  # What cannot be used says nothing of where the cache is.
        candidates = [*_below(path), *([home / FOLDER] if home is not None else [])]
        found.update(dict.fromkeys(each.resolve() for each in candidates if is_cache(each)))
    for folder in found:
        try:
            shutil.rmtree(folder)
        except OSError as error:
            return fail(f"cannot delete {folder}: {error.strerror}")
    warn(f"deleted {', '.join(map(str, found))}" if found else "nothing to delete")
    return 0


def _below(top: Path) -> Iterator[Path]:
    for where, folders, _ in os.walk(top):
        if FOLDER in folders:
            yield Path(where, FOLDER)
        folders[:] = [
            name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith(".")
        ]
