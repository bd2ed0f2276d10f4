"""What runs tests: which functions it calls, and what it hands them."""

from __future__ import annotations

from typing import Literal

LIBRARY = "pytest"

FIXTURE = "pytest.fixture"
"""Decorates a function that makes what tests ask for by its name."""

GIVES = "pytest.mark.parametrize"
"""Gives parameters of a test values: their names, then a row of values for each run."""

GIVEN_ELSEWHERE = "indirect"
"""Its option by which a fixture gets the values in place of the test."""

GIVES_CASES = {
    "absl.testing.parameterized.parameters": False,
    "absl.testing.parameterized.named_parameters": True,
}
"""Give the parameters of a test what each case holds, in their order or by their names; whether
the first of a case is what it is called."""

CASE_NAME = "testcase_name"
"""What a case is called, where its values have names."""

GIVES_ALL = "absl.testing.parameterized.product"
"""Gives each parameter each of some values."""

VARIES = {"chex.variants": False, "chex.all_variants": True}
"""Run a test several times, each time with another method ``variant``; whether, where nothing is
said of it, that is a transform in one of them."""

VARIANT, BY_TRANSFORM, TRANSFORM = "variant", "with_jit", "chex.TestCase.variant"
"""The method; the option by which it is the transform; the transform, which takes options of every
variant."""

ROW = "pytest.param"
"""A row with something to be said of it."""

REQUEST = "pytest._Request"
"""What a fixture asks for the value that it is made with: stands in for ``FixtureRequest``."""

REQUEST_NAME = "request"
"""The parameter of a fixture that is such an object."""

SHARED = "conftest"
"""The module in which tests in its folder, and below, find fixtures that nobody imports."""

SKIPS = (
    "pytest.mark.skip", "unittest.skip", "absl.testing.absltest.skip",
    "pytest.mark.xfail", "unittest.expectedFailure", "absl.testing.absltest.expectedFailure",
)  # fmt: skip
"""Decorators of tests, and of classes of them, that nobody runs, or that fail."""

MARKS = "pytestmark"
"""The variable of a module or class by which all tests in it are marked alike."""

TEST = "test"
"""The names of tests begin with this."""

CLASS, BASE = "Test", "TestCase"
"""The names of classes with tests in them begin with the one, or a base is called the other."""

SETS_UP = ("setUpClass", "setup_class", "setUp", "setup_method")
"""Methods of a class of tests that run before each, in this order."""

Replaced = Literal["attribute", "attributes", "entries"]
"""What is replaced for a test: an attribute of a module, class or object, several, what a dict
holds."""

REPLACES: dict[str, Replaced] = {
    "setattr": "attribute",
    "delattr": "attribute",
    "patch": "attribute",
    "patch.object": "attribute",
    "patch.multiple": "attributes",
    "patch.dict": "entries",
}
"""The methods of ``monkeypatch`` and ``mocker`` that do so, and functions of a module."""

PATCHES_OF = "unittest.mock."
