"""Begins a rule: its file with the page, and a folder of fixtures.

$ make new-rule CODE=JXL123 NAME=frozen-update EVENT=ItemAssignment

What it writes is a frame: it imports, reports nothing that is not marked in the bad
fixture, and says in capitals what its author has to fill in. ``make quick`` fails until
that is done.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from jaxlint import events
from jaxlint.rules.registry import find_rule

ROOT = Path(__file__).parent.parent

_RULE = '''\
"""{code}: WHAT IT FINDS, IN ONE LINE."""

from __future__ import annotations

from jaxlint import events
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text


class {title}(RuleOn[events.{event}]):
    """## What it does

    WHICH CODE IT FINDS, AND WHICH IT LEAVES ALONE.

    ## Why is this bad

    WHAT JAX DOES WITH IT, AND WHY.

    ## Bad

    ```python
    THE SHORTEST PROGRAM
    ```

    ## Instead

    ```python
    THE SAME, RIGHT
    ```

    ## Messages

    - `...` WHAT HAPPENS; WHAT TO WRITE
    """

    code = "{code}"
    name = "{name}"
    summary = "THE FIRST LINE OF THIS FILE AGAIN"
    evidence = Evidence(
        "raises",
        "jax N.N.N: WHAT IT SHOWED WHEN THE FIXTURES RAN.",
        exceptions=("TypeError",),
    )

    def judge(self, event: events.{event}, file: FileFacts) -> bool:
        return True

    def message(self, event: events.{event}) -> str:
        return f"`{{text(event.subject)}}` IS WRONG, AND WHY; WRITE THIS INSTEAD"
'''

_BAD = '''\
"""WHAT GOES WRONG HERE."""

import jax


@jax.jit
def f(x):
    return x  # {code}


def trigger():
    return f(1.0)
'''

_GOOD = '''\
"""THE SAME, RIGHT; AND WHAT LOOKS LIKE IT AND IS FINE."""

import jax


@jax.jit
def f(x):
    return x


def trigger():
    return f(1.0)
'''


class NotBegun(Exception):
    """The rule cannot be begun; the text is for its author."""


def begin(code: str, name: str, event: str, root: Path = ROOT) -> list[Path]:
    """Write the files of a rule; returns them.

    Args:
        code: a free one: three letters and three digits.
        name: reads as "allow <name>".
        event: the class in ``jaxlint.events`` that the rule judges.
        root: the checkout.

    Raises:
        NotBegun: the code or name is taken or malformed, or there is no such event.
    """
    if not re.fullmatch(r"JXL\d{3}", code):
        raise NotBegun(f"{code!r} is no code such as JXL123")
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", name):
        raise NotBegun(f"{name!r} is no name such as branch-on-traced-value")
    taken = find_rule(code) or find_rule(name)
    if taken is not None:
        raise NotBegun(f"{taken.code} is {taken.name} already")
    known = [each.__name__ for each in events.Event.__subclasses__()]
    if event not in (*known, "Event"):
        raise NotBegun(f"no event {event!r} in jaxlint/events; there are {', '.join(known)}")
    title = "".join(word.capitalize() for word in name.split("-"))
    folder = root / "fixtures" / f"{code}_{name.replace('-', '_')}"
    texts = {
        root / "jaxlint" / "rules" / f"{code.lower()}.py": _RULE,
        folder / "bad_first.py": _BAD,
        folder / "good_first.py": _GOOD,
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(code=code, name=name, title=title, event=event), "utf-8")
    return list(texts)


def main() -> int:
    """Begin the rule that the command line names; returns the exit code."""
    parser = argparse.ArgumentParser(description="Begin a rule.")
    parser.add_argument("code", help="JXL123")
    parser.add_argument("name", help="branch-on-traced-value")
    parser.add_argument("event", nargs="?", default="Event", help="BoolConversion")
    given = parser.parse_args()
    try:
        written = begin(given.code, given.name, given.event)
    except NotBegun as problem:
        print(problem, file=sys.stderr)
        return 2
    for path in written:
        print(path.relative_to(ROOT))
    print(
        f"\nNext: fill in what is in capitals; run the fixtures (jaxlint confirm {given.code});\n"
        "name the rule in CHANGELOG.md; its releases come by python -m tools.versions.\n"
        "make quick says what is missing."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
