"""What a function returns: experiments, the rules that explain them, and a check on new ones."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.knowledge.measured import returns_of
from jaxlint.knowledge.overrides import NEUTRAL
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.given import Abstract, Call, Items, OfDType, described
from jaxlint.tracer.values.results import Outcome, outcome_of
from jaxlint.tracer.values.rules import holds, shape_by
from tools.measure.arguments import call
from tools.measure.checking import Contradiction, contradictions, drawn_call, take_back
from tools.measure.experiments import (
    FEW,
    FEW_WIDE,
    NARROW,
    WIDE,
    Observation,
    Subject,
    drafts,
    is_struct,
    observe,
    option_value,
    options,
    struct,
    with_dtypes,
)
from tools.measure.fitting import DtypeMap, Fitter, constant_text

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

QUIET, PER_CHOICE = 80, 20
"""So many fresh calls in a row must be as the rules say, and so many more for each option."""

ROUNDS = 5
"""How often rules that turn out to be wrong are fitted again."""

RANGE = ("start", "stop", "step")
NUMBERS = ("p", "df", *RANGE)
"""Parameters whose Python integers have a say in the dtype, as arrays do."""

COMBINED = 24
"""Calls with several options at a time."""

SILENT = 0.25
"""The share of the dtypes that may become several ones, if no rule says what becomes of all."""

Row = Callable[[list[dict[str, Any]]], dict[str, Any]]
"""The row of a function, from its cases."""


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


# --------------------------------------------------------------------- fitting


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
        cases = _cases(fitter, evidence)
        fresh += _left(fitter, _fresh(subject, seeds), others)
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
        fresh += _left(fitter, _fresh(subject, seeds), others)
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


def _signature(seen: Observation) -> tuple[str, str, tuple[str, ...]]:
    return seen.kind, seen.type, seen.fields


def _cases(fitter: Fitter, evidence: Evidence) -> list[dict[str, Any]]:
    """The plain case last, and before it those of options that change the kind of result."""
    plain_kind = _signature(evidence.plain[0])
    if any(_signature(seen) != plain_kind for seen in evidence.plain):
        split = _by_number(fitter, evidence)
        if split:
            return split
        hosts = all(seen.kind == "host" for seen in evidence.plain)
        return [{"kind": "host", "type": "object"} if hosts else {"kind": "unknown"}]
    evidence.by_option = {
        name: {value: part for value, part in values.items() if part}
        for name, values in evidence.by_option.items()
    }
    guards = _kind_guards(fitter, evidence, plain_kind)
    cases = []
    for guard in guards:
        several = [seen for seen in evidence.everything if holds(guard, fitter.call(seen))
                   and not any(holds(other, fitter.call(seen))
                               for other in guards[: guards.index(guard)])]  # fmt: skip
        cases.append({"if": guard, **_case(fitter, Evidence(several))})
    rest = Evidence(
        evidence.plain,
        {name: {value: left for value, part in values.items()
                if (left := _left(fitter, part, guards))}
         for name, values in evidence.by_option.items()},
        _left(fitter, evidence.combined, guards),
    )  # fmt: skip
    return [*cases, _case(fitter, rest)]


def _by_number(fitter: Fitter, evidence: Evidence) -> list[dict[str, Any]]:
    """One case for several arrays in ``*args`` and one for a single one, where they differ."""
    for name, word in itertools.product(fitter.arrays, ("several", "items")):
        guard = f"{word} {name}"
        many = [seen for seen in evidence.plain if holds(guard, fitter.call(seen))]
        few = _left(fitter, evidence.plain, [guard])
        if many and few and all(len({_signature(s) for s in part}) == 1 for part in (many, few)):
            return [{"if": guard, **_case(fitter, Evidence(many))}, _case(fitter, Evidence(few))]
    return []


def _left(fitter: Fitter, part: list[Observation], guards: Sequence[str]) -> list[Observation]:
    """The observations for which no guard holds."""
    return [s for s in part if not any(holds(guard, fitter.call(s)) for guard in guards)]


def _kind_guards(fitter: Fitter, evidence: Evidence, plain: Any) -> list[str]:
    """Conditions under which another kind of result comes back, or another number."""
    count = {len(seen.items) for seen in evidence.plain}
    fixed = len(count) == 1 and plain[0] not in ("array", "none", "host")

    def usual(seen: Observation) -> bool:
        return _signature(seen) == plain and (not fixed or len(seen.items) in count)

    found = []
    for name, values in evidence.by_option.items():
        other = [part for part in values.values() if not all(map(usual, part))]
        if not other:
            continue
        texts = [constant_text(part[0].given[name]) for part in other]
        if all(texts):
            found += [f"{name}={text}" for text in texts]
        else:
            found.append(name)
    return found


def _case(fitter: Fitter, evidence: Evidence) -> dict[str, Any]:
    """Kind, count and items of one case."""
    several = evidence.everything
    if not several or len({_signature(seen) for seen in several}) > 1:
        return {"kind": "unknown"}
    kind, type_, fields = _signature(several[0])
    case: dict[str, Any] = {"kind": kind}
    if type_:
        case["type"] = type_
    if fields:
        case["fields"] = list(fields)
    if kind in ("none", "host", "unknown"):
        return case
    if kind == "array":
        case["items"] = [_item(fitter, evidence, 0)]
        return case
    case["count"] = fitter.count(several)
    if case["count"].isdecimal() and int(case["count"]) <= 8:
        case["items"] = [_item(fitter, evidence, i) for i in range(int(case["count"]))]
    else:
        case["items"] = [_item(fitter, evidence, None)]
    return case


def _item(fitter: Fitter, evidence: Evidence, number: int | None) -> dict[str, str]:
    """The rules of one array that is returned."""
    hosts = {
        item
        for seen in evidence.everything
        for item in (seen.items if number is None else seen.items[number : number + 1])
        if isinstance(item, str)
    }
    if hosts:
        return {"host": hosts.pop() if len(hosts) == 1 else "object"}
    return {
        "shape": _shape(fitter, evidence, number),
        "dtype": _dtype(fitter, evidence, number),
    }


def _shape(fitter: Fitter, evidence: Evidence, number: int | None) -> str:
    """The rule for a shape: one for all calls when it says as much as one of the plain calls."""
    whole = fitter.shape(evidence.everything, number)
    plain = fitter.shape(evidence.plain, number, evidence.everything)
    says = fitter.precision(whole, evidence.plain, number) or 0.0
    if plain == whole or says >= (fitter.precision(plain, evidence.plain, number) or 0.0) - 1e-9:
        trusted = whole.split()[0] in ("given", "sizes") or _varied(evidence.everything)
        return whole if trusted else _cautious(fitter, evidence, number, whole)

    def right(rule: str, seen: Observation) -> bool:
        return fitter.precision(rule, [seen], number) is not None

    guarded = _guarded(fitter, evidence, plain, lambda part: fitter.shape(part, number), right)
    return whole if guarded == "unknown" else guarded


def _dtype(fitter: Fitter, evidence: Evidence, number: int | None) -> str:
    """The rule for a dtype."""
    whole = fitter.dtype(evidence.everything, number)
    if whole != "unknown":
        return whole

    def right(rule: str, seen: Observation) -> bool:
        return fitter.right(rule, seen, number)

    untyped = [
        seen
        for seen in evidence.everything
        if not any(isinstance(seen.given.get(name), OfDType) for name in evidence.by_option)
    ]
    plain = fitter.dtype(untyped, number)
    if plain == "unknown":
        plain = fitter.dtype(evidence.plain, number)
    found = _guarded(fitter, evidence, plain, lambda part: fitter.dtype(part, number), right)
    if found != "unknown":
        return found
    plain = fitter.dtype(untyped, number, SILENT)
    return _guarded(fitter, evidence, plain, lambda part: fitter.dtype(part, number), right)


def _guarded(
    fitter: Fitter,
    evidence: Evidence,
    plain: str,
    fit: Callable[[list[Observation]], str],
    right: Callable[[str, Observation], bool],
) -> str:
    """A rule for the plain calls, and alternatives for the options that make it wrong."""
    guards: list[str] = []
    left = evidence.everything
    while wrong := [seen for seen in left if not right(plain, seen)]:
        guard = _blamed(fitter, evidence, wrong, left)
        if not guard:
            return "unknown"
        covered = [seen for seen in left if holds(guard, fitter.call(seen))]
        found = fit(covered)
        guards.append(f"{guard}: {'unknown' if ' | ' in found else found}")
        left = [seen for seen in left if not holds(guard, fitter.call(seen))]
    return " | ".join([*guards, plain])


def _blamed(
    fitter: Fitter, evidence: Evidence, wrong: list[Observation], left: list[Observation]
) -> str:
    """The option that explains best why a rule is wrong; empty when none does."""
    best, score = "", (0.0, 0)
    for guard in _possible_guards(evidence):
        bad = sum(holds(guard, fitter.call(seen)) is True for seen in wrong)
        every = sum(holds(guard, fitter.call(seen)) is True for seen in left)
        if bad and (bad / every, bad) > score:
            best, score = guard, (bad / every, bad)
    return best


def _possible_guards(evidence: Evidence) -> list[str]:
    """Conditions on one option: that it is given, or has one of the values that were tried."""
    found = []
    for name, values in evidence.by_option.items():
        if not all(isinstance(getattr(part[0].given[name], "value", None), bool)
                   for part in values.values()):  # fmt: skip
            found.append(name)
        for part in values.values():
            value = getattr(part[0].given[name], "value", None)
            if isinstance(value, (bool, str)):
                found.append(f"{name}={value}")
    return found


def _varied(several: Sequence[Observation]) -> bool:
    """Whether enough different shapes were given to trust a rule about sizes."""
    given = {
        tuple(sorted((name, str(getattr(value, "shape", ""))) for name, value in one.given.items()))
        for one in several
    }
    arrays = any(hasattr(value, "shape") for one in several for value in one.given.values())
    return len(given) > 2 or not arrays


def _cautious(fitter: Fitter, evidence: Evidence, number: int | None, rule: str) -> str:
    """A rule that was seen with one or two shapes only says the rank at most."""
    found = shape_by(rule, fitter.call(evidence.plain[0])) if evidence.plain else None
    if found is None or found.shape is None:
        return "unknown"
    rank = "sizes" + " ?" * len(found.shape)
    return rank if fitter.precision(rank, evidence.everything, number) is not None else "unknown"


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
