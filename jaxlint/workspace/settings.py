"""``[tool.jaxlint]`` of ``pyproject.toml``: read, checked, and made into options."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from jaxlint.config import Options, Selection
from jaxlint.pages import problem_with_address
from jaxlint.project import check_specifier
from jaxlint.reading import read_ordinary
from jaxlint.rules.codes import code_of, problem_with
from jaxlint.workspace.exclusions import Exclusion, check_pattern
from jaxlint.workspace.keys import KEYS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE_NAME = "pyproject.toml"
_TABLE = "jaxlint"
"""Of ``[tool.jaxlint]``: what a file must say somewhere to have one."""


class SettingsError(Exception):
    """A configuration that cannot be used; the text is for the user and says where."""


@dataclass(frozen=True)
class Settings:
    """What a project says about linting it.

    Attributes:
        options: which rules speak, and how.
        exclude: patterns, as in ``.gitignore``, of files to leave out.
        respect_gitignore: leave out what git ignores.
        baseline: findings that were there before, which are not reported; None: no such file.
        file: where the settings were found; None when there are none.
    """

    options: Options = field(default_factory=Options)
    exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    baseline: Path | None = None
    file: Path | None = None

    @property
    def folder(self) -> Path | None:
        """Where the settings were found."""
        return None if self.file is None else self.file.parent

    @property
    def exclusions(self) -> list[Exclusion]:
        """What is left out."""
        return [Exclusion(self.exclude, self.folder)] if self.exclude and self.folder else []


def exclusions_for(folder: Path) -> list[Exclusion]:
    """What the settings that hold in a folder leave out.

    Raises:
        SettingsError: they cannot be used.
    """
    return settings_for(folder).exclusions


def settings_for(folder: Path) -> Settings:
    """The settings that hold in a folder: of the nearest ``pyproject.toml`` that has some.

    Raises:
        SettingsError: they cannot be used.
    """
    return _nearest(folder.absolute())


def forget() -> None:
    """Read files again when asked next: they may have changed."""
    _nearest.cache_clear()


@lru_cache(maxsize=4096)
def _nearest(folder: Path) -> Settings:
    path = folder / FILE_NAME
    if os.path.isfile(path):
        found = read_settings(path)
        if found is not None:
            return found
    return Settings() if folder.parent == folder else _nearest(folder.parent)


def read_settings(path: Path) -> Settings | None:
    """The settings in one file; None when it has no ``[tool.jaxlint]``.

    A file that is no TOML, as one that git has left with both sides of a merge in it, stops the
    run only where it could have some: to complain of the rest of it is the work of others.

    Raises:
        SettingsError: it cannot be read, is no TOML, or says something that has no meaning.
    """
    text = _text(path)
    if _TABLE not in text:
        return None
    data = _toml(path, text)
    table = _table_of_jaxlint(path, data)
    return None if table is None else _Reader(path, text).settings(table)


def read_given(path: Path) -> Settings:
    """The settings in a file that the user names: in ``[tool.jaxlint]``, or without a table.

    Raises:
        SettingsError: as :func:`read_settings`, or a ``pyproject.toml`` says nothing of jaxlint.
    """
    text = _text(path)
    data = _toml(path, text)
    table = _table_of_jaxlint(path, data)
    if table is None and path.name == FILE_NAME:
        raise SettingsError(f"{path}: has no [tool.jaxlint]")
    return _Reader(path, text).settings(data if table is None else table)


def said_by_editor(table: dict[str, Any]) -> Callable[[Options], Options]:
    """What the settings of an editor, with the keys of ``[tool.jaxlint]``, make of options.

    Raises:
        SettingsError: they cannot be used.
    """
    options = _Reader(Path("settings of the editor"), "").settings(table).options
    selection = Selection(options.select, options.extend_select, options.ignore)
    fields_said = {KEYS[key].field for key in table} - set(vars(selection))
    names = fields_said & {each.name for each in fields(Options)}
    given = {name: getattr(options, name) for name in names}
    return lambda base: override(base, selection, **given)


def _text(path: Path) -> str:
    try:
        # As a text file is read: any line end is one line end.
        return read_ordinary(path).decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise SettingsError(f"{path}: cannot read the file: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: is not UTF-8: {error.reason}") from error


def _toml(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: not TOML: {error}") from error
    except (RecursionError, ValueError) as error:
        raise SettingsError(f"{path}: cannot be read as TOML: {error}") from error


def _table_of_jaxlint(path: Path, data: dict[str, Any]) -> dict[str, Any] | None:
    tool = data.get("tool")
    table = tool.get("jaxlint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError(f"{path}: tool.jaxlint must be a table")
    return table


def check_name(name: str) -> str:
    """What is wrong with the name of a function of the user's own; empty when nothing."""
    parts = name.split(".")
    if len(parts) > 1 and all(part.isidentifier() for part in parts):
        return ""
    return f"{name!r} is no full name of a function, such as 'mylib.compile.my_jit'"


def check_folder(name: str) -> str:
    """What is wrong with the name of a folder of modules; empty when nothing."""
    return "" if name.strip() and "\0" not in name else f"{name!r} is no folder, such as 'src'"


class _Reader:
    """Reads one table; every complaint says the file and the line."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.split("\n")

    def settings(self, table: dict[str, Any]) -> Settings:
        unknown = [key for key in table if key not in KEYS]
        if unknown:
            close = difflib.get_close_matches(unknown[0], KEYS, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(sorted(KEYS))}"
            raise self._error(unknown[0], f"unknown key; {hint}")
        values = {KEYS[key].field: self._value(key, value) for key, value in table.items()}
        names = {each.name for each in fields(Options)}
        options = {name: value for name, value in values.items() if name in names}
        rest = {name: value for name, value in values.items() if name not in names}
        if "baseline" in rest:
            rest["baseline"] = self._path.parent / rest["baseline"]
        folder = self._path.parent.absolute()
        return Settings(Options(root=str(folder), **options), file=folder / self._path.name, **rest)

    def _value(self, key: str, value: Any) -> Any:
        kind = KEYS[key].kind
        if kind == "table of codes":
            return self._table(key, value)
        check = _CHECKS.get(kind)
        if kind in ("flag", "number", "text", "version", "address"):
            wanted = {"flag": bool, "number": int}.get(kind, str)
            right = type(value) is wanted and (type(value) is not int or value > 0)
            if not right:
                what = {bool: "true or false", int: "a number above 0", str: "a string"}[wanted]
                raise self._error(key, f"must be {what}, not {value!r}")
            self._complain(key, check(value) if check and value else "")
            return value
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._error(key, f"must be a list of strings, not {value!r}")
        for item in value:
            self._complain(key, check(item) if check else "")
        return tuple(map(code_of, value) if kind == "codes" else value)

    def _table(self, key: str, value: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
        if not isinstance(value, dict):
            raise self._error(key, "must be a table: pattern = [codes]")
        for codes in value.values():
            if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
                raise self._error(key, f"must be lists of codes, not {codes!r}")
            for code in codes:
                self._complain(key, problem_with(code))
        return tuple((pattern, tuple(map(code_of, codes))) for pattern, codes in value.items())

    def _complain(self, key: str, problem: str) -> None:
        if problem:
            raise self._error(key, problem)

    def _error(self, key: str, problem: str) -> SettingsError:
        pattern = re.compile(rf"\s*(\[tool\.jaxlint\.)?[\"']?{re.escape(key)}[\"']?\s*[=.\]]")
        begins = next(
            (n for n, line in enumerate(self._lines) if line.lstrip().startswith("[tool.jaxlint")),
            0,
        )
        for number, line in enumerate(self._lines[begins:], begins + 1):
            if pattern.match(line):
                return SettingsError(f"{self._path}:{number}: {key}: {problem}")
        return SettingsError(f"{self._path}: {key}: {problem}")


_CHECKS: dict[str, Callable[[str], str]] = {
    "codes": problem_with,
    "exclusions": check_pattern,
    "names": check_name,
    "folders": check_folder,
    "version": check_specifier,
    "address": problem_with_address,
}


def override(options: Options, said_last: Selection, **given: Any) -> Options:
    """Options with what the command line says in place of what the file says.

    Args:
        options: of the file.
        said_last: the codes that the command line selects and leaves out.
        given: fields of the options; None: the command line does not say.
    """
    said = {name: value for name, value in given.items() if value is not None}
    return replace(options, said_last=said_last, **said)
