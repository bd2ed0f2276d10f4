"""Syntax that later Pythons know and the running one does not."""

from __future__ import annotations

import re
import sys

_NEWER = (
    ((3, 11), r"^\s*except\s*\*", "`except*`"),
    ((3, 11), r"\[[^\]]*\*[A-Za-z_]", "`*` in an index"),
    ((3, 12), r"^\s*type\s+\w+\s*[\[=]", "a `type` statement"),
    ((3, 12), r"^\s*(?:(?:async\s+)?def|class)\s+\w+\s*\[", "a type parameter"),
    ((3, 14), r"(?<![\w\"'])(?:t|tr|rt)[\"']", "a t-string"),
    ((3, 14), r"^\s*except\s+[\w.]+\s*,", "`except` with several types and no parentheses"),
)
"""First Python that knows it, what its line looks like, its name."""

_IN_F_STRING = (3, 12)
"""First Python that reads what stands in an f-string as it reads anything else."""

_ENDS_IN_BRACES = re.compile(
    r"(?<![\w\"'])(?:f|fr|rf)"
    r"(?:\"(?:\{\{|\}\}|\{[^{}\"\\]*\}|[^{}\"\\])*\{[^{}\"]*\""
    r"|'(?:\{\{|\}\}|\{[^{}'\\]*\}|[^{}'\\])*\{[^{}']*')",
    re.IGNORECASE,
)
"""An f-string whose own quote stands in its braces."""


def newer_syntax(line: str, message: str) -> str:
    """What in a line, that Python refuses, needs which Python; empty when nothing does.

    Args:
        line: the line.
        message: what Python says.
    """
    running = sys.version_info[:2]
    in_braces = message.startswith("f-string") or _ENDS_IN_BRACES.search(line) is not None
    if in_braces and running < _IN_F_STRING:
        return _needs(_IN_F_STRING, "a quote, backslash or comment inside of an f-string's braces")
    for version, pattern, what in _NEWER:
        if running < version and re.search(pattern, line, re.IGNORECASE):
            return _needs(version, what)
    return ""


def _needs(version: tuple[int, int], what: str) -> str:
    running = ".".join(map(str, sys.version_info[:2]))
    return f"{what} needs Python {version[0]}.{version[1]}, and jaxlint runs on {running}"
