"""Where the pages about codes are read: the one place that knows the address of the site."""

from __future__ import annotations

from urllib.parse import urlsplit

SITE = "https://flake8-jaxlint.github.io/"
"""Where the site is published. Its workflow, and that of a release, fail while it is elsewhere."""

FOLDER = "rules"
"""The folder of the site that has a page for each code."""


def page_address(code: str, site: str = SITE) -> str:
    """The address of the page about a code; empty without a site.

    Args:
        code: of a rule, or one that jaxlint says of itself, such as ``JXL000``.
        site: the address of the site, with or without a slash at its end.
    """
    return f"{site.rstrip('/')}/{FOLDER}/{code}/" if site else ""


def problem_with_address(site: str) -> str:
    """What is wrong with the address of a site; empty when nothing."""
    try:
        parts = urlsplit(site)
    except ValueError:
        parts = urlsplit("")
    right = parts.scheme in ("http", "https") and parts.netloc and not parts.query
    printable = site.isprintable() and " " not in site and not parts.fragment
    return "" if right and printable else f"{site!r} is no address, such as {SITE!r}"
