"""Random chains of array operations: JAX says which line raises, jaxlint must say no other.

``python -m tests.differential.operations FIRST COUNT`` runs many, and prints where they differ.
"""

from __future__ import annotations

import random
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

from jaxlint import Options, check_source
from jaxlint.rules.registry import all_rules

FILENAME = "<generated operations>"
FUNCTIONS = 30
"""In each program, none of which has anything to do with another."""

_HEAD = """\
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

key = jax.random.key(0)
"""

_ARRAYS = (
    "jnp.ones({shape})", "jnp.zeros({shape}, dtype={dtype})", "jnp.arange({size})",
    "jnp.full({shape}, {number})", "jnp.linspace(0.0, 1.0, {size})", "jnp.eye({size})",
    "jax.random.normal(key, {shape})", "jnp.array([[1.0, 2.0], [3.0, 4.0]])",
    "np.ones({shape}, dtype=np.float32)", "jnp.ones({shape}) > 0",
)  # fmt: skip

_OPERATIONS = (
    "{x} {operator} {x}", "{x} {operator} {number}", "-{x}", "~{x}", "{x} @ {x}", "{x}[{index}]",
    "{x}.at[{index}].set({x})", "{x}.at[{index}].add(1)", "{x}.T", "{x}.reshape({shape})",
    "{x}.reshape(-1)", "{x}.astype({dtype})", "{x}.{reduction}({axis})",
    "jnp.{reduction}({x}, axis={axis})", "jnp.{along}({x}, axis={axis})",
    "jnp.{elementwise}({x})", "jnp.{pairwise}({x}, {x})", "jnp.dot({x}, {x})",
    "jnp.matmul({x}, {x})", "jnp.outer({x}, {x})", "jnp.vdot({x}, {x})", "jnp.where({x}, {x}, {x})",
    "jnp.where({x} > 0, {x}, 0.0)", "jnp.concatenate([{x}, {x}], axis={axis})",
    "jnp.stack([{x}, {x}], axis={axis})", "jnp.vstack([{x}, {x}])", "jnp.hstack([{x}, {x}])",
    "jnp.broadcast_to({x}, {shape})", "jnp.expand_dims({x}, {axis})", "jnp.squeeze({x}, {axis})",
    "jnp.transpose({x}, (1, 0))", "jnp.swapaxes({x}, 0, 1)", "jnp.moveaxis({x}, 0, -1)",
    "jnp.tile({x}, (2, 1))", "jnp.repeat({x}, 2, axis={axis})", "jnp.roll({x}, 1, axis={axis})",
    "jnp.flip({x}, {axis})", "jnp.pad({x}, ((1, 1), (0, 0)))", "jnp.split({x}, 2, axis={axis})[0]",
    "jnp.take({x}, jnp.array([0, 1]), axis={axis})", "jnp.take_along_axis({x}, {x}, axis=0)",
    "jnp.einsum('ij,jk->ik', {x}, {x})", "jnp.tensordot({x}, {x}, axes=1)", "jnp.diag({x})",
    "jnp.trace({x})", "jnp.tril({x})", "jnp.linalg.{matrix}({x})", "jnp.linalg.solve({x}, {x})",
    "jnp.clip({x}, 0, {x})", "jnp.interp({x}, {x}, {x})", "jnp.bincount({x}, length=4)",
    "jnp.searchsorted({x}, {x})", "jnp.diff({x}, axis={axis})", "jnp.append({x}, {x}, axis=0)",
    "jax.nn.{activation}({x})", "jax.nn.softmax({x}, axis={axis})", "jax.nn.one_hot({x}, 3)",
    "lax.{strict}({x}, {x})", "lax.{floating}({x})", "lax.select({x} > 0, {x}, {x})",
    "lax.concatenate([{x}, {x}], 0)", "lax.dynamic_slice({x}, (0, 0), (1, 2))",
    "lax.dynamic_update_slice({x}, {x}, (0, 0))", "lax.squeeze({x}, (0,))",
    "jax.vmap(jnp.dot)({x}, {x})", "jax.vmap(jnp.add, in_axes=(0, None))({x}, {x})",
    "jax.grad(lambda v: jnp.sum(v * {x}))({x})", "jax.grad(lambda v: v * 2)({x})",
    "jax.jvp(jnp.sin, ({x},), ({x},))[1]", "lax.cond(jnp.sum({x}) > 0, lambda: {x}, lambda: {x})",
    "lax.cond(True, lambda v: v + {x}, lambda v: v, {x})", "lax.map(lambda v: v + {x}, {x})",
    "lax.scan(lambda c, v: (c + v, c), {x}, {x})[0]",
    "lax.fori_loop(0, 3, lambda i, c: c + {x}, {x})", "jax.random.permutation(key, {x})",
    "jax.random.bernoulli(key, {x})", "jax.random.categorical(key, {x})",
    "jax.random.gamma(key, {x}, {shape})",
)  # fmt: skip

_CHOICES = {
    "dtype": ("jnp.float32", "jnp.int32", "jnp.bool_", "jnp.bfloat16", "jnp.complex64"),
    "number": ("1", "2.5", "True", "-3"),
    "size": ("2", "3", "4", "6"),
    "operator": ("+", "-", "*", "/", "//", "%", "<", "==", "&", "|", "<<"),
    "axis": ("0", "1", "-1", "2", "-2"),
    "index": ("0", "1:", "-1", "None", "..., 0", "0, 1", ":, 0", "jnp.array([0, 1])", "0, :2"),
    "reduction": ("sum", "mean", "max", "argmax", "any", "prod", "std"),
    "along": ("cumsum", "sort", "argsort", "flip", "cumprod", "median"),
    "elementwise": ("sin", "exp", "abs", "square", "sign", "logical_not", "invert", "negative"),
    "pairwise": ("maximum", "arctan2", "logical_and", "subtract", "bitwise_or", "cross", "kron"),
    "matrix": ("inv", "det", "cholesky", "eigvalsh", "norm", "pinv", "qr"),
    "activation": ("relu", "sigmoid", "silu", "gelu", "log_softmax"),
    "strict": ("add", "mul", "max", "lt"),
    "floating": ("rsqrt", "sin", "erf", "cumsum"),
}  # fmt: skip

_RAISES = frozenset(rule.code for rule in all_rules() if rule.evidence.kind == "raises")


@dataclass
class Outcome:
    """What one program showed.

    Attributes:
        raised: how many functions raised.
        missed: the lines that raised, of which nothing is said.
        wrong: lines that ran, of which it is said that they raise.
    """

    raised: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def program(seed: int) -> str:
    """A program of functions that are called one by one by whoever runs it."""
    choose = random.Random(seed)
    return "\n\n".join([_HEAD, *(_function(choose, number) for number in range(FUNCTIONS))])


def _function(choose: random.Random, number: int) -> str:
    """Some arrays and some operations on them, compiled or not."""
    given = [f"a{each}" for each in range(choose.randint(1, 3))]
    arrays = [f"    {name} = {_filled(choose.choice(_ARRAYS), choose, [])}" for name in given]
    names, lines = [*given], []
    for each in range(choose.randint(1, 3)):
        lines.append(f"    v{each} = {_filled(choose.choice(_OPERATIONS), choose, names)}")
        names.append(f"v{each}")
    last = [f"    return {names[-1]}", ""]
    if choose.random() < 0.6:
        return "\n".join([f"def run{number}():", *arrays, *lines, *last])
    arguments = ", ".join(given)
    inner = ["@jax.jit", f"def f{number}({arguments}):", *lines, *last, ""]
    return "\n".join(
        [*inner, f"def run{number}():", *arrays, f"    return f{number}({arguments})", ""]
    )


def _filled(template: str, choose: random.Random, names: list[str]) -> str:
    def one(match: re.Match[str]) -> str:
        what = match.group(1)
        if what == "x":
            return choose.choice(names)
        if what == "shape":
            return str(tuple(choose.choice((1, 2, 3, 4)) for _ in range(choose.randint(0, 3))))
        return choose.choice(_CHOICES[what])

    return re.sub(r"\{(\w+)\}", one, template)


def compare(seed: int) -> Outcome:
    """Run a program under JAX, and lint it."""
    text = program(seed)
    lines = text.split("\n")
    flagged = {
        finding.line: finding
        for finding in check_source(text, "program.py", Options(select=("JXL1",)))
        if finding.code in _RAISES
    }
    names: dict[str, Callable[[], object]] = {}
    exec(compile(text, FILENAME, "exec"), names)
    found = Outcome()
    ends: dict[int, int] = {}
    for number in range(FUNCTIONS):
        raised = _line_that_raises(names[f"run{number}"])
        if raised is None:
            continue
        found.raised += 1
        ends[number] = raised
        if raised not in flagged:
            found.missed.append(lines[raised - 1].strip())
    for line, finding in flagged.items():
        raised = ends.get(_number_of(lines, line))
        # What follows the line that raises is never run.
        if raised is None or line < raised:
            found.wrong.append(f"seed {seed}: {lines[line - 1].strip()}  # {finding.message}")
    return found


def _line_that_raises(run: Callable[[], object]) -> int | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run()
        except Exception as error:
            trace = traceback.extract_tb(error.__traceback__)
            return [each.lineno for each in trace if each.filename == FILENAME][-1]
    return None


def _number_of(lines: list[str], line: int) -> int:
    """Which function a line is of."""
    while not lines[line - 1].startswith("def "):
        line -= 1
    return int(re.findall(r"\d+", lines[line - 1])[0])


def main() -> int:
    """Print what differs, and how often; 1 if something wrong is said."""
    first, count = int(sys.argv[1]), int(sys.argv[2])
    outcomes = [compare(seed) for seed in range(first, first + count)]
    wrong = [line for each in outcomes for line in each.wrong]
    missed = [line for each in outcomes for line in each.missed]
    print(*(f"MISSED {line}" for line in missed), *(f"WRONG {line}" for line in wrong), sep="\n")
    raised = sum(each.raised for each in outcomes)
    print(f"{count} programs: {raised} functions raised, {len(missed)} missed, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
