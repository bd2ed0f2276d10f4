"""Text to concrete syntax tree."""

from __future__ import annotations

import libcst as cst

from jaxlint.source import Source, SourceError
from jaxlint.syntax.depth import is_tame, refuse_what_is_too_deep

Tree = cst.Module
"""The syntax tree of a file."""


def parse(source: Source) -> Tree:
    """Parse a file.

    Raises:
        SourceError: it is not Python, or libcst cannot read it.
    """
    try:
        refuse_what_is_too_deep(source)
    except SourceError as refused:
        if refused.newer and is_tame(source.text):
            return _newer(source, refused)
        raise
    try:
        return cst.parse_module(source.text)
    except cst.ParserSyntaxError as error:
        # Python has read it already: valid code that libcst does not know.
        cell, line, column = source.at(error.raw_line, error.raw_column)
        reason = f"libcst cannot read this, although Python can: {_in_a_line(error)}"
        raise SourceError(source.filename, line, column, reason, cell) from error
    except (cst.CSTValidationError, RecursionError) as error:
        reason = f"libcst cannot read this: {_in_a_line(error)}"
        raise SourceError(source.filename, 1, 0, reason) from error


def _newer(source: Source, refused: SourceError) -> cst.Module:
    """A file that needs a later Python than the running one: libcst knows them all."""
    try:
        return cst.parse_module(source.text)
    except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError):
        raise refused from None


def _in_a_line(error: Exception) -> str:
    text = getattr(error, "message", "") or str(error)
    return " ".join(text.split())[:120]
