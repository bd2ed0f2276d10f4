"""What a hunt says of what it tried."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

REPOSITORY = Path(__file__).parents[2]

Wrong = Literal["crashed", "hung", "lost", "executed"]
"""jaxlint failed; took too long; did not say what it had to say; ran what it should read."""

WRONGS: tuple[Wrong, ...] = ("crashed", "hung", "lost", "executed")

SLOW = 20.0
"""Seconds of processor time that one file, request or command may take."""


@dataclass(frozen=True)
class Caught:
    """One thing that went wrong."""

    wrong: Wrong
    what: str


@dataclass
class Round:
    """Some tries, and what they caught."""

    tried: int
    caught: list[Caught] = field(default_factory=list)


@dataclass(frozen=True)
class Hunt:
    """What every kind of hunt is given.

    Attributes:
        chance: every decision is made by it.
        folder: of this hunt alone; is deleted at its end.
        arguments: of the command line.
    """

    chance: random.Random
    folder: Path
    arguments: argparse.Namespace


Hunter = Callable[[Hunt], Iterator[Round]]


def counts(tried: int, caught: list[Caught]) -> str:
    """The last line of a hunt."""
    number = Counter(each.wrong for each in caught)
    return f"{tried} tried: " + ", ".join(f"{number[wrong]} {wrong}" for wrong in WRONGS)
