"""All pages of the site, and where they are written."""

from __future__ import annotations

from pathlib import Path

from tools.site.prose import assets, prose_pages
from tools.site.reference import reference_pages
from tools.site.rule_pages import rule_pages


def all_pages() -> dict[str, str]:
    """Path in the site -> Markdown."""
    return prose_pages() | reference_pages() | rule_pages()


def write_pages(folder: Path) -> None:
    """Write the pages, and what they show; only what differs, as who watches the folder likes."""
    wanted = {path: text.encode() for path, text in all_pages().items()}
    wanted |= {path: file.read_bytes() for path, file in assets()}
    for path, data in wanted.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_bytes() != data:
            file.write_bytes(data)
    for file in [file for file in folder.rglob("*") if file.is_file()]:
        if file.relative_to(folder).as_posix() not in wanted:
            file.unlink()
