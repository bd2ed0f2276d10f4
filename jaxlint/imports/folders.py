"""What lies in folders, looked at once."""

from __future__ import annotations

import os
from pathlib import Path

_MOST_ENTRIES = 20_000
"""Entries of the largest folder that is looked into."""


class Folders:
    """Listings of folders, kept until they are forgotten. What cannot be read is empty."""

    def __init__(self) -> None:
        self._listed: dict[Path, dict[str, bool]] = {}

    def forget(self) -> None:
        """Look again when asked next: files may have come and gone."""
        self._listed.clear()

    def has_file(self, folder: Path, name: str) -> bool:
        """Whether a folder holds a file of this name."""
        return self._list(folder).get(name) is False

    def has_folder(self, folder: Path, name: str) -> bool:
        """Whether a folder holds a folder of this name."""
        return self._list(folder).get(name) is True

    def inside(self, folder: Path) -> list[str]:
        """The names of the folders in a folder, in order."""
        return sorted(name for name, is_folder in self._list(folder).items() if is_folder)

    def _list(self, folder: Path) -> dict[str, bool]:
        """Name -> whether it is a folder."""
        found = self._listed.get(folder)
        if found is None:
            found = self._listed[folder] = _listed(folder)
        return found


def _listed(folder: Path) -> dict[str, bool]:
    found: dict[str, bool] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if len(found) == _MOST_ENTRIES:
                    break
                found[entry.name] = entry.is_dir()
    except (OSError, ValueError):
        pass
    return found
