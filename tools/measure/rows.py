"""The rows of the measured table, each module's in a process of its own."""

from __future__ import annotations

import copy
import inspect
import itertools
import json
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import jax
import numpy as np

from tools.measure.arguments import Refused, working_call
from tools.measure.experiments import Subject
from tools.measure.fitting import DtypeMap
from tools.measure.functions import functions, parameters_of
from tools.measure.refusals import refusals
from tools.measure.returns import fitted


def row_of(
    name: str, function: Callable[..., Any], known: list[int] | None = None
) -> tuple[dict[str, Any] | None, dict[str, DtypeMap]]:
    """The row of one function and the dtype maps that it names; None when no call runs.

    Keys: ``call``, the attempt that ran; ``parameters``, ``starred``, ``keyword_only``, its
    signature; ``attribute``, of an array: read without a call; those of :func:`refusals`;
    ``returns``, as :class:`measured.Returns` has it.
    """
    parameters = parameters_of(function)
    if parameters is None:
        return None, {}
    row: dict[str, Any]
    try:
        values, attempt = working_call(name, function, parameters, known)
        row = _signature(attempt, parameters) | refusals(name, function, parameters, values)
    except Refused:
        try:
            values, attempt = working_call(name, function, parameters, known, traced=True)
        except Refused:
            return None, {}
        row = {**_signature(attempt, parameters), "result": "unknown"}
    if getattr(function, "attribute", False):
        row["attribute"] = True
    defaults = {
        p.name: p.default
        for p in parameters
        if p.default is not p.empty and isinstance(p.default, (bool, int, float, str, tuple))
    }
    returns, maps = fitted(Subject(name, function, parameters, values), defaults)
    if returns is not None:
        row["returns"] = returns
    return row, maps


def _signature(attempt: list[int], parameters: list[inspect.Parameter]) -> dict[str, Any]:
    names = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    row: dict[str, Any] = {"call": attempt, "parameters": names}
    starred = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    if starred is not None:
        row["starred"] = starred
    only = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    return {**row, "keyword_only": only} if only else row


Part = tuple[dict[str, Any], dict[str, DtypeMap]]


def rows_of(module: str, known: Mapping[str, Any], only: frozenset[str] | None = None) -> Part:
    """The rows of one module's functions; ``known`` are earlier ones, which save a search."""
    rows: dict[str, Any] = {}
    maps: dict[str, DtypeMap] = {}
    for name, function in functions(module):
        if only is not None and name not in only:
            continue
        row, named = row_of(name, function, known.get(name, {}).get("call"))
        if row is not None:
            rows[name] = row
            maps.update(named)
    # Every trace is kept: some thousands of them for each function.
    jax.clear_caches()
    return rows, maps


def quick_compiler() -> None:
    """Thousands of tiny programs are compiled once and run once: do not optimise them.

    Nor is the traceback of what is raised read by anyone.
    """
    jax.config.update("jax_traceback_filtering", "off")
    os.environ["XLA_FLAGS"] = (
        "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
    )


def measured_rows(
    modules: Iterable[str],
    known: Mapping[str, Any],
    only: frozenset[str] | None = None,
    jobs: int | None = None,
) -> Part:
    """The rows of several modules, with provisional names of dtype maps."""
    context = multiprocessing.get_context("spawn")
    rows: dict[str, Any] = {}
    maps: dict[str, DtypeMap] = {}
    with ProcessPoolExecutor(jobs or os.cpu_count(), context, quick_compiler) as pool:
        tasks = [
            pool.submit(rows_of, module, _inside(module, known), part)
            for module in modules
            for part in _parts(module, only)
        ]
        for task in tasks:
            part, named = task.result()
            rows.update(part)
            maps.update(named)
    return rows, maps


def _parts(module: str, only: frozenset[str] | None) -> list[frozenset[str]]:
    """The names of a module's functions, some at a time."""
    names = [name for name, _ in functions(module) if only is None or name in only]
    return [frozenset(names[start : start + 40]) for start in range(0, len(names), 40)]


def _inside(module: str, known: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row for name, row in known.items() if name.startswith(f"{module}.")}


def table(
    modules: list[str],
    earlier: Mapping[str, Any],
    only: frozenset[str] | None = None,
    jobs: int | None = None,
) -> dict[str, Any]:
    """The whole table, of which the rows of ``modules``, or those ``only``, are measured now."""
    rows, maps = measured_rows(modules, earlier["functions"], only, jobs)
    kept = {
        name: row
        for name, row in earlier["functions"].items()
        if (only and name not in only) or not any(_belongs(name, module) for module in modules)
    }
    every = dict(sorted({**kept, **rows}.items()))
    every, named = with_names(every, {**earlier.get("dtypes", {}), **maps})
    return {"jax": jax.__version__, "numpy": np.__version__, "dtypes": named, "functions": every}


def _belongs(name: str, module: str) -> bool:
    inside = name.removeprefix(f"{module}.")
    return inside != name and ("." not in inside or module == "jax.Array")


def with_names(
    rows: dict[str, Any], maps: Mapping[str, DtypeMap]
) -> tuple[dict[str, Any], dict[str, DtypeMap]]:
    """Rows whose dtype maps are named after the first function that has them, numbered there.

    Maps are one only when they are equal: of a dtype that is not in a map nothing is said.
    """
    called: dict[str, str] = {}
    named: dict[str, DtypeMap] = {}
    for function, row in rows.items():
        for word in _named_in(row):
            if word not in maps:
                continue
            held = next((one for one, other in named.items() if other == maps[word]), None)
            called[word] = held or next(one for one in _free(function) if one not in named)
            named[called[word]] = maps[word]
        _renamed(row, {word: called[word] for word in _named_in(row) if word in maps})
    return rows, dict(sorted(named.items()))


def _free(function: str) -> Iterator[str]:
    """Names for the dtype maps of one function."""
    yield function
    yield from (f"{function}/{number}" for number in itertools.count(2))


def _items(row: Mapping[str, Any]) -> list[dict[str, str]]:
    return [
        item for case in row.get("returns", {}).get("cases", ()) for item in case.get("items", ())
    ]


def _named_in(row: Mapping[str, Any]) -> list[str]:
    """The dtype maps that a row names."""
    found = []
    for item in _items(row):
        words = item.get("dtype", "").split()
        found += [words[i + 1] for i, word in enumerate(words) if word == "as"]
    return found


def _renamed(row: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    for item in _items(row):
        words = item.get("dtype", "").split()
        if words:
            item["dtype"] = " ".join(names.get(word, word) for word in words)
    return row


def differing(stored: Mapping[str, Any], rows: Mapping[str, Any],
              maps: Mapping[str, DtypeMap]) -> list[str]:  # fmt: skip
    """The functions whose stored row is not what was measured now."""
    return sorted(
        name for name, row in rows.items()
        if not _alike(stored["functions"].get(name, {}), row, stored["dtypes"], maps)
    )  # fmt: skip


def _alike(
    stored: Mapping[str, Any],
    row: Mapping[str, Any],
    names: Mapping[str, DtypeMap],
    maps: Mapping[str, DtypeMap],
) -> bool:
    """Whether two rows say the same, whatever their dtype maps are called."""
    before, now = _named_in(stored), _named_in(row)
    if len(before) != len(now):
        return False
    equal = all(maps[new] == names[old] for old, new in zip(before, now, strict=True))
    again = _renamed(copy.deepcopy(dict(row)), dict(zip(now, before, strict=True)))
    return equal and json.loads(json.dumps(again)) == stored
