"""What is imported from the project and could not be followed, for people who ask."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.imports.modules import Library, Probed


def missing(probed: Probed, library: Library) -> Iterator[str]:
    """The modules that were not found, by name, and those that could not be read, by path.

    A name is of the project when it is relative, or when its first part was found there.
    """
    yield from map(str, probed.unread)
    for importer, names in probed.names.items():
        source = library.read(importer).source
        imported = frozenset(source.imported_names) if source is not None else frozenset()
        own = {name.split(".")[0] for name, module in names.items() if module is not None}
        packages = set(map(_package, imported))
        for name in imported:
            # What is imported from a module, and nothing from it, may be no module.
            is_module = name in packages or _package(name) not in imported
            if is_module and names.get(name, importer) is None and name.split(".")[0] in {"", *own}:
                yield name


def _package(name: str) -> str:
    """What a dotted name is in; the dots of a relative one stay."""
    inner = name.lstrip(".")
    return name[: len(name) - len(inner)] + inner.rpartition(".")[0]
