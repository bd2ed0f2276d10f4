"""Whether what a row says for certain is what came back: of calls drawn at random, and of less.

The tool takes back what is wrong, ``tests/test_results.py`` and
``tests/differential/results.py`` look for what it left.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jaxlint.knowledge.measured import returns_of
from jaxlint.knowledge.promotion import kinds
from jaxlint.tracer.values.avals import Aval, Size
from jaxlint.tracer.values.given import Abstract, Call
from jaxlint.tracer.values.results import Outcome, possible
from jaxlint.tracer.values.rules import holds, shape_by
from jaxlint.tracer.values.shapes import UNKNOWN
from tools.measure.experiments import (
    NARROW,
    WIDE,
    Observation,
    Subject,
    drafts,
    option_value,
    options,
    with_dtypes,
)

FRESH = 1000
"""Where the numbers of the drafts begin: after those with which the rules were found."""

Evaluate = Callable[[Mapping[str, Abstract], "bool | None"], Outcome]
"""What is said of arguments under a setting of x64."""


def drawn_call(subject: Subject, seed: int) -> tuple[dict[str, Any], bool]:
    """A call that the measurement did not make, and the setting of x64.

    It has other shapes, and some options; in half of the calls other dtypes, alike or not.
    """
    rng = random.Random(seed)
    other = replace(subject, name=f"{subject.name} {seed}")
    *usual, draft = drafts(other, 1, FRESH + seed % 1000)
    if rng.random() < len(usual) / 30:
        draft = rng.choice(usual)
    for option, values in options(other).items():
        if rng.random() < 0.3:
            draft[option] = option_value(rng.choice(values), draft, seed)
    x64 = rng.random() < 0.3
    if rng.random() < 0.5:
        pool = WIDE if x64 else NARROW
        alike = rng.choice(pool) if rng.random() < 0.3 else ""
        draft = with_dtypes(other, draft, lambda _: alike or rng.choice(pool))
    return draft, x64


@dataclass(frozen=True)
class Contradiction:
    """What was said for certain and did not come back.

    Attributes:
        given: what was known of the arguments.
        x64: what was known of the setting.
        said: what was said of it.
        seen: what came back.
        whole: whether everything was known.
    """

    given: Mapping[str, Abstract]
    x64: bool | None
    said: Outcome
    seen: Observation
    whole: bool


def contradictions(evaluate: Evaluate, seen: Observation, seed: int) -> Iterator[Contradiction]:
    """What is wrong of what is said of a call, and of the same call when less of it is known."""
    rng = random.Random(seed)
    asked: list[tuple[Mapping[str, Abstract], bool | None]] = [(seen.given, seen.x64)]
    for _ in range(3):
        less = {name: weakened(value, rng) for name, value in seen.given.items()}
        asked.append((less, seen.x64 if rng.random() < 0.7 else None))
    # What is said without knowing the setting holds under both.
    asked.append((seen.given, None))
    for number, (given, x64) in enumerate(asked):
        said = evaluate(given, x64)
        if contradicts(said, seen):
            yield Contradiction(given, x64, said, seen, number == 0)


def contradicts(outcome: Outcome, seen: Observation) -> bool:
    """Whether something that was said for certain is not what came back."""
    if outcome.contradiction:
        return True
    if outcome.kind in ("unknown", "like"):
        return False
    if (outcome.kind, outcome.type) != (seen.kind, seen.type):
        return not (outcome.kind == seen.kind == "host" and outcome.type == "object")
    if outcome.count not in (None, len(seen.items)) and outcome.kind != "host":
        return True
    return any(not fits(said, really) for _, said, really in _pairs(outcome, seen))


def _pairs(outcome: Outcome, seen: Observation) -> Iterator[tuple[int, Aval, Aval]]:
    """The arrays of which something was said, each with its place and what came back there."""
    said = outcome.avals * len(seen.items) if len(outcome.avals) == 1 else outcome.avals
    for place, (one, other) in enumerate(zip(said, seen.items, strict=False)):
        if isinstance(one, Aval) and isinstance(other, Aval):
            yield place, one, other


TOKENS: dict[object, Size] = {size: Size(f"n{size}") for size in range(1000)}
"""What stands for each size where it is hidden."""


def weakened(value: Any, rng: random.Random) -> Any:
    """An argument of which less is known."""
    if not isinstance(value, Aval):
        return UNKNOWN if rng.random() < 0.2 else value
    if value.shape is None or rng.random() < 0.15:
        return UNKNOWN if rng.random() < 0.3 else Aval()
    sizes = tuple(rng.choice((size, size, TOKENS[size], None)) for size in value.shape)
    dtype = rng.choice((value.dtype, value.dtype, kinds().get(value.dtype or "", "key"), None))
    return Aval(sizes, dtype, rng.choice((value.weak, value.weak, None)))


def fits(said: Aval, really: Aval) -> bool:
    """Whether an array may be what was said."""
    return fits_shape(said, really) and fits_dtype(said, really) and fits_weak(said, really)


def fits_shape(said: Aval, really: Aval) -> bool:
    """Whether its shape may be what was said."""
    if said.shape is None or really.shape is None:
        return True
    known = [size for size in really.shape if isinstance(size, int)]
    return len(said.shape) == len(known) and all(
        one in (None, size, TOKENS.get(size)) for one, size in zip(said.shape, known, strict=True)
    )


def fits_dtype(said: Aval, really: Aval) -> bool:
    """Whether its dtype may be what was said."""
    return said.dtype in (None, really.dtype, kinds().get(really.dtype or ""))


def fits_weak(said: Aval, really: Aval) -> bool:
    """Whether its weakness may be what was said."""
    return said.weak in (None, really.weak)


# ------------------------------------------------------------------ taking back


def take_back(cases: list[dict[str, Any]], wrong: Contradiction, call: Call) -> None:
    """Make the cases say nothing, of one call as it was known, of what is wrong about it."""
    rows = returns_of({"cases": cases}).cases
    apply = possible(rows, call)
    for case, row in zip(cases, rows, strict=True):
        if any(row is one for one in apply):
            _take_back(case, wrong, call)


def _take_back(case: dict[str, Any], wrong: Contradiction, call: Call) -> None:
    seen = wrong.seen
    if (case["kind"], case.get("type", "")) != (seen.kind, seen.type):
        guard = {"if": case["if"]} if "if" in case else {}
        case.clear()
        case.update(guard, kind="unknown")
    elif wrong.said.count not in (None, len(seen.items)):
        case.update(count="", items=[{"shape": "unknown", "dtype": "unknown"}])
    else:
        items = [item for item in case.get("items", ()) if "host" not in item]
        for item in items:
            place = case["items"].index(item) if len(case["items"]) > 1 else None
            pairs = [(said, really) for number, said, really in _pairs(wrong.said, seen)
                     if place in (None, number)]  # fmt: skip
            _silence(item, pairs, call)


def _silence(item: dict[str, str], pairs: Sequence[tuple[Aval, Aval]], call: Call) -> None:
    """Make one item say nothing of the shape, the dtype or the weakness that is wrong."""
    impossible = shape_by(item["shape"], call).contradiction
    if impossible or not all(fits_shape(*pair) for pair in pairs):
        item["shape"] = _changed(item["shape"], call, lambda _: "unknown")
    if not all(fits_dtype(*pair) for pair in pairs):
        item["dtype"] = _changed(item["dtype"], call, lambda _: "unknown")
    elif not all(fits_weak(*pair) for pair in pairs):
        item["dtype"] = _changed(item["dtype"], call, lambda rule: f"? {rule.removeprefix('? ')}")


def _changed(rule: str, call: Call, change: Callable[[str], str]) -> str:
    """A rule of which the alternatives that may apply are changed."""
    parts = []
    decided = False
    for part in rule.split(" | "):
        guard, colon, words = part.rpartition(": ")
        certain = holds(guard, call)
        spoken = words != "unknown" and not decided and certain is not False
        parts.append(f"{guard}{colon}{change(words) if spoken else words}")
        decided = decided or certain is True
    return " | ".join(parts)
