"""How services that know the repository, not the current folder, call a file."""

from __future__ import annotations

import os
from functools import lru_cache


def from_repository(filename: str) -> str:
    """The path of a file from the top of the repository that the current folder is in.

    Outside of any repository, and for a file that lies elsewhere, as it was given.
    """
    top = top_of_repository()
    if not top:
        return filename
    below = os.path.relpath(os.path.abspath(filename), top)
    return filename if below.startswith("..") else below.replace(os.sep, "/")


def top_of_repository() -> str:
    """The top of the repository that the current folder is in; empty when it is in none."""
    return _top(os.getcwd())


@lru_cache(maxsize=8)
def _top(folder: str) -> str:
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return folder
