"""What stands in for library modules: Python, like the library, and never itself complained of."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from jaxlint import check_source
from jaxlint.knowledge.stand_ins import FILES, FOLDER, is_stand_in, source
from jaxlint.source import Source

FUNCTION = ast.FunctionDef | ast.ClassDef


def public(module: str) -> Iterator[FUNCTION]:
    """The functions and classes that a program can ask for."""
    for node in ast.parse(source(module).text).body:
        if isinstance(node, FUNCTION) and not node.name.startswith("_"):
            yield node


PUBLIC = [(module, node.name) for module in FILES for node in public(module)]


def installed(module: str) -> Any:
    if find_spec(module.partition(".")[0]) is None:
        pytest.skip(f"{module} is not installed")
    return import_module(module)


def test_there_are_some() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {f"{module}.pyi" for module in FILES}
    assert len(FILES) >= 7
    assert all(is_stand_in(source(module)) for module in FILES)
    assert not is_stand_in(Source("", "train_state.pyi"))
    assert not is_stand_in(Source("", str(FOLDER / "mine.py")))


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_the_library_has_it(module: str, name: str) -> None:
    assert hasattr(installed(module), name)


def asked(node: FUNCTION) -> ast.arguments | None:
    """The parameters of a function, or of a constructor that is written out."""
    if isinstance(node, ast.FunctionDef):
        return node.args
    inits = (each for each in node.body if getattr(each, "name", "") == "__init__")
    init = next(inits, None)
    return init.args if isinstance(init, ast.FunctionDef) else None


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_parameters_are_where_the_library_has_them(module: str, name: str) -> None:
    (node,) = (each for each in public(module) if each.name == name)
    arguments, real = asked(node), getattr(installed(module), name)
    if arguments is None:
        return
    names = [each.arg for each in arguments.args if each.arg != "self"]
    # What blackjax exports are objects with a differentiable signature of their own.
    function = getattr(real, "differentiable", real)
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        pytest.skip(f"Python does not say what {module}.{name} takes: it is written in C")
    positional = [each.name for each in parameters if each.kind <= each.POSITIONAL_OR_KEYWORD]
    if positional:
        assert names == positional[: len(names)]


ASKING = """\
import jax
from {module} import {name}

made = {name}(*given)


@jax.jit
def f(x):
    {name}(x, x, x, x, x, x)
    return x


f(1.0)
"""


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_nothing_is_found_in_it(module: str, name: str, tmp_path: Path) -> None:
    found = check_source(ASKING.format(module=module, name=name), str(tmp_path / "asking.py"))
    assert found == []


PROGRAM = """\
from diffrax import ODETerm, diffeqsolve


def field(t, y, args):
    return helper(y)


def helper(y):
    if y > 0:
        return y
    return -y


diffeqsolve(ODETerm(field), solver, 0.0, 1.0, 0.1, 1.0)
"""


def test_the_chain_leads_through_the_program_alone(tmp_path: Path) -> None:
    (finding,) = check_source(PROGRAM, str(tmp_path / "program.py"))
    assert finding.code == "JXL101"
    assert finding.line == 9
    assert finding.happens_at is None
    assert [note.file for note in finding.notes] == [""] * len(finding.notes)
    assert "diffrax.diffeqsolve" in finding.message
