"""Each table of an operation says what happens for every kind of value, each walk of nodes for
every kind of node."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

import pytest

from jaxlint.program import nodes as n
from jaxlint.tracer import values
from jaxlint.tracer.calls import CALLS
from jaxlint.tracer.operations.attributes import ATTRIBUTES
from jaxlint.tracer.operations.items import ITEMS
from jaxlint.tracer.operations.iteration import ITERATE
from jaxlint.tracer.operations.truth import TRUTH
from jaxlint.tracer.run import TABLES
from jaxlint.tracer.values import describe
from jaxlint.tracer.values.value import Value

PARTS_OF_STATEMENTS = {
    n.Argument, n.Case, n.Clause, n.Comprehension, n.Formatted, n.Function, n.Handler, n.Lambda,
    n.Module, n.Node, n.Parameter, n.Pattern, n.Starred, n.WithItem,
}  # fmt: skip
"""Nodes that another node runs."""


def kinds() -> set[type[Value]]:
    """Every kind of value, in whichever file it stands."""
    files = (file.name for file in pkgutil.iter_modules(values.__path__))
    modules = [importlib.import_module(f"{values.__name__}.{name}") for name in files]
    found = [item for module in modules for item in vars(module).values()]
    return {k for k in found if isinstance(k, type) and issubclass(k, Value) and k is not Value}


@pytest.mark.parametrize(
    "table",
    [TRUTH, ITERATE, ITEMS, ATTRIBUTES, CALLS, describe._DESCRIPTIONS],
    ids=["truth", "iterate", "items", "attributes", "calls", "describe"],
)
def test_a_table_names_every_kind(table: Mapping[type[Value], object]) -> None:
    assert set(table) == kinds()


def test_every_node_is_an_expression_or_a_statement() -> None:
    nodes = {k for k in vars(n).values() if isinstance(k, type) and issubclass(k, n.Node)}
    handled = set(TABLES.expressions) | set(TABLES.statements)
    assert nodes - handled - PARTS_OF_STATEMENTS == set()
