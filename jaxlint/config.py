"""The options, one dataclass that every front end fills."""

from __future__ import annotations

import fnmatch
import os
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from jaxlint.pages import SITE
from jaxlint.project import folders_in_project

DEFAULT_TEST_PATTERNS = ("test_*.py", "*_test.py", "conftest.py", "test.py", "tests.py")
"""File names that pytest and unittest take for tests."""

TEST_DIRECTORIES = frozenset({"test", "tests", "testing"})


ALL = "ALL"
"""Stands for every rule where codes are given, those that are off by default too."""


Noqa = Literal["respected", "left to flake8", "ignored"]
LibraryBounds = Literal["both", "lower", "none"]


@dataclass(frozen=True)
class Selection:
    """Which codes are reported, as one place says it: a file of settings, or the command line.

    The longest prefix that fits a code decides; of two that are equally long, ``ignore``.

    Attributes:
        select: prefixes to report, and no others; None: it does not say.
        extend_select: prefixes to report besides.
        ignore: prefixes not to report.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def says(self, code: str) -> bool | None:
        """Whether the code is reported; None when this says nothing about it."""
        wanted = _longest(code, (*(self.select or ()), *self.extend_select))
        unwanted = _longest(code, self.ignore)
        if wanted < 0 and unwanted < 0:
            return None if self.select is None else False
        return wanted > unwanted

    def names(self, code: str) -> bool:
        """Whether it asks for a code in full, or for all there are."""
        asked = (*(self.select or ()), *self.extend_select)
        return code in asked or ALL in asked


@dataclass(frozen=True)
class Options:
    """What the user asked for.

    Attributes:
        select: code prefixes to report; None: every rule that is on by default.
        extend_select: code prefixes to report besides; a code in full also turns on a rule
            that is off by default.
        ignore: code prefixes not to report; see :class:`Selection`.
        said_last: what the command line says, which wins over the three above.
        per_file_ignores: pattern of paths below ``root`` (or of file names) -> prefixes.
        root: the folder that patterns of paths start from; the current one when empty.
        test_patterns: glob patterns of file names that are test files, in which
            rules about cost and about effects at trace time stay silent.
        enable: codes of rules that are off by default and wanted.
        jax: the releases of JAX that the project runs on, such as ``>=0.4.30,<0.7``; when
            empty, what the project's own requirements say.
        library_bounds: which bounds that the project sets to the releases of libraries around JAX
            hold: an upgrade of JAX takes them along.
        jit_wrappers: functions of the user's own that compile as ``jax.jit`` does, by full
            dotted name.
        traced_callables: functions of the user's own that trace every function they are given.
        unroll: iterations of a Python loop in traced code from which on JXL206 speaks.
        max_file_size: characters of the largest file, or notebook's code, that is linted: the
            syntax tree of one takes about a thousand times as many bytes.
        fixable: code prefixes of findings that may be mended automatically.
        unfixable: code prefixes of those that may not. The longest prefix decides.
        unsafe_fixes: fixes that a person should look at are applied too.
        silent_in_tests: rules about cost and about what will go stay silent in test files.
        unused_noqa: report ``# noqa`` comments with codes of jaxlint that silence nothing.
        noqa: whether findings on lines with a ``# noqa`` comment are dropped. Left to flake8,
            which does it itself, they are not; ignored, no comment counts, in no module.
        group: what repeats one cause is one finding that names all places. Turned off
            where each place is judged on its own, as against real JAX.
        src: folders in which the project's own modules lie, from ``root``; when empty, those
            of the importing file and the ones around it, up to the top of the project.
        docs_url: the address of the site that links of codes lead to; empty: no links.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    said_last: Selection = Selection()
    test_patterns: tuple[str, ...] = DEFAULT_TEST_PATTERNS
    enable: tuple[str, ...] = ()
    jax: str = ""
    library_bounds: LibraryBounds = "both"
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    root: str = ""
    jit_wrappers: tuple[str, ...] = ()
    traced_callables: tuple[str, ...] = ()
    unroll: int = 100
    max_file_size: int = 1_000_000
    fixable: tuple[str, ...] = (ALL,)
    unfixable: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    silent_in_tests: bool = True
    unused_noqa: bool = False
    noqa: Noqa = "respected"
    group: bool = True
    src: tuple[str, ...] = ()
    docs_url: str = SITE

    @property
    def sources(self) -> tuple[str, ...]:
        """The folders in ``src``, from the root on."""
        return tuple(os.path.join(self.root, folder) for folder in self.src)

    def wants(self, code: str, filename: str = "") -> bool:
        """Whether findings with this code are to be reported, in this file."""
        said = [each.says(code) for each in self._selections]
        wanted = next((each for each in said if each is not None), True)
        if not wanted and not self._enabled_besides(code):
            return False
        return not any(
            self._fits(filename, pattern) and _longest(code, prefixes) >= 0
            for pattern, prefixes in self.per_file_ignores
        )

    def mends(self, code: str) -> bool:
        """Whether findings with this code may be mended automatically."""
        allowed = _longest(code, self.fixable)
        return allowed >= 0 and _longest(code, self.unfixable) < max(allowed, 1)

    def enables(self, code: str) -> bool:
        """Whether a rule that is off by default is wanted: named in full, or by ``enable``."""
        return self._by_enable(code) or any(each.names(code) for each in self._selections)

    @property
    def _selections(self) -> tuple[Selection, ...]:
        """What was said, what counts most first."""
        if self.said_last.select is not None:
            return (self.said_last,)
        return self.said_last, Selection(self.select, self.extend_select, self.ignore)

    def _by_enable(self, code: str) -> bool:
        return _longest(code, self.enable) >= 0

    def _enabled_besides(self, code: str) -> bool:
        """Whether ``enable`` asks for it where it is merely not selected, in the settings."""
        ignored = any(_longest(code, each.ignore) >= 0 for each in self._selections)
        return self._by_enable(code) and not ignored and self.said_last.select is None

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
    """Length of the longest prefix that fits, 0 that of ``ALL``; -1 when none does."""
    fitting = ("" if prefix == ALL else prefix for prefix in prefixes)
    return max((len(prefix) for prefix in fitting if code.startswith(prefix)), default=-1)
