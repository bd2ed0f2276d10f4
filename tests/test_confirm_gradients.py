"""Gradients of NaN in the user's own program: seen where they are not compiled."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("jax")

from jaxlint.confirm.observer.copies import differ, parts_of
from jaxlint.confirm.observer.journal import Journal
from jaxlint.confirm.observer.states import States
from jaxlint.confirm.observer.values import Values
from jaxlint.confirm.observer.watchlist import Watch
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


def unforeseen(x):
    return jnp.sqrt((x * x).sum()) * 0


def finite(x):
    return (x * x).sum()


x = jnp.array([0.0, 1.0])
for _ in range(2):
    jax.grad(unforeseen)(0 * jnp.arange(3.0))
jax.grad(finite)(jnp.zeros(3))
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
    missed = [(each["line"], each["what"], each["text"]) for each in report["missed"]]
    told = "the gradient of unforeseen came back as NaN, and its value did not, 2 times"
    assert missed == [(39, "unforeseen", told)]


def test_a_state_that_is_passed_again() -> None:
    import jax
    import jax.numpy as jnp

    journal = Journal()
    states = States(journal, Values(jax), jax)
    watch = Watch(7, (1, 1), [("f", 1)], ["state"], "state", False)

    def step(state: object) -> None:
        states.note(sys._getframe(), watch)

    old = {"m": jnp.zeros(2), "n": jnp.zeros(())}
    for state in (old, dict(old), {**old, "n": jnp.zeros(())}, (), 3):
        step(state)
    assert journal.counts == {("state", 7, True): 1, ("state", 7, False): 1}


def test_what_hangs_on_an_object_of_nnx() -> None:
    """Variables keep their value in a slot; objects of other libraries are left alone."""

    class Variable:
        __module__ = "flax.nnx.variablelib"
        __slots__ = ("_raw_value",)

        def __init__(self, value: object) -> None:
            self._raw_value = value

    class Module:
        __module__ = "flax.nnx.module"

    class Mine(Module):
        @property
        def broken(self) -> None:
            raise AssertionError("nothing is run")

    model, variable = Mine(), Variable(object())
    vars(model).update(layers=[{"mean": variable}], itself=model, calls=0)
    before = parts_of(model)
    assert not differ(before, parts_of(model))
    variable._raw_value = object()
    assert differ(before, parts_of(model))
    before = parts_of(model)
    vars(model)["calls"] = 1
    assert differ(before, parts_of(model))
    assert parts_of([model]) == parts_of(object()) == {}
