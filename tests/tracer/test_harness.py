"""The net has no holes: what is not so is found, by the tracer or by real JAX."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("jax")

from tests.tracer import test_literate
from tests.tracer.chapters import Block, blocks
from tests.tracer.real import disagreements

SETUP = """\
import jax
import jax.numpy as jnp

@jax.jit
def f(x):
    {}
    return x

y = f(jnp.ones(3))
"""


def block(tmp_path: Path, program: str, info: str = "") -> Block:
    path = tmp_path / "chapter.md"
    path.write_text(f"# Chapter\n\n## A heading\n\n```python {info}\n{program}```\n", "utf-8")
    (found,) = blocks(tmp_path)
    return found


@pytest.mark.parametrize(
    "line",
    [
        "reveal(x)  # tracer f32[3] from x of f",
        "reveal((x, x.ndim))  # tuple(tracer f32[3] from x of f, int 1)",
        "reveal(jnp.zeros(()))  # tracer f32[]",
        "reveal({'a': x})  # dict(a: tracer f32[3] from x of f)",
        "if x[0]: pass  # JXL101",
    ],
)
def test_what_is_so_is_left_alone(tmp_path: Path, line: str) -> None:
    program = block(tmp_path, SETUP.format(line))
    test_literate.test_the_tracer_knows(program)
    assert disagreements(program) == []


@pytest.mark.parametrize(
    "line",
    [
        "reveal(x)  # array f32[3]",
        "reveal(x)  # tracer f32[3] from z of f",
        "reveal(x)  # int",
        "reveal((x, x.ndim))  # tuple(tracer f32[3] from x of f, int 2)",
        "if x[0]: pass",
        "if x.ndim: pass  # JXL101",
        "for _ in (): reveal(x)  # tracer f32[3] from x of f",
    ],
)
def test_what_is_not_so_is_found_by_both(tmp_path: Path, line: str) -> None:
    program = block(tmp_path, SETUP.format(line))
    assert disagreements(program) != []
    with pytest.raises(AssertionError):
        test_literate.test_the_tracer_knows(program)


@pytest.mark.parametrize(
    "line",
    [
        "reveal(x)  # tracer f32[4]",
        "reveal(x)  # tracer weak f32[3]",
        "reveal(x)  # tracer i32[3]",
        "reveal(x)  # tracer f32[3,?]",
        "reveal(x)  # vmap tracer f32[3]",
        "reveal(jnp.sum(x * 1.0))  # tracer weak f32[]",
        "reveal(x.shape)  # tuple(int 3, int 3)",
        "reveal(x)  # tracer key",
    ],
)
def test_what_is_not_so_is_found_by_jax(tmp_path: Path, line: str) -> None:
    assert disagreements(block(tmp_path, SETUP.format(line))) != []


def test_words_that_are_not_in_the_grammar(tmp_path: Path) -> None:
    (problem, *_) = disagreements(block(tmp_path, SETUP.format("reveal(x)  # a tracer, surely")))
    assert "not in the grammar: 'a tracer, surely'" in problem
