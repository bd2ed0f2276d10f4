"""The flake8 plugin: ``flake8 --select JXL``.

flake8 imports this module for every run, so it stays cheap: nothing of libcst
or of the tracer loads until a file imports JAX.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from flake8.exceptions import ExecutionError
from flake8.violation import Violation

from jaxlint import __version__
from jaxlint.config import DEFAULT_TEST_PATTERNS, Options
from jaxlint.frontends.complaints import warn
from jaxlint.project import check_specifier
from jaxlint.source import Source
from jaxlint.workspace.lint import lint

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

    from jaxlint.findings import Finding


def _refuse(option: str, problems: Iterable[str]) -> None:
    for problem in filter(None, problems):
        raise ExecutionError(f"jaxlint-{option}: {problem}")


def _problem_with_code(code: str) -> str:
    from jaxlint.rules.codes import problem_with

    return problem_with(code)


def _code_of(text: str) -> str:
    from jaxlint.rules.codes import code_of

    return code_of(text)


def _problem_with_name(name: str) -> str:
    from jaxlint.workspace.settings import check_name

    return check_name(name)


def _problem_with_folder(name: str) -> str:
    from jaxlint.workspace.settings import check_folder

    return check_folder(name)


class Plugin:
    """One file, as flake8 hands it over."""

    name = "flake8-jaxlint"
    version = __version__
    # flake8 selects codes and honours noqa itself, and must see every finding.
    options = Options(noqa="left to flake8")

    def __init__(self, tree: ast.AST, filename: str, lines: list[str]) -> None:
        self._tree = tree
        self._filename = filename
        self._lines = lines
        self._source: Source | None = None

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        """Declare the options, for the command line and flake8's configuration files."""
        manager.add_option(
            "--jaxlint-test-patterns",
            default=",".join(DEFAULT_TEST_PATTERNS),
            comma_separated_list=True,
            parse_from_config=True,
            help="file names of tests, in which rules about cost and effects stay silent",
        )

        manager.add_option(
            "--jaxlint-enable",
            default="",
            comma_separated_list=True,
            parse_from_config=True,
            help="rules that are off by default and wanted, for example JXL502,JXL603",
        )
        manager.add_option(
            "--jaxlint-jax",
            default="",
            parse_from_config=True,
            help="releases of JAX that the code runs on, for example '>=0.4.30,<0.7' "
            "(default: what the project requires)",
        )
        for name, what in (
            ("jit-wrappers", "functions of your own that compile as jax.jit does, by full name"),
            ("traced-callables", "functions of your own that trace the functions they are given"),
        ):
            manager.add_option(
                f"--jaxlint-{name}",
                default="",
                comma_separated_list=True,
                parse_from_config=True,
                help=what,
            )
        manager.add_option(
            "--jaxlint-src",
            default="",
            comma_separated_list=True,
            normalize_paths=True,
            parse_from_config=True,
            help="folders in which the project's own modules lie, for example ./src,./lib "
            "(default: found by jaxlint)",
        )
        manager.add_option(
            "--jaxlint-unroll",
            type=int,
            default=Options.unroll,
            parse_from_config=True,
            help="iterations of a Python loop in traced code from which on JXL206 speaks",
        )
        manager.add_option(
            "--jaxlint-max-file-size",
            type=int,
            default=Options.max_file_size,
            parse_from_config=True,
            help="characters of the largest file that is linted",
        )
        manager.add_option(
            "--jaxlint-unused-noqa",
            action="store_true",
            parse_from_config=True,
            help="report noqa comments with codes of jaxlint that silence nothing",
        )

    @classmethod
    def parse_options(cls, namespace: argparse.Namespace) -> None:
        """Take the options over."""
        _refuse("enable", map(_problem_with_code, namespace.jaxlint_enable))
        names = (*namespace.jaxlint_jit_wrappers, *namespace.jaxlint_traced_callables)
        _refuse("jit-wrappers or jaxlint-traced-callables", map(_problem_with_name, names))
        _refuse("src", map(_problem_with_folder, namespace.jaxlint_src))
        if namespace.jaxlint_jax:
            _refuse("jax", [check_specifier(namespace.jaxlint_jax)])
        for name in ("unroll", "max_file_size"):
            if getattr(namespace, f"jaxlint_{name}") < 1:
                _refuse(name.replace("_", "-"), ["must be a number above 0"])
        cls.options = Options(
            test_patterns=tuple(namespace.jaxlint_test_patterns),
            enable=tuple(map(_code_of, namespace.jaxlint_enable)),
            jax=namespace.jaxlint_jax,
            jit_wrappers=tuple(namespace.jaxlint_jit_wrappers),
            traced_callables=tuple(namespace.jaxlint_traced_callables),
            src=tuple(namespace.jaxlint_src),
            unroll=namespace.jaxlint_unroll,
            max_file_size=namespace.jaxlint_max_file_size,
            unused_noqa=namespace.jaxlint_unused_noqa,
            noqa="ignored" if namespace.disable_noqa else "left to flake8",
        )

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Yield line, column, text and type of each finding."""
        for finding in lint(self._filename, self._read, self.options).findings:
            if finding.severity == "note":
                # Would fail the run: flake8 knows violations alone.
                warn(str(finding))
                continue
            if self._is_silenced(finding):
                continue
            text = f"{finding.code} {finding.message}"
            yield finding.line, finding.column, text, type(self)

    def _is_silenced(self, finding: Finding) -> bool:
        """Whether a comment silences it that flake8 does not know, as ``# jaxlint: noqa``.

        What flake8 silences it must see: other plugins ask whether a comment is of use.
        """
        source = self._read()
        if not source.is_silenced(finding.code, finding.line):
            return False
        at = (finding.code, self._filename, finding.line, finding.column)
        return not Violation(*at, "", source.line(finding.line)).is_inline_ignored(False)

    def _read(self) -> Source:
        if self._source is None:
            self._source = Source("".join(self._lines), self._filename, tree=self._tree)
        return self._source
