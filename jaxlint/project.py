"""Which releases of JAX a project runs on, read from what it declares; nothing is imported."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from jaxlint.reading import read_ordinary
from jaxlint.requirements import Declaration, declarations, joined

_SPECIFIER = re.compile(r"(<=|>=|==|~=|!=|===|<|>|\^|~)?\s*(\d[\w.*]*)")
_LOWER_BOUNDS = frozenset({">=", ">", "==", "===", "~=", "^", "~", ""})
Version = tuple[int, ...]

SKIPPED_FOLDERS = frozenset(
    {"__pycache__", "build", "dist", "node_modules", "site-packages", "venv"}
)
"""Folders that hold nothing of a project's own, besides hidden ones."""


@dataclass(frozen=True, slots=True)
class Releases:
    """The releases of JAX that a specifier such as ``>=0.4.30,<0.7`` allows.

    Attributes:
        text: the specifier; empty when the project says nothing, which allows every release.
        declared: what each of the project's files says, where the text comes from those.
        elsewhere: what files of other environments say, which contradicts that.
    """

    text: str = ""
    declared: tuple[Declaration, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """All that is declared, as one text that changes with it."""
        return ";".join((self.text, *self.elsewhere))

    @property
    def satisfiable(self) -> bool:
        """Whether any release is allowed."""
        return not self.lowest or self.allow_from(self.lowest)

    @property
    def lower_from(self) -> Declaration | None:
        """The declaration that decides which is the oldest release."""
        bounded = [each for each in self.declared if Releases(each.text).lowest]
        return max(bounded, default=None, key=lambda each: _order(Releases(each.text).lowest))

    @property
    def lowest(self) -> str:
        """The oldest release that is allowed; empty when none is named."""
        return max(self._lower_bounds(), default="", key=_order)

    def barred_from(self, version: str) -> Declaration | None:
        """The declaration that allows neither this release nor a later one."""
        barring = (each for each in self.declared if not Releases(each.text).allow_from(version))
        return next(barring, None)

    def allow_from(self, version: str) -> bool:
        """Whether this release, or a later one, is allowed: in one of the environments."""
        wanted = parse_version(version)
        return any(_allows_from(text, wanted) for text in (self.text, *self.elsewhere))

    def allow_before(self, version: str) -> bool:
        """Whether the project says that it also runs on a release before this one."""
        return bool(self.lowest) and _order(self.lowest) < _order(version)

    def _lower_bounds(self) -> list[str]:
        bounds = _SPECIFIER.findall(self.text)
        return [bound for operator, bound in bounds if operator in _LOWER_BOUNDS]


def parse_version(text: str) -> Version:
    """``"0.4.30"`` as numbers; what follows them (``rc1``, ``.*``) is left out."""
    match = re.match(r"\d+(\.\d+)*", text)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def is_specifier(text: str) -> bool:
    """Whether the text is a list of version bounds."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return bool(parts) and all(_SPECIFIER.fullmatch(part) for part in parts)


def check_specifier(text: str) -> str:
    """What is wrong with a range of versions that the user wrote; empty when nothing."""
    return "" if is_specifier(text) else f"{text!r} is no version range such as '>=0.4.30'"


def _allows_from(specifier: str, wanted: Version) -> bool:
    """Whether every bound lets some version of ``wanted`` or later through."""
    return all(_reaches(op, bound, wanted) for op, bound in _SPECIFIER.findall(specifier))


def _reaches(operator: str, bound: str, wanted: Version) -> bool:
    """Whether a bound lets some version of ``wanted`` or later through."""
    limit = parse_version(bound)
    if operator == "<":
        return _padded(wanted) < _padded(limit)
    if operator == "<=":
        return _padded(wanted) <= _padded(limit)
    if operator == "~=":
        return _padded(wanted) < _padded(_next(limit[:-1]))
    if operator == "^":
        return _padded(wanted) < _padded(_next(limit[: 2 if limit[:1] == (0,) else 1]))
    if operator == "~":
        return _padded(wanted) < _padded(_next(limit[:2]))
    if operator in ("==", "===", ""):
        if bound.endswith("*"):
            return _padded(wanted) < _padded(_next(limit))
        return _padded(wanted) <= _padded(limit)
    return True


def _order(version: str) -> Version:
    return _padded(parse_version(version))


def _padded(version: Version) -> Version:
    return (*version, 0, 0, 0, 0)[:4]


def _next(version: Version) -> Version:
    return (*version[:-1], version[-1] + 1) if version else (10**6,)


_IMPORT = re.compile(r"^[ \t]*(?:from|import)\s+(\w[\w.]*)", re.MULTILINE)
_RELATIVE = re.compile(r"^[ \t]*from\s+(\.+)", re.MULTILINE)
"""The dots of a relative import."""


def may_use_x64(filename: str, text: str) -> bool:
    """Whether 64 bit types may be on where this file runs.

    The setting belongs to the process: a module of a package cannot know it, nor one that a file
    beside it imports which speaks of it. A script can, together with the modules of its project
    that it imports: those beside it, and those in the folders above and their ``src``, which it may
    have put on ``sys.path``. Which modules a package imports nobody asks here: any may be one. What
    imports relative to itself is part of a package, whether that has an ``__init__.py`` or not.
    """
    if "x64" in text.lower():
        return True
    path = Path(filename).absolute()
    folder = path.parent
    dots = max(map(len, _RELATIVE.findall(text)), default=0)
    if "__main__" not in text:
        if dots or _in_package(folder) or path.stem in _imported_with_x64(folder):
            return True
    elif any(map(_package_speaks_of_x64, (folder, *folder.parents)[dots - 1 : dots])):
        return True
    return any(_speaks_of_x64(folder, name) for name in set(_IMPORT.findall(text)))


def _in_package(folder: Path) -> bool:
    """Whether the modules of a folder run after the ``__init__.py`` of a package around them.

    A folder without one, in a package, is a namespace of it.
    """
    top = top_of_project(folder) or folder
    around = (each for each in folder.parents if each.is_relative_to(top))
    return any(os.path.isfile(each / "__init__.py") for each in (folder, *around))


def _speaks_of_x64(folder: Path, name: str) -> bool:
    """Whether a module of the project does, or any of the package that it stands in."""
    first, *rest = name.split(".")
    for each in upwards(folder):
        for root in (each, each / "src"):
            if os.path.isfile(root / first / "__init__.py"):
                return _package_speaks_of_x64(root / first)
            if _mentions_x64(root.joinpath(first, *rest).with_suffix(".py")):
                return True
    return False


@lru_cache(maxsize=256)
def _package_speaks_of_x64(folder: Path) -> bool:
    """Whether a module of a package does, or of a package in it."""
    if any(map(_mentions_x64, sorted(folder.glob("*.py")))):
        return True
    inner = (file.parent for file in sorted(folder.glob("*/__init__.py")))
    return any(map(_package_speaks_of_x64, inner))


def _mentions_x64(path: Path) -> bool:
    try:
        return b"x64" in read_ordinary(path).lower()
    except OSError:
        return False


@lru_cache(maxsize=256)
def _imported_with_x64(folder: Path) -> frozenset[str]:
    """The modules that files of a folder import which speak of x64."""
    found: set[str] = set()
    for path in sorted(folder.glob("*.py")):
        if _mentions_x64(path):
            found.update(_IMPORT.findall(read_ordinary(path).decode("utf-8", "replace")))
    return frozenset(name.partition(".")[0] for name in found)


def releases_for(filename: str, stated: str = "", package: str = "jax") -> Releases:
    """The releases of JAX, or of another package, that the project of a file runs on.

    ``stated`` is what the user's configuration says; without it, what the files of the nearest
    folder above the file say that ask for the package: every one of them has to be satisfied.
    """
    if stated:
        return Releases(stated)
    return _declared(Path(filename).absolute().parent, package)


def forget_declared() -> None:
    """Read what projects require again when asked next: files may have changed."""
    _declared.cache_clear()
    _imported_with_x64.cache_clear()
    _package_speaks_of_x64.cache_clear()
    top_of_project.cache_clear()


def folders_in_project(filename: str) -> tuple[str, ...]:
    """The names of the folders that a file lies in, from the top of its project down.

    They do not depend on the current folder. Outside of any project, the nearest alone.
    """
    if filename.startswith("<"):
        return ()  # A text without a place, such as standard input.
    folder = Path(os.path.abspath(filename)).parent
    top = top_of_project(folder)
    return folder.parts[-1:] if top is None else folder.parts[len(top.parts) :]


@lru_cache(maxsize=4096)
def top_of_project(folder: Path) -> Path | None:
    """The top of the project that a folder belongs to: of its repository, if it has one."""
    if os.path.exists(folder / ".git"):
        return folder
    above = None if folder.parent == folder else top_of_project(folder.parent)
    begins = any(os.path.isfile(folder / name) for name in _BEGINS_PROJECT)
    return above or (folder if begins else None)


_HIGHEST = 2
"""Folders above a script in which its modules may lie, where no project says how far it goes."""


def upwards(folder: Path) -> list[Path]:
    """A folder, and those above it that belong to the same project."""
    top, above = top_of_project(folder), [folder, *folder.parents]
    if top is not None:
        return above[: above.index(top) + 1] if top in above else [folder]
    bounds = {Path.home(), Path(tempfile.gettempdir()), Path(folder.anchor)}
    found = takewhile(lambda each: each not in bounds, above[1 : _HIGHEST + 1])
    return [folder, *found]


_BEGINS_PROJECT = ("pyproject.toml", "setup.cfg", "setup.py")


@lru_cache(maxsize=256)
def _declared(folder: Path, package: str) -> Releases:
    kept: list[Declaration] = []
    elsewhere: list[str] = []
    for found in declarations(folder, package):
        together = joined(each.text for each in [*kept, found])
        # A file that contradicts the ones before it is of another environment.
        if not kept or Releases(together).satisfiable:
            kept.append(found)
        else:
            elsewhere.append(found.text)
    if kept:
        return Releases(joined(each.text for each in kept), tuple(kept), tuple(elsewhere))
    if os.path.exists(folder / ".git") or folder.parent == folder:
        return Releases()
    return _declared(folder.parent, package)
