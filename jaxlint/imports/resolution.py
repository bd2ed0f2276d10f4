"""From the name in an import to a file of the project.

As Python does it, without asking the running one: nothing is imported, ``sys.path`` plays no
part, and what is not a file of the same project is not found. Where Python would look depends on
how a program is started; here the nearest folder wins, from the importing file upwards.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jaxlint.imports.folders import Folders
from jaxlint.knowledge.packages import KNOWN_LIBRARIES
from jaxlint.project import SKIPPED_FOLDERS, top_of_project, upwards

PACKAGE = "__init__.py"
_SOURCES = "src"

_SEEN_FROM_OUTSIDE = frozenset({"jax", "jaxlib", "numpy", "scipy"})
"""Packages that no one of their own modules is followed into."""


@dataclass(frozen=True, slots=True)
class Resolver:
    """Finds the modules of projects.

    Attributes:
        folders: listings.
        src: the folders that the user says modules lie in; empty: the default ones.
    """

    folders: Folders
    src: tuple[Path, ...] = ()

    def find(self, name: str, importer: Path) -> Path | None:
        """The module that a dotted name means in a file.

        Args:
            name: as it is imported; a relative one begins with dots.
            importer: the file in which it stands; absolute.

        Returns:
            Its file; the folder of a namespace package; None when it is not of the project.
        """
        inner = name.lstrip(".")
        level = len(name) - len(inner)
        parts = inner.split(".") if inner else []
        if level:
            base = importer.parent
            for _ in range(level - 1):
                base = base.parent
            return self._below(base, parts) if parts else self._as_package(base)
        for root in self._roots(parts[0], importer):
            found = self._below(root, parts)
            if found is not None:
                return found
        return self._from_inside(parts, importer) if self._may_be_ours(parts[0]) else None

    def child(self, module: Path, name: str) -> Path | None:
        """A module in a package; None when there is none, or the module is no package."""
        if module.suffix == ".py" and module.name != PACKAGE:
            return None
        return self._in_folder(module.parent if module.name == PACKAGE else module, name)

    def qualified(self, module: Path) -> str:
        """The dotted name of a module from the folder in which its topmost package lies."""
        folder, parts = module.parent, [module.stem]
        if module.name == PACKAGE:
            parts = []
        while self.folders.has_file(folder, PACKAGE) and folder.parent != folder:
            parts.append(folder.name)
            folder = folder.parent
        return ".".join(reversed(parts)) or module.parent.name

    # ------------------------------------------------------------------- looking

    def _below(self, root: Path, parts: Sequence[str]) -> Path | None:
        found: Path | None = root
        for part in parts:
            found = self.child(found, part) if found is not None else None
        return found

    def _in_folder(self, folder: Path, name: str) -> Path | None:
        """A module in a folder: a package, a file, or a folder that may be a namespace."""
        if self.folders.has_folder(folder, name):
            inner = folder / name
            if self.folders.has_file(inner, PACKAGE):
                return inner / PACKAGE
            if not self.folders.has_file(folder, f"{name}.py"):
                return inner
        return folder / f"{name}.py" if self.folders.has_file(folder, f"{name}.py") else None

    def _as_package(self, folder: Path) -> Path | None:
        return folder / PACKAGE if self.folders.has_file(folder, PACKAGE) else folder

    def _roots(self, first: str, importer: Path) -> Iterator[Path]:
        """The folders in which an absolute import looks, the nearest first."""
        folder = importer.parent
        begins = self._begins(folder)
        if first in KNOWN_LIBRARIES and not self._is_inside(first, folder):
            return  # A folder of the name may be the library itself.
        if first in sys.stdlib_module_names:
            # A file beside a script hides it.
            if begins == folder and self.folders.has_file(folder, f"{first}.py"):
                yield folder
            return
        yield from self.src
        if self.src:
            yield begins
            return
        for root in upwards(begins):
            yield root
            if self.folders.has_folder(root, _SOURCES):
                yield root / _SOURCES
        yield from self._elsewhere(first, begins)

    def _may_be_ours(self, first: str) -> bool:
        """Whether a package of the project may have this name, where nobody says where they lie."""
        return not self.src and first not in KNOWN_LIBRARIES | sys.stdlib_module_names

    def _from_inside(self, parts: Sequence[str], importer: Path) -> Path | None:
        """A module from a package that the importing file is in, where a script begins.

        A single file there may be called like what it wraps, and so may the importing package.
        """
        folder, begins = importer.parent, self._begins(importer.parent)
        inside = folder.relative_to(begins).parts
        for depth in range(len(inside)):
            found = self._below(begins.joinpath(*inside[: depth + 1]), parts)
            if found is not None and (len(parts) > 1 or found.name == PACKAGE):
                own = len(parts) == 1 and folder.is_relative_to(found.parent)
                return None if own else found
        return None

    def _is_inside(self, package: str, folder: Path) -> bool:
        """Whether a folder is one of a package: its own code, however well the package is known.

        Of JAX and NumPy the tables say what their own modules cannot.
        """
        return package not in _SEEN_FROM_OUTSIDE and any(
            each.name == package and self.folders.has_file(each, PACKAGE)
            for each in (folder, *folder.parents)
        )

    def _begins(self, folder: Path) -> Path:
        """The folder above all the packages that a folder is in."""
        while self.folders.has_file(folder, PACKAGE) and folder.parent != folder:
            folder = folder.parent
        return folder

    def _elsewhere(self, first: str, folder: Path) -> Iterator[Path]:
        """The one other folder of the project that holds a package of this name."""
        top = top_of_project(folder)
        if top is None:
            return
        places = [
            top / each
            for each in self.folders.inside(top)
            if not each.startswith(".") and each not in SKIPPED_FOLDERS
            and self.folders.has_folder(top / each, first)
            and self.folders.has_file(top / each / first, PACKAGE)
        ]  # fmt: skip
        if len(places) == 1:
            yield places[0]
