"""Which names and parameters JAX had, release by release.

``history.json`` is what every release on the package index answered when it was asked
(``tools/history``); its format is described in ``tools/history/condense.py``. What no list of
names shows is typed: ``knowledge/replacements.py``.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal

from jaxlint.knowledge.replacements import (
    ATTRIBUTES,
    MOVED,
    PARAMETERS,
    POSITIONS,
    RENAMED,
    SAYS,
    WARNS_WHEN_CALLED,
    Change,
)

__all__ = ["ATTRIBUTES", "PARAMETERS", "Change"]

# ------------------------------------------------------------------------------- changes


@cache
def change_of(name: str) -> Change | None:
    """What became of a qualified name; None when the newest release still has it, unwarned.

    Also None when no release had it: ask :func:`ever_existed`.
    """
    row = _row(name)
    if row is None:
        return None
    removed = _end(name)
    warned = _release(row["deprecated"]) if "deprecated" in row else ""
    deprecated = WARNS_WHEN_CALLED.get(name, warned)
    if not removed and not deprecated:
        return None
    return Change(removed, deprecated, _words(name, row))


def _words(name: str, row: dict[str, Any]) -> str:
    new = renamed_to(name)
    words = SAYS.get(name) or row.get("says", "") or (f"use {new}" if new else "")
    # What went together with its module is replaced by what replaces that.
    return words or SAYS.get(name.rpartition(".")[0], "")


def change_above(name: str) -> tuple[str, Change] | None:
    """The same for a name or the module it lies in, whichever went."""
    while name.count("."):
        found = change_of(name)
        if found is not None:
            return name, found
        name = name.rpartition(".")[0]
    return None


@cache
def renamed_to(name: str) -> str:
    """The name that does in the newest release what this one did; empty when there is none."""
    if name in RENAMED or name in MOVED:
        return RENAMED.get(name) or MOVED[name]
    module, _, short = name.rpartition(".")
    new = f"{MOVED[module]}.{short}" if module in MOVED else ""
    return new if new and _row(new) is not None and not _end(new) else ""


@cache
def parameter_change(name: str, keyword: str) -> Change | None:
    """What became of a keyword argument; None when it is taken, unwarned, or never was."""
    signatures = _signatures(name)
    takes = {each: each is not None and each.takes(keyword) for each in set(signatures)}
    took = [takes[signature] for signature in signatures]
    typed = PARAMETERS.get((name, keyword), Change())
    change = Change(
        typed.removed or _lost(signatures, took),
        typed.deprecated or _marked(signatures, keyword),
        typed.says,
    )
    return change if change.removed or change.deprecated else None


@cache
def position_change(name: str, count: int) -> Change | None:
    """What became of calls with that many positional arguments; None when nothing did."""
    signatures = _signatures(name)
    fits = [signature is not None and signature.fits(count) for signature in signatures]
    limit, typed = POSITIONS.get(name, (count, Change()))
    if count > limit:
        return Change(typed.removed or _lost(signatures, fits), typed.deprecated, typed.says)
    removed = _lost(signatures, fits)
    return Change(removed) if removed else None


def _marked(signatures: tuple[Signature | None, ...], keyword: str) -> str:
    """The release since which a parameter was marked as one that will go, to its end."""
    since = ""
    for position, signature in enumerate(signatures):
        if signature is not None and signature.takes(keyword):
            marked = signature.deprecates(keyword)
            since = (since or _release(position)) if marked else ""
    return since


def _lost(signatures: tuple[Signature | None, ...], had: list[bool]) -> str:
    """The release from which on a function that is still there no longer has something."""
    if True not in had or had[-1] or signatures[-1] is None:
        return ""
    return _release(len(had) - had[::-1].index(True))


# ----------------------------------------------------------------------------- existence


_REFUSING = frozenset({"jax.numpy.fromfile", "jax.numpy.fromiter"})
"""Functions that are there and raise NotImplementedError; the tables leave them out."""


@cache
def ever_existed(name: str) -> bool:
    """Whether some release had a name.

    False only of what was looked for in vain: the name lies directly in a module that every
    release's copy of was read. What lies in a class or an object is not known, and exists.
    """
    if name in _REFUSING:
        return True
    module, _, short = name.rpartition(".")
    asked = _unasked().isdisjoint(name.split("."))
    if not asked or short.startswith("_") or _is_unsure(module):
        return True
    found = _modules().get(module)
    return found is None or name in _modules() or short in _names(module)


def is_module(name: str) -> bool:
    """Whether some release has a module of that name."""
    return name in _modules()


@cache
def always_there(name: str) -> bool:
    """Whether every release has a name of JAX, unwarned, as far as is known."""
    if change_of(name) is not None:
        return False
    return not name.startswith("jax.") or (not came_in(name) and ever_existed(name))


def exists(name: str, release: str) -> bool:
    """Whether a release has a name; as :func:`ever_existed` is, True when that is not known."""
    if not ever_existed(name):
        return False
    spans = None if _is_unsure(name.rpartition(".")[0]) else _spans(name)
    position = _position(release)
    return spans is None or any(first <= position < end for first, end in spans)


def surely_exists(name: str, release: str) -> bool:
    """The same, False when it is not known; of a module in part unread it is what was read."""
    spans, position = _spans(name), _position(release)
    return spans is not None and any(first <= position < end for first, end in spans)


@cache
def came_in(name: str) -> str:
    """The first release that had a name; empty when the first one read had it, or none."""
    spans = _spans(name)
    return _release(spans[0][0]) if spans and spans[0][0] else ""


_OTHER_WORDS = {"dim": "axis", "dims": "axis", "keepdim": "keepdims", "size": "shape"}
"""What other libraries call a parameter, and JAX."""


@cache
def nearest(name: str) -> str:
    """The name of the newest release that a wrong one may mean; empty when none is like it."""
    module, _, short = name.rpartition(".")
    inner = [each for each in _modules() if each.startswith(f"{module}.")]
    for where in (*inner, *_WHERE_PEOPLE_LOOK):
        if short in _names(where) and not _end(f"{where}.{short}"):
            return f"{where}.{short}"
    if f"jax.{short}" in _modules():
        return f"jax.{short}"
    there = [each for each in _names(module) if not _end(f"{module}.{each}")]
    return next((f"{module}.{each}" for each in get_close_matches(short, there, 1, 0.8)), "")


def nearest_parameter(name: str, keyword: str) -> str:
    """The parameter that a wrong keyword may mean; empty when none is like it."""
    signature = parameters_of(name)
    there = [each.name for each in signature.parameters] if signature is not None else []
    if _OTHER_WORDS.get(keyword) in there:
        return _OTHER_WORDS[keyword]
    return next(iter(get_close_matches(keyword, there, 1, 0.7)), "")


_WHERE_PEOPLE_LOOK = ("jax.numpy", "jax.numpy.linalg", "jax.nn", "jax.random", "jax.lax")


# ---------------------------------------------------------------------------- parameters


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter, of one of Python's five kinds."""

    name: str
    kind: Literal["positional", "either", "keyword", "args", "kwargs"]
    optional: bool = False
    deprecated: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """What a function takes in one release; one for all that take the same."""

    parameters: tuple[Parameter, ...]

    def takes(self, keyword: str) -> bool:
        """Whether it takes this keyword argument."""
        return any(
            each.kind == "kwargs" or (each.name == keyword and each.kind in ("either", "keyword"))
            for each in self.parameters
        )

    def deprecates(self, keyword: str) -> bool:
        """Whether JAX has marked this parameter as one that will go."""
        return any(each.name == keyword and each.deprecated for each in self.parameters)

    def lacks(self, count: int, keywords: frozenset[str]) -> str:
        """The first parameter without a default that such a call leaves out; empty for none."""
        places = [each for each in self.parameters if each.kind in ("positional", "either")]
        given = keywords.union(each.name for each in places[:count])
        return next(
            (
                each.name
                for each in self.parameters
                if each.kind not in ("args", "kwargs")
                and not each.optional
                and each.name not in given
            ),
            "",
        )

    def fits(self, count: int) -> bool:
        """Whether it takes that many positional arguments."""
        return self.positions is None or count <= self.positions

    @property
    def positions(self) -> int | None:
        """How many positional arguments it takes at most; None for any number."""
        if any(each.kind == "args" for each in self.parameters):
            return None
        return sum(each.kind in ("positional", "either") for each in self.parameters)


def parameters_of(name: str, release: str = "") -> Signature | None:
    """What a function takes in a release, or in the newest; None when that is not known."""
    signatures = _signatures(name)
    if not signatures:
        return None
    return signatures[_position(release) if release else -1]


def accepts(name: str, release: str, count: int, keywords: Iterable[str]) -> bool:
    """Whether a release, or the newest, has a function and it takes such arguments for certain."""
    there = exists(name, release) if release else ever_existed(name) and not change_of(name)
    signature = parameters_of(name, release) if there else None
    if signature is None or not signature.fits(count):
        return False
    return all(signature.takes(each) and not signature.deprecates(each) for each in keywords)


@cache
def ever_took(name: str, keyword: str) -> bool:
    """Whether some release's function took a keyword argument; True when that is not known."""
    known = set(_signatures(name)) - {None}
    return not known or any(each is not None and each.takes(keyword) for each in known)


@cache
def left_out(name: str, count: int, keywords: frozenset[str]) -> str:
    """The parameter that a call with so many positional arguments leaves out, in every release.

    Empty where some release takes the call, or nobody knows what it takes.
    """
    known = [each for each in set(_signatures(name)) if each is not None]
    newest = parameters_of(name)
    if newest is None or not all(each.lacks(count, keywords) for each in known):
        return ""
    return newest.lacks(count, keywords)


@cache
def _signature(text: str) -> Signature | None:
    """The signature that ``a,/,b=,*,c=~,**rest`` stands for."""
    if not text:
        return None
    parts = text.split(",")
    slash = parts.index("/") if "/" in parts else 0
    parameters: list[Parameter] = []
    keyword_only = False
    for position, part in enumerate(parts):
        name, default, mark = part.partition("=")
        if part == "/":
            continue
        if part.startswith("**"):
            parameters.append(Parameter(part[2:], "kwargs"))
        elif part.startswith("*"):
            keyword_only = True
            if len(part) > 1:
                parameters.append(Parameter(part[1:], "args"))
        else:
            kind: Literal["positional", "either", "keyword"] = (
                "keyword" if keyword_only else "positional" if position < slash else "either"
            )
            parameters.append(Parameter(name, kind, bool(default), mark == "~"))
    return Signature(tuple(parameters))


# ------------------------------------------------------------------------------ the data


def releases() -> tuple[str, ...]:
    """The releases that were asked, the oldest first."""
    return tuple(_data()["releases"])


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(__file__).with_name("history.json").read_text("utf-8"))
    return data


@cache
def _unasked() -> frozenset[str]:
    return frozenset(_data()["unasked"])


def _modules() -> dict[str, dict[str, Any]]:
    modules: dict[str, dict[str, Any]] = _data()["modules"]
    return modules


@cache
def _names(module: str) -> dict[str, dict[str, Any]]:
    """The rows of a module's names; empty for those of which there is nothing to say."""
    row = _modules()[module]
    rows: dict[str, dict[str, Any]] = row["names"]
    return {name: {} for name in row["plain"].split()} | rows


def _row(name: str) -> dict[str, Any] | None:
    """The row of a name, or of a module."""
    module, _, short = name.rpartition(".")
    row = _modules().get(name)
    inner = _names(module).get(short) if module in _modules() else None
    if row is None or row.get("unsure"):
        return inner
    return row | ({} if inner is None else {key: inner[key] for key in inner if key != "there"})


def _is_unsure(module: str) -> bool:
    return bool(_modules().get(module, {}).get("unsure"))


def _spans(name: str) -> list[tuple[int, int]] | None:
    """From which release to before which one there was a name; None when that is not known."""
    row = _row(name)
    if row is None:
        return None
    newest = len(releases())
    if "there" in row:
        return [(span[0], span[1] if len(span) > 1 else newest) for span in row["there"]]
    module = name.rpartition(".")[0]
    return _spans(module) if name not in _modules() and module else [(0, newest)]


def _end(name: str) -> str:
    spans = _spans(name)
    return _release(spans[-1][1]) if spans and spans[-1][1] < len(releases()) else ""


@cache
def _signatures(name: str) -> tuple[Signature | None, ...]:
    """The signature in each release, None where there was none; empty when nothing is known."""
    row = _row(name)
    if row is None or "takes" not in row:
        return ()
    takes = row["takes"] if isinstance(row["takes"], list) else [[0, row["takes"]]]
    spans = _spans(name) or []
    found: list[Signature | None] = []
    for position in range(len(releases())):
        there = any(first <= position < end for first, end in spans)
        known = [text for since, text in takes if since <= position]
        found.append(_signature(known[-1]) if there and known else None)
    return tuple(found)


def _release(position: int) -> str:
    return str(_data()["releases"][position])


def _position(release: str) -> int:
    """The place of a release, or of the newest one before it."""
    keys = [_key(each) for each in releases()]
    return max(bisect_right(keys, _key(release)) - 1, 0)


def _key(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", release))
