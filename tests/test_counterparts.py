"""What was found by Python's own syntax is told of libcst's: the same nodes, the same findings."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from jaxlint import check
from jaxlint.config import Options
from jaxlint.program import nodes as n
from jaxlint.program.counterparts import counterparts
from jaxlint.program.lower import lower
from jaxlint.program.lower_ast import lower_ast
from jaxlint.program.spots import Spot
from jaxlint.program.walk import walk
from jaxlint.source import Source, read_source

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures").glob("*/bad_*.py"))


@pytest.mark.parametrize("text", ["x = f(y, z=1)\n", "if y:\n    [-x for x in g(x)]\n"])
def test_a_node_is_found_where_it_stands(text: str) -> None:
    tree = cst.metadata.MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    places = tree.resolve(cst.metadata.PositionProvider)
    plain = lower_ast(Source(text, "x.py"))
    known = counterparts(plain, lower(tree.module))
    assert known is not None
    for node in walk(plain.body):
        other = known[id(node.origin)]
        assert isinstance(node.origin, Spot)
        assert isinstance(other, cst.CSTNode)
        if isinstance(node, n.Clause):
            continue  # For Python it begins at its target, for libcst at its ``for``.
        start = places[other].start
        assert (node.origin.line, node.origin.start) == (start.line, start.column)


def test_another_program_has_no_counterparts() -> None:
    plain = lower_ast(Source("x = f(y)\n", "x.py"))
    assert counterparts(plain, lower(cst.parse_module("x = f(z)\n"))) is not None
    assert counterparts(plain, lower(cst.parse_module("x = f(y, 1)\n"))) is None
    assert counterparts(plain, lower(cst.parse_module("x = f(y)\ng()\n"))) is None
    assert counterparts(plain, lower(cst.parse_module("x = -y\n"))) is None


def test_what_comments_say_is_of_the_program() -> None:
    text = "x.at[0].set(1.0)\n# %%\ny = 1\n"
    assert counterparts(lower_ast(Source(text, "x.py")), lower(cst.parse_module(text))) is None


@pytest.mark.parametrize("file", FIXTURES[::4], ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_file_is_not_followed_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once = check.examine(read_source(file), Options())
    monkeypatch.setattr(check, "_moved", lambda *_: False)
    assert repr(once) == repr(check.examine(read_source(file), Options()))
