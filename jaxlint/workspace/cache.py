"""What was found before, so that an unchanged file is not looked at again.

An entry holds as long as nothing that its findings depend on has changed: the
bytes of the file, its name, the options, the release of JAX that the project states,
whether 64 bit types may be on, the modules of the project that it imports (those that were
looked for and not found too), and jaxlint, libcst and Python themselves.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, get_args

import jaxlint
from jaxlint.config import Options
from jaxlint.edits import Edit, Fix
from jaxlint.findings import Elsewhere, Finding, Note, Severity
from jaxlint.imports.modules import Library
from jaxlint.knowledge.library_history import PACKAGES
from jaxlint.project import may_use_x64, releases_for
from jaxlint.reading import MOST_BYTES, read_ordinary
from jaxlint.source import Source
from jaxlint.workspace.known_modules import KnownModules
from jaxlint.workspace.lint import Linted

FOLDER = ".jaxlint_cache"
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by jaxlint; may be deleted.\n"


class Cache:
    """Findings of earlier runs, in one file of a folder of its own.

    A cache that cannot be read is empty, and one that cannot be written is not
    written: it never changes what is reported.
    """

    def __init__(self, folder: Path, library: Library) -> None:
        self._folder = folder
        self._library = library
        self._file = self._folder / f"{_engine()}.json"
        self._old: dict[str, Any] = {}
        self._new: dict[str, Any] = {}
        self.hits = 0
        self._modules = KnownModules(library)
        try:
            loaded = json.loads(read_ordinary(self._file, MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return
        if isinstance(loaded, dict) and isinstance(loaded.get("files"), dict):
            self._old = loaded["files"]
            self._modules.load(loaded.get("modules"))

    def key(self, data: bytes, source: Source, options: Options) -> str:
        """What the findings of a file depend on, in short."""
        found = hashlib.blake2b(data, digest_size=16)
        # Where the file lies, not what it is called from here: patterns of paths and the
        # names of tests depend on it.
        parts = [os.path.abspath(source.filename), *map(repr, astuple(options))]
        parts += [
            releases_for(source.filename, options.jax).key,
            str(may_use_x64(source.filename, source.text)),
        ]
        for package, distribution in PACKAGES.items():
            if package.partition(".")[0] in source.text:
                parts.append(releases_for(source.filename, package=distribution).key)
        found.update("\0".join(parts).encode("utf-8", "surrogatepass"))
        return found.hexdigest()

    def get(self, key: str, filename: str, options: Options) -> Linted | None:
        """What was found in a file, by its present name; None when that is not known."""
        entry = self._old.get(key)
        if not isinstance(entry, dict) or not isinstance(entry.get("findings"), list):
            return None
        findings = [_as_finding(values, filename) for values in entry["findings"]]
        if None in findings or not self._modules.unchanged(entry.get("modules"), options.sources):
            return None
        self._new[key] = entry
        self.hits += 1
        probed = self._modules.probed(entry["modules"])
        return Linted(filename, [each for each in findings if each is not None], probed=probed)

    def put(self, key: str, linted: Linted) -> None:
        """Remember the findings of a file."""
        findings = [astuple(finding) for finding in linted.findings]
        self._new[key] = {"findings": findings, "modules": self._modules.add(linted.probed)}

    def save(self) -> None:
        """Write what was used or added in this run, and what other runs left."""
        if all(self._old.get(key) is entry for key, entry in self._new.items()):
            return
        try:
            if self._folder.is_symlink():
                return  # What it points to is not ours to write in.
            self._folder.mkdir(parents=True, exist_ok=True)
            for name, text in (("CACHEDIR.TAG", _TAG), (".gitignore", "*\n")):
                if not os.path.lexists(self._folder / name):
                    (self._folder / name).write_text(text, "utf-8")
            files = self._kept() | self._new
            self._write(json.dumps({"files": files, "modules": self._modules.written(files)}))
            self._remove_old()
        except (OSError, ValueError):
            return

    def _kept(self) -> dict[str, Any]:
        """The newest of the entries that this run did not ask for."""
        rest = [item for item in self._old.items() if item[0] not in self._new]
        return dict(rest[-max(len(self._new), _FEWEST_KEPT) :])

    def _write(self, text: str) -> None:
        # Written aside and moved: runs beside each other never see half a file.
        handle, name = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
            os.replace(name, self._file)
        except BaseException:
            os.unlink(name)
            raise

    def _remove_old(self) -> None:
        """Delete what other releases left, and runs that were ended while they wrote."""
        found = [*self._folder.glob("*.json"), *self._folder.glob("*.tmp")]
        newest = sorted(found, key=lambda path: path.lstat().st_mtime, reverse=True)
        for path in newest[_MOST_FILES:]:
            path.unlink(missing_ok=True)


_FEWEST_KEPT = 2000
_MOST_FILES = 4
"""Caches of different releases and Pythons, used by turns, that are kept beside each other."""


def _as_finding(entry: Any, filename: str) -> Finding | None:
    """A finding as it was put; None when somebody else has written there."""
    fits = isinstance(entry, list) and len(entry) == len(_KINDS)
    if not fits or not all(map(_is, entry, _KINDS)) or entry[_SEVERITY] not in _SEVERITIES:
        return None
    notes = entry[_NOTES]
    if not all(isinstance(note, list) and list(map(type, note)) == _NOTE_KINDS for note in notes):
        return None
    values = dict(zip(_FIELDS, entry, strict=True))
    happens, fix = values["happens_at"], values["fix"]
    if happens is not None and list(map(type, happens)) != _ELSEWHERE_KINDS:
        return None
    if fix is not None and not _is_fix(fix):
        return None
    values |= {"notes": tuple(Note(*note) for note in notes), "filename": filename}
    values["happens_at"] = Elsewhere(*happens) if happens is not None else None
    if fix is not None:
        title, edits, safe = fix
        values["fix"] = Fix(title, tuple(Edit(*edit) for edit in edits), safe)
    return Finding(**values)


def _is_fix(entry: list[Any]) -> bool:
    fits = list(map(type, entry)) == [str, list, bool]
    return fits and all(
        isinstance(edit, list) and list(map(type, edit)) == _EDIT_KINDS for edit in entry[1]
    )


def is_cache(folder: Path) -> bool:
    """Whether a folder is one that a cache has made, and may be deleted."""
    try:
        tag = (folder / "CACHEDIR.TAG").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return tag == _TAG and not folder.is_symlink()


def _is(value: Any, kinds: tuple[type, ...]) -> bool:
    return type(value) in kinds


_WRITTEN_AS = {
    "str": (str,), "int": (int,), "bool": (bool,), "Severity": (str,),
    "tuple[Note, ...]": (list,), "Elsewhere | None": (list, type(None)),
    "Fix | None": (list, type(None)),
}  # fmt: skip
_FIELDS = [each.name for each in fields(Finding)]
_KINDS = [_WRITTEN_AS[str(each.type)] for each in fields(Finding)]
_NOTE_KINDS = [_WRITTEN_AS[str(each.type)][0] for each in fields(Note)]
_ELSEWHERE_KINDS = [_WRITTEN_AS[str(each.type)][0] for each in fields(Elsewhere)]
_EDIT_KINDS = [_WRITTEN_AS[str(each.type)][0] for each in fields(Edit)]
_SEVERITY, _NOTES = _FIELDS.index("severity"), _FIELDS.index("notes")
_SEVERITIES = get_args(Severity)


def _engine() -> str:
    """Names this jaxlint, down to its files, with what it runs on."""
    from importlib import metadata

    package = Path(jaxlint.__file__).parent
    found = hashlib.blake2b(digest_size=8)
    found.update(f"{jaxlint.__version__} {sys.version} {metadata.version('libcst')}".encode())
    for folder, folders, files in os.walk(package):
        folders[:] = [name for name in folders if name not in ("__pycache__", "confirm")]
        for entry in sorted(files):
            status = os.stat(os.path.join(folder, entry))
            found.update(f"{folder}/{entry} {status.st_size} {status.st_mtime_ns}\n".encode())
    return found.hexdigest()
