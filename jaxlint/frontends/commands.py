"""The commands: what each is for, and where its options and its work are."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from jaxlint.frontends.parser import Parser


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        name: as it is typed.
        summary: a line of help.
        options: module that declares its options, in ``make_parser()``.
        work: module that does it, in ``run(arguments)``; it loads when it is needed.
        takes_command: whether another command may stand behind ``--``.
    """

    name: str
    summary: str
    options: str
    work: str
    takes_command: bool = False

    def parser(self) -> Parser:
        """What reads its options."""
        parser = _module(self.options).make_parser()
        assert isinstance(parser, Parser)
        return parser

    def load(self) -> Callable[[argparse.Namespace], int]:
        """What does it, and returns the exit code."""
        work: Callable[[argparse.Namespace], int] = _module(self.work).run
        return work


def _module(name: str) -> ModuleType:
    return import_module(f"jaxlint.frontends.{name}")


def _simple(name: str, summary: str) -> Command:
    return Command(name, summary, f"{name}_command", f"{name}_command")


COMMANDS = {
    command.name: command
    for command in (
        Command(
            "check", "lint files, folders and notebooks (jaxlint PATH does the same)",
            "check_options", "check_command",
        ),
        _simple("rule", "explain one rule, or list all"),
        Command(
            "confirm", "prove the rules, or the findings in your own program, under real JAX",
            "confirm_command", "confirm_command", takes_command=True,
        ),
        _simple("report", "join what confirm --collect has kept, of a pod or of shards of CI"),
        _simple("upgrade", "carry code from one release of JAX to another"),
        _simple("config", "explain the settings of pyproject.toml"),
        _simple("server", "the language server for editors"),
        _simple("clean", "delete what jaxlint remembers of earlier runs"),
        _simple("completion", "a script that completes commands and options in your shell"),
    )
}  # fmt: skip
"""By name, in the order in which help lists them."""
