"""The flake8 plugin: ``flake8 --select JXL``.

flake8 imports this module for every run, so it stays cheap: nothing of libcst
or of the tracer loads until a file imports JAX.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from flake8.exceptions import ExecutionError

from jaxlint import __version__
from jaxlint.check import INTERNAL_ERROR, check, internal_error
from jaxlint.config import DEFAULT_TEST_PATTERNS, Options
from jaxlint.project import is_specifier
from jaxlint.source import Source, SourceError

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager


class Plugin:
    """One file, as flake8 hands it over."""

    name = "flake8-jaxlint"
    version = __version__
    # flake8 selects codes and honours noqa itself, and must see every finding.
    options = Options(respect_noqa=False)

    def __init__(self, tree: ast.AST, filename: str, lines: list[str]) -> None:
        self._source = Source("".join(lines), filename)

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

    @classmethod
    def parse_options(cls, namespace: argparse.Namespace) -> None:
        """Take the options over."""
        from jaxlint.rules.registry import find_rule

        for code in namespace.jaxlint_enable:
            if find_rule(code) is None:
                raise ExecutionError(f"jaxlint-enable: no rule {code!r}; see: jaxlint rule --all")
        if namespace.jaxlint_jax and not is_specifier(namespace.jaxlint_jax):
            raise ExecutionError(
                f"jaxlint-jax: {namespace.jaxlint_jax!r} is no version range such as '>=0.4.30'"
            )
        cls.options = Options(
            test_patterns=tuple(namespace.jaxlint_test_patterns),
            enable=tuple(namespace.jaxlint_enable),
            jax=namespace.jaxlint_jax,
            respect_noqa=False,
        )

    def run(self) -> Iterator[tuple[int, int, str, type[Any]]]:
        """Yield line, column, text and type of each finding.

        An error in jaxlint becomes one finding: the other files go on.
        """
        try:
            findings = check(self._source, self.options)
        except SourceError as error:
            text = f"{INTERNAL_ERROR} libcst cannot parse this file, so it was not checked: "
            yield max(error.line, 1), max(error.column, 0), text + error.reason, type(self)
            return
        except Exception as error:
            findings = [internal_error(self._source, error)]
        for finding in findings:
            text = f"{finding.code} {finding.message}"
            yield finding.line, finding.column, text, type(self)
