"""How options are read: as argparse does, with one line and a guess for what is wrong."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from jaxlint.frontends.complaints import hint, warn

_WRONG_USE = 2


class Parser(argparse.ArgumentParser):
    """The options of one command.

    Options are not guessed from their beginnings: a script that does so would break with the
    next option that begins alike.
    """

    def __init__(self, prog: str, description: str, **more: Any) -> None:
        super().__init__(
            prog=prog, description=description, allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter, **more,
        )  # fmt: skip

    @property
    def option_names(self) -> list[str]:
        """Every option, long and short."""
        return [name for action in self._actions for name in action.option_strings]

    def read(self, given: Sequence[str]) -> argparse.Namespace:
        """The options; ends the program when they are wrong, or ask for help."""
        arguments, extra = self.parse_known_args(given)
        unknown = next((each for each in extra if each.startswith("-")), "")
        if unknown:
            name = unknown.split("=")[0]
            self._refuse(f"no option {name}{did_you_mean(name, self.option_names)}")
        if extra:
            self._refuse(f"unexpected argument {extra[0]!r}")
        return arguments

    def _refuse(self, message: str) -> NoReturn:
        warn(message)
        hint(f"usage: {self.prog} {self._shape()}")
        sys.exit(_WRONG_USE)

    def _shape(self) -> str:
        positional = [action for action in self._actions if not action.option_strings]
        words = ["[OPTIONS]", *(_metavar(action) for action in positional)]
        return f"{' '.join(words)}   ({self.prog} --help shows all)"

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line."""
        warn(message.removeprefix("argument ").replace("invalid choice: ", "no such choice: "))
        sys.exit(_WRONG_USE)


def _metavar(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest).upper()
    return f"[{name} ...]" if action.nargs == "*" else f"[{name}]"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ "; did you mean --select?"; nothing when nothing is near."""
    import difflib

    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]}?" if close else ""
