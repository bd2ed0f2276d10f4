"""Files as they are written: edited in place of a few characters, byte for byte the same elsewhere.

A Python file keeps its encoding, byte order mark and line ends; a notebook everything but the
sources of the cells that are edited, and in those the lines that are not.
"""

from __future__ import annotations

import io
import json
import os
import re
import stat
import tempfile
import tokenize
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from jaxlint.edits import Edit, applied
from jaxlint.source import is_notebook

_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)


class CannotWrite(Exception):
    """A file that is left as it is; the message says why, for the user."""


def edited(data: bytes, name: str, edits: Iterable[Edit]) -> bytes:
    """The bytes of a file after some edits; ``name`` tells what kind of file it is.

    Raises:
        CannotWrite: they would not stay the same elsewhere, or an edit does not fit.
    """
    try:
        return _notebook(data, edits) if is_notebook(name) else _python(data, edits)
    except UnicodeEncodeError as error:
        raise CannotWrite(f"its encoding, {error.encoding}, has not all characters") from error
    except ValueError as error:
        raise CannotWrite(f"an edit does not fit: {error}") from error


def _python(data: bytes, edits: Iterable[Edit]) -> bytes:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    text = data.decode(encoding)
    if text.encode(encoding) != data:
        raise CannotWrite(f"written again in its encoding, {encoding}, it would not be the same")
    return applied(text, edits).encode(encoding)


def _notebook(data: bytes, edits: Iterable[Edit]) -> bytes:
    text = data.decode("utf-8-sig")
    mark = data[: len(data) - len(text.encode())]
    sources = dict(enumerate(_sources(text), 1))
    ordered = sorted(edits, key=lambda edit: edit.start, reverse=True)
    for cell, here in groupby(ordered, key=lambda edit: edit.cell):
        start, end = sources.get(cell) or (0, 0)
        if end == 0:
            raise CannotWrite(f"it has no cell {cell}, or is of an old notebook format")
        text = text[:start] + _source_edited(text[start:end], list(here), text) + text[end:]
    return mark + text.encode()


def _source_edited(written: str, edits: list[Edit], notebook: str) -> str:
    """The JSON of a cell's source after some edits, in the form that it had."""
    source = json.loads(written)

    def dump(value: str) -> str:
        return json.dumps(value, ensure_ascii=notebook.isascii())

    if isinstance(source, str):
        return dump(applied(source, edits))
    new = applied("".join(source), edits)
    lines = [line for line in re.split(r"(?<=\n)", new) if line]
    as_written = {
        json.loads(written[start:end]): written[start:end] for start, end in _items(written, 0)
    }
    lead = _blanks(written, 1)
    after = written[: written.rindex("]")]
    tail = after[len(after.rstrip(" \t\r\n")) :]
    separator = f",{lead}" if lead else ", "
    return (
        "["
        + lead
        + separator.join(as_written.get(each) or dump(each) for each in lines)
        + tail
        + "]"
    )


def _sources(text: str) -> Iterator[tuple[int, int] | None]:
    """Where the source of each cell stands in a notebook's JSON; None for one without."""
    cells = _member(text, _end_of_blanks(text, 0), "cells")
    if cells is None:
        return
    for start, _ in _items(text, cells[0]):
        yield _member(text, start, "source")


def _member(text: str, start: int, name: str) -> tuple[int, int] | None:
    """Where the value of a member stands in the object that begins at a place: the last one."""
    if text[start : start + 1] != "{":
        return None
    found = None
    for key, value in _pairs(text, start):
        if json.loads(text[key[0] : key[1]]) == name:
            found = value
    return found


def _pairs(text: str, start: int) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    at = _end_of_blanks(text, start + 1)
    while text[at] != "}":
        key = _value(text, at)
        at = _end_of_blanks(text, key[1])
        value = _value(text, _end_of_blanks(text, at + 1))
        yield key, value
        at = _next(text, value[1])


def _items(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Where the items stand of the list that begins at a place."""
    at = _end_of_blanks(text, start + 1)
    while text[at] != "]":
        item = _value(text, at)
        yield item
        at = _next(text, item[1])


def _next(text: str, end: int) -> int:
    at = _end_of_blanks(text, end)
    return _end_of_blanks(text, at + 1) if text[at] == "," else at


def _value(text: str, start: int) -> tuple[int, int]:
    value: tuple[Any, int] = _DECODER.raw_decode(text, start)
    return start, value[1]


def _end_of_blanks(text: str, start: int) -> int:
    match = _BLANKS.match(text, start)
    assert match is not None
    return match.end()


def _blanks(text: str, start: int) -> str:
    return text[start : _end_of_blanks(text, start)]


def write_over(path: Path, old: bytes, new: bytes) -> None:
    """Put other bytes in a file, all at once: nobody ever sees half of them.

    A link stays one: the file that it leads to is written. Permissions are kept.

    Raises:
        CannotWrite: the file is read-only, no longer holds ``old``, or cannot be written.
    """
    target = Path(os.path.realpath(path))
    try:
        status = os.stat(target)
        if not stat.S_ISREG(status.st_mode) or not status.st_mode & 0o222:
            raise CannotWrite("it is read-only")
        if not os.access(target, os.W_OK):
            raise CannotWrite("you may not write it")
        if target.read_bytes() != old:
            raise CannotWrite("it was changed while jaxlint read it")
        _put(target, new, stat.S_IMODE(status.st_mode))
    except OSError as error:
        raise CannotWrite(str(error.strerror)) from error


def _put(target: Path, data: bytes, mode: int) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise
