"""Writes ``jaxlint/knowledge/library_history.json``: names that went from libraries around JAX.

    python -m tools.history.libraries FOLDER

Downloads each release of each library from the package index into FOLDER, and reads its source:
importing an old release would need the JAX, and the Python, of its time. A name is one that a
module of the library binds at its top and that lies in the library itself; where a module
computes its names (``__getattr__``), or takes all that another package has, a name is taken to be
there as long as its source so much as mentions it.

The file is an object: package -> ``releases`` (release -> the oldest JAX that it accepts, empty
when it does not say) and ``gone`` (qualified name -> the first release without it). Of what went
with its module only the module is listed. Only what is gone for good is.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jaxlint.knowledge.library_history import DATA, PACKAGES
from jaxlint.knowledge.replacements import RENAMED_IN_LIBRARIES
from tools.history.environments import version_key
from tools.history.inventory import modules_of

_INDEX = "https://pypi.org/simple"
_AS_JSON = "application/vnd.pypi.simple.v1+json"
_PATIENCE = 60
_RELEASE = re.compile(r"[\w.]+?-(\d+(?:\.\d+)+)(?:-py[23].*\.whl|\.tar\.gz)$")
_ASKS_FOR = re.compile(r"^(?:Requires-Dist: )?jax\b[^;\n]*?>=\s*([\d.]+)(?!.*extra)", re.MULTILINE)


@dataclass
class Module:
    """What a module of a release binds.

    Attributes:
        names: what it defines, or imports from the library itself.
        stars: modules of the library all of whose names it takes.
        text: its source, where names may be there that it does not bind in view; else empty.
    """

    names: set[str] = field(default_factory=set)
    stars: list[str] = field(default_factory=list)
    text: str = ""

    def has(self, name: str) -> bool:
        """Whether a name is there, or may be."""
        return name in self.names or bool(re.search(rf"\b{name}\b", self.text))


Inventory = dict[str, Module]


def main() -> int:
    """Download what is not there yet, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="for what is downloaded")
    folder: Path = parser.parse_args().folder.absolute()
    result = {}
    for package, distribution in PACKAGES.items():
        result[package] = _history(package, distribution, folder / package)
        print(f"{package}: {len(result[package]['releases'])} releases", flush=True)
    DATA.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    return 0


def _history(package: str, distribution: str, folder: Path) -> dict[str, Any]:
    asks_for: dict[str, str] = {}
    inventories: list[Inventory] = []
    for release, url in _released(distribution).items():
        root = folder / release
        if not root.exists():
            _download(url, root)
        source = next(root.rglob(f"{package.replace('.', '/')}/__init__.py"), None)
        if source is not None:
            found = inventory(source.parent, package)
            asks_for[release] = _oldest_jax(root)
            inventories.append(found)
    releases = list(asks_for)
    return {
        "releases": asks_for,
        "gone": gone(releases, inventories),
        "came": came(releases, inventories),
    }


def _released(distribution: str) -> dict[str, str]:
    """Where the index has each release, the oldest first: its wheel, or else its source."""
    asked = urllib.request.Request(f"{_INDEX}/{distribution}/", headers={"Accept": _AS_JSON})
    with urllib.request.urlopen(asked, timeout=_PATIENCE) as answer:
        files = json.load(answer)["files"]
    found: dict[str, str] = {}
    for each in sorted(files, key=lambda each: str(each["filename"]).endswith(".whl")):
        release = _RELEASE.match(each["filename"])
        if release is not None and not each.get("yanked"):
            found[release[1]] = each["url"]
    return {release: found[release] for release in sorted(found, key=version_key)}


def _download(url: str, root: Path) -> None:
    """The Python files of a release, and what it says of itself."""
    with urllib.request.urlopen(url, timeout=_PATIENCE) as answer:
        data = io.BytesIO(answer.read())
    if url.endswith(".whl"):
        with zipfile.ZipFile(data) as wheel:
            wheel.extractall(root)
    else:
        with tarfile.open(fileobj=data) as archive:
            archive.extractall(root, filter="data")


def _oldest_jax(root: Path) -> str:
    files = (*root.rglob("METADATA"), *root.rglob("requires.txt"), *root.rglob("PKG-INFO"))
    found = (_ASKS_FOR.search(path.read_text("utf-8", "replace")) for path in files)
    return next((each[1] for each in found if each), "")


# ------------------------------------------------------------------------- one release


def inventory(source: Path, package: str) -> Inventory:
    """The public modules of a release, by dotted name."""
    above, dot, _ = package.rpartition(".")
    paths = {f"{above}{dot}{name}": path for name, path in modules_of(source).items()}
    found = {name: _read(name, path, package) for name, path in paths.items()}
    for name in paths:
        above, _, short = name.rpartition(".")
        if above in found:
            found[above].names.add(short)
    for name in found:
        found[name].names |= _taken(name, found, frozenset())
    return found


def _taken(name: str, found: Inventory, above: frozenset[str]) -> set[str]:
    """All names of a module, with those that it takes from others."""
    module = found.get(name)
    if module is None or name in above:
        return set()
    taken = (_taken(each, found, above | {name}) for each in module.stars)
    return module.names.union(*taken)


def _read(name: str, path: Path, package: str) -> Module:
    text = path.read_text("utf-8")
    module = Module()
    home = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in _top(ast.parse(text).body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            module.names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            module.names |= _targets(node)
        elif isinstance(node, ast.ImportFrom):
            _take(module, node, home, package, text)
        elif isinstance(node, ast.Import):
            inside = (each for each in node.names if f"{each.name}.".startswith(f"{package}."))
            module.names |= {each.asname for each in inside if each.asname}
    if "__getattr__" in module.names:
        module.text = text
    module.names = {each for each in module.names if not each.startswith("_")}
    return module


def _top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that bind names of a module, those in tests and handlers too."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody"):
            if isinstance(node, (ast.If, ast.Try, ast.With)):
                yield from _top(getattr(node, part, []))
        for handler in getattr(node, "handlers", []):
            yield from _top(handler.body)


def _targets(node: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    inner = (each for target in targets for each in ast.walk(target))
    return {each.id for each in inner if isinstance(each, ast.Name)}


def _take(module: Module, node: ast.ImportFrom, home: str, package: str, text: str) -> None:
    """What ``from ... import`` binds of the library's own."""
    where = node.module or ""
    if node.level:
        above = home.split(".")[: len(home.split(".")) - node.level + 1]
        where = ".".join([*above, where]).rstrip(".")
    own = where == package or where.startswith(f"{package}.")
    for alias in node.names:
        if alias.name == "*":
            public = own and not any(part.startswith("_") for part in where.split("."))
            module.stars += [where] if public else []
            module.text = module.text if public else text
        elif own:
            module.names.add(alias.asname or alias.name)


# -------------------------------------------------------------------------- all of them


def gone(releases: list[str], inventories: list[Inventory]) -> dict[str, str]:
    """The names that the newest release lacks, and the first release without each."""
    newest = inventories[-1]
    found: dict[str, str] = {}
    for module in sorted({name for each in inventories for name in each}):
        above, _, short = module.rpartition(".")
        if module in newest:
            found |= _gone_from(module, releases, inventories)
        elif above in newest and not newest[above].has(short):
            found[module] = releases[_end([module in each for each in inventories])]
    return found


def _gone_from(module: str, releases: list[str], inventories: list[Inventory]) -> dict[str, str]:
    """What a module that is still there has lost, modules in it apart."""
    there = [each.get(module, Module()) for each in inventories]
    names = {name for each in there for name in each.names}
    modules = {name for each in inventories for name in each}
    return {
        f"{module}.{name}": releases[_end([each.has(name) for each in there])]
        for name in sorted(names)
        if not there[-1].has(name) and f"{module}.{name}" not in modules
    }


def came(releases: list[str], inventories: list[Inventory]) -> dict[str, str]:
    """The first release with each name that is written instead of one that went."""
    found: dict[str, str] = {}
    for new in sorted(set(RENAMED_IN_LIBRARIES.values())):
        module, _, name = new.rpartition(".")
        had = [module in each and name in each[module].names for each in inventories]
        if had[-1]:
            found[new] = releases[len(had) - had[::-1].index(False) if False in had else 0]
    return found


def _end(there: list[bool]) -> int:
    return len(there) - there[::-1].index(True)


if __name__ == "__main__":
    sys.exit(main())
