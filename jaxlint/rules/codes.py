"""The codes there are, without loading a rule: every rule is the file that is called so."""

from __future__ import annotations

import difflib
import os
import re
from functools import cache

from jaxlint.config import ALL
from jaxlint.findings import CANNOT_CHECK, NOT_FINISHED, UNUSED_NOQA

ABOUT_JAXLINT = (CANNOT_CHECK, UNUSED_NOQA, NOT_FINISHED)
"""Codes that no rule has."""

_FILE = re.compile(r"(jxl\d{3})\.py")
_LOOK_ALIKE = str.maketrans("OoIl", "0011")


@cache
def rule_codes() -> tuple[str, ...]:
    """The codes of all rules."""
    found = map(_FILE.fullmatch, os.listdir(os.path.dirname(__file__)))
    return tuple(sorted(match[1].upper() for match in found if match))


def code_of(text: str) -> str:
    """The code, or beginning of codes, that a user means by a code or the name of a rule.

    What means nothing stays as it is: :func:`problem_with` says so.
    """
    if text.upper() == ALL:
        return ALL
    if "-" in text:
        from jaxlint.rules.registry import find_rule

        rule = find_rule(text)
        return rule.code if rule is not None else text
    return text.upper()


def problem_with(text: str) -> str:
    """What is wrong with a code, beginning of codes, or name; empty when nothing."""
    meant = code_of(text)
    known = (*rule_codes(), *ABOUT_JAXLINT)
    if meant == ALL or (meant and any(code.startswith(meant) for code in known)):
        return ""
    return f"no rule {text!r}; {advice(text)}"


def advice(text: str) -> str:
    """What to try in place of a code that there is not."""
    guess = close_to(text)
    return f"did you mean {guess}?" if guess else "see: jaxlint rule --all"


def close_to(text: str) -> str:
    """The code or name that was meant by what is none; empty when nothing is near."""
    tidy = text.strip().upper()
    digits = re.sub(r"^[A-Z]*?(?=[\dOIL]{3}$)", "", tidy).translate(_LOOK_ALIKE).replace("L", "1")
    if f"JXL{digits}" in rule_codes():
        return f"JXL{digits}"
    if re.fullmatch(r"\d{3}", digits):
        # Digits that are near say nothing about what is meant: 119 is no kind of 199.
        family = [code for code in rule_codes() if code.startswith(f"JXL{digits[0]}")]
        return f"{family[0]} to {family[-1]}" if len(family) > 1 else "".join(family)
    from jaxlint.rules.registry import all_rules

    names = {rule.name: rule.code for rule in all_rules()}
    close = difflib.get_close_matches(tidy.lower().replace("_", "-"), names, 1)
    return f"{close[0]} ({names[close[0]]})" if close else ""
