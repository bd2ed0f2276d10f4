"""Asks JAX what becomes of a cotangent on its way back through each function.

``python -m tools.measure.gradients [--check] [NAME ...]`` writes ``knowledge/gradients.json``.
Every function of floats is asked at numbers of each class (below -1, at -1, between, at 0, ...)
with the cotangents that a mask (zero), a loss (one), and an operation further on (infinity, NaN)
send back. What differs inside of a class is not certain, and said so.
"""

from __future__ import annotations

import argparse
import json
import operator
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.knowledge.measured import usual_kind
from tools.measure.functions import functions

TARGET = Path(__file__).parents[2] / "jaxlint" / "knowledge" / "gradients.json"

MODULES = ("jax.numpy", "jax.numpy.linalg", "jax.lax", "jax.nn", "jax.scipy.special")

OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow,
    "unary -": operator.neg, "builtins.abs": operator.abs,
}  # fmt: skip

CLASSES: dict[str, tuple[float, ...]] = {
    "<-1": (-60.0, -7.5, -2.0, -1.25),
    "-1": (-1.0,),
    "-1..0": (-0.75, -0.5, -0.1),
    "0": (0.0,),
    "0..1": (0.1, 0.5, 0.75),
    "1": (1.0,),
    ">1": (1.25, 2.0, 7.5, 60.0),
}
"""Each class of numbers, and those that stand for it."""

COTANGENTS = {"zero": 0.0, "one": 1.0, "inf": np.inf, "nan": np.nan}
"""What comes back to a function, by the name that it has in the table."""

LENGTH = 3
_OPTIONS: tuple[dict[str, Any], ...] = ({"axis": -1}, {"axis": -1, "keepdims": True})
_NEVER = frozenset({"jax.numpy.where", "jax.lax.select", "jax.lax.while_loop"})

_SAMPLES = [number for numbers in CLASSES.values() for number in numbers]
_CLASS_OF = [name for name, numbers in CLASSES.items() for _ in numbers]

Row = dict[str, Any]


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every function and operator that is asked, by its name in the table."""
    yield from OPERATORS.items()
    for module in MODULES:
        for name, function in functions(module):
            if usual_kind(name) == "array" and name not in _NEVER:
                yield name, function


def measured(name: str, function: Callable[..., Any]) -> Row | None:
    """The row of one function; None for one that is not made of floats and gives floats."""
    for count in (1, 2):
        if _fits(function, count):
            return _row(function, count)
    return None


def _fits(function: Callable[..., Any], count: int) -> bool:
    operand = jax.ShapeDtypeStruct((LENGTH,), jnp.float32)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = jax.eval_shape(function, *[operand] * count)
    except Exception:
        return False
    return isinstance(result, jax.ShapeDtypeStruct) and jnp.issubdtype(result.dtype, jnp.floating)


def _row(function: Callable[..., Any], count: int) -> Row | None:
    try:
        plain = _answers(function, count)
    except Exception:
        return None  # It has no gradient, or needs other shapes.
    options = [sorted(options) for options in _OPTIONS if _alike(function, count, options, plain)]
    names = sorted({name for each in options for name in each})
    row: Row = {"back": plain["back"], "options": names}
    if plain["least"] is not None:
        row["least"] = plain["least"]
    if _is_elementwise(function, count):
        row["elementwise"] = True
    return row


def _is_elementwise(function: Callable[..., Any], count: int) -> bool:
    """Whether each number of the result comes of the numbers in its place."""
    operands = [jnp.array(_SAMPLES[place:] + _SAMPLES[:place]) for place in range(count)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            together = function(*operands)
            alone = [function(*each) for each in zip(*operands, strict=True)]
        return bool(np.allclose(together, jnp.array(alone), rtol=1e-4, equal_nan=True))
    except Exception:
        return False


def _alike(function: Callable[..., Any], count: int, options: Row, plain: Row) -> bool:
    """Whether a function says the same with options."""
    try:
        return bool(_answers(lambda *args: function(*args, **options), count) == plain)
    except Exception:
        return False


def _answers(function: Callable[..., Any], count: int) -> Row:
    points = np.array(list(product(_SAMPLES, repeat=count)), np.float32)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {key: _asked(function, points, value) for key, value in COTANGENTS.items()}
    value = np.asarray(found["one"][0])
    cells = list(product(CLASSES, repeat=count))
    labels = [tuple(labels) for labels in product(_CLASS_OF, repeat=count)]
    back: list[dict[str, str]] = []
    for place in range(count):
        states = {key: [_state(one) for one in np.asarray(given[place])]
                  for key, (_, given) in found.items()}  # fmt: skip
        back.append({key: _by_class(each, labels, cells) for key, each in states.items()})
    finite = value[~np.isnan(value)]
    least = 0.0 if finite.size and finite.min() >= 0 else None
    return {"back": back, "least": least}


@partial(jax.jit, static_argnums=0)
def _asked(function: Callable[..., Any], points: Any, cotangent: Any) -> Any:
    """The value at each point, and what comes back there to each operand."""

    def at(point: Any) -> Any:
        operands = [jnp.full((LENGTH,), number) for number in point]
        value, back = jax.vjp(function, *operands)
        return value, back(jnp.full(value.shape, cotangent, value.dtype))

    return jax.vmap(at)(points)


def _by_class(states: list[str], labels: list[tuple[str, ...]], cells: Iterable[Any]) -> str:
    """One letter for each class of operands: what all of its numbers gave, or ``?``."""
    given: dict[tuple[str, ...], set[str]] = {}
    for state, label in zip(states, labels, strict=True):
        given.setdefault(label, set()).add(state)
    return "".join(found.pop() if len(found := set(given[cell])) == 1 else "?" for cell in cells)


def _state(gradient: Any) -> str:
    """``n``: it holds NaN, ``i``: an infinity, ``0``: zeros alone, ``f``: finite numbers."""
    if np.isnan(gradient).any():
        return "n"
    if np.isinf(gradient).any():
        return "i"
    return "f" if np.any(gradient) else "0"


def table(only: frozenset[str] = frozenset()) -> dict[str, Row]:
    """Every row, or those of the functions that are named."""
    found = {}
    for name, function in public():
        if not only or name in only:
            row = measured(name, function)
            if row is not None:
                found[name] = row
    return found


def written(rows: dict[str, Row]) -> str:
    """The table as text, one function a line."""
    head = f'"jax": {json.dumps(jax.__version__)}, "classes": {json.dumps(list(CLASSES))}'
    lines = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items()]
    return "{" + head + ',\n"functions": {\n' + ",\n".join(lines) + "\n}}\n"


def main() -> int:
    """Measure what is named on the command line, or everything."""
    parser = argparse.ArgumentParser(prog="python -m tools.measure.gradients")
    parser.add_argument("--check", action="store_true", help="write nothing, print what differs")
    parser.add_argument("names", nargs="*", help="functions")
    options = parser.parse_args()
    found = table(frozenset(options.names))
    if options.check:
        earlier = json.loads(TARGET.read_text("utf-8"))["functions"]
        wrong = [name for name, row in found.items() if earlier.get(name) != row]
        print("\n".join([*wrong, f"{len(wrong)} of {len(found)} rows differ"]))
        return 1 if wrong else 0
    TARGET.write_text(written(found), "utf-8")
    print(f"{len(found)} functions measured, jax {jax.__version__}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
