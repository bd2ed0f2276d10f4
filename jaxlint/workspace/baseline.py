"""A baseline: the findings that were there when an old code base took jaxlint on.

An entry is a file, a code and the text of the line: it holds when lines move, and
ends when the line is edited.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from jaxlint.findings import ABOUT_THE_RUN, Finding
from jaxlint.reading import MOST_BYTES, read_ordinary

Entry = tuple[str, str, str]
"""Path below the baseline's folder, code, text of the line without the space around it."""


_NOT_A_BASELINE = (
    ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError
)  # fmt: skip


class BaselineError(Exception):
    """A baseline that cannot be read or written; the text is for the user."""


class Baseline:
    """How often each entry was there."""

    def __init__(self, file: Path, counts: Counter[Entry]) -> None:
        self._file = file
        self._left = Counter(counts)

    @classmethod
    def read(cls, file: Path) -> Baseline:
        """Read a file.

        Raises:
            BaselineError: it cannot be read, or is no baseline.
        """
        try:
            data = json.loads(read_ordinary(file, MOST_BYTES))
            counts: Counter[Entry] = Counter()
            for path, entries in data["findings"].items():
                for code, text, count in entries:
                    counts[str(path), str(code), str(text)] += int(count)
        except OSError as error:
            raise BaselineError(
                f"{file}: cannot read the baseline: {error.strerror}; "
                f"write one: jaxlint check --write-baseline {file}"
            ) from error
        except _NOT_A_BASELINE as error:
            raise BaselineError(f"{file}: not a baseline of jaxlint") from error
        return cls(file, counts)

    def holds(self, finding: Finding, text: str) -> bool:
        """Whether the finding was there before; each entry answers for as many as it counted."""
        entry = _entry(self._file, finding, text)
        if finding.code in ABOUT_THE_RUN or self._left[entry] <= 0:
            return False
        self._left[entry] -= 1
        return True

    @property
    def unused(self) -> int:
        """How many findings of the baseline have not come up."""
        return sum(self._left.values())


def write_baseline(file: Path, findings: Iterable[tuple[Finding, str]]) -> int:
    """Write findings, each with the text of its line; returns how many.

    Raises:
        BaselineError: the file cannot be written.
    """
    counts = Counter(
        _entry(file, finding, text)
        for finding, text in findings
        if finding.code not in ABOUT_THE_RUN
    )
    grouped: dict[str, list[tuple[str, str, int]]] = {}
    for (path, code, text), count in sorted(counts.items()):
        grouped.setdefault(path, []).append((code, text, count))
    try:
        file.write_text(json.dumps({"version": 1, "findings": grouped}, indent=1) + "\n", "utf-8")
    except OSError as error:
        raise BaselineError(f"{file}: cannot write the baseline: {error.strerror}") from error
    return sum(counts.values())


def _entry(file: Path, finding: Finding, text: str) -> Entry:
    path = os.path.relpath(os.path.realpath(finding.filename), os.path.realpath(file.parent))
    return Path(path).as_posix(), finding.code, text.strip()
