"""Text to concrete syntax tree."""

from __future__ import annotations

import libcst as cst

from jaxlint.source import Source, SourceError


def parse(source: Source) -> cst.Module:
    """Parse a file.

    Raises:
        SourceError: libcst finds a syntax error in it.
    """
    try:
        return cst.parse_module(source.text)
    except cst.ParserSyntaxError as error:
        reason = f"syntax error: {error.message}"
        raise SourceError(source.filename, error.raw_line, error.raw_column, reason) from error
