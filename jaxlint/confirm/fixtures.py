"""Finds the fixtures and reads the marks in them."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

import jaxlint

_MARK = re.compile(r"#\s*(JXL\d{3}(?:\s*,\s*JXL\d{3})*)\s*$")
_FOLDER = re.compile(r"(JXL\d{3})_\w+")


class FixtureError(Exception):
    """A fixture folder that cannot be used, with the reason for the user."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """One program: ``bad_*.py`` shows what its folder's rule finds, ``good_*.py`` does not.

    Attributes:
        code: the rule that the folder belongs to.
        marks: line -> codes that must be reported there.
    """

    path: Path
    code: str
    marks: dict[int, tuple[str, ...]]

    @property
    def is_bad(self) -> bool:
        """Whether real JAX must show the rule's evidence."""
        return self.path.name.startswith("bad_")

    @property
    def name(self) -> str:
        """``JXL101_branch_on_traced_value/bad_if.py``."""
        return f"{self.path.parent.name}/{self.path.name}"

    @property
    def marked_lines(self) -> list[int]:
        """The lines on which the folder's own rule must speak."""
        return sorted(line for line, codes in self.marks.items() if self.code in codes)


def default_folder() -> Path:
    """Where the fixtures lie: in the installed package, or beside it in a checkout."""
    package = Path(jaxlint.__file__).parent
    installed = package / "fixtures"
    return installed if installed.is_dir() else package.parent / "fixtures"


def read_marks(text: str) -> dict[int, tuple[str, ...]]:
    """Line -> codes named in a ``# JXLnnn`` comment at its end.

    A file that is not Python has the marks that come before the error: running it
    says what is wrong with it.
    """
    marks: dict[int, tuple[str, ...]] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            match = _MARK.match(token.string) if token.type == tokenize.COMMENT else None
            if match is not None:
                marks[token.start[0]] = tuple(re.findall(r"JXL\d{3}", match[1]))
    except (tokenize.TokenError, SyntaxError):
        pass
    return marks


def find_fixtures(folder: Path, codes: tuple[str, ...] = ()) -> list[Fixture]:
    """The fixtures of some rules, or of all.

    Raises:
        FixtureError: the folder is missing or has none.
    """
    if not folder.is_dir():
        raise FixtureError(f"no fixtures: {folder} is not a folder")
    found = []
    for path in sorted(folder.glob("*/*.py")):
        match = _FOLDER.fullmatch(path.parent.name)
        if match is None or not path.name.startswith(("bad_", "good_")):
            continue
        if not codes or match[1] in codes:
            found.append(Fixture(path, match[1], read_marks(path.read_text("utf-8"))))
    if not found:
        wanted = f" for {', '.join(codes)}" if codes else ""
        raise FixtureError(f"no fixtures{wanted} in {folder}")
    return found
