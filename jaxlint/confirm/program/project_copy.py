"""A copy of the user's project in which files may be changed and the command may be run.

What git keeps is copied. What it does not (data, environments, builds), hidden folders and large
files are links to the user's own, so that the command finds them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from jaxlint.workspace.discovery import Ignored, passed_over

_LARGE = 10_000_000
"""Bytes of a file from which on it is data, and linked."""

_CACHES = frozenset({"__pycache__", ".pytest_cache"})
"""What a run writes about the files it ran: that of the copy must not get to the user's."""


class CannotCopy(Exception):
    """There is no copy; the text says why, for the user."""


class ProjectCopy:
    """A copy of a project.

    Args:
        root: the top of the project.
        files: those that are copied in any case, so that they may be changed.
        within: an empty folder, in which the copy gets the name of the project.

    Attributes:
        root: the top of the project, without links.
        top: the top of the copy.

    Raises:
        CannotCopy: a file lies outside of the project, or something could not be copied.
    """

    def __init__(self, root: Path, files: Iterable[Path], within: Path) -> None:
        self.root = Path(os.path.realpath(root))
        self._within = os.path.realpath(within)
        self.top = Path(self._within, self.root.name or "project")
        self._files = {os.path.realpath(file) for file in files}
        for file in sorted(self._files):
            self.counterpart(Path(file))
        self._around = {str(above) for file in self._files for above in Path(file).parents}
        self._ignored = Ignored(self.root)
        try:
            self._folder(str(self.root))
        except OSError as error:
            what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
            raise CannotCopy(f"cannot copy the project {self.root} for --fix: {what}") from error
        except shutil.Error as error:
            raise CannotCopy(f"cannot copy the project {self.root} for --fix: {error}") from error

    def counterpart(self, path: Path) -> Path:
        """Where a file or folder of the project is in the copy.

        Raises:
            CannotCopy: it lies outside of the project.
        """
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(self.root):
            raise CannotCopy(f"{path} lies outside of {self.root}, which --fix copies")
        return self.top / real.relative_to(self.root)

    def original(self, path: str) -> str:
        """Of which file of the project this one is the copy; others are what they are."""
        there = Path(path)
        return str(self.root / there.relative_to(self.top)) if self._is_mine(there) else path

    def argument(self, given: str) -> str:
        """An argument of a command, or an entry of a search path: in the copy if it is copied."""
        if not os.path.isabs(given):
            return given
        folder, name = os.path.split(os.path.normpath(given))
        path = Path(os.path.realpath(folder), name)
        if not path.is_relative_to(self.root):
            return given
        there = self.top / path.relative_to(self.root)
        is_copied = self._is_mine(Path(os.path.realpath(there))) and there.exists()
        return str(there) if is_copied else given

    def _is_mine(self, path: Path) -> bool:
        return path.is_relative_to(self.top)

    def _folder(self, here: str) -> None:
        self._ignored.enter(here)
        os.mkdir(self._there(here))
        with os.scandir(here) as found:
            entries = sorted(found, key=lambda entry: entry.name)
        for entry in entries:
            if entry.name not in _CACHES and entry.path != self._within:
                self._entry(entry)

    def _entry(self, entry: os.DirEntry[str]) -> None:
        there = self._there(entry.path)
        if entry.is_symlink():
            # Within the project, it leads to a place within the copy.
            real = os.path.realpath(entry.path)
            inside = Path(real).is_relative_to(self.root)
            os.symlink(self._there(real) if inside else real, there)
        elif entry.is_dir() and self._is_entered(entry):
            self._folder(entry.path)
        elif entry.is_file() and self._is_copied(entry):
            shutil.copy2(entry.path, there)
        else:
            os.symlink(entry.path, there)

    def _is_entered(self, folder: os.DirEntry[str]) -> bool:
        ignored = passed_over(folder.name) or self._ignored.leave_out(folder.path, True)
        return not ignored or folder.path in self._around

    def _is_copied(self, file: os.DirEntry[str]) -> bool:
        if file.path in self._files:
            return True
        return file.stat().st_size <= _LARGE and not self._ignored.leave_out(file.path, False)

    def _there(self, path: str) -> Path:
        return self.top / Path(path).relative_to(self.root)
