"""The cases of a function: the rules that explain what was observed, each behind its guards."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from jaxlint.tracer.values.given import OfDType
from jaxlint.tracer.values.rules import holds, shape_by
from tools.measure.evidence import Evidence
from tools.measure.experiments import (
    Observation,
)
from tools.measure.fitting import Fitter, constant_text

SILENT = 0.25
"""The share of the dtypes that may become several ones, if no rule says what becomes of all."""


def _signature(seen: Observation) -> tuple[str, str, tuple[str, ...]]:
    return seen.kind, seen.type, seen.fields


def cases_of(fitter: Fitter, evidence: Evidence) -> list[dict[str, Any]]:
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
                if (left := left_over(fitter, part, guards))}
         for name, values in evidence.by_option.items()},
        left_over(fitter, evidence.combined, guards),
    )  # fmt: skip
    return [*cases, _case(fitter, rest)]


def _by_number(fitter: Fitter, evidence: Evidence) -> list[dict[str, Any]]:
    """One case for several arrays in ``*args`` and one for a single one, where they differ."""
    for name, word in itertools.product(fitter.arrays, ("several", "items")):
        guard = f"{word} {name}"
        many = [seen for seen in evidence.plain if holds(guard, fitter.call(seen))]
        few = left_over(fitter, evidence.plain, [guard])
        if many and few and all(len({_signature(s) for s in part}) == 1 for part in (many, few)):
            return [{"if": guard, **_case(fitter, Evidence(many))}, _case(fitter, Evidence(few))]
    return []


def left_over(fitter: Fitter, part: list[Observation], guards: Sequence[str]) -> list[Observation]:
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
