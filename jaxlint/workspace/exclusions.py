"""What the settings and the command line leave out of the files that are linted."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


@dataclass(frozen=True)
class Exclusion:
    """Patterns as in ``.gitignore``, and the folder from which they count."""

    patterns: tuple[str, ...]
    folder: Path


@lru_cache(maxsize=64)
def apart_from(exclusion: Exclusion, named: Path) -> Exclusion:
    """The patterns that do not leave out a folder that the user names, nor one that it is in."""
    kept = [
        pattern
        for pattern in exclusion.patterns
        if not any(
            _fits(Exclusion((pattern,), exclusion.folder), each, True)
            for each in (named, *named.parents)
        )
    ]
    return Exclusion(tuple(kept), exclusion.folder)


Exclusions = Callable[[Path], Sequence[Exclusion]]
"""Absolute path of a folder -> what is left out of it."""


def nothing(folder: Path) -> Sequence[Exclusion]:
    """Leaves nothing out."""
    return ()


def leaves_out(exclusions: Iterable[Exclusion], path: Path, is_folder: bool) -> bool:
    """Whether a file or folder, by its absolute path, is left out itself."""
    return any(_fits(each, path, is_folder) for each in exclusions)


def is_left_out(exclusions: Exclusions, path: Path, is_folder: bool = False) -> bool:
    """Whether a file or folder, or a folder that it is in, is left out."""
    path = Path(os.path.abspath(path))
    if leaves_out(exclusions(path.parent), path, is_folder):
        return True
    return any(leaves_out(exclusions(above.parent), above, True) for above in path.parents)


def spec_of(lines: Iterable[str]) -> GitIgnoreSpec:
    """What patterns leave out.

    Raises:
        ValueError, re.error: one of them is no pattern.
    """
    # pathspec loads with the first pattern that there is.
    from jaxlint.workspace.patterns import spec_of

    return spec_of(lines)


def check_pattern(pattern: str) -> str:
    """What is wrong with a pattern of files to leave out; empty when nothing."""
    try:
        spec_of([pattern])
    except (ValueError, re.error):
        return f"{pattern!r} is no pattern as in .gitignore"
    return ""


def _fits(exclusion: Exclusion, path: Path, is_folder: bool) -> bool:
    if not exclusion.patterns:
        return False
    try:
        below = path.relative_to(exclusion.folder)
    except ValueError:
        below = Path(*path.parts[1:])  # Elsewhere: patterns without a folder fit there too.
    return below != Path() and _spec(exclusion.patterns).match_file(
        below.as_posix() + "/" * is_folder
    )


@lru_cache(maxsize=64)
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return spec_of(patterns)
