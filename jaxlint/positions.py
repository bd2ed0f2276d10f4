"""Gives the sites of events their places and texts, which only what is reported needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxlint.events import Place, Site
from jaxlint.source import Source
from jaxlint.syntax.spans import Spans

if TYPE_CHECKING:
    from jaxlint.syntax.parse import Tree


def locate(sites: Sequence[Site], tree: Tree, source: Source) -> None:
    """Fill in the places and texts of some sites."""
    if not sites:
        return
    spans = Spans(tree, source.tree_if_any, source.text, [site.origin for site in sites])
    for site in sites:
        if site.place is None:
            span = spans.of(site.origin)
            cell, line, column = source.at(span.line, span.column)
            _, end_line, end_column = source.at(span.end_line, span.end_column)
            site.place = Place(line, column, end_line, end_column, cell)
            site.text = spans.snippet(site.origin)
