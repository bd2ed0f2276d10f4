"""The options, one dataclass that every front end fills."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from pathlib import PurePath

DEFAULT_TEST_PATTERNS = ("test_*.py", "*_test.py", "conftest.py", "tests.py")
"""File names that pytest and unittest take for tests."""

TEST_DIRECTORIES = frozenset({"test", "tests", "testing"})


@dataclass(frozen=True)
class Options:
    """What the user asked for.

    Attributes:
        select: code prefixes to report; every default rule when empty.
        ignore: code prefixes not to report; wins over ``select``.
        test_patterns: glob patterns of file names that are test files, in which
            rules about cost and about effects at trace time stay silent.
        enable: codes of rules that are off by default and wanted.
        jax: the releases of JAX that the project runs on, such as ``>=0.4.30,<0.7``; when
            empty, what the project's own requirements say.
        respect_noqa: drop findings on lines with a ``# noqa`` comment. The
            flake8 front end turns this off because flake8 does it itself.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    test_patterns: tuple[str, ...] = DEFAULT_TEST_PATTERNS
    enable: tuple[str, ...] = ()
    jax: str = ""
    respect_noqa: bool = True

    def wants(self, code: str) -> bool:
        """Whether findings with this code are to be reported."""
        if self.ignore and code.startswith(self.ignore):
            return False
        return not self.select or code.startswith(self.select)

    def enables(self, code: str) -> bool:
        """Whether a rule that is off by default is wanted: named in full, or by ``enable``."""
        return code in self.select or bool(self.enable and code.startswith(self.enable))

    def is_test_file(self, filename: str) -> bool:
        """Whether the file is a test, by name or by the folder it lies in."""
        path = PurePath(filename)
        if any(fnmatch.fnmatch(path.name, pattern) for pattern in self.test_patterns):
            return True
        return any(part in TEST_DIRECTORIES for part in path.parts[:-1])
