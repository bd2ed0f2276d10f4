"""The lowering knows every class of libcst, or leaves it opaque on purpose."""

from __future__ import annotations

import libcst as cst
import pytest

from jaxlint.program import nodes as n
from jaxlint.program.attributes import ANY, set_later
from jaxlint.program.lower import _STATEMENTS, lower
from jaxlint.program.lower_expressions import _EXPRESSIONS, OPERATORS
from jaxlint.program.walk import walk

OPAQUE_ON_PURPOSE = {
    # Python 3.12 to 3.15 syntax that no value flows through, or that is too new to meet.
    "TypeAlias", "TypeParam", "TypeParameters", "TypeVar", "TypeVarTuple", "ParamSpec",
    "TemplatedString", "LazyImport", "LazyImportFrom", "StarredDictComp",
}  # fmt: skip


def test_every_statement_and_expression_is_lowered_or_opaque() -> None:
    forgotten = set()
    for name in dir(cst):
        kind = getattr(cst, name)
        if not isinstance(kind, type) or name.startswith("Base"):
            continue
        if issubclass(kind, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
            if kind not in _STATEMENTS:
                forgotten.add(name)
        elif issubclass(kind, cst.BaseExpression) and kind not in _EXPRESSIONS:
            forgotten.add(name)
    assert forgotten - OPAQUE_ON_PURPOSE - {"StarredElement"} == set()


def test_every_operator_is_known() -> None:
    bases = (cst.BaseBinaryOp, cst.BaseUnaryOp, cst.BaseCompOp, cst.BaseAugOp)
    for name in dir(cst):
        kind = getattr(cst, name)
        if isinstance(kind, type) and issubclass(kind, bases) and kind not in bases:
            assert kind in OPERATORS, name


@pytest.mark.parametrize(
    ("text", "hops"),
    [
        ("x = 1\ndef f():\n    return x\n", -1),
        ("def f():\n    x = 1\n    return x\n", 0),
        ("def f(x):\n    def g():\n        return x\n", 1),
        ("def f(x):\n    def g():\n        return [x for _ in ()]\n", 2),
        ("def f(x):\n    global x\n    return x\n", -1),
        ("class C:\n    x = 1\n    def f(self):\n        return x\n", -1),
        ("def f(x):\n    class C:\n        def g(self):\n            return x\n", 2),
    ],
)
def test_names_are_resolved(text: str, hops: int) -> None:
    module = lower(
        cst.parse_module(text.replace("def f(x):\n    global x", "def f():\n    global x"))
    )
    loads = [
        node.value if isinstance(node, n.Return) else node.element
        for node in walk(module.body)
        if isinstance(node, (n.Return, n.Comprehension))
    ]
    names = [node for node in loads if isinstance(node, n.Name) and node.id == "x"]
    assert [name.scope.hops("x") for name in names] == [hops]


def test_captured_names_include_those_bound_later() -> None:
    module = lower(cst.parse_module("def f():\n    def g():\n        return late\n    late = 1\n"))
    assert module.functions[-1].scope.captured == {"late"}


@pytest.mark.parametrize(
    ("text", "later"),
    [
        ("class A:\n    def __init__(self):\n        self.x = 1\n", set()),
        ("class A:\n    def setup(self):\n        self.x, other.y = 1, 2\n", {"y"}),
        ("class A:\n    def step(self):\n        self.x += 1\n        del self.y\n", {"x", "y"}),
        ("def f(a, b):\n    for a.x in b:\n        [a.y, *a.z] = a.w\n", {"x", "y", "z"}),
        ("def f(a):\n    with open(a.x) as a.y:\n        a.z: int = 1\n", {"y", "z"}),
        ("def f(a):\n    setattr(a, 'x', 1)\n", {ANY}),
        ("def f(a):\n    a.x[0] = a.y\n", set()),
    ],
)
def test_what_a_module_sets_on_objects(text: str, later: set[str]) -> None:
    assert set_later(lower(cst.parse_module(text))) == later
