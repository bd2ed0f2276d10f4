"""The modules that one file imports, and a record of what was asked for."""

from __future__ import annotations

import gc
import hashlib
import os
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from jaxlint.imports.folders import Folders
from jaxlint.imports.resolution import PACKAGE, Resolver
from jaxlint.project import top_of_project
from jaxlint.reading import MOST_BYTES_BESIDE, read_ordinary
from jaxlint.source import Source, SourceError, decode

if TYPE_CHECKING:
    from jaxlint.program import nodes as n

_T = TypeVar("_T")

_MOST_KEPT = 800
"""Programs of modules that a process remembers."""

_LARGEST = 1_000_000
"""Characters of the largest module that is read."""

_MOST_ABOVE = 12
"""Folders in which a module is looked for that lies beside a file or above it."""

_MOST_LOOKED_AT = 1000
"""Modules that are looked at for an import of JAX."""

Digest = str
"""Of the bytes of a file; empty when it cannot be read."""


@dataclass(frozen=True)
class Read:
    """A file as it was read; its digest is empty when it could not be."""

    path: Path
    data: bytes
    digest: Digest

    @cached_property
    def source(self) -> Source | None:
        """Its text; None when that is no Python, or too much."""
        try:
            source = decode(self.data, str(self.path))
        except SourceError:
            return None
        return source if len(source.text) <= _LARGEST else None


class Library:
    """What this process knows of files that are imported: their texts and newest programs.

    It may be asked about any file of any project. A test or an editor makes one of its own.
    """

    def __init__(self) -> None:
        self.folders = Folders()
        self._read: dict[Path, Read] = {}
        self._programs: OrderedDict[Path, tuple[Digest, n.Module | None]] = OrderedDict()
        self._overlaid: dict[Path, str] = {}
        self._facts: dict[Hashable, Any] = {}
        self._fresh = False
        self._found: dict[tuple[tuple[Path, ...], str, Path], Path | None] = {}

    def forget(self) -> None:
        """Look at the disk again when asked next: files may have changed. Programs are kept."""
        self.folders.forget()
        self._read.clear()
        self._found.clear()
        self._facts.clear()

    def settle(self) -> None:
        """Programs that are here to stay are looked at by no garbage collection.

        They hold no circles: what is forgotten of them is free at once. What else is alive now
        is left out too, which takes no more memory over some thousands of files.
        """
        if self._fresh:
            self._fresh = False
            gc.freeze()

    def overlay(self, path: Path, text: str | None) -> None:
        """What an editor holds in place of what the disk does; None: nothing any more."""
        self._read.pop(path, None)
        # What was found in other modules may depend on this one.
        self._facts.clear()
        if text is None:
            self._overlaid.pop(path, None)
        else:
            self._overlaid[path] = text

    def find(self, resolver: Resolver, name: str, importer: Path) -> Path | None:
        """The module that a dotted name means in a file; looked for once."""
        asked = resolver.src, name, importer
        if asked not in self._found:
            self._found[asked] = resolver.find(name, importer)
        return self._found[asked]

    def read(self, path: Path) -> Read:
        """A file as it is now, or was when it was first asked for."""
        found = self._read.get(path)
        if found is None:
            found = self._read[path] = self._read_now(path)
        return found

    def _read_now(self, path: Path) -> Read:
        try:
            text = self._overlaid.get(path)
            data = text.encode() if text is not None else read_ordinary(path, MOST_BYTES_BESIDE)
        except (OSError, UnicodeEncodeError):
            return Read(path, b"", "")
        return Read(path, data, hashlib.blake2b(data, digest_size=16).hexdigest())

    def kept(
        self, about: Hashable, path: Path, find: Callable[[Path], tuple[_T | None, Probed]]
    ) -> tuple[_T | None, Probed]:
        """What was found out about a module, or is found out now."""
        asked = about, self.read(path).digest
        if asked not in self._facts:
            self._facts[asked] = find(path)
        known: tuple[_T | None, Probed] = self._facts[asked]
        return known

    def program(self, path: Path) -> n.Module | None:
        """The lowered program of a module; None when it is not Python that this Python reads."""
        # Not before there is one to lower: a run on files without JAX starts at once.
        from jaxlint.program.lower_ast import lower_ast

        read = self.read(path)
        kept = self._programs.get(path)
        if kept is not None and kept[0] == read.digest:
            self._programs.move_to_end(path)
            return kept[1]
        program = None
        if read.source is not None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    program = lower_ast(read.source)
            except (SourceError, RecursionError, MemoryError):
                program = None
        self._programs[path] = read.digest, program
        # One that was edited is short-lived: it stays within the collector's reach.
        self._fresh = self._fresh or kept is None
        if len(self._programs) > _MOST_KEPT:
            self._programs.popitem(last=False)
        return program


@dataclass
class Probed:
    """What the findings of a file depend on besides the file itself.

    Attributes:
        names: importing file -> name -> the module that it means; None when there is none.
        files: module -> the digest of what it held.
        unread: those of them that cannot be read, or are not Python.
    """

    names: dict[Path, dict[str, Path | None]] = field(default_factory=dict)
    files: dict[Path, Digest] = field(default_factory=dict)
    unread: set[Path] = field(default_factory=set)

    def include(self, other: Probed) -> None:
        """Depend on what something else depends on too."""
        for importer, names in other.names.items():
            self.names.setdefault(importer, {}).update(names)
        self.files.update(other.files)
        self.unread |= other.unread

    def add(self, name: str, importer: Path, module: Path | None) -> Path | None:
        """Note what a name was found to mean, and give it back."""
        self.names.setdefault(importer, {})[name] = module
        return module


class Modules:
    """The modules that the file being linted imports, directly or not.

    Args:
        library: what the process knows already.
        src: folders that the user says modules lie in.
    """

    def __init__(self, library: Library, src: Sequence[str] = ()) -> None:
        self.library = library
        self._resolver = Resolver(library.folders, tuple(Path(os.path.abspath(s)) for s in src))
        self.probed = Probed()

    def find(self, name: str, importer: Path) -> Path | None:
        """The module that a dotted name means in a file: see :meth:`Resolver.find`."""
        known = self.probed.names.get(importer, {})
        if name in known:
            return known[name]
        return self.probed.add(name, importer, self.library.find(self._resolver, name, importer))

    def child(self, module: Path, name: str) -> Path | None:
        """A module in a package; None when there is none."""
        if module.suffix == ".py" and module.name != PACKAGE:
            return None
        return self.find(f".{name}", module if module.suffix == ".py" else module / PACKAGE)

    def beside_and_above(self, name: str, importer: Path) -> Iterator[Path]:
        """The modules of a name in the folder of a file, and in those above it in its project."""
        folder, top = importer.parent, top_of_project(importer.parent)
        for level in range(1, _MOST_ABOVE):
            found = self.find("." * level + name, importer)
            if found is not None and found.suffix == ".py":
                yield found
            if top is None or folder in (top, folder.parent):
                return
            folder = folder.parent

    def qualified(self, module: Path) -> str:
        """The dotted name of a module."""
        return self._resolver.qualified(module)

    def program(self, module: Path) -> n.Module | None:
        """The lowered program of a module; None when it cannot be read, or is a bare folder."""
        if module.suffix != ".py":
            return None
        self.probed.files[module] = self.library.read(module).digest
        program = self.library.program(module)
        if program is None:
            self.probed.unread.add(module)
        return program

    def unchanged(
        self, module: Path, digest: Digest | None, names: Mapping[str, Path | None]
    ) -> bool:
        """Whether a module is what it was, and what it imports is found where it was.

        Without a digest, only the latter.
        """
        same = digest is None or self.library.read(module).digest == digest
        return same and all(
            self.library.find(self._resolver, name, module) == found
            for name, found in names.items()
        )

    def still(self, probed: Probed) -> bool:
        """Whether all that the findings of a file depended on is what it was."""
        return all(
            self.unchanged(module, probed.files.get(module), probed.names.get(module, {}))
            for module in probed.files.keys() | probed.names.keys()
        )

    def bring_in_jax(self, source: Source, importer: Path) -> bool:
        """Whether a module of the project that a file imports, directly or not, imports JAX."""
        waiting = [(source, importer)]
        seen = {importer}
        while waiting and len(seen) < _MOST_LOOKED_AT:
            source, importer = waiting.pop()
            for name in source.imported_names:
                module = self.find(name, importer)
                if module is None or module in seen or module.suffix != ".py":
                    continue
                seen.add(module)
                read = self.library.read(module)
                self.probed.files[module] = read.digest
                if read.source is not None:
                    if read.source.uses_jax:
                        return True
                    waiting.append((read.source, module))
        return False
