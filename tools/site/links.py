"""Links between pages, checked in their Markdown: without mkdocs, in a second."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

_ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:", re.IGNORECASE)


def dead_links(pages: dict[str, str], assets: Iterable[str]) -> list[str]:
    """Links and pictures that lead nowhere, and anchors that are not there, by page.

    Args:
        pages: path in the site -> Markdown.
        assets: paths of everything else.
    """
    parser = MarkdownIt("commonmark").enable("table")
    tokens = {path: list(_flat(parser.parse(text))) for path, text in pages.items()}
    anchors = {path: set(_anchors(each)) for path, each in tokens.items()}
    others = set(assets)
    dead = []
    for path, each in tokens.items():
        for link in _links(each):
            name, _, anchor = link.partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            target = target if name else path
            if target not in anchors and target not in others:
                dead.append(f"{path}: {link}")
            elif anchor and anchor not in anchors.get(target, ()):
                dead.append(f"{path}: {link}: no such heading")
    return dead


def _flat(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or ())


def _links(tokens: Iterable[Token]) -> Iterator[str]:
    """What a page links to or shows, on this site."""
    for token in tokens:
        link = token.attrs.get("href") or token.attrs.get("src")
        if isinstance(link, str) and not _ELSEWHERE.match(link):
            yield link


def _anchors(tokens: list[Token]) -> Iterator[str]:
    """The names of headings, as the site gives them."""
    seen: Counter[str] = Counter()
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            text = "".join(child.content for child in inline.children or ())
            name = slug(text)
            yield f"{name}_{seen[name]}" if seen[name] else name
            seen[name] += 1


def slug(text: str) -> str:
    """A heading as an anchor: what ``markdown.extensions.toc`` makes of it."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())
