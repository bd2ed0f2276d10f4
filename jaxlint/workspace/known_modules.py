"""Modules that cached findings depend on, and whether they are still what they were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from jaxlint.imports.modules import Library, Modules, Probed

_Known = tuple[str, dict[str, Path | None], bool]
"""The digest of a module, what each name that it imports means, and whether it can be read."""


class KnownModules:
    """Digest and imports of modules, by path. Each is looked at once in a run."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: dict[str, _Known] = {}
        self._unchanged: dict[tuple[tuple[str, ...], str], bool] = {}

    def load(self, written: object) -> None:
        """Take over what was written; what somebody else wrote there is left out."""
        for path, entry in written.items() if isinstance(written, dict) else ():
            known = _as_known(entry)
            if known is not None:
                self._known[path] = known

    def unchanged(self, paths: object, sources: tuple[str, ...]) -> bool:
        """Whether all of these modules are what they were when findings were cached."""
        if not isinstance(paths, list):
            return False
        return all(isinstance(path, str) and self._is_unchanged(path, sources) for path in paths)

    def _is_unchanged(self, path: str, sources: tuple[str, ...]) -> bool:
        asked = sources, path
        if asked not in self._unchanged:
            known = self._known.get(path)
            modules = Modules(self._library, sources)
            self._unchanged[asked] = known is not None and modules.unchanged(
                Path(path), known[0], known[1]
            )
        return self._unchanged[asked]

    def add(self, probed: Probed) -> list[str]:
        """Remember what the findings of one file depend on; gives the paths."""
        paths = []
        for module in probed.files.keys() | probed.names.keys():
            path, names = str(module), probed.names.get(module, {})
            digest = probed.files.get(module) or self._library.read(module).digest
            before = self._known.get(path)
            if before is not None and before[0] == digest:
                names = before[1] | names
            self._known[path] = digest, names, module not in probed.unread
            paths.append(path)
        return sorted(paths)

    def probed(self, paths: Iterable[str]) -> Probed:
        """What was remembered of modules."""
        found = Probed()
        for path in paths:
            module, (digest, names, readable) = Path(path), self._known[path]
            found.files[module], found.names[module] = digest, names
            if not readable:
                found.unread.add(module)
        return found

    def written(self, files: Mapping[str, Any]) -> dict[str, Any]:
        """Those that some file depends on, as they are written."""
        wanted: set[str] = set()
        for entry in files.values():
            modules = entry.get("modules") if isinstance(entry, dict) else None
            wanted.update(each for each in _listed(modules) if isinstance(each, str))
        return {
            path: [
                digest,
                {name: str(at) if at is not None else None for name, at in names.items()},
                readable,
            ]
            for path, (digest, names, readable) in self._known.items()
            if path in wanted
        }


def _listed(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else ()


def _as_known(entry: object) -> _Known | None:
    """An entry as it was written; None when somebody else has written there."""
    if not isinstance(entry, list) or [type(each) for each in entry] != [str, dict, bool]:
        return None
    digest, names, readable = entry
    if not all(at is None or isinstance(at, str) for at in names.values()):
        return None
    found = {name: Path(at) if at is not None else None for name, at in names.items()}
    return digest, found, readable
