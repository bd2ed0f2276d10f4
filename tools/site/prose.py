"""The pages that people write: ``docs/``, the changelog, and the guide for those who work on it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from jaxlint.findings import CANNOT_CHECK, NOT_FINISHED, UNUSED_NOQA
from jaxlint.pages import FOLDER
from jaxlint.rules.registry import all_rules
from tools.site.evidence import overview
from tools.site.markdown import outside_code

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_BESIDE = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
_REPOSITORY = "ADDRESS-OF-THIS-REPOSITORY"
_CODE = re.compile(r"\bJXL\d{3}\b")
_PICTURE = re.compile(r"^!\[([^]]*)\]\((pictures/[\w-]+\.svg)\)(\{ ?\.drawn ?\})$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_HEADS = {"index.md": "---\nhide: [navigation, toc]\n---\n\n"}
"""What mkdocs is told of a page."""

_EVIDENCE = "<!-- evidence: by platform -->"


def prose_pages() -> dict[str, str]:
    """Path in the site -> Markdown."""
    pages = {path.name: path.read_text("utf-8") for path in sorted(DOCS.glob("*.md"))}
    pages |= {name: (ROOT / path).read_text("utf-8") for name, path in _BESIDE.items()}
    return {name: _HEADS.get(name, "") + _as_page(text) for name, text in pages.items()}


def assets() -> Iterator[tuple[str, Path]]:
    """Path in the site, and the file: pictures, styles."""
    for folder in ("pictures", "styles"):
        for path in sorted((DOCS / folder).iterdir()):
            yield f"{folder}/{path.name}", path


def _as_page(text: str) -> str:
    text = text.replace(_EVIDENCE, overview())
    text = _COMMENT.sub("", _PICTURE.sub(_drawn, text))
    repository = os.environ.get("JAXLINT_REPOSITORY", "")
    return outside_code(text.replace(_REPOSITORY, repository or _REPOSITORY), _with_links)


def _with_links(text: str) -> str:
    """Codes become links to their pages."""
    known = {rule.code for rule in all_rules()} | {CANNOT_CHECK, NOT_FINISHED, UNUSED_NOQA}
    return _CODE.sub(
        lambda found: f"[{found[0]}]({FOLDER}/{found[0]}.md)" if found[0] in known else found[0],
        text,
    )


def _drawn(found: re.Match[str]) -> str:
    """A drawing, put into the page: so it has the colours of the page, light and dark."""
    drawing = (DOCS / found[2]).read_text("utf-8").strip()
    return f'<figure class="drawn" role="img" aria-label="{found[1]}">\n{drawing}\n</figure>'
