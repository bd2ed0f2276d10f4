"""Reads the chapters: Markdown files whose Python blocks say what the tracer knows.

A block is a whole program, or a notebook. In it, ``reveal(x)  # int 3`` says what is known of
``x``, and ``# JXL101`` at the end of a line that a rule speaks there; ``# JXL401: text`` asks
for words of the message too. An HTML comment right after a block holds Python that only real
JAX runs: calls of functions that the block does not call, ``trigger`` functions as in the
fixtures.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

FOLDER = Path(__file__).parent
_MARK = re.compile(r"#\s*(JXL\d{3}(?:\s*,\s*JXL\d{3})*)\s*(?::\s*(\S.*))?$")
_REVEAL = re.compile(r"\breveal\(")


@dataclass(frozen=True, slots=True)
class Block:
    """One program of a chapter.

    Attributes:
        chapter: the name of the file.
        headings: the headings above it, outermost first.
        line: where the program's first line stands in the file, counted from 1.
        text: the program, moved down so that its lines have the file's numbers.
        hidden: what only real JAX runs, moved down likewise; empty when there is none.
        todo: whether the tracer falls short of it today.
        notebook: whether it is a notebook, its cells parted by ``# %%`` lines.
        since: the first release of JAX that runs it; empty for all.
        expected: line -> what a ``reveal`` on it must show.
        marks: line -> codes of the rules that must speak there.
        words: line -> what a message there must say.
    """

    chapter: str
    headings: tuple[str, ...]
    line: int
    text: str
    hidden: str
    todo: bool
    notebook: bool = False
    since: str = ""
    expected: dict[int, str] = field(default_factory=dict)
    marks: dict[int, tuple[str, ...]] = field(default_factory=dict)
    words: dict[int, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """``narrowing.md:12 None``: the place, and the nearest heading."""
        return f"{self.chapter}:{self.line} {self.headings[-1]}"

    def with_hidden(self, text: str) -> str:
        """A program of as many lines, and the hidden section."""
        return text + self.hidden[text.count("\n") :]


def blocks(folder: Path = FOLDER) -> Iterator[Block]:
    """The blocks of all chapters."""
    for path in sorted(folder.glob("*.md")):
        if path.name != "README.md":
            yield from _blocks_of(path)


def _blocks_of(path: Path) -> Iterator[Block]:
    tokens = MarkdownIt().parse(path.read_text("utf-8"))
    headings: dict[str, str] = {}
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            headings = {tag: text for tag, text in headings.items() if tag < token.tag}
            headings[token.tag] = tokens[number + 1].content
        info = token.info.split()
        if token.type == "fence" and info[:1] == ["python"]:
            following = tokens[number + 1] if number + 1 < len(tokens) else None
            yield _block(path.name, tuple(headings.values()), token, following)


def _block(chapter: str, headings: tuple[str, ...], fence: Token, following: Token | None) -> Block:
    text = _moved_down(fence, fence.content, 1)
    hidden = ""
    if following is not None and following.type == "html_block":
        inner = following.content.strip().removeprefix("<!--").removesuffix("-->")
        hidden = _moved_down(following, inner, 0)
    assert fence.map is not None
    info = fence.info.split()
    start = fence.map[0] + 2
    block = Block(
        chapter, headings, start, text, hidden, "todo" in info, "notebook" in info,
        next((word[5:] for word in info if word.startswith("jax>=")), ""),
    )  # fmt: skip
    for line, comment in _comments(text):
        mark = _MARK.match(comment)
        if mark is not None:
            block.marks[line] = tuple(re.findall(r"JXL\d{3}", mark[1]))
            if mark[2]:
                block.words[line] = mark[2].strip()
        elif _REVEAL.search(text.split("\n")[line - 1]):
            block.expected[line] = comment.lstrip("# ").strip()
    return block


def _moved_down(token: Token, text: str, skipped: int) -> str:
    assert token.map is not None
    return "\n" * (token.map[0] + skipped) + text


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """The comments of a program, as far as this Python can read it."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return
