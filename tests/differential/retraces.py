"""Loops that call compiled functions in many ways: how often does JAX trace, what is said?"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from typing import Any

from jaxlint import Options, check_source
from tests.differential.generate import Choose

ITERATIONS = 6
CODES = ("JXL201", "JXL202", "JXL204", "JXL205")
HEADER = """\
from functools import partial

import jax
import jax.numpy as jnp

TRACES = []


def base(v, n=1):
    TRACES.append(n)
    return v * 2


def scalar(v):
    TRACES.append(v)
    return (v * v).sum()


class Model:
    def __init__(self):
        self.kept = jax.jit(self.run)

    def run(self, v):
        TRACES.append(v)
        return v * 3


model = Model()
kept = jax.jit(base)
static = jax.jit(base, static_argnames="n")
x = jnp.arange(8.0)


def make():
    return jax.jit(lambda v: base(v))


def call_fresh(v):
    return jax.jit(partial(base, n=2))(v)


def call_kept(v):
    return kept(v)


made = make()

"""
CALLS = (
    "jax.jit(lambda v: base(v))({})", "jax.jit(base)({})", "kept({})", "made({})",
    "jax.jit(partial(base, n=3))({})", "jax.jit(jax.grad(scalar))({})", "jax.jit(model.run)({})",
    "model.kept({})", "static({}, n=2)", "static({}, n=i)", "static({}, n=i * 2 + 1)",
    "static({}, n=i % 2)", "call_fresh({})", "call_kept({})", "jax.vmap(kept)(({}).reshape(-1, 1))",
    "jax.jit(jax.vmap(base))({})", "kept({} + i)",
)  # fmt: skip
ARGUMENTS = (
    "x", "x", "x * i", "x[: i + 1]", "jnp.ones(i + 2)", "x[i : i + 1]", "jnp.full(3, 1.0 * i)"
)  # fmt: skip
LOOPS = (
    "for i in range({count}):\n    {call}",
    "for i in range({count}):\n    y = {call}\n    z = y + 1",
    "i = 0\nwhile i < {count}:\n    {call}\n    i += 1",
    "results = [{call} for i in range({count})]",
    "for i, _ in enumerate([0.0] * {count}):\n    {call}",
)


@dataclass
class RetraceDifference:
    """How many loops JAX retraces at every iteration, and on which the two differ."""

    retraced: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def program(choose: Choose) -> str:
    """A loop that calls a compiled function."""
    call = choose(list(CALLS)).format(choose(list(ARGUMENTS)))
    loop = choose(list(LOOPS)).format(count=ITERATIONS, call=call)
    if choose([True, False]):
        indented = "\n".join("    " + line for line in loop.split("\n"))
        loop = f"def main():\n{indented}\n\n\nmain()"
    return f"{HEADER}{loop}\n"


def compare_retraces(choose: Choose, programs: int = 4) -> RetraceDifference:
    """Write some loops, count the traces of each, lint each."""
    found = RetraceDifference()
    for _ in range(programs):
        text = program(choose)
        namespace: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(text, "<loop>", "exec"), namespace)
        retraced = len(namespace["TRACES"]) >= ITERATIONS - 1
        findings = check_source(text, "program.py", Options(select=CODES))
        found.retraced += retraced
        if retraced and not findings:
            found.missed.append(text)
        if findings and not retraced:
            found.wrong.append(text)
    return found


def main() -> None:
    """``python -m tests.differential.retraces FIRST COUNT``"""
    first, count = int(sys.argv[1]), int(sys.argv[2])
    retraced = missed = wrong = 0
    for seed in range(first, first + count):
        found = compare_retraces(random.Random(seed).choice)
        retraced += found.retraced
        missed += len(found.missed)
        wrong += len(found.wrong)
        for kind, texts in (("MISSED", found.missed), ("WRONG", found.wrong)):
            for text in texts:
                print(f"--- seed {seed} {kind}\n{text[len(HEADER) :]}")
    print(f"{count * 4} loops: {retraced} retraced, {missed} missed, {wrong} wrong")


if __name__ == "__main__":
    main()
