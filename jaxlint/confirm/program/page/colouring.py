"""Python in colours, rules as HTML: what pygments and markdown-it make of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape
from typing import Any

_KINDS = (
    ("Comment", "c"), ("Literal.String", "s"), ("Literal.Number", "n"), ("Keyword", "k"),
    ("Operator.Word", "k"), ("Name.Function", "f"), ("Name.Class", "f"), ("Name.Decorator", "d"),
    ("Name.Builtin", "b"), ("Name.Exception", "b"),
)  # fmt: skip
"""Tokens of pygments -> class on the page."""


def kinds_of_characters(code: str) -> list[str]:
    """The class of each character of a Python text; empty for what has no colour."""
    from pygments.lexers.python import PythonLexer

    kinds = [""] * len(code)
    for start, token, text in PythonLexer().get_tokens_unprocessed(code):
        kind = _kind(str(token))
        if kind:
            kinds[start : start + len(text)] = [kind] * len(text)
    return kinds


@cache
def _kind(token: str) -> str:
    name = token.removeprefix("Token.")
    return next((kind for start, kind in _KINDS if name.startswith(start)), "")


def in_colours(text: str, kinds: list[str], marks: list[str] | None = None) -> str:
    """A piece of code as HTML.

    Args:
        text: the piece.
        kinds: the class of each of its characters.
        marks: the class of the underline below each; nothing is underlined when None.
    """
    pieces = []
    for mark, start, end in _runs(marks or [""] * len(text)):
        inner = "".join(
            f"<i class={kind}>{escape(text[start + a : start + b])}</i>"
            if kind
            else escape(text[start + a : start + b])
            for kind, a, b in _runs(kinds[start:end])
        )
        pieces.append(f"<mark class={mark}>{inner}</mark>" if mark else inner)
    return "".join(pieces)


def _runs(values: list[str]) -> Iterator[tuple[str, int, int]]:
    """(value, start, end) of each stretch of equal values."""
    start = 0
    for number in range(1, len(values) + 1):
        if number == len(values) or values[number] != values[start]:
            yield values[start], start, number
            start = number


def python(code: str) -> str:
    """A whole text of Python as HTML."""
    return in_colours(code, kinds_of_characters(code))


def markdown(text: str) -> str:
    """A rule's page, without its title, as HTML; its headings stand below those of the page."""
    return str(_markdown().render(text))


@cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    def highlight(code: str, language: str, attributes: str) -> str:
        return python(code) if language == "python" else escape(code)

    # Nothing on the page leads away from it.
    found = MarkdownIt("commonmark", {"html": False, "highlight": highlight})
    found.disable(["link", "autolink", "image"])
    found.renderer.rules["heading_open"] = lambda *_: "<h4>"  # type: ignore[attr-defined]
    found.renderer.rules["heading_close"] = lambda *_: "</h4>\n"  # type: ignore[attr-defined]
    return found
