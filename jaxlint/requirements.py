"""Which releases of a package the files of one folder ask for, in every format that names them."""

from __future__ import annotations

import ast
import configparser
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from jaxlint.reading import read_ordinary

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, slots=True)
class Declaration:
    """What one file asks for.

    Attributes:
        file: its path, from the folder that was searched.
        text: the specifier, such as ``>=0.4.30,<0.7``.
    """

    file: str
    text: str


def declarations(folder: Path, package: str) -> Iterator[Declaration]:
    """What the files of a folder ask of a package; those that say most about the project first."""
    files = sorted(path.relative_to(folder).as_posix() for path in _listed(folder))
    readers: dict[str, Reader] = {}
    for pattern, read in _FORMATS:
        for name in files:
            if fnmatch(name, pattern):
                readers.setdefault(name, read)
    for name, read in readers.items():
        text = _read_text(folder / name)
        # Most files do not name it: they need no parser.
        found = joined(read(text, package)) if package in text else ""
        if found:
            yield Declaration(name, found)


def _listed(folder: Path) -> Iterator[Path]:
    for where in (folder, *(folder / name for name in _FOLDERS)):
        try:
            yield from where.iterdir()
        except (OSError, ValueError):
            continue


def _read_text(path: Path) -> str:
    """The text of an ordinary file of ordinary size, its line ends ``\\n``; else nothing."""
    try:
        return read_ordinary(path).decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        return ""


def joined(specifiers: Iterable[str]) -> str:
    """All of them as one, each bound once, in order."""
    bounds = [bound.strip() for text in specifiers for bound in text.split(",")]
    return ",".join(dict.fromkeys(bound for bound in bounds if bound))


# ------------------------------------------------------------------------ one requirement


def pip_requirement(text: str, package: str = "jax") -> str:
    """The bounds that ``jax[cuda]>=0.4.30,<0.7; python_version > "3.9"`` sets; else nothing."""
    # packaging loads with the first requirement that there is.
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text.strip())
    except InvalidRequirement:
        return ""
    return _ordered(str(requirement.specifier)) if requirement.name.lower() == package else ""


_CONDA = re.compile(r"(?:[\w.-]+::)?([\w.-]+)(?:\[[^\]]*\])?\s*([<>=!~\d].*)")


def conda_requirement(text: str, package: str = "jax") -> str:
    """The same of ``conda-forge::jax=0.4.30=py310_0`` and ``jax 0.4.*``."""
    match = _CONDA.fullmatch(text.strip())
    if match is None or match[1] != package:
        return ""
    found = re.fullmatch(r"(=?)\s*(\d[\w.]*\*?)(?:[=\s][\w*.]+)?", match[2].strip())
    if found is not None:
        # One ``=`` is a prefix: jax=0.4 is every 0.4.
        exact = not found[1] or found[2].endswith("*")
        return f"=={found[2]}" if exact else f"=={found[2]}.*"
    return pip_requirement(f"{package}{match[2].strip().split(' ')[0]}", package)


def _ordered(specifier: str) -> str:
    """Lower bounds first, as people write them."""
    return ",".join(sorted(specifier.split(","), key=lambda bound: bound.startswith("<")))


# ------------------------------------------------------------------------------- formats

Reader = Callable[[str, str], Iterator[str]]
"""Gives what the text of a file asks of a package, one specifier after the other."""


def _toml(text: str, package: str) -> Iterator[str]:
    """Requirements anywhere in the file: lists of PEP 508, and tables of Poetry and Pipenv."""
    try:
        yield from _in_tables(tomllib.loads(text), package)
    except (ValueError, RecursionError):
        return


def _in_tables(data: Any, package: str) -> Iterator[str]:
    if isinstance(data, list):
        for item in data:
            if isinstance(item, str):
                yield pip_requirement(item, package)
            else:
                yield from _in_tables(item, package)
    elif isinstance(data, dict):
        for key, value in data.items():
            version = value.get("version") if isinstance(value, dict) else value
            if key == package and isinstance(version, str):
                yield version.strip() if version.strip() != "*" else ""
            elif not isinstance(value, str):
                yield from _in_tables(value, package)


_LOCKED = r"""(?m)^name\s*=\s*["']{}["']\s*\nversion\s*=\s*["']([\d.]+)["']"""
_PIXI_LOCKED = r"/{}-(\d[\d.]*)-[^/\s]*\.(?:conda|tar\.bz2)"
_CONDA_LOCKED = r"""(?m)^[- \t]*name:[ \t]*{}[ \t]*\n[ \t]*version:[ \t]*["']?([\d.]+)"""


def _toml_lock(text: str, package: str) -> Iterator[str]:
    # A regular expression: these files are large, written by programs, and without comments.
    yield _locked(re.findall(_LOCKED.format(re.escape(package)), text))


def _pixi_lock(text: str, package: str) -> Iterator[str]:
    """The URL of a package of conda, or the name and version of one of the package index."""
    name = re.escape(package)
    found = re.findall(_PIXI_LOCKED.format(name), text)
    yield _locked(found + re.findall(_CONDA_LOCKED.format(name), text))


def _locked(versions: list[str]) -> str:
    """What a lock file says: of several versions, one for each Python say, it is each."""
    numbers = sorted({*versions}, key=lambda text: [int(part) for part in text.split(".") if part])
    if len(numbers) > 1:
        return f">={numbers[0]},<={numbers[-1]}"
    return f"=={numbers[0]}" if numbers else ""


def _pipfile_lock(text: str, package: str) -> Iterator[str]:
    try:
        yield from _in_tables(json.loads(text), package)
    except (ValueError, RecursionError):
        return


def _conda(text: str, package: str) -> Iterator[str]:
    """``dependencies`` of conda, with the list for pip in it, and what conda-lock writes."""
    yield _locked(re.findall(_CONDA_LOCKED.format(re.escape(package)), text))
    for line in text.splitlines():
        match = re.match(r"""\s*-\s*["']?([^"'#]+)""", line)
        if match is not None:
            yield pip_requirement(match[1], package) or conda_requirement(match[1], package)


def _pip(text: str, package: str) -> Iterator[str]:
    for line in text.replace("\\\n", " ").splitlines():
        # What follows are options such as --hash; a line that begins with one is no requirement.
        yield pip_requirement(re.split(r"(?:^|\s)(?:#|--)", line)[0], package)


def _setup_cfg(text: str, package: str) -> Iterator[str]:
    parser = configparser.ConfigParser(
        interpolation=None, strict=False, comment_prefixes=("#", ";")
    )
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for section in parser.values():
        for value in section.values():
            yield from _pip(value, package)


def _python(text: str, package: str) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names = _constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and not isinstance(node, ast.Name):
            yield from _pip(_string(node, names) or "", package)


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    """The names that a module gives one value and no other."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _string(node: ast.expr, names: dict[str, ast.expr]) -> str | None:
    """The string that an expression of constants and their names is; None for any other."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        value = names.get(node.id)
        return _string(value, {}) if value is not None else None
    if isinstance(node, ast.FormattedValue):
        return _string(node.value, names)
    if isinstance(node, ast.JoinedStr):
        parts = [_string(each, names) for each in node.values]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_string(node.left, names), _string(node.right, names)]
    else:
        return None
    return None if None in parts else "".join(part or "" for part in parts)


_INSTALL = re.compile(r"\b(?:pip3?|conda|mamba|micromamba)\b[^|;&]{0,200}?\binstall\s([^|;&]*)")


def _dockerfile(text: str, package: str) -> Iterator[str]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in re.sub(r"\\\s*\n", " ", "\n".join(lines)).splitlines():
        # A bound in quotes may hold what ends a command of the shell elsewhere.
        for arguments in _INSTALL.findall(line):
            try:
                words = shlex.split(arguments, comments=True)
            except ValueError:
                words = arguments.split()
            for word in words:
                yield pip_requirement(word, package) or conda_requirement(word, package)


_FORMATS: tuple[tuple[str, Reader], ...] = (
    ("pyproject.toml", _toml),
    ("setup.cfg", _setup_cfg),
    ("setup.py", _python),
    ("*requirements*.txt", _pip),
    ("*requirements*.in", _pip),
    ("requirements/*.txt", _pip),
    ("requirements/*.in", _pip),
    ("*requirements*.lock", _pip),
    ("*constraints*.txt", _pip),
    ("constraints/*.txt", _pip),
    ("Pipfile", _toml),
    ("pixi.toml", _toml),
    ("*env*.yml", _conda),
    ("*env*.yaml", _conda),
    ("conda*.yml", _conda),
    ("conda*.yaml", _conda),
    ("uv.lock", _toml_lock),
    ("poetry.lock", _toml_lock),
    ("pdm.lock", _toml_lock),
    ("pylock*.toml", _toml_lock),
    ("pixi.lock", _pixi_lock),
    ("Pipfile.lock", _pipfile_lock),
    ("Dockerfile*", _dockerfile),
    ("*.dockerfile", _dockerfile),
    ("docker/Dockerfile*", _dockerfile),
    ("Containerfile", _dockerfile),
)
"""Pattern of a file's name, in whose ``*`` there may be a ``/`` -> how it is read; what the project
says of itself comes first."""

_FOLDERS = (
    "requirements", "constraints", "docker", "env", "envs", "environment", "environments", "conda",
    "scripts",
)  # fmt: skip
"""Folders beside the project's own files that hold such files."""
