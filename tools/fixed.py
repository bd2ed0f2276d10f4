"""What all fixes make of the bad fixtures: ``fixed_x.py`` beside each ``bad_x.py``.

    python -m tools.fixed

Safe and unsafe fixes are applied, for every release of JAX that the fixtures run on. The marks of
lines that are mended go; those that stay name what only a person can mend. ``jaxlint confirm`` runs
the files as it does the others; read what they say before you commit them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection

from jaxlint.config import Options
from jaxlint.confirm.fixtures.find import Fixture, default_folder, find_fixtures
from jaxlint.workspace.fixing import fix_bytes
from tools.versions import RELEASES

OPTIONS = Options(enable=("JXL",), ignore=("JXL913",), jax=f">={RELEASES[0]}", unsafe_fixes=True)
_MARK = re.compile(r"\s*#\s*(JXL\d{3}(?:\s*,\s*JXL\d{3})*)\s*$")


def fixed(fixture: Fixture) -> str | None:
    """The text of a bad fixture after all fixes; None when there are none for it."""
    # The name keeps a folder called fixtures from counting as one of tests.
    done = fix_bytes(fixture.path.name, fixture.text.encode(), OPTIONS)
    if not done.changed:
        return None
    left = {(line, finding.code) for finding in done.findings for _, line in finding.places}
    lines = done.after.decode().split("\n")
    return "\n".join(_marked(line, number, left) for number, line in enumerate(lines, 1))


def _marked(line: str, number: int, left: Collection[tuple[int, str]]) -> str:
    """A line with the marks of what is still found there."""
    match = _MARK.search(line)
    if match is None:
        return line
    codes = [code for code in re.findall(r"JXL\d{3}", match[1]) if (number, code) in left]
    return line[: match.start()] + (f"  # {', '.join(codes)}" if codes else "")


def main() -> int:
    for fixture in find_fixtures(default_folder()):
        if fixture.is_fixed:
            fixture.path.unlink()
    for fixture in find_fixtures(default_folder()):
        text = fixed(fixture) if fixture.is_bad else None
        if text is not None:
            fixture.fixed_path.write_text(text, "utf-8")
            print(f"{fixture.code}: {fixture.fixed_path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
