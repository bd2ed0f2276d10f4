"""The options, one dataclass that every front end fills."""

from __future__ import annotations

import fnmatch
import os
from dataclasses import dataclass
from pathlib import PurePath

from jaxlint.project import folders_in_project

DEFAULT_TEST_PATTERNS = ("test_*.py", "*_test.py", "conftest.py", "tests.py")
"""File names that pytest and unittest take for tests."""

TEST_DIRECTORIES = frozenset({"test", "tests", "testing"})


@dataclass(frozen=True)
class Options:
    """What the user asked for.

    Attributes:
        select: code prefixes to report; every default rule when empty.
        extend_select: code prefixes to report besides; a code in full also turns on a rule
            that is off by default.
        ignore: code prefixes not to report. The longest prefix that fits a code decides;
            of two that are equally long, this one.
        per_file_ignores: pattern of paths below ``root`` (or of file names) -> prefixes.
        root: the folder that patterns of paths start from; the current one when empty.
        test_patterns: glob patterns of file names that are test files, in which
            rules about cost and about effects at trace time stay silent.
        enable: codes of rules that are off by default and wanted.
        jax: the releases of JAX that the project runs on, such as ``>=0.4.30,<0.7``; when
            empty, what the project's own requirements say.
        jit_wrappers: functions of the user's own that compile as ``jax.jit`` does, by full
            dotted name.
        traced_callables: functions of the user's own that trace every function they are given.
        unroll: iterations of a Python loop in traced code from which on JXL206 speaks.
        max_file_size: characters of the largest file, or notebook's code, that is linted: the
            syntax tree of one takes about a thousand times as many bytes.
        fixable: code prefixes of findings that may be mended automatically; all when empty.
        unfixable: code prefixes of those that may not. The longest prefix decides.
        unsafe_fixes: fixes that a person should look at are applied too.
        unused_noqa: report ``# noqa`` comments with codes of jaxlint that silence nothing.
        respect_noqa: drop findings on lines with a ``# noqa`` comment. The
            flake8 front end turns this off because flake8 does it itself.
        group: what repeats one cause is one finding that names all places. Turned off
            where each place is judged on its own, as against real JAX.
        src: folders in which the project's own modules lie, from ``root``; when empty, those
            of the importing file and the ones around it, up to the top of the project.
    """

    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    test_patterns: tuple[str, ...] = DEFAULT_TEST_PATTERNS
    enable: tuple[str, ...] = ()
    jax: str = ""
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    root: str = ""
    jit_wrappers: tuple[str, ...] = ()
    traced_callables: tuple[str, ...] = ()
    unroll: int = 100
    max_file_size: int = 1_000_000
    fixable: tuple[str, ...] = ()
    unfixable: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    unused_noqa: bool = False
    respect_noqa: bool = True
    group: bool = True
    src: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """The folders in ``src``, from the root on."""
        return tuple(os.path.join(self.root, folder) for folder in self.src)

    def wants(self, code: str, filename: str = "") -> bool:
        """Whether findings with this code are to be reported, in this file."""
        wanted = _longest(code, (*self.select, *self.extend_select))
        if wanted < 0:
            if self.select and not (self.enable and code.startswith(self.enable)):
                return False
            wanted = 0
        if max(_longest(code, self.ignore), 0) >= max(wanted, 1):
            return False
        return not any(
            code.startswith(prefixes) and self._fits(filename, pattern)
            for pattern, prefixes in self.per_file_ignores
        )

    def mends(self, code: str) -> bool:
        """Whether findings with this code may be mended automatically."""
        allowed = _longest(code, self.fixable)
        if self.fixable and allowed < 0:
            return False
        return _longest(code, self.unfixable) < max(allowed, 1)

    def enables(self, code: str) -> bool:
        """Whether a rule that is off by default is wanted: named in full, or by ``enable``."""
        named = code in self.select or code in self.extend_select
        return named or bool(self.enable and code.startswith(self.enable))

    @property
    def own_packages(self) -> frozenset[str]:
        """Packages that the user's own wrappers live in: files that import them may trace."""
        return frozenset(
            name.split(".")[0] for name in (*self.jit_wrappers, *self.traced_callables)
        )

    def _fits(self, filename: str, pattern: str) -> bool:
        try:
            path = PurePath(os.path.relpath(filename, self.root or None)).as_posix()
        except ValueError:
            path = PurePath(filename).as_posix()  # On another drive.
        below = pattern.rstrip("/") + "/*"
        name = PurePath(filename).name
        return any(fnmatch.fnmatch(each, pattern) for each in (path, name)) or fnmatch.fnmatch(
            path, below
        )

    def is_test_file(self, filename: str) -> bool:
        """Whether the file is a test, by name or by the folders of its project it lies in."""
        name = PurePath(filename).name
        if any(fnmatch.fnmatch(name, pattern) for pattern in self.test_patterns):
            return True
        return not TEST_DIRECTORIES.isdisjoint(folders_in_project(filename))


def _longest(code: str, prefixes: tuple[str, ...]) -> int:
    """Length of the longest prefix that fits; -1 when none does."""
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)
