"""What each record of a journal holds: checked, and numbered anew, where it comes from elsewhere.

Journals that were collected may have been written by anybody. What is not as it should be raises
``ValueError``; nothing in them is run, and no text in them can steer a terminal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jaxlint.confirm.event_kinds import is_kind
from jaxlint.confirm.journals import Record
from jaxlint.one_line import on_one_line

_LARGEST = 2**53
_LONGEST = 20_000
_MOST = 1000


class NotHere(Exception):
    """A record is as it should be, and about a file or a finding that is not there."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """What the numbers of one watch list are in another.

    Attributes:
        files: number of a file there -> here; None: it is not here.
        watches: number of a finding or of another place there -> here.
    """

    files: Sequence[int | None]
    watches: Mapping[int, int]


Form = Callable[[Any, Numbering], Any]
"""Checks a value, and gives it back in the numbers of the other watch list."""


def _int(value: Any, _: Numbering) -> int:
    if type(value) is not int or not 0 <= value < _LARGEST:
        raise ValueError("no number")
    return value


def _seconds(value: Any, _: Numbering) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or not 0 <= value < _LARGEST:
        raise ValueError("no time")
    return float(value)


def _bool(value: Any, _: Numbering) -> bool:
    if not isinstance(value, bool):
        raise ValueError("neither true nor false")
    return value


def _lines(value: Any, _: Numbering) -> str:
    if not isinstance(value, str):
        raise ValueError("no text")
    return "\n".join(map(on_one_line, value[:_LONGEST].split("\n")))


def _text(value: Any, numbering: Numbering) -> str:
    return on_one_line(_lines(value, numbering))


def _kind(value: Any, numbering: Numbering) -> str:
    text = _text(value, numbering)
    if not is_kind(text):
        raise ValueError("no kind of event")
    return text


def _file(value: Any, numbering: Numbering) -> int:
    there = _int(value, numbering)
    if there >= len(numbering.files):
        raise ValueError("no file")
    here = numbering.files[there]
    if here is None:
        raise NotHere
    return here


def _any_file(value: Any, numbering: Numbering) -> int:
    """A file; or -1, for one that nobody watches."""
    return -1 if type(value) is int and value < 0 else _file(value, numbering)


def _library(value: Any, numbering: Numbering) -> str:
    """The file of a library, named alike wherever that is installed."""
    return _text(value, numbering).replace("\\", "/").rpartition("/site-packages/")[2]


def _watch(value: Any, numbering: Numbering) -> int:
    here = numbering.watches.get(_int(value, numbering))
    if here is None:
        raise NotHere
    return here


def _list_of(form: Form) -> Form:
    def check(value: Any, numbering: Numbering) -> list[Any]:
        if not isinstance(value, list) or len(value) > _MOST:
            raise ValueError("no list, or too long a one")
        return [form(each, numbering) for each in value]

    return check


def _tuple_of(*forms: Form, least: int = -1) -> Form:
    def check(value: Any, numbering: Numbering) -> list[Any]:
        fewest = len(forms) if least < 0 else least
        if not isinstance(value, list) or not fewest <= len(value) <= len(forms):
            raise ValueError("another number of parts")
        return [form(each, numbering) for form, each in zip(forms, value, strict=False)]

    return check


def _or_none(form: Form) -> Form:
    return lambda value, numbering: None if value is None else form(value, numbering)


_PLACE = _tuple_of(_file, _int, _int, least=2)
_PLACES = _list_of(_PLACE)
_PAIRS = _list_of(_tuple_of(_text, _text))

_COUNTS: Mapping[str, Sequence[Form]] = {
    "hit": (_watch, _bool, _text),
    "raise": (_watch, _bool, _text, _text),
    "refused": (_watch, _text, _text),
    "led": (_watch, _text, _text, _PLACES),
    "said": (_watch, _text, _lines),
    "change": (_watch, _text, _bool, _bool, _bool),
    "stale": (_watch, _text, _text, _text),
    "unready": (_watch,),
    "same": (_watch,),
    "rebound": (_watch,),
    "unrolled": (_watch,),
    "started": (_watch,),
    "gradient": (_watch, _text),
    "state": (_watch, _bool),
    "copied": (_watch, _bool),
    "event": (_kind, _file, _int, _text, _bool, _or_none(_PLACE)),
    "leak": (_file, _text, _int),
    "wrap": (_file, _int, _text, _text),
    "key": (_text, _PLACES, _or_none(_PLACE), _text, _PLACE, _bool, _bool),
    "wait": (_file, _int),
    "file": (_file,),
    "copy": (_file, _text),
    "elsewhere": (_text,),
}
"""What is counted -> what stands behind its name."""

_WORK: Mapping[str, Form] = {
    "name": _text, "file": _any_file, "path": _library, "line": _int, "made": _or_none(_PLACE),
    "stack": _PLACES, "seconds": _seconds, "why": _PAIRS, "given": _PAIRS,
}  # fmt: skip

_RECORDS: Mapping[str, Mapping[str, Form]] = {
    "process": {"pid": _int, "argv": _list_of(_text), "python": _text},
    "jax": {"version": _text, "jaxlib": _text, "engine": _text},
    "blind": {"text": _text},
    "trouble": {"text": _text},
    "devices": {"kinds": _list_of(_tuple_of(_text, _int))},
    "member": {"index": _int, "of": _int},
    "waits": {"number": _int, "stack": _PLACES, "outside": _text, "in_jax": _bool},
    "goes on": {"number": _int, "seconds": _seconds},
    "end": {},
    "trace": _WORK,
    "lowering": _WORK,
    "compilation": _WORK,
}
"""Record -> its fields; ``why`` and ``given`` may be missing."""

_OPTIONAL = ("why", "given")


def checked(record: Any, numbering: Numbering) -> Record:
    """A record in the numbers of another watch list.

    Raises:
        ValueError: it is none.
        NotHere: it is about something that the other watch list does not have.
    """
    if not isinstance(record, dict):
        raise ValueError("no record")
    what = record.get("is")
    if what == "count":
        return {"is": "count", "of": _count(record.get("of"), numbering),
                "n": _int(record.get("n"), numbering)}  # fmt: skip
    forms = _RECORDS.get(what) if isinstance(what, str) else None
    if forms is None:
        raise ValueError("no kind of record")
    found: Record = {"is": what}
    for name, form in forms.items():
        if name in record or name not in _OPTIONAL:
            found[name] = form(record.get(name), numbering)
    return found


def _count(key: Any, numbering: Numbering) -> list[Any]:
    what = key[0] if isinstance(key, list) and key else None
    forms = _COUNTS.get(what) if isinstance(what, str) else None
    if forms is None or len(forms) != len(key) - 1:
        raise ValueError("nothing that is counted")
    parts = zip(forms, key[1:], strict=True)
    return [what, *(form(value, numbering) for form, value in parts)]
