"""The pictures of the README: a terminal with a finding, and the report of a confirmed run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from html import unescape
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from tools.site.transcripts import ROOT, said

PICTURES = ROOT / "docs" / "pictures"
COMMAND = "jaxlint check --select JXL101 examples/train.py"
_WIDTH = 78
_FROM_ELSEWHERE = re.compile(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", re.DOTALL)
"""Fonts that would be loaded, and an address."""
_PAGE = (1040, 820)
"""Width and height of the report's picture, in pixels."""


def take_pictures() -> None:
    """Take all again.

    Raises:
        FileNotFoundError: there is no Chromium.
        subprocess.CalledProcessError: the run, or the browser, failed.
    """
    PICTURES.joinpath("finding.svg").write_text(finding(), "utf-8")
    _take_report(PICTURES / "report.png")


def finding() -> str:
    """A finding in a terminal, as SVG."""
    console = Console(record=True, width=_WIDTH, file=StringIO(), force_terminal=True)
    console.print(Text(f"$ {COMMAND}"))
    console.print(Text.from_ansi(said(f"{COMMAND} --color always")))
    drawing = console.export_svg(title="jaxlint", theme=MONOKAI, unique_id="finding")
    return _FROM_ELSEWHERE.sub("", drawing)


def text_of(drawing: str) -> str:
    """The text in a picture, without blanks."""
    words = re.findall(r"<text[^>]*>(.*?)</text>", drawing, re.DOTALL)
    return re.sub(r"\s+", "", unescape("".join(words)))


def _take_report(picture: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise FileNotFoundError("Chromium is needed for the picture of the report")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        subprocess.run(
            [
                sys.executable, "-m", "jaxlint", "confirm", "examples/observe.py", "--html", page,
                "--", sys.executable, "examples/observe.py",
            ],
            cwd=ROOT, check=True, capture_output=True,
        )  # fmt: skip
        page.write_text(page.read_text("utf-8").replace(sys.executable, "python"), "utf-8")
        screenshot(browser, page.as_uri(), picture, _PAGE)


def screenshot(browser: str, address: str, picture: Path, size: tuple[int, int]) -> None:
    """What a browser shows of a page, so many pixels wide and high."""
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}",
                "--virtual-time-budget=3000", f"--screenshot={picture}", address,
            ],
            check=True, capture_output=True,
        )  # fmt: skip
