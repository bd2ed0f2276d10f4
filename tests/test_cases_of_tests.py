"""The cases that a library of tests gives a test: each is a run of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint import check_source

PROGRAM = """\
import jax
from absl.testing import parameterized


def plain(x, n=1):
    return x * n


def kinked(x, n=1):
    return x if x > n else -x


{rows}


class TestActivations(parameterized.TestCase):
    @parameterized.{decorator}
    def test_it(self, {parameters}):
        jax.jit(f)(1.0)
"""


@pytest.mark.parametrize(
    ("decorator", "parameters"),
    [
        ("parameters(plain, kinked)", "f"),
        ("parameters([plain, kinked])", "f"),
        ("parameters((plain, 1), (kinked, 2))", "f, n"),
        ("parameters(dict(n=1, f=plain), dict(n=1, f=kinked))", "f, n"),
        ("named_parameters(('a', plain), ('b', kinked))", "f"),
        ("named_parameters([('a', plain), ('b', kinked)])", "f"),
        ("named_parameters({'testcase_name': 'b', 'f': kinked})", "f"),
        ("product(f=[plain, kinked], n=[1, 2])", "f, n"),
        ("product([dict(f=plain), dict(f=kinked)], n=[1, 2])", "f, n"),
        ("parameters(*ROWS)", "f"),
    ],
)
def test_each_case_is_a_run(tmp_path: Path, decorator: str, parameters: str) -> None:
    rows = "ROWS = (plain, kinked)"
    program = PROGRAM.format(rows=rows, decorator=decorator, parameters=parameters)
    found = check_source(program, str(tmp_path / "test_it.py"))
    assert [(each.code, each.line) for each in found] == [("JXL101", 10)]


@pytest.mark.parametrize(
    "decorator", ["parameters(plain)", "named_parameters(('kinked', plain))", "parameters(*rows())"]
)
def test_what_no_case_holds_is_not_run(tmp_path: Path, decorator: str) -> None:
    rows = "def rows():\n    return open('rows').read()"
    program = PROGRAM.format(rows=rows, decorator=decorator, parameters="f")
    assert check_source(program, str(tmp_path / "test_it.py")) == []


VARIANTS = """\
import chex
import jax


def kinked(x, positive):
    return x if positive else -x


class TestKinked(chex.TestCase):
    {decorator}
    def test_it(self):
        self.variant(kinked{options})(1.0, True)
"""


@pytest.mark.parametrize(
    ("decorator", "options", "codes"),
    [
        ("@chex.all_variants", "", ["JXL101"]),
        ("@chex.all_variants(with_pmap=False)", "", ["JXL101"]),
        ("@chex.variants(with_jit=True, without_jit=True)", "", ["JXL101"]),
        ("@chex.all_variants(with_pmap=False)", ", static_argnums=1", []),
        ("@chex.all_variants", ", ignore_argnums=(1,), static_argnums=1", []),
        ("@chex.variants(without_jit=True)", "", []),
        ("@chex.all_variants(with_jit=False)", "", []),
        ("", "", []),
    ],
)
def test_a_variant_transforms(
    tmp_path: Path, decorator: str, options: str, codes: list[str]
) -> None:
    program = VARIANTS.format(decorator=decorator, options=options)
    found = check_source(program, str(tmp_path / "test_it.py"))
    assert [each.code for each in found] == codes


SOLVERS = """\
class Plain:
    def reduce(self, x):
        return -x


class Kinked(Plain):
    def reduce(self, x):
        if x.sum() > 0:
            return x
        return -x
"""

SHARED = """\
import unittest

import jax
import jax.numpy as jnp
import pytest
from solvers import Kinked, Plain


class SolverCase:
    solver_type = Plain

    def make(self):
        return Plain()

    def test_asks(self, solver):
        jax.jit(solver.reduce)(jnp.zeros(2))

    def test_makes(self):
        jax.jit(self.make().reduce)(jnp.zeros(2))

    def test_takes(self):
        jax.jit(self.solver_type().reduce)(jnp.zeros(2))

    def test_has(self):
        jax.jit(self.solver.reduce)(jnp.zeros(2))
"""

FIXTURE = "    @pytest.fixture\n    def solver(self):\n        return {solver}()"
INHERITED = {
    "a fixture": ("TestSolver(SolverCase)", FIXTURE),
    "a method": ("TestSolver(SolverCase)", "    def make(self):\n        return {solver}()"),
    "a class": ("TestSolver(SolverCase)", "    solver_type = {solver}"),
    "what it sets up": (
        "TestSolver(SolverCase)", "    def setup_method(self):\n        self.solver = {solver}()",
    ),
    "unittest": (
        "Solver(SolverCase, unittest.TestCase)",
        "    def setUp(self):\n        self.solver = {solver}()",
    ),
    "over a class between": (
        "Between(SolverCase):\n    pass\n\n\nclass TestSolver(Between)", FIXTURE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("own", INHERITED.values(), ids=INHERITED)
@pytest.mark.parametrize("apart", [False, True], ids=["in one module", "in two modules"])
@pytest.mark.parametrize("solver", ["Kinked", "Plain"])
def test_an_inherited_test_runs_with_each_class(
    tmp_path: Path, own: tuple[str, str], apart: bool, solver: str
) -> None:
    (tmp_path / "solvers.py").write_text(SOLVERS)
    (tmp_path / "shared.py").write_text(SHARED)
    imports = SHARED.partition("class")[0]
    before = f"{imports}from shared import SolverCase\n" if apart else SHARED
    head, body = own
    program = f"{before}\n\nclass {head}:\n{body.format(solver=solver)}\n"
    found = check_source(program, str(tmp_path / "test_solvers.py"))
    assert [each.code for each in found if each.code == "JXL101"] == ["JXL101"] * (
        solver == "Kinked"
    )


def test_a_class_that_nobody_collects_runs_no_inherited_test(tmp_path: Path) -> None:
    (tmp_path / "solvers.py").write_text(SOLVERS)
    program = f"{SHARED}\n\nclass Helper(SolverCase):\n{FIXTURE.format(solver='Kinked')}\n"
    assert not check_source(program, str(tmp_path / "test_solvers.py"))


MARKED = """\
import unittest

import jax.numpy as jnp
import pytest

{module}


def plane(field):
    return field[:, 0, :, 2]


{outer}
class TestPlane:
    {inside}

    {mark}
    def test_it(self):
        plane(jnp.ones((4, 4, 3)))
"""


@pytest.mark.parametrize(
    ("place", "mark", "codes"),
    [
        ("mark", "@pytest.mark.skip", []),
        ("mark", "@pytest.mark.skip('needs four axes')", []),
        ("mark", "@pytest.mark.skip(reason='needs four axes')", []),
        ("mark", "@unittest.skip('needs four axes')", []),
        ("outer", "@pytest.mark.skip(reason='needs four axes')", []),
        ("outer", "@unittest.skip('needs four axes')", []),
        ("inside", "pytestmark = pytest.mark.skip('needs four axes')", []),
        ("module", "pytestmark = [pytest.mark.slow, pytest.mark.skip]", []),
        ("mark", "@pytest.mark.slow", ["JXL126"]),
        ("mark", "@pytest.mark.skipif(len(jnp.ones(3)) > 9, reason='large')", ["JXL126"]),
        ("outer", "@pytest.mark.slow", ["JXL126"]),
        ("module", "pytestmark = pytest.mark.slow", ["JXL126"]),
    ],
)
def test_what_is_skipped_is_not_run(
    tmp_path: Path, place: str, mark: str, codes: list[str]
) -> None:
    marks = dict.fromkeys(("module", "outer", "inside", "mark"), "") | {place: mark}
    found = check_source(MARKED.format(**marks), str(tmp_path / "test_it.py"))
    assert [each.code for each in found] == codes
