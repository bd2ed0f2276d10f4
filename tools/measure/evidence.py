"""The calls that are tried of one function."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax

from tools.measure.abstracting import is_struct
from tools.measure.experiments import (
    FEW,
    FEW_WIDE,
    NARROW,
    WIDE,
    Observation,
    Subject,
    drafts,
    observe,
    option_value,
    options,
    with_dtypes,
)

DRAFTS = 48
"""Calls with other shapes."""

ALONE = 24
"""As many of them for a function of one array."""

EAGER = 12
"""As many of them for a function that refuses tracers: each is compiled."""

MIXED = 16
"""Calls with another dtype for each argument."""

RANKS = 5
"""Calls of different ranks with weak dtypes."""

PER_OPTION = 3
"""Calls for each value of an option."""

RANGE = ("start", "stop", "step")
NUMBERS = ("p", "df", *RANGE)
"""Parameters whose Python integers have a say in the dtype, as arrays do."""

COMBINED = 24
"""Calls with several options at a time."""


@dataclass
class Evidence:
    """What was observed of one function.

    Attributes:
        plain: calls with the required arguments only.
        by_option: calls with one option more, by its name and value.
        combined: calls with several options.
    """

    plain: list[Observation] = field(default_factory=list)
    by_option: dict[str, dict[str, list[Observation]]] = field(default_factory=dict)
    combined: list[Observation] = field(default_factory=list)

    @property
    def everything(self) -> list[Observation]:
        """All calls."""
        found = [one for values in self.by_option.values() for part in values.values()
                 for one in part]  # fmt: skip
        return [*self.plain, *found, *self.combined]


def gather(subject: Subject) -> Evidence:
    """All experiments on one function."""
    found = Evidence()
    worked = []
    arrays = [dtype for dtype in subject.arrays.values() if dtype != "key"]
    alone = len(arrays) < 2 and not subject.several
    for draft in drafts(subject, EAGER if subject.eager else ALONE if alone else DRAFTS):
        seen = observe(subject, draft)
        if seen is not None:
            found.plain.append(seen)
            worked.append(draft)
    if not worked:
        return found
    rng = random.Random(subject.name)
    samples = _spread(worked, 2 if subject.eager else PER_OPTION)
    found.plain += _typed(subject, worked, _mixable(worked), rng)
    for name, values in options(subject).items():
        for value in values:
            part = _with_option(subject, samples, name, value)
            if part:
                found.by_option.setdefault(name, {})[repr(value)] = part
    if not subject.eager:
        _combine(subject, worked, found, rng)
    return found


def _with_option(
    subject: Subject, samples: Sequence[dict[str, Any]], name: str, value: Any
) -> list[Observation]:
    """Calls with one option more, of different ranks, and one of them with all dtypes."""
    trials = [{**one, name: option_value(value, one, i)} for i, one in enumerate(samples)]
    seen = [observe(subject, trial) for trial in trials]
    ran = [trial for trial, one in zip(trials, seen, strict=True) if one is not None]
    # A place or a size has no say in the dtype.
    placed = value is None or isinstance(value, tuple) or type(value) is int
    if ran and not placed and not subject.eager:
        for x64, dtypes in ((False, FEW), (True, FEW_WIDE)):
            for dtype in dtypes:
                trial = with_dtypes(subject, ran[-1], _floats_only(subject, dtype))
                seen.append(observe(subject, trial, x64))
    if ran and value == "array" and not subject.eager:
        rng = random.Random(f"{subject.name} {name}")
        for number in range(MIXED):
            drawn = with_dtypes(subject, ran[number % len(ran)], _drawn(FEW, rng))
            seen.append(observe(subject, drawn))
    return [one for one in seen if one is not None]


def _spread(worked: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Calls of different ranks."""

    def rank(draft: dict[str, Any]) -> tuple[int, ...]:
        return tuple(len(leaf.shape) for leaf in jax.tree.leaves(draft) if is_struct(leaf))

    by_rank: dict[tuple[int, ...], dict[str, Any]] = {}
    for draft in worked:
        by_rank.setdefault(rank(draft), draft)
    chosen = list(by_rank.values())
    return chosen[:count] if len(chosen) >= count else (chosen + worked)[:count]


def _mixable(worked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Calls with several arrays, which can have different dtypes, of as many ranks as there are."""
    many = [one for one in worked if sum(map(is_struct, jax.tree.leaves(one))) > 1]
    return _spread(many, 12)


def _typed(
    subject: Subject,
    worked: Sequence[dict[str, Any]],
    mixable: Sequence[Mapping[str, Any]],
    rng: random.Random,
) -> list[Observation]:
    """The same calls with other dtypes, all alike and mixed, with x64 off and on."""
    found: list[Observation] = []
    chosen = _with_axes_and_without(worked)[: 1 if subject.eager else 2]
    for x64, dtypes in ((False, NARROW), (True, WIDE)):
        trials = list(itertools.product(dtypes[:: 3 if subject.eager else 1], chosen))
        if not subject.eager and not x64:
            # Whether a result is weak may depend on the shape.
            trials += itertools.product(("~int32", "~float32"), _spread(list(worked), RANKS))
        if not subject.eager:
            few = FEW_WIDE if x64 else FEW
            trials += itertools.product(few, _with_numbers(subject, worked))
        for dtype, draft in trials:
            alike = with_dtypes(subject, draft, _always(dtype))
            keeping = with_dtypes(subject, draft, _floats_only(subject, dtype))
            ran = (observe(subject, trial, x64) for trial in (alike, keeping))
            found += itertools.islice((seen for seen in ran if seen is not None), 1)
        for _ in range(MIXED if mixable else 0):
            drawn = with_dtypes(subject, rng.choice(mixable), _drawn(dtypes, rng))
            seen = observe(subject, drawn, x64)
            if seen is not None:
                found.append(seen)
    return found


def _with_numbers(subject: Subject, worked: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Calls with a Python number where an array may stand: one for each place and type."""
    found: dict[tuple[str, type], dict[str, Any]] = {}
    for draft in worked:
        for name in subject.arrays:
            if type(draft[name]) in (int, float):
                found.setdefault((name, type(draft[name])), draft)
    return list(found.values())


def _with_axes_and_without(worked: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A call on arrays with axes and one on scalars: some functions keep only those weak."""

    def ranks(draft: dict[str, Any]) -> list[int]:
        return [len(leaf.shape) for leaf in jax.tree.leaves(draft) if is_struct(leaf)]

    varied = worked[1:] or worked
    with_axes = [one for one in varied if all(ranks(one))] or list(varied)
    without = [one for one in varied if ranks(one) and not any(ranks(one))]
    return with_axes[:1] + without[:1]


def _always(dtype: str) -> Callable[[str], str]:
    """One dtype for every argument."""
    return lambda _: dtype


def _drawn(dtypes: Sequence[str], rng: random.Random) -> Callable[[str], str]:
    """Another dtype for each argument."""
    return lambda _: rng.choice(dtypes)


def _floats_only(subject: Subject, dtype: str) -> Callable[[str], str]:
    """Another dtype where a float was, and the same where indices and masks were."""

    def chosen(name: str) -> str:
        usual = subject.arrays.get(name, "float32")
        return dtype if usual == "float32" else usual

    return chosen


def _combine(
    subject: Subject, worked: list[dict[str, Any]], found: Evidence, rng: random.Random
) -> None:
    """Calls with several options at a time."""
    allowed = {
        name: [value for value in values if repr(value) in found.by_option.get(name, {})]
        for name, values in options(subject).items()
    }
    allowed = {name: values for name, values in allowed.items() if values}
    for number in range(COMBINED if allowed or len(subject.arrays) > 1 else COMBINED // 4):
        draft = dict(rng.choice(worked))
        for name, values in allowed.items():
            if rng.random() < 0.4:
                draft[name] = option_value(rng.choice(values), draft, number)
        x64 = rng.random() < 0.3
        dtypes = WIDE if x64 else NARROW
        if rng.random() < 0.5:
            draft = with_dtypes(subject, draft, _drawn(dtypes, rng))
        seen = observe(subject, draft, x64)
        if seen is not None:
            found.combined.append(seen)
