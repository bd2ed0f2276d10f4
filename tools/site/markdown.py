"""Pieces of Markdown, and what must not be touched in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

_CODE = re.compile(
    r"(^```.*?^```$"  # A block of code.
    r"|`(?:[^`\n]|\n(?!\n))*`"  # Code in a paragraph.
    r"|\[[^]]*\]\([^)\n]*\)"  # A link.
    r"|^\#[^\n]*$)",  # A heading.
    re.MULTILINE | re.DOTALL,
)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars in cells are escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def fenced(text: str, language: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def folded(title: str, text: str) -> str:
    """A block that opens when it is clicked on (pymdownx.details)."""
    inner = "".join(f"    {line}\n" if line else "\n" for line in text.splitlines())
    return f'??? note "{title}"\n\n{inner}'


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """Markdown, changed where it is no code, no link and no heading."""
    parts = _CODE.split(text)
    return "".join(part if number % 2 else change(part) for number, part in enumerate(parts))
