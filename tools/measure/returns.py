"""What a function returns: experiments, the rules that explain them, and a check on new ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.knowledge.measured import returns_of
from jaxlint.knowledge.overrides import NEUTRAL
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.given import Abstract, Call, Items, described
from jaxlint.tracer.values.results import Outcome, outcome_of
from tools.measure.abstracting import struct
from tools.measure.arguments import call
from tools.measure.cases import cases_of, left_over
from tools.measure.checking import Contradiction, contradictions, drawn_call, take_back
from tools.measure.evidence import NUMBERS, RANGE, Evidence, gather
from tools.measure.experiments import Observation, Subject, drafts, observe, options
from tools.measure.fitting import DtypeMap, Fitter

QUIET, PER_CHOICE = 80, 20
"""So many fresh calls in a row must be as the rules say, and so many more for each option."""

ROUNDS = 5
"""How often rules that turn out to be wrong are fitted again."""

Row = Callable[[list[dict[str, Any]]], dict[str, Any]]
"""The row of a function, from its cases."""


def fitted(subject: Subject, defaults: Mapping[str, object]) -> tuple[Any, dict[str, DtypeMap]]:
    """The row of a function's results, and the dtype maps that it names; None if there is none."""
    pytree = _pytree(subject)
    lists = {} if pytree else _lists(subject)
    alone = _given_alone(subject, lists)
    subject.values |= lists
    evidence = gather(subject)
    evidence.plain += alone
    if not evidence.plain and subject.name.startswith("jax."):
        subject.eager = True
        evidence = gather(subject)
    called = any(map(_is_function, subject.values.values()))
    if not evidence.plain or (called and evidence.plain[0].kind != "host"):
        # What a function gives that calls another one is up to that one.
        return None, {}
    names = [p.name for p in subject.parameters if p.kind is not p.VAR_KEYWORD]
    fitter = Fitter(_array_names(subject, evidence, names), names, defaults)
    pytree_and_numbers = {"pytree": pytree, "numbers": _of_numbers(subject, evidence.plain[0].kind)}
    more, together = _companion_cases(subject, evidence, fitter, names, defaults)

    def row(cases: list[dict[str, Any]]) -> dict[str, Any]:
        found = _row(subject, defaults, together + cases, (evidence, more))
        return found | {key: text for key, text in pytree_and_numbers.items() if text}

    whole = row(_checked(subject, fitter, evidence, row))
    return whole, {
        name: fitter.maps[name] for name in fitter.maps if _is_read(name, whole["cases"])
    }


def _row(
    subject: Subject,
    defaults: Mapping[str, object],
    cases: list[dict[str, Any]],
    several: Sequence[Evidence],
) -> dict[str, Any]:
    """The cases, and what was given in the experiments."""
    row: dict[str, Any] = {"cases": cases}
    used = {name: value for name, value in defaults.items() if _is_read(name, cases)}
    if used:
        row["defaults"] = used
    row["tested"] = sorted({*subject.values, *several[0].by_option})
    for key, axes in (("no_arrays", 1), ("no_tracers", 0)):
        never = set(row["tested"]) - _given_arrays(axes, *several)
        if never:
            row[key] = sorted(never)
    if subject.eager:
        row["eager"] = True
    return row


def _companion_cases(
    subject: Subject,
    evidence: Evidence,
    fitter: Fitter,
    names: list[str],
    defaults: Mapping[str, object],
) -> tuple[Evidence, list[dict[str, Any]]]:
    """What comes back when optional arrays are given that must be given together."""
    companions = _companions(subject, evidence)
    if not companions:
        return Evidence(), []
    wider = replace(subject, values=subject.values | companions, eager=False)
    found = gather(wider)
    fitter.arrays = _array_names(wider, found, names)

    def row(cases: list[dict[str, Any]]) -> dict[str, Any]:
        return _row(wider, defaults, cases, (found,))

    cases = _checked(wider, fitter, found, row) if found.plain else []
    evidence.by_option.update({key: {} for key in companions})
    guard = f"given {next(iter(companions))}"
    return found, [{"if": guard, **one} for one in cases if len(cases) == 1]


def _checked(
    subject: Subject, fitter: Fitter, evidence: Evidence, row: Row, others: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Cases that are right about calls to which no rule was fitted, and when less is known.

    Where they are wrong the rules are fitted again, to these calls too; what is wrong of calls
    to which they were fitted is taken back, until nothing is wrong any more. Calls for which a
    guard of ``others`` holds belong to other cases.
    """
    seeds = itertools.count()
    fresh: list[Observation] = []
    cases: list[dict[str, Any]] = []
    wrong: list[Contradiction] = []
    for _ in range(ROUNDS):
        cases = cases_of(fitter, evidence)
        fresh += left_over(fitter, _fresh(subject, seeds), others)
        wrong = _wrong(fitter, row(cases), evidence.everything + fresh)
        told = [seen for seen in fresh if any(one.seen is seen for one in wrong)]
        if not told:
            break
        evidence.combined += told
        fresh = [seen for seen in fresh if not any(seen is one for one in told)]
    for _ in range(ROUNDS):
        if not wrong:
            return cases
        for one in wrong:
            take_back(cases, one, Call(one.given, fitter.defaults, one.x64))
        fresh += left_over(fitter, _fresh(subject, seeds), others)
        wrong = _wrong(fitter, row(cases), evidence.everything + fresh)
    return [{"kind": "unknown"}] if wrong else cases


def _fresh(subject: Subject, seeds: Iterator[int]) -> list[Observation]:
    """Calls on tracers that were not made before."""
    traced = replace(subject, eager=False)
    count = QUIET + PER_CHOICE * len(options(subject))
    found: list[Observation] = []
    for seed in itertools.islice(seeds, 2 * count):
        seen = observe(traced, *drawn_call(traced, seed))
        if seen is not None:
            found.append(seen)
        if len(found) == count:
            break
    return found


def _wrong(
    fitter: Fitter, row: Mapping[str, Any], several: Sequence[Observation]
) -> list[Contradiction]:
    """What the row says for certain of the calls that were made, and is not so."""
    returns = returns_of(row)
    defaults = {name: described(value) for name, value in returns.defaults.items()}

    def evaluate(given: Mapping[str, Abstract], x64: bool | None) -> Outcome:
        return outcome_of(returns, Call(given, defaults, x64), fitter.lookup)

    return [
        wrong for seed, seen in enumerate(several) for wrong in contradictions(evaluate, seen, seed)
    ]


def _lists(subject: Subject) -> dict[str, Any]:
    """Lists in place of the arrays of parameters that take them, as ``concatenate`` does."""
    found = {}
    for name, dtype in subject.arrays.items():
        value = subject.values[name]
        pair = [value, value]
        if dtype == "key" or isinstance(value, (list, tuple)) or not np.ndim(value):
            continue
        draft = next(iter(drafts(subject, 0)))
        if observe(subject, {**draft, name: tuple(draft[name] for _ in pair)}):
            found[name] = pair
    return found


def _given_alone(subject: Subject, lists: Mapping[str, Any]) -> list[Observation]:
    """Calls with one array, of a function that gives something else for a list of them."""
    draft = next(iter(drafts(subject, 0)))
    one = observe(subject, draft)
    several = observe(subject, {**draft, **{name: (draft[name],) * 2 for name in lists}})
    if one is None or several is None or one.kind == several.kind:
        return []
    return gather(subject).plain


def _of_numbers(subject: Subject, usual: str) -> str:
    """The Python type that comes back when every array is a Python number; empty for arrays."""
    if usual == "host" or not subject.arrays or "key" in subject.arrays.values():
        return ""
    types = set()
    for number in (2, 2.0):
        seen = observe(subject, {**subject.values, **dict.fromkeys(subject.arrays, number)})
        if seen is not None:
            types.add(seen.type if seen.kind == "host" else "")
    return types.pop() if len(types) == 1 else "object" if "" not in types and types else ""


def _companions(subject: Subject, evidence: Evidence) -> dict[str, Any]:
    """Optional arrays that must be given together, as ``x`` and ``y`` of ``where``."""
    alone = [
        name
        for name, values in options(subject).items()
        if values == ["array"] and name not in evidence.by_option and name not in NEUTRAL
    ]
    given = {name: jnp.ones(4, jnp.float32) for name in alone}
    if len(alone) != 2:
        return {}
    trial = {name: struct("float32", (4,)) for name in alone}
    draft = next(iter(drafts(subject, 0)))
    return given if observe(replace(subject, eager=False), {**draft, **trial}) else {}


def _array_names(subject: Subject, evidence: Evidence, names: list[str]) -> list[str]:
    """Parameters that take arrays, those with a default too."""
    optional = {
        name
        for name, values in evidence.by_option.items()
        for part in values.values()
        if any(isinstance(seen.given[name], Aval) for seen in part)
    }
    numbers = {
        name
        for name, value in subject.values.items()
        if isinstance(value, (float, complex)) or (isinstance(value, int) and name in NUMBERS)
    }
    numbers |= {
        name
        for seen in evidence.plain
        for name, value in seen.given.items()
        if isinstance(value, Aval)
    }
    if set(RANGE) <= set(names):
        numbers |= set(RANGE)
    return [name for name in names if name in subject.arrays or name in optional | numbers]


def _given_arrays(axes: int, *several: Evidence) -> set[str]:
    """The parameters that were given arrays with so many axes, or lists of arrays."""
    return {
        name
        for evidence in several
        for seen in evidence.everything
        for name, value in seen.given.items()
        if (isinstance(value, Aval) and len(value.shape or ()) >= axes)
        or (isinstance(value, Items) and any(isinstance(one, Aval) for one in value.items))
    }


def _is_read(name: str, cases: list[dict[str, Any]]) -> bool:
    words = {
        word.strip("=:")
        for case in cases
        for text in (case.get("if", ""), str(case.get("count", "")),
                     *(part for item in case.get("items", ()) for part in item.values()))
        for word in text.replace("=", " ").replace(",", " ").split()
    }  # fmt: skip
    return name in words or f"{name}:" in words


def _pytree(subject: Subject) -> str:
    """The parameter that may be a pytree, and then so is the result."""
    if not subject.name.startswith("jax.") or any(map(_is_function, subject.values.values())):
        return ""
    for name in subject.values:
        leaf = struct(subject.arrays.get(name) or "float32", (3,))
        tree = {"a": leaf, "b": (leaf, leaf)}
        if _same_structure(subject, {**subject.values, name: tree}, tree):
            return name
    return ""


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, type)


def _same_structure(subject: Subject, values: Mapping[str, Any], tree: Any) -> bool:
    same: list[bool] = []

    def run(given: Any) -> int:
        result = call(subject.function, subject.parameters, {**values, name: given})
        same.append(jax.tree.structure(result) == jax.tree.structure(tree))
        return 0

    name = next(name for name, value in values.items() if value is tree)
    try:
        jax.make_jaxpr(run, axis_env=[("i", 2)])(tree)
    except Exception:
        return False
    return same == [True]
