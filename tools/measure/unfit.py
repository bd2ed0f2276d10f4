"""Asks JAX which arrays its functions take in no call: of a rank, of a kind of dtype, on an axis.

``python -m tools.measure.unfit [NAME ...]`` writes ``knowledge/unfit.json``. For each parameter
that takes arrays, or lists of arrays, arrays of every rank are handed over, beside arrays of every
rank for the other parameters, with every option, and with data: a rank is listed when all of these
calls were refused. So it is with the kinds of dtypes. Of a parameter that names an axis it is asked
whose axes these are, and how far they go.
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxlint.knowledge.mismatches import refuses_impossible
from jaxlint.knowledge.unfit import IN_LISTS, KINDS
from tools.measure.abstracting import is_struct, struct
from tools.measure.arguments import Refused, working_call
from tools.measure.experiments import Subject, observe, option_value, options, with_lists
from tools.measure.functions import functions, parameters_of

TARGET = Path(__file__).parents[2] / "jaxlint" / "knowledge" / "unfit.json"

RANKS = range(5)
SIZES = (3, 1, 2, 4)
"""Of all axes of all arrays of a call, so that they fit where their ranks do."""

SAMPLES = {
    "bool": ("bool",),
    "int": ("int32", "int8", "uint8"),
    "float": ("float32", "bfloat16"),
    "complex": ("complex64",),
}
"""Dtypes of each kind; a kind is refused when each of them is."""

AXES = ("axis", "axis1", "axis2", "dim", "dimension", "source", "destination")
"""Parameters that name an axis."""

PLACES = range(-5, 5)
WITH_AXES = range(1, 4)
"""Ranks of arrays whose axes are named."""

NUMBERS = (0, 1, 2, -1)
"""For each parameter that takes an integer."""

_MOST_ARRAYS = 3
Draft = dict[str, Any]


MEASURED = (
    "jax.numpy", "jax.numpy.fft", "jax.numpy.linalg", "jax.lax", "jax.lax.linalg", "jax.nn",
    "jax.random", "jax.scipy.special", "jax.scipy.linalg", "jax.scipy.signal", "jax.ops",
)  # fmt: skip
"""Modules whose functions are asked; a method of an array is a function of ``jax.numpy``."""


def measured(
    only: frozenset[str], modules: tuple[str, ...] = MEASURED
) -> dict[str, dict[str, Any]]:
    """What every function of some modules refuses, or those that are named."""
    found = {}
    for module in modules:
        for name, function in functions(module):
            if only and name not in only:
                continue
            subject = _subject(name, function)
            rows = [*_rows(subject)] if subject is not None else []
            if subject is not None and any(rows):
                found[name] = {"needs": [*subject.values], **_merged(rows)}
        jax.clear_caches()
    return found


def _merged(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What is refused of all that a function was asked with, the first ones first."""
    found: dict[str, Any] = {}
    for row in rows:
        for what, refused in row.items():
            if isinstance(refused, list):
                known = found.setdefault(what, [])
                known += [each for each in refused if each not in known]
                continue
            for parameter, each in refused.items():
                known = found.setdefault(what, {}).setdefault(parameter, each)
                if isinstance(known, dict):
                    known |= {**each, **known}
    return found


def _subject(name: str, function: Any) -> Subject | None:
    parameters = parameters_of(function)
    if parameters is None:
        return None
    try:
        values, _ = working_call(name, function, parameters, None)
    except Refused:
        return None
    subject = Subject(name, function, parameters, values)
    few = 0 < len(_of_arrays(subject)) <= _MOST_ARRAYS
    return subject if few or "key" in subject.arrays.values() else None


def _rows(subject: Subject) -> Iterator[dict[str, Any]]:
    """What is refused of a function's arrays, of lists of them, and of those that it may be given.

    What is refused of the others when it is given one more may be taken without.
    """
    yield from map(row_of, with_lists(subject))
    if len(_of_arrays(subject)) == _MOST_ARRAYS:
        return
    array = next((subject.values[each] for each in _of_arrays(subject)), np.float32(0.5))
    for option, values in options(subject).items():
        given = {**subject.values, option: array}
        more = Subject(subject.name, subject.function, subject.parameters, given)
        if "array" in values and observe(more, _draft(more, {})) is not None:
            yield _about(row_of(more), option)


def _about(row: dict[str, Any], option: str) -> dict[str, Any]:
    """What is refused of one parameter."""
    found: dict[str, Any] = {
        what: {option: row[what][option]}
        for what in ("ranks", "dtypes")
        if option in row.get(what, {})
    }
    pairs = [pair for pair in row.get("sizes", ()) if option in pair]
    return {**found, "sizes": pairs} if pairs else found


def row_of(subject: Subject) -> dict[str, Any]:
    """What one function refuses, of each parameter."""
    row = {
        "ranks": ranks(subject),
        "dtypes": dtypes(subject),
        "axes": axes(subject),
        "alike": alike(subject),
        "square": square(subject),
        "sizes": sizes(subject),
    }
    return {what: found for what, found in row.items() if found}


def _label(subject: Subject, name: str) -> str:
    return name + IN_LISTS if name in subject.several else name


# --------------------------------------------------------------------------- ranks


def ranks(subject: Subject) -> dict[str, list[int]]:
    """The ranks of which no array is taken, where other ones are."""
    others = [subject.values[name] for name in _constants(subject)]
    if not all(type(value) is int for value in others):
        return {}  # A shape or a function, which has to do with the rank.
    found = {}
    tried = RANKS[:1] if others else RANKS  # Of a number alone, a number may say how many axes.
    for name in _of_arrays(subject):
        refused = [rank for rank in tried if not _any(subject, _of_rank(subject, name, rank))]
        refused = [rank for rank in refused if not _with_options(subject, name, rank)]
        refused = [rank for rank in refused if not _with_data(subject, name, rank)]
        if refused and len(refused) < len(RANKS):
            found[_label(subject, name)] = refused
    return found


def _of_arrays(subject: Subject) -> list[str]:
    return [name for name, dtype in subject.arrays.items() if dtype != "key"]


def _constants(subject: Subject) -> list[str]:
    """The parameters that every call is given, and that take no array."""
    return [name for name in subject.values if name not in subject.arrays]


def _of_rank(
    subject: Subject, name: str, rank: int, sizes: tuple[int, ...] = SIZES
) -> Iterator[Draft]:
    """Calls with an array of one rank, and arrays of every rank for the other parameters."""
    others = [other for other in _of_arrays(subject) if other != name]
    numbers = _constants(subject)
    for size, *given in itertools.product(sizes, *(RANKS for _ in others)):
        draft = _draft(subject, {name: rank, **dict(zip(others, given, strict=True))}, size)
        for values in itertools.product(NUMBERS, repeat=len(numbers)):
            yield {**draft, **dict(zip(numbers, values, strict=True))}


def _draft(subject: Subject, of_rank: dict[str, int], size: int = SIZES[0]) -> Draft:
    """Arguments of these ranks; the others are those with which the function runs."""
    return _shaped(subject, {name: (size,) * rank for name, rank in of_rank.items()})


def _shaped(subject: Subject, shaped: dict[str, tuple[int, ...]]) -> Draft:
    """Arguments of these shapes; the others are those with which the function runs."""
    return {
        name: _like(subject, name, shaped[name], subject.arrays[name])
        if name in shaped
        else _as_given(subject, name)
        for name in subject.values
    }


def _like(subject: Subject, name: str, shape: tuple[int, ...], dtype: str) -> Any:
    """An array for a parameter, or several where it takes so many."""
    one = struct(dtype, shape)
    return (one,) * len(subject.values[name]) if name in subject.several else one


def _as_given(subject: Subject, name: str) -> Any:
    return struct("key", ()) if subject.arrays.get(name) == "key" else subject.values[name]


def _with_options(subject: Subject, name: str, rank: int) -> bool:
    """Whether a rank is taken with some option."""
    drafts = [*_of_rank(subject, name, rank, SIZES[:1])]
    return any(_any(subject, _given(drafts, key, value)) for key, value in _options(subject))


def _with_data(subject: Subject, name: str, rank: int) -> bool:
    """Whether a rank is taken of an array with data, of some dtype: a number may be a size."""
    shapes = [*_of_rank(subject, name, rank, SIZES[:1])]
    kinds = [samples[0] for samples in SAMPLES.values()]
    drafts = ({**draft, name: _recast(draft[name], kind)} for draft in shapes for kind in kinds)
    return _any(subject, map(_filled, drafts))


def _recast(value: Any, dtype: str) -> Any:
    if isinstance(value, tuple):
        return tuple(_recast(each, dtype) for each in value)
    return struct(dtype, value.shape)


def _filled(draft: Draft) -> Draft:
    """The same arguments with data."""
    return {name: jax.tree.map(_data, value, is_leaf=is_struct) for name, value in draft.items()}


def _data(value: Any) -> Any:
    if not is_struct(value):
        return value
    if jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key):
        return jax.random.key(0)
    return jax.numpy.full(value.shape, 2, value.dtype)


def _options(subject: Subject) -> Iterator[tuple[str, Any]]:
    for name, values in options(subject).items():
        yield from ((name, value) for value in values)


def _given(drafts: list[Draft], option: str, value: Any) -> Iterator[Draft]:
    """Calls that are given an option as well; an array in three shapes."""
    for draft in drafts:
        for number in range(3 if isinstance(value, str) else 1):
            yield {**draft, option: option_value(value, draft, number)}


def _any(subject: Subject, drafts: Iterator[Draft]) -> bool:
    return any(observe(subject, draft) is not None for draft in drafts)


# -------------------------------------------------------------------------- dtypes


def dtypes(subject: Subject) -> dict[str, list[str]]:
    """The kinds of dtypes of which no array is taken, where other ones are."""
    found: dict[str, list[str]] = {}
    if any("dtype" in name for name in subject.values):
        return found  # It says what the others are to be.
    for name in _of_arrays(subject):
        refused = [kind for kind in KINDS if not _takes(subject, name, kind)]
        if refused and len(refused) < len(KINDS):
            found[_label(subject, name)] = refused
    return found


def alike(subject: Subject) -> list[str]:
    """The kinds of dtypes that no two arrays may both have; a function of ``jax.lax`` says more."""
    names = _of_arrays(subject)
    if len(names) != 2 or subject.name.startswith("jax.lax."):
        return []
    refused = [kind for kind in KINDS if not _any(subject, _of_one_kind(subject, kind))]
    return refused if len(refused) < len(KINDS) else []


def _of_one_kind(subject: Subject, kind: str) -> Iterator[Draft]:
    arrays = _of_arrays(subject)
    for dtype in SAMPLES[kind]:
        draft = {
            name: _cast(subject, name, dtype) if name in arrays else _as_given(subject, name)
            for name in subject.values
        }
        yield from (draft, _filled(draft))


def _takes(subject: Subject, name: str, kind: str) -> bool:
    """Whether some call takes an array of a kind, whatever the other arrays and options are."""
    drafts = [*_of_kind(subject, name, kind)]
    if _any(subject, iter(drafts)) or _any(subject, map(_filled, drafts)):
        return True
    return any(_any(subject, _given(drafts, key, value)) for key, value in _options(subject))


def _of_kind(subject: Subject, name: str, kind: str) -> Iterator[Draft]:
    others = [other for other in _of_arrays(subject) if other != name]
    firsts = [samples[0] for samples in SAMPLES.values()]
    for own, *given in itertools.product(SAMPLES[kind], *(firsts for _ in others)):
        of_dtype = {name: own, **dict(zip(others, given, strict=True))}
        yield {
            each: _cast(subject, each, of_dtype[each])
            if each in of_dtype
            else _as_given(subject, each)
            for each in subject.values
        }


def _cast(subject: Subject, name: str, dtype: str) -> Any:
    """Arrays of the shapes with which the function runs, of another dtype."""
    given = subject.values[name]
    if name in subject.several:
        return tuple(struct(dtype, jax.numpy.shape(each)) for each in given)
    return struct(dtype, jax.numpy.shape(given))


# ---------------------------------------------------------------------------- axes


def axes(subject: Subject) -> dict[str, dict[str, list[int]]]:
    """Whose axes a parameter names, how many more than there are, and how many there are at least.

    The last is left out where one cannot say it: a number may be taken for an array of one element.
    """
    found: dict[str, dict[str, list[int]]] = {}
    names = {parameter.name for parameter in subject.parameters}
    for axis in [name for name in AXES if name in names]:
        for array in _of_arrays(subject):
            more = _beyond(subject, axis, array)
            if more is not None:
                least = _least(subject, axis, array, more)
                found[axis] = {_label(subject, array): [more, *least]}
                break
    return found


def _beyond(subject: Subject, axis: str, array: str) -> int | None:
    """By how many an axis may go beyond those of an array; None when they have nothing in common.

    That has to show beside other arrays of each rank that is taken.
    """
    others = [other for other in _of_arrays(subject) if other != array]
    found = set()
    for other in [None, *WITH_AXES] if others else [None]:
        taken = {}
        for rank in WITH_AXES:
            beside = dict.fromkeys(others, rank if other is None else other)
            taken[rank] = _taken(subject, axis, {array: rank, **beside})
        found |= {_more(taken)} if sum(map(bool, taken.values())) > 1 else set()
    return found.pop() if len(found) == 1 else None


def _least(subject: Subject, axis: str, array: str, more: int) -> list[int]:
    """As how many axes those of a number are counted."""
    others = [other for other in _of_arrays(subject) if other != array]
    taken = {
        place
        for rank in RANKS[:3]
        for place in _taken(subject, axis, {array: 0, **dict.fromkeys(others, rank)})
    }
    return [least for least in (0, 1) if taken == {*range(-least - more, least + more)}]


def _taken(subject: Subject, axis: str, of_rank: dict[str, int]) -> list[int]:
    """The axes that a call with arrays of these ranks takes."""
    draft = _draft(subject, of_rank, size=4)  # It can be split in two.
    return [place for place in PLACES if _any(subject, iter([{**draft, axis: place}]))]


def _more(taken: dict[int, list[int]]) -> int | None:
    """By how many axes go beyond a rank, which must be the same number for each rank."""
    found = {
        more
        for rank, places in taken.items()
        if places
        for more in (places[-1] - rank + 1, -places[0] - rank)
    }
    return found.pop() if len(found) == 1 else None


# --------------------------------------------------------------------------- sizes

_UNLIKE = ((3, 4), (4, 3), (2, 5), (5, 2), (2, 3), (3, 2))
"""Two sizes none of which stands for the other."""

_SOME = 10


def square(subject: Subject) -> list[str]:
    """The parameters that take matrices whose two axes have one size, and no others."""
    found: list[str] = []
    if subject.several or _constants(subject):
        return found  # A list may hold matrices of several shapes, an axis may say which two.
    for name in _of_arrays(subject):
        alike, unlike = (_matrices(subject, name, pairs) for pairs in (((3, 3), (4, 4)), _UNLIKE))
        if _any(subject, alike) and not _any_at_all(subject, [*unlike]):
            found.append(name)
    return found


def _matrices(subject: Subject, name: str, pairs: Iterable[tuple[int, int]]) -> Iterator[Draft]:
    """Calls with a matrix of each pair of sizes, or several, and other arrays of these sizes."""
    others = [other for other in _of_arrays(subject) if other != name]
    for pair in pairs:
        beside = [(), *((size,) for size in pair), *itertools.product(set(pair), repeat=2)]
        whole = (*pair, pair[0] * pair[1])  # A matrix of matrices.
        for own, *given in itertools.product((pair, (2, *pair), whole), *(beside for _ in others)):
            yield _shaped(subject, {name: own, **dict(zip(others, given, strict=True))})


def sizes(subject: Subject) -> list[list[str]]:
    """Pairs of parameters whose arrays have a size in common, in each call.

    A rule for the shape of the result may say so already.
    """
    found: list[list[str]] = []
    if refuses_impossible(subject.name) or _constants(subject):
        return found
    for one, other in itertools.combinations(_of_arrays(subject), 2):
        alike, unlike = (_pairs(subject, one, other, pairs) for pairs in (((3, 3),), _UNLIKE))
        if _any(subject, alike) and not _any_at_all(subject, [*unlike]):
            found.append([_label(subject, one), _label(subject, other)])
    return found


def _pairs(
    subject: Subject, one: str, other: str, pairs: Iterable[tuple[int, int]]
) -> Iterator[Draft]:
    """Calls with two arrays, all axes of each of one size, and other arrays of these sizes."""
    third = [name for name in _of_arrays(subject) if name not in (one, other)]
    for first, second in pairs:
        beside = [*itertools.product({first, second}, repeat=1), (first, first), (second, second)]
        for rank, more in itertools.product(WITH_AXES, repeat=2):
            shaped = {one: (first,) * rank, other: (second,) * more}
            for given in itertools.product(beside, repeat=len(third)):
                yield _shaped(subject, {**shaped, **dict(zip(third, given, strict=True))})


def _any_at_all(subject: Subject, drafts: list[Draft]) -> bool:
    """Whether one of these calls runs: alone, and some of them with data or with an option."""
    some = drafts[:: max(1, len(drafts) // _SOME)]
    return (
        _any(subject, iter(drafts))
        or _any(subject, map(_filled, some))
        or any(_any(subject, _given(some, key, value)) for key, value in _options(subject))
    )


# ----------------------------------------------------------------------------- main


def main() -> int:
    """Ask of what is named on the command line, or of everything."""
    parser = argparse.ArgumentParser(prog="python -m tools.measure.unfit")
    parser.add_argument("names", nargs="*", help="functions; all where none is given")
    only = frozenset(parser.parse_args().names)
    if only:
        print(json.dumps(measured(only), indent=1))
        return 0
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        parts = pool.map(partial(measured, frozenset()), [(module,) for module in MEASURED])
        found = {name: row for part in parts for name, row in part.items()}
    rows = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in found.items()]
    head = f'{{"jax": {json.dumps(jax.__version__)}, "functions": {{\n'
    TARGET.write_text(head + ",\n".join(rows) + "\n}}\n", "utf-8")
    print(f"{len(found)} functions refuse arrays of some ranks, dtypes or axes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
