"""Stand-ins: what a library function does with the functions it is given, in a few lines.

A solver or sampler traces the user's function; what else it computes is of no interest. Each file
in ``stand_in_sources/`` stands for the library module that it is named after: it is Python that
the abstract tracer follows when a program uses that module, and nobody ever imports. What such a
file does not define keeps the meaning that the other tables give it. ``docs/evidence`` and the
fixtures that use a library hold them to what the library does.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from types import MappingProxyType

from jaxlint.source import Source, decode

FOLDER = Path(__file__).parent / "stand_in_sources"

FILES = MappingProxyType({path.stem: path for path in sorted(FOLDER.glob("*.pyi"))})
"""Library module -> the file that stands for it."""

PACKAGES = frozenset(module.partition(".")[0] for module in FILES) - {
    "jax", *sys.stdlib_module_names
}  # fmt: skip
"""The libraries that these modules are of, besides JAX and Python's own."""


@cache
def source(module: str) -> Source:
    """The text that stands for a library module."""
    path = FILES[module]
    return decode(path.read_bytes(), str(path))


def is_stand_in(source: Source) -> bool:
    """Whether a text is one of these."""
    return source.filename.endswith(".pyi") and Path(source.filename).parent == FOLDER
