"""A run as a file: what is written where it ran, and read where several are joined.

JSON, whole or not there at all, with paths relative to the project and a hash of each source. It
may lie in a folder that others write to: what is read is checked, and nothing in it is ever run.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import jaxlint
from jaxlint.confirm.journals import Record
from jaxlint.confirm.program.linted import Linted
from jaxlint.one_line import on_one_line
from jaxlint.reading import MOST_BYTES, read_ordinary

FORMAT = 1
"""Of the file; another one is not read."""

SUFFIX = ".jaxlint-run.json"
_LONGEST = 4096
_MOST_FILES = 100_000
_LARGEST = 2**53

Place = tuple[str, str, str, int, int, int, int]
"""What a watch is about, wherever it has which number: file, code or kind of event, name, first
line and column, last line and column."""


class NotARun(Exception):
    """The file cannot be read as a run; the text says why."""


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run of the command, as it is kept.

    Attributes:
        host: the machine.
        pid: the process that wrote it.
        launched, of, cluster: as of :class:`jaxlint.confirm.program.ran.Member`.
        command: program and arguments.
        code: the exit code; None: it had not ended when this was written.
        said: one line for the user when it did not simply run.
        seconds: wall time.
        began: when, in seconds since the epoch.
        commit: of the project, as git names it.
        files: path in the project, hash of the text, whether it was linted; in the order of the
            watch list. None: outside of the project.
        watches: the places of the watch list, by number.
        journals: the records of each process, as they were written.
        troubles: what the observer could not do.
    """

    host: str
    pid: int
    launched: int | None
    of: int
    cluster: str
    command: list[str]
    code: int | None
    said: str
    seconds: float
    began: float
    commit: str
    files: list[tuple[str, str, bool] | None]
    watches: list[Place]
    journals: list[list[Record]] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)


def hash_of(text: str) -> str:
    """Of a source, the same whatever ends its lines."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")).hexdigest()


def places_of(linted: Linted, root: Path) -> list[Place]:
    """The places of a watch list, by number.

    Args:
        root: of the project, with links resolved.
    """
    found: list[Place] = []
    for each in linted.findings:
        span = (each.line, each.column, each.end_line, each.end_column)
        found.append((inside(each.filename, root) or each.filename, each.code, "", *span))
    for candidate in linted.candidates:
        first, last = candidate.watch.lines
        file = inside(candidate.file, root) or candidate.file
        found.append((file, candidate.kind, candidate.what, first, 0, last, 0))
    return found


def inside(path: str, root: Path) -> str:
    """A path in the project, with slashes; empty when it lies outside."""
    try:
        return Path(path).relative_to(root).as_posix()
    except ValueError:
        return ""


def files_of(linted: Linted, root: Path) -> Iterator[tuple[str, str, bool] | None]:
    """What is kept of the files of a watch list."""
    for path in linted.watchlist.paths:
        text = linted.texts.get(path, linted.beside.get(path, ""))
        name = inside(path, root)
        yield (name, hash_of(text), path in linted.files) if name else None


def name_for(number: int | None) -> str:
    """A name for the file of a run that nothing else has: host, process, number, time."""
    host = re.sub(r"[^A-Za-z0-9.-]", "-", socket.gethostname())[:60]
    of = "" if number is None else f"-{number}"
    return f"{host}-{os.getpid()}{of}-{time.time_ns():x}{SUFFIX}"


def write_run(target: Path, run: RunFile) -> None:
    """Write a run: under another name first, so that nobody ever reads a part of it.

    Raises:
        OSError: it cannot be written.
    """
    content = {"format": FORMAT, "jaxlint": jaxlint.__version__}
    content |= {name: getattr(run, name) for name in RunFile.__slots__}
    part = target.with_name(f".{target.name}.part")
    with open(part, "w", encoding="utf-8") as stream:
        json.dump(content, stream, separators=(",", ":"), default=str)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(part, target)


def read_run(path: Path) -> RunFile:
    """Read a run that somebody has written.

    Raises:
        NotARun: it is none, or one of another format.
    """
    try:
        content = json.loads(read_ordinary(path, MOST_BYTES), parse_constant=_refuse)
    except OSError as error:
        raise NotARun(f"cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise NotARun("is no run: it is not JSON, or not all of it") from error
    if not isinstance(content, dict) or "format" not in content:
        raise NotARun("is no run: jaxlint did not write it")
    if content["format"] != FORMAT:
        by = on_one_line(str(content.get("jaxlint", "")))[:40] or "another jaxlint"
        form = on_one_line(str(content["format"]))[:20]
        raise NotARun(
            f"was written by jaxlint {by} in format {form}; this jaxlint, {jaxlint.__version__}, "
            f"reads format {FORMAT}: use the same one in both places"
        )
    try:
        return _run_of(content)
    except (KeyError, TypeError, ValueError) as error:
        raise NotARun(f"is no run: {_short(error)}") from error


def _short(error: Exception) -> str:
    missing = f"{error} is missing" if isinstance(error, KeyError) else str(error)
    return on_one_line(missing)[:100]


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _run_of(content: dict[str, Any]) -> RunFile:
    code = content["code"]
    launched = content["launched"]
    files = _list(content["files"], "files")
    return RunFile(
        host=_text(content["host"]),
        pid=_number(content["pid"]),
        launched=None if launched is None else _number(launched),
        of=_number(content["of"]),
        cluster=_text(content["cluster"]),
        command=[_text(each) for each in _list(content["command"], "command")],
        code=None if code is None else _number(code),
        said=_text(content["said"]),
        seconds=_time(content["seconds"]),
        began=_time(content["began"]),
        commit=_text(content["commit"]),
        files=[None if each is None else _file(each) for each in files],
        watches=[_place(each) for each in _list(content["watches"], "watches")],
        journals=[_list(each, "journal") for each in _list(content["journals"], "journals")],
        troubles=[_text(each) for each in _list(content["troubles"], "troubles")],
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("something is no text")
    return on_one_line(value[:_LONGEST])


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise ValueError("something is no number")
    return value


def _time(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or not 0 <= value < 2**35:
        raise ValueError("something is no time")
    return float(value)


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list) or (what == "files" and len(value) > _MOST_FILES):
        raise ValueError(f"{what}: no list, or too long a one")
    return value


def _file(value: Any) -> tuple[str, str, bool]:
    path, digest, is_linted = value
    if not isinstance(path, str) or not isinstance(digest, str) or type(is_linted) is not bool:
        raise ValueError("files: not a path, a hash and whether it was linted")
    pure = PurePosixPath(path)
    odd = any(each in path for each in ("\0", "\\", ":"))
    if not path or odd or pure.is_absolute() or ".." in pure.parts or len(path) > _LONGEST:
        raise ValueError(f"files: {path[:60]!r} is no path in a project")
    return path, digest, is_linted


def _place(value: Sequence[Any]) -> Place:
    file, code, what, *span = value
    first, column, last, end = map(_number, span)
    if not all(isinstance(each, str) for each in (file, code, what)):
        raise ValueError("watches: a place has no file or no code")
    return file, code, what, first, column, last, end
