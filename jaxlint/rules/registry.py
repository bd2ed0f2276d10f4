"""Finds the rules: every module of this folder named after a code."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from jaxlint.events import Event
from jaxlint.rules.rule import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    rules: list[Rule] = []
    for path in sorted(Path(__file__).parent.glob("jxl*.py")):
        module = importlib.import_module(f"jaxlint.rules.{path.stem}")
        rules += [
            value()
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, Rule) and "code" in vars(value)
        ]
    return tuple(sorted(rules, key=lambda rule: rule.code))


@cache
def by_event() -> dict[type[Event], tuple[Rule, ...]]:
    """The rules that listen to each event."""
    found: dict[type[Event], tuple[Rule, ...]] = {}
    for rule in all_rules():
        for event in rule.listens_to:
            found[event] = (*found.get(event, ()), rule)
    return found


def find_rule(code: str) -> Rule | None:
    """The rule with this code or name, or None."""
    wanted = code.strip()
    for rule in all_rules():
        if wanted.upper() == rule.code or wanted.lower() == rule.name:
            return rule
    return None
