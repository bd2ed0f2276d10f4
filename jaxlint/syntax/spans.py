"""Positions, bought only for files that have something to report.

libcst nodes carry no position: it has to be found by writing the file out
again, which costs more than parsing it did. So nothing before a finding asks.
"""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

_LONGEST_SNIPPET = 48


class Span(NamedTuple):
    """A stretch of source. Lines count from 1, columns from 0, in characters."""

    line: int
    column: int
    end_line: int
    end_column: int


class Spans:
    """Positions and source snippets of the nodes of one module."""

    def __init__(self, module: cst.Module) -> None:
        self._module = module
        # No copy: nothing here or later changes the tree, and the nodes that the
        # lowering kept as handles must be the ones that get positions.
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self._positions = wrapper.resolve(PositionProvider)

    def of(self, node: object) -> Span:
        """The span of a node, without the whitespace around it."""
        assert isinstance(node, cst.CSTNode)
        found = self._positions.get(node)
        if found is None:
            return Span(1, 0, 1, 0)
        return Span(found.start.line, found.start.column, found.end.line, found.end.column)

    def snippet(self, node: object) -> str:
        """The node's source on one line, shortened in the middle when long."""
        assert isinstance(node, cst.CSTNode)
        text = " ".join(self._module.code_for_node(node).split())
        if len(text) <= _LONGEST_SNIPPET:
            return text
        half = (_LONGEST_SNIPPET - 3) // 2
        return f"{text[:half]}...{text[-half:]}"
