"""Gives the sites of events their places and texts, which only what is reported needs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from jaxlint.events import Place, Site
from jaxlint.program.spots import Spot
from jaxlint.source import Source
from jaxlint.syntax.spans import Spans, shortened

if TYPE_CHECKING:
    from jaxlint.syntax.parse import Tree


def locate(sites: Sequence[Site], tree: Tree | None, source: Source) -> None:
    """Fill in the places and texts of some sites, of the file and of modules that it imports.

    The file has no concrete syntax where its own program comes of Python's tree.
    """
    waiting = [site for site in sites if site.place is None]
    if tree is not None:
        here = [site for site in waiting if not isinstance(site.origin, Spot)]
        _locate_here(here, tree, source)
    folder = os.path.dirname(os.path.abspath(source.filename))
    for site in waiting:
        if isinstance(site.origin, Spot):
            own = site.origin.source is source
            site.place = Place(*site.origin.span) if own else _place(site.origin, folder)
            site.text = shortened(site.origin.text)


def _locate_here(sites: Sequence[Site], tree: Tree, source: Source) -> None:
    if not sites:
        return
    spans = Spans(
        tree, source.tree_if_any, source.text.split("\n"), [site.origin for site in sites]
    )
    for site in sites:
        span = spans.of(site.origin)
        cell, line, column = source.at(span.line, span.column)
        _, end_line, end_column = source.at(span.end_line, span.end_column)
        site.place = Place(line, column, end_line, end_column, cell)
        site.text = spans.snippet(site.origin)


def _place(spot: Spot, folder: str) -> Place:
    """Where something is in another module, whose path is told from a folder."""
    try:
        file = os.path.relpath(spot.source.filename, folder)
    except ValueError:
        file = spot.source.filename  # On another drive.
    return Place(*spot.span, file=PurePath(file).as_posix())
