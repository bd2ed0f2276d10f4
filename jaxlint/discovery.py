"""From the paths that a user names to the Python files in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

SKIPPED_FOLDERS = frozenset(
    {"__pycache__", "build", "dist", "node_modules", "site-packages", "venv"}
)
"""Folders that are never looked into, besides hidden ones."""


class PathError(Exception):
    """A path that does not exist or holds no Python file; the text is for the user."""


def python_files(paths: Iterable[Path]) -> list[Path]:
    """The files named, and all ``*.py`` in the folders named, in order and once each.

    Raises:
        PathError: a path does not exist, or nothing is found at all.
    """
    wanted = list(paths)
    found: dict[str, Path] = {}
    for path in wanted:
        if path.is_file():
            found.setdefault(os.path.realpath(path), path)
        elif path.is_dir():
            for file in _in_folder(path):
                found.setdefault(os.path.realpath(file), file)
        else:
            raise PathError(f"{path}: no such file or folder")
    if not found:
        raise PathError(f"no Python files in {', '.join(map(str, wanted))}")
    return list(found.values())


def _in_folder(folder: Path) -> Iterator[Path]:
    # os.walk does not follow links to folders: no loops.
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith(".")
        )
        yield from (Path(where, name) for name in sorted(files) if name.endswith(".py"))
