"""Gradients of NaN in the user's own program: seen where they are not compiled."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")

from tests.test_confirm_program import report_of

PROGRAM = """\
import jax
import jax.numpy as jnp


def born(x):
    return jnp.sum(jnp.where(x > 0, jnp.sqrt(x), 0.0))


def never_bad(x):
    return jnp.sum(jnp.where(x > 0, jnp.log(x), 0.0))


def compiled(x):
    return jnp.sum(jnp.where(x > 0, jnp.cbrt(x), 0.0))


def of_all(x):
    return jnp.where(x != 0, 1.0 / x, 0.0)


def bad_value(x):
    return jnp.sum(jnp.where(x > 0, jnp.log2(x), x))


def not_run(x):
    return jax.grad(lambda v: jnp.where(v > 0, jnp.log10(v), 0.0))(x)


x = jnp.array([0.0, 1.0])
jax.grad(born)(x)
jax.value_and_grad(never_bad)(x + 1.0)
jax.jit(jax.grad(compiled))(x)
jax.jacrev(of_all)(x)
jax.grad(bad_value)(jnp.array([float("nan")]))
"""


def test_what_gradients_show_settles_findings(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    report = report_of(tmp_path, sys.executable, str(program), paths=(str(program),))
    verdicts = {f["line"]: (f["verdict"], f["evidence"]) for f in report["findings"]}
    assert verdicts == {
        6: ("confirmed", "once a gradient of NaN came back, of a value without"),
        10: ("not reached", "no NaN came back, once: the bad number never came"),
        14: (
            "not reached",
            "ran once while JAX compiled, where gradients have no numbers yet: "
            "JAX_DISABLE_JIT=1 shows them",
        ),
        18: ("confirmed", "once a gradient of NaN came back, of a value without"),
        22: ("not reached", "the gradient was NaN, and so was the value"),
        26: ("not reached", "the line never ran"),
    }
