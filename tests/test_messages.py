"""Messages as somebody reads them who is neither a native speaker nor a compiler engineer."""

from __future__ import annotations

import re
from functools import cache

import pytest

from jaxlint import Options, check_source
from jaxlint.confirm.fixtures.find import default_folder
from jaxlint.findings import Finding, split
from jaxlint.rules.registry import all_rules
from jaxlint.rules.rule import Rule
from jaxlint.source import read_source

LONGEST = 160

# What is told besides the mistake itself: both ends of the chain of reasons, the other places,
# the release of JAX, and that a call has to pass the parameter.
BESIDES = [
    r": `[^`]*` (?:is a parameter|comes from parameter `[^`]*`) of `[^`]*`, which \S+ traces"
    r"(?: \([^)]*\))?",
    r": every `?\S+?`? result is a tracer(?: in `[^`]*`, which \S+ traces(?: \([^)]*\))?)?",
    r": `[^`]*` is traced",
    r" \(also at [^)]*\)",
    r" \(before jax [^)]*\)",
    r", as soon as a call passes `[^`]*`",
    r"^in \S+, line \d+: ",
]
HOUSE_WORDS = re.compile(r"\b(minds?|left alone|gone|consumed|close over|draws from)\b")


def plain(message: str) -> str:
    """A message without what is told besides."""
    for pattern in BESIDES:
        message = re.sub(pattern, "", message)
    return message


@cache
def messages() -> dict[str, dict[str, Finding]]:
    """Code -> message -> a finding in the fixtures that says so."""
    found: dict[str, dict[str, Finding]] = {rule.code: {} for rule in all_rules()}
    every = Options(enable=("JXL",), jax=">=0.4")
    for file in sorted(default_folder().glob("JXL*/*.py")):
        for finding in check_source(read_source(file).text, str(file), every):
            if finding.code in found:
                found[finding.code].setdefault(finding.message, finding)
    return found


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_messages_are_short_and_help(rule: Rule) -> None:
    assert messages()[rule.code], "no fixture shows one"
    for message in messages()[rule.code]:
        text = plain(message)
        assert len(text) <= LONGEST, text
        what, advice = split(text)
        assert len(what) > 10, text
        assert len(advice) > 5, text
        assert not text.endswith((".", " ", ";")), text
        assert not HOUSE_WORDS.search(re.sub(r"`[^`]*`", "", text)), text
        assert text.count("`") % 2 == 0, text
        assert not re.search(r"\b1 (?!axis\b)(?:\w+ )?\w+s\b", text), text
        assert not re.search(r"\ba `?[aeioAEIO]|\ban `?[bcdfgjkmpqtvwz]", text), text


def forms(rule: Rule) -> list[re.Pattern[str]]:
    """The messages on the page: ``...`` stands for what differs."""
    _, _, section = rule.page().partition("## Messages\n")
    lines = [
        " ".join(item.split()) for item in re.split(r"^- ", section.split("\n#")[0], flags=re.M)
    ]
    return [
        re.compile(".+".join(re.escape(part) for part in line.split("...")))
        for line in lines
        if line
    ]


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_every_message_is_on_the_page(rule: Rule) -> None:
    on_page = forms(rule)
    shown = {plain(message) for message in messages()[rule.code]}
    missing = [text for text in shown if not any(form.fullmatch(text) for form in on_page)]
    assert not missing
    unused = [form.pattern for form in on_page if not any(map(form.fullmatch, shown))]
    assert not unused, "no fixture shows this message"


STATIC = """\
import jax


@jax.jit
def f(x, n, flags):
    for _ in range(n):
        x = x + 1
    if flags.fast:
        x = x * 2
    while abs(x) > 1:
        x = x / 2
    return x


f(1.0, 3, {})
"""


def test_static_is_advised_where_it_is_possible() -> None:
    said = {finding.line: finding.message for finding in check_source(STATIC, "a.py")}
    assert 'or make `n` static (`static_argnames="n"`)' in said[6]
    assert "static" not in said[10]
