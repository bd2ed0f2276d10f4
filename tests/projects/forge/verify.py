"""Real JAX runs each mistake and each trap of the project: `python verify.py`."""

import os
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError
from functools import partial
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "src"), str(HERE), str(HERE.parent)]

import jax
import jax.numpy as jnp
import run
from judge import main, mistake, printed, raises, same, trap

errors = jax.errors
X = jnp.ones(4)


@mistake("run.ramped")
def _():
    raises(errors.TracerBoolConversionError, run.ramped, X)


@mistake("run.acted")
def _():
    raises(errors.ConcretizationTypeError, run.acted, X)


@mistake("run.checked")
def _():
    raises(errors.TracerBoolConversionError, run.checked, X)


@mistake("run.shown")
def _():
    assert "Tracer" in printed(run.shown, X)


@mistake("run.stopped")
def _():
    raises(errors.TracerBoolConversionError, run.stopped)


@mistake("run.kept")
def _():
    watcher = run.Keep()
    run.Trainer(run.square, [watcher]).fit(run.WEIGHTS, run.BATCH)
    assert all(isinstance(value, jax.core.Tracer) for value in watcher.values)
    assert len(watcher.values) == 1


@mistake("run.tightened")
def _():
    assert same(*run.tightened())


@mistake("run.faster")
def _():
    raises(FrozenInstanceError, run.faster)


@trap("run.tightened_at_once")
def _():
    assert run.tightened_at_once() == 0.25


for quiet in (run.ramped_at_once, run.smoothed, run.softened, run.scaled):
    trap(f"run.{quiet.__name__}")(partial(quiet, X))
trap("run.logged")(run.logged)


# ------------------------------------------------------------------------ tests

_RAN = subprocess.run(
    [sys.executable, "-m", "pytest", "-q", "-rf", "--tb=no", "-p", "no:cacheprovider", "tests"],
    cwd=HERE,
    env=os.environ | {"PYTHONPATH": str(HERE / "src"), "COLUMNS": "200"},
    capture_output=True,
    text=True,
    check=False,
).stdout


def failures(name):
    return [line for line in _RAN.splitlines() if re.search(rf"::{name}\b", line)]


def failed(name, error):
    assert failures(name) and all(error in line for line in failures(name)), _RAN


def passed(name):
    assert "FAILED" in _RAN and not failures(name), _RAN


for place, error in {
    "test_of_a_fixture_with_values": "TracerBool",
    "test_rows": "Concretization",
    "test_rows_of_two_tables": "TracerBool",
    "TestTrainer.test_step": "TracerBool",
}.items():
    mistake(f"test_forge.{place}")(partial(failed, place.rpartition(".")[2], error))

for place in (
    "test_on_the_host",
    "test_what_fixtures_ask_for",
    "test_of_rows_without_mistakes",
    "TestTrainer.test_loss",
    "StepTest.test_smooth",
    "StepTest.test_ramp",
):
    trap(f"test_forge.{place}")(partial(passed, place.rpartition(".")[2]))

if __name__ == "__main__":
    main()
