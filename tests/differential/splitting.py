"""One program made into several modules, in the ways in which people import."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MAIN = "main.py"
_STYLES = ("from", "from as", "module", "module as", "star", "re-exported")


@dataclass
class Split:
    """A program in several files.

    Attributes:
        files: path -> text.
        lines: path -> line -> the line of the program that stands there.
    """

    files: dict[str, str] = field(default_factory=dict)
    lines: dict[str, dict[int, int]] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """Write the files."""
        for name, text in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, "utf-8")

    def origin(self, file: str, line: int) -> int:
        """The line of the program that a line of a file comes from; 0 for an import."""
        return self.lines[file].get(line, 0)


@dataclass
class _Part:
    """A statement at the top of the program: what it binds, and what it reads."""

    node: ast.stmt
    first: int
    last: int
    binds: set[str]
    reads: set[str]


def split(text: str, seed: int) -> Split | None:
    """A program in two to four modules; None when nothing in it can be moved."""
    rng = random.Random(seed)
    parts = list(_parts(text))
    outside = [part for part in parts if isinstance(part.node, (ast.Import, ast.ImportFrom))]
    movable = _movable([part for part in parts if part not in outside], text)
    if not movable:
        return None
    where = _placed(movable, rng.randint(1, 3), rng)
    package = rng.choice(("", "lab"))
    return _Writer(text, parts, outside, where, package, rng).split()


def _parts(text: str) -> Iterator[_Part]:
    for node in ast.parse(text).body:
        names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
        binds = {each.id for each in names if isinstance(each.ctx, ast.Store)}
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            binds = {node.name}
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            binds = {(each.asname or each.name).split(".")[0] for each in node.names}
        decorators = [each.lineno for each in getattr(node, "decorator_list", ())]
        reads = {each.id for each in names if isinstance(each.ctx, ast.Load)}
        last = node.end_lineno or node.lineno
        yield _Part(node, min([node.lineno, *decorators]), last, binds, reads)


def _movable(parts: list[_Part], text: str) -> list[_Part]:
    """Definitions that read nothing but what is moved with them, or before them."""
    rebound = set(re.findall(r"\bglobal +(\w+)", text))
    times: dict[str, int] = {}
    for part in parts:
        for name in part.binds:
            times[name] = times.get(name, 0) + 1
    own = {name for part in parts for name in part.binds}
    found: list[_Part] = []
    moved: set[str] = set()
    for part in parts:
        definition = isinstance(part.node, (ast.FunctionDef, ast.ClassDef))
        assigned = isinstance(part.node, ast.Assign) and isinstance(part.node.targets[0], ast.Name)
        if not (definition or assigned) or part.binds & rebound or part.reads & rebound:
            continue
        needs = (part.reads & own) - part.binds
        if needs <= moved and all(times[name] == 1 for name in part.binds):
            found.append(part)
            moved |= part.binds
    return found


def _placed(movable: list[_Part], count: int, rng: random.Random) -> dict[int, int]:
    """Line of a part -> the number of its module, which imports from those before it alone."""
    where: dict[int, int] = {}
    number_of: dict[str, int] = {}
    for part in movable:
        least = max((number_of[name] for name in part.reads if name in number_of), default=0)
        number = rng.randint(least, count)
        if number < count:  # The last one is the main file.
            where[part.first] = number
        number_of |= dict.fromkeys(part.binds, number)
    return where


class _Writer:
    """Writes the modules of one program."""

    def __init__(
        self,
        text: str,
        parts: list[_Part],
        outside: list[_Part],
        where: dict[int, int],
        package: str,
        rng: random.Random,
    ) -> None:
        self._text = text.split("\n")
        self._parts = parts
        self._outside = outside
        self._where = where
        self._package = package
        self._rng = rng
        self._split = Split()
        self._home = {
            name: where[part.first] for part in parts if part.first in where for name in part.binds
        }

    def split(self) -> Split | None:
        """The files."""
        if not self._where:
            return None
        numbers = sorted(set(self._where.values()))
        for number in [*numbers, None]:
            self._write(number)
        if self._package:
            exported = [f"from .part{number} import *" for number in numbers]
            self._split.files[f"{self._package}/__init__.py"] = "\n".join([*exported, ""])
            self._split.lines[f"{self._package}/__init__.py"] = {}
        return self._split

    def _write(self, number: int | None) -> None:
        own = [part for part in self._parts if part not in self._outside
               and self._where.get(part.first) == number]  # fmt: skip
        imports = [range(part.first, part.last + 1) for part in self._outside]
        lines = [self._text[at - 1] for span in imports for at in span]
        reads = set().union(*(part.reads for part in own)) - set().union(*(p.binds for p in own))
        renamed: dict[str, str] = {}
        for name in sorted(reads & self._home.keys()):
            lines.append(self._imported(name, number, renamed))
        origins: dict[int, int] = {}
        for part in own:
            lines += ["", ""]
            for at in range(part.first, part.last + 1):
                lines.append(_renamed(self._text[at - 1], renamed))
                origins[len(lines)] = at
        folder = f"{self._package}/" if self._package and number is not None else ""
        file = MAIN if number is None else f"{folder}part{number}.py"
        self._split.files[file] = "\n".join([*lines, ""])
        self._split.lines[file] = origins

    def _imported(self, name: str, number: int | None, renamed: dict[str, str]) -> str:
        """The import of a name; how it is written from then on goes into ``renamed``."""
        module = f"part{self._home[name]}"
        inside = self._package and number is not None
        prefix = "." if inside else f"{self._package}." if self._package else ""
        style = self._rng.choice(_STYLES)
        if style in ("module", "module as", "from as") and self._is_bound_twice(name):
            style = "from"
        if style == "re-exported" and not (self._package and number is None):
            style = "from"
        if style == "from as":
            renamed[name] = f"{name}_of_{module}"
            return f"from {prefix}{module} import {name} as {renamed[name]}"
        if style in ("module", "module as"):
            alias = module if style == "module" else f"m_{module}"
            renamed[name] = f"{alias}.{name}"
            if prefix:
                package = prefix.rstrip(".") or "."
                return f"from {package} import {module} as {alias}"
            return f"import {module} as {alias}"
        if style == "star" and not name.startswith("_"):
            return f"from {prefix}{module} import *"
        if style == "re-exported":
            return f"from {self._package} import {name}"
        return f"from {prefix}{module} import {name}"

    def _is_bound_twice(self, name: str) -> bool:
        """Whether something else has the name too: a parameter, a local variable, a keyword."""
        text = "\n".join(self._text)
        tree = ast.parse(text)
        bound = sum(
            (isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store))
            or (isinstance(each, ast.arg) and each.arg == name)
            or (isinstance(each, (ast.FunctionDef, ast.ClassDef)) and each.name == name)
            or (isinstance(each, ast.keyword) and each.arg == name)
            or (isinstance(each, ast.Attribute) and each.attr == name)
            for each in ast.walk(tree)
        )  # fmt: skip
        return bound > 1 or f'"{name}' in text


def _renamed(line: str, renamed: dict[str, str]) -> str:
    for name, new in renamed.items():
        line = re.sub(rf"\b{name}\b", new, line)
    return line
