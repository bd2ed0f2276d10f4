"""What mkdocs calls before it builds: writes the pages, and says in which order they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jaxlint.pages import SITE
from tools.site.navigation import navigation
from tools.site.pages import write_pages


def on_config(config: Any) -> Any:
    """Make the pages of the code. ``config``: that of mkdocs."""
    write_pages(Path(config.docs_dir))
    config.nav = navigation()
    config.site_url = SITE
    return config
