"""The built site: each link on it, and each that jaxlint makes, leads to a page of it."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from jaxlint.frontends.rule_command import ABOUT_ITSELF
from jaxlint.pages import SITE, page_address
from jaxlint.rules.registry import all_rules


class _Page(HTMLParser):
    """What a page links to, what it loads, and what it can be linked at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "href" and tag == "a":
                self.links.append(value)
            elif name in ("src", "href") and tag != "base":
                self.loaded.append(value)
            elif name in ("id", "name"):
                self.anchors.add(value)


def problems(folder: Path, site: str = SITE) -> list[str]:
    """What is wrong with a built site: dead links, things loaded from elsewhere, missing pages.

    Args:
        folder: where the site was built.
        site: the address that it will have.
    """
    folder = folder.resolve()
    pages = {path: _Page(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))}
    found = [problem for path in pages for problem in _dead(folder, site, pages, path)]
    for code in (*ABOUT_ITSELF, *(rule.code for rule in all_rules())):
        address = page_address(code, site)
        if _file(folder, site, folder / "index.html", address) not in pages:
            found.append(f"no page at {address}")
    return found


def _dead(folder: Path, site: str, pages: dict[Path, _Page], path: Path) -> Iterator[str]:
    page, name = pages[path], path.relative_to(folder).as_posix()
    for link in (*page.links, *page.loaded):
        target = _file(folder, site, path, link)
        if target is None:
            if link in page.loaded and urlsplit(link).scheme != "data":
                yield f"{name}: loads {link} from elsewhere"
            continue
        anchor = unquote(urlsplit(link).fragment)
        if not target.is_file():
            yield f"{name}: {link}"
        elif anchor and target in pages and anchor not in pages[target].anchors:
            yield f"{name}: {link}: nothing is called so there"


def _file(folder: Path, site: str, page: Path, link: str) -> Path | None:
    """The file of the site that a link on a page leads to; None when it leads elsewhere."""
    parts, home = urlsplit(link), urlsplit(site)
    if parts.scheme not in ("", "http", "https") or parts.netloc not in ("", home.netloc):
        return None
    path = unquote(parts.path)
    if parts.netloc or path.startswith("/"):
        path = path.removeprefix(home.path.rstrip("/"))
        target = folder / path.lstrip("/")
    else:
        target = page.parent / path if path else page
    target = target.resolve()
    return target / "index.html" if target.is_dir() or path.endswith("/") else target
