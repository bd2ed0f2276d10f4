"""What was found before, so that an unchanged file is not looked at again.

An entry holds as long as nothing that its findings depend on has changed: the
bytes of the file, its name, the options, the release of JAX that the project states,
whether 64 bit types may be on, and jaxlint, libcst and Python themselves.
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
from jaxlint.findings import Finding, Note, Severity
from jaxlint.project import may_use_x64, releases_for
from jaxlint.reading import MOST_BYTES, read_ordinary
from jaxlint.source import Source

FOLDER = ".jaxlint_cache"
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by jaxlint; may be deleted.\n"


class Cache:
    """Findings of earlier runs, in one file of a folder of its own.

    A cache that cannot be read is empty, and one that cannot be written is not
    written: it never changes what is reported.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = self._folder / f"{_engine()}.json"
        self._old: dict[str, Any] = {}
        self._new: dict[str, Any] = {}
        try:
            loaded = json.loads(read_ordinary(self._file, MOST_BYTES))
        except (OSError, ValueError, RecursionError):
            return
        if isinstance(loaded, dict):
            self._old = loaded

    def key(self, data: bytes, source: Source, options: Options) -> str:
        """What the findings of a file depend on, in short."""
        found = hashlib.blake2b(data, digest_size=16)
        # Where the file lies, not what it is called from here: patterns of paths and the
        # names of tests depend on it.
        parts = [os.path.abspath(source.filename), *map(repr, astuple(options))]
        if source.uses_jax:
            parts += [
                releases_for(source.filename, options.jax).text,
                str(may_use_x64(source.filename, source.text)),
            ]
        found.update("\0".join(parts).encode("utf-8", "surrogatepass"))
        return found.hexdigest()

    def get(self, key: str, filename: str) -> list[Finding] | None:
        """The findings of a file, by its present name; None when they are not known."""
        entry = self._old.get(key)
        if not isinstance(entry, list):
            return None
        findings = [_as_finding(values, filename) for values in entry]
        if any(finding is None for finding in findings):
            return None
        self._new[key] = entry
        return [finding for finding in findings if finding is not None]

    def put(self, key: str, findings: list[Finding]) -> None:
        """Remember the findings of a file."""
        self._new[key] = [astuple(finding) for finding in findings]

    def save(self) -> None:
        """Write what was used or added in this run, and what other runs left."""
        if self._new.keys() <= self._old.keys():
            return
        try:
            if self._folder.is_symlink():
                return  # What it points to is not ours to write in.
            self._folder.mkdir(parents=True, exist_ok=True)
            for name, text in (("CACHEDIR.TAG", _TAG), (".gitignore", "*\n")):
                if not os.path.lexists(self._folder / name):
                    (self._folder / name).write_text(text, "utf-8")
            self._write(json.dumps(self._new | self._kept()))
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
    values |= {"notes": tuple(Note(*note) for note in notes), "filename": filename}
    return Finding(**values)


def _is(value: Any, kind: type) -> bool:
    return type(value) is kind


_WRITTEN_AS = {"str": str, "int": int, "bool": bool, "Severity": str, "tuple[Note, ...]": list}
_FIELDS = [each.name for each in fields(Finding)]
_KINDS = [_WRITTEN_AS[str(each.type)] for each in fields(Finding)]
_NOTE_KINDS = [_WRITTEN_AS[str(each.type)] for each in fields(Note)]
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
