"""Writes ``# noqa`` comments into the text of a file."""

from __future__ import annotations

from typing import NamedTuple

from jaxlint.source import Source, SourceError

_LONGEST_STATEMENT = 60


class Insertion(NamedTuple):
    """What a stretch of a line, from 1, becomes; ``column`` and ``end`` count from 0."""

    line: int
    column: int
    end: int
    new: str

    def apply(self, text: str) -> str:
        """The text with it."""
        lines = text.split("\n")
        own = lines[self.line - 1]
        lines[self.line - 1] = own[: self.column] + self.new + own[self.end :]
        return "\n".join(lines)


def with_noqa(text: str, code: str, line: int) -> Insertion | None:
    """The comment that silences a code on a line (from 1), which it does not yet.

    None when no place is found: flake8 and jaxlint look at the line on which a string or a
    continued line ends.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    comments = Source(text).noqa_comments
    for number in range(line, min(line + _LONGEST_STATEMENT, len(lines) + 1)):
        own = lines[number - 1]
        comment = next((c for c in comments if c.line == number and not c.of_file), None)
        if comment is not None and comment.codes:
            column = end = comment.column + comment.width
            new = f", {code}"
        else:
            # Blanks at the end of the line go: a comment stands in their place.
            column, end, new = len(own.rstrip()), len(own), f"  # noqa: {code}"
        insertion = Insertion(number, column, end, new)
        source = Source(insertion.apply(text))
        if source.is_silenced(code, line) and _parses(source):
            return insertion
    return None


def _parses(source: Source) -> bool:
    try:
        return source.tree is not None
    except SourceError:
        # An unfinished file: the comment was recognised as one, which is enough.
        return True
