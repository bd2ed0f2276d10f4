"""A few hundred generated programs on which JAX and jaxlint must agree.

``python -m tests.differential.by_hand FIRST COUNT`` runs many thousands, and
``python -m tests.differential.matrix FIRST COUNT`` every composition of transforms, and
``python -m tests.differential.operations FIRST COUNT`` chains of operations.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("jax")

from tests.differential.generate import Writer
from tests.differential.judge import compare
from tests.differential.keys import compare_keys
from tests.differential.operations import compare as compare_operations
from tests.differential.retraces import compare_retraces
from tests.differential.split import compare as compare_split
from tests.differential.split import programs


@settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.integers(0, 10**6))
def test_no_wrong_finding(seed: int) -> None:
    found = compare(Writer(random.Random(seed).choice).program())
    assert not found.wrong


def test_misses_stay_rare() -> None:
    """What is unknown is not flagged, so some misses must be: fewer than one in a hundred."""
    raised = missed = 0
    for seed in range(5000, 5250):
        found = compare(Writer(random.Random(seed).choice).program())
        raised += len(found.raised)
        missed += len(found.missed)
    assert raised > 150
    assert missed <= raised / 100


def test_keys_reused_are_found_and_no_others() -> None:
    """JAX's own key reuse checker is the judge."""
    raised = missed = 0
    for seed in range(7000, 7030):
        found = compare_keys(random.Random(seed).choice)
        assert not found.wrong, found.wrong[0]
        raised += found.raised
        missed += len(found.missed)
    assert raised > 50
    assert missed <= raised / 50


def test_a_program_in_several_modules_is_the_same_program(tmp_path: Path) -> None:
    """What is found in one file is found when its parts lie in several, however they import."""
    expected = missed = 0
    for seed in range(9000, 9012):
        for number, program in enumerate(programs(seed)):
            found = compare_split(program, seed, tmp_path / f"{seed}-{number}")
            if found is not None:
                expected += len(found.expected)
                missed += len(found.missed)
    assert expected > 30
    assert missed <= expected / 50


def test_loops_that_retrace_are_found_and_no_others() -> None:
    """The number of times that the Python body ran is the judge."""
    retraced = missed = 0
    for seed in range(8000, 8020):
        found = compare_retraces(random.Random(seed).choice)
        assert not found.wrong, found.wrong[0]
        retraced += found.retraced
        missed += len(found.missed)
    assert retraced > 20
    assert missed <= retraced / 50


def test_operations_that_raise_are_found_and_no_others() -> None:
    """Some hundred functions of arrays of random shapes and dtypes; what is unknown is missed."""
    found = [compare_operations(seed) for seed in range(11000, 11004)]
    assert [line for each in found for line in each.wrong] == []
    raised = sum(each.raised for each in found)
    assert raised > 50
    assert sum(len(each.missed) for each in found) <= raised / 8


def test_compositions_of_transforms() -> None:
    """In a process of its own: ``pmap`` wants devices that must be there from the start."""
    command = [sys.executable, "-m", "tests.differential.matrix", "0", "250", "--seconds", "90"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "programs in" in done.stdout, done.stderr
    assert done.returncode == 0, done.stdout


def test_programs_of_the_matrix_are_the_same_every_time() -> None:
    """A number names a program, on every machine with the same libraries."""
    from tests.differential.matrix.judge import programs

    once, again = ([program.text for _, program in programs(0, 50)] for _ in range(2))
    assert once == again
    assert len(set(once)) == 50


def test_an_error_that_jax_only_logs_is_one() -> None:
    """A debug callback that fails ends no program: JAX prints what was raised, and goes on."""
    from tests.differential.matrix.watch import run

    program = (
        "import jax, jax.numpy as jnp\n"
        "def show(x):\n"
        "    jnp.sum([1.0, 2.0])\n"
        "@jax.jit\n"
        "def step(x):\n"
        "    jax.debug.callback(show, x)\n"
        "    return x\n"
    )
    failed = run(program, "step(1.0)")
    assert isinstance(failed.error, TypeError)
    assert failed.line == 3
    # And it is an error of that program alone.
    assert run(program.replace("[1.0, 2.0]", "x"), "step(1.0)").error is None
