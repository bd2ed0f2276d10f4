"""Text as a line of a terminal or log can show it."""

from __future__ import annotations


def on_one_line(text: str) -> str:
    """Text as a line of a terminal or log can show it: what would steer it is spelt out.

    File names and what a program says may hold line ends and escape sequences.
    """
    return "".join(
        c if c.isprintable() or "\ud800" <= c <= "\udfff" else ascii(c)[1:-1] for c in text
    )
