"""From the paths that a user names to the Python files and notebooks in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from jaxlint.cells import is_kept_as_notebook
from jaxlint.project import SKIPPED_FOLDERS
from jaxlint.reading import MOST_BYTES, read_ordinary
from jaxlint.workspace.exclusions import (
    Exclusion,
    Exclusions,
    apart_from,
    check_pattern,
    is_left_out,
    leaves_out,
    nothing,
    spec_of,
)

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NOTEBOOK = ".ipynb"
SUFFIXES = (".py", ".pyi", NOTEBOOK)

_LONGEST_HEADER = 8_000
"""Bytes at the start of a script in which jupytext's header stands, after a license."""


@dataclass
class Found:
    """What some paths stand for.

    Attributes:
        files: in order, once each.
        missing: paths that do not exist.
        unreadable: folders that could not be looked into.
    """

    files: list[Path] = field(default_factory=list)
    missing: list[Path] = field(default_factory=list)
    unreadable: list[Path] = field(default_factory=list)


class PathError(Exception):
    """A path that does not exist or holds no Python file; the text is for the user."""


def python_files(paths: Iterable[Path], exclusions: Exclusions = nothing) -> list[Path]:
    """The files named, and those in the folders named, when there must be some.

    Raises:
        PathError: a path does not exist, or nothing is found at all.
    """
    wanted = list(paths)
    found = find(wanted, exclusions)
    if found.missing:
        raise PathError(f"{found.missing[0]}: no such file or folder")
    if not found.files:
        raise PathError(f"no Python files in {', '.join(map(str, wanted))}")
    return found.files


def find(
    paths: Iterable[Path],
    exclusions: Exclusions = nothing,
    ignore_files: bool = True,
    force: bool = False,
) -> Found:
    """The files named, and all Python files and notebooks in the folders named.

    Args:
        paths: files and folders. A file named is taken whatever its name.
        exclusions: what is left out.
        ignore_files: leave out what ``.gitignore`` files leave out.
        force: leave out also what is named.
    """
    found = Found()
    seen: set[str] = set()
    for path in paths:
        if os.path.isdir(path):
            files = _in_folder(path, exclusions, ignore_files, force, found.unreadable)
        elif os.path.exists(path):
            files = iter([] if force and is_left_out(exclusions, path) else [path])
        else:
            found.missing.append(path)
            continue
        for file in files:
            real = os.path.realpath(file)
            if real not in seen:
                seen.add(real)
                found.files.append(file)
    return found


def _in_folder(
    top: Path, exclusions: Exclusions, ignore_files: bool, force: bool, unreadable: list[Path]
) -> Iterator[Path]:
    rules = Ignored(top) if ignore_files else None
    named = Path(os.path.abspath(top))
    if force and is_left_out(exclusions, named, True):
        return
    # os.walk does not follow links to folders: no loops.
    for where, folders, files in os.walk(
        top, onerror=lambda error: unreadable.append(Path(os.fsdecode(error.filename)))
    ):
        if rules is not None:
            rules.enter(where)
        here = Path(os.path.abspath(where))
        excluded = [apart_from(each, named) for each in exclusions(here)]

        def is_out(
            name: str, is_folder: bool, where: str = where, here: Path = here,
            excluded: list[Exclusion] = excluded,
        ) -> bool:  # fmt: skip
            return leaves_out(excluded, here / name, is_folder) or (
                rules is not None and rules.leave_out(os.path.join(where, name), is_folder)
            )

        folders[:] = sorted(
            name for name in folders if not passed_over(name) and not is_out(name, True)
        )
        wanted = sorted(n for n in files if n.endswith(SUFFIXES) and not is_out(n, False))
        for name in wanted:
            script = name.removesuffix(NOTEBOOK) + ".py"
            # One program in two files is linted once: as the text that others import.
            if not (name.endswith(NOTEBOOK) and script in wanted and _is_paired(here / script)):
                yield Path(where, name)


def _is_paired(script: Path) -> bool:
    """Whether jupytext keeps a notebook the same as a script that lies beside it."""
    try:
        start = read_ordinary(script, MOST_BYTES)[:_LONGEST_HEADER]
    except OSError:
        return False
    return is_kept_as_notebook(start.decode("utf-8", "replace"))


def passed_over(folder: str) -> bool:
    """Whether a folder of this name holds nothing of a project's own."""
    return folder in SKIPPED_FOLDERS or folder.startswith(".")


class Ignored:
    """The ``.gitignore`` files of a repository, from its top downwards."""

    def __init__(self, top: Path) -> None:
        self._specs: list[tuple[str, GitIgnoreSpec]] = []
        above: list[str] = []
        folder = os.path.realpath(top)
        self._top, self._real = str(top), folder
        while not os.path.exists(os.path.join(folder, ".git")):
            parent = os.path.dirname(folder)
            if parent == folder:
                above = []  # No repository: only the files below count.
                break
            folder = parent
            above.append(folder)
        for each in reversed(above):
            self._read(each)

    def enter(self, where: str) -> None:
        """A folder is being listed."""
        self._read(self._resolve(where))

    def leave_out(self, path: str, is_folder: bool) -> bool:
        """Whether the last pattern that fits, from the top downwards, ignores the path."""
        path = self._resolve(path)
        ignored = False
        for folder, spec in self._specs:
            if path.startswith(folder + os.sep):
                below = path[len(folder) + 1 :].replace(os.sep, "/") + ("/" if is_folder else "")
                included = spec.check_file(below).include
                ignored = ignored if included is None else included
        return ignored

    def _resolve(self, path: str) -> str:
        below = os.path.relpath(path, self._top)
        return self._real if below == "." else os.path.join(self._real, below)

    def _read(self, folder: str) -> None:
        try:
            text = read_ordinary(os.path.join(folder, ".gitignore")).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return
        # As git does: a pattern without meaning leaves nothing out.
        lines = [line for line in text.splitlines() if not check_pattern(line)]
        if lines:
            self._specs.append((folder, spec_of(lines)))
