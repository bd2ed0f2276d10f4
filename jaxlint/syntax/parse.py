"""Text to concrete syntax tree."""

from __future__ import annotations

import libcst as cst

from jaxlint.source import Source, SourceError

Tree = cst.Module
"""The syntax tree of a file."""


def parse(source: Source) -> Tree:
    """Parse a file.

    Raises:
        SourceError: libcst finds a syntax error in it.
    """
    try:
        return cst.parse_module(source.text)
    except cst.ParserSyntaxError as error:
        reason = f"syntax error: {error.message}"
        raise SourceError(source.filename, error.raw_line, error.raw_column, reason) from error
