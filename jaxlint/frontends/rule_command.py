"""``jaxlint rule``: what a rule finds, why, and what to write instead."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from jaxlint.findings import CANNOT_CHECK, NOT_FINISHED, UNUSED_NOQA
from jaxlint.frontends.complaints import fail, unknown_rule
from jaxlint.frontends.parser import Parser
from jaxlint.frontends.streams import colours_wanted, write
from jaxlint.pages import page_address
from jaxlint.rules.registry import all_rules, find_rule
from jaxlint.rules.rule import Rule
from jaxlint.workspace.settings import SettingsError, settings_for

_WIDEST = 100

ABOUT_ITSELF = {
    CANNOT_CHECK: "JXL000: the file, or the cell of a notebook, was not checked: it is not "
    "Python or cannot be\nread, or jaxlint failed on it. It cannot be deselected.",
    NOT_FINISHED: "JXL002: jaxlint followed the file only up to this line: each file has a "
    "budget of steps, which\nkeeps a run short, and this one spent it, or nests code too deeply. "
    "What runs later was not\nlooked at. It is a note, and does not change the exit code. Split "
    "the file, or what it does when it\nis imported. It cannot be deselected.",
    UNUSED_NOQA: "JXL001: a `# noqa` comment names codes of jaxlint that there are not; or, when "
    "asked for with\n--unused-noqa, `unused-noqa = true` in pyproject.toml or "
    "`jaxlint-unused-noqa` of flake8, codes that are\nnot found on its lines.",
}
"""Codes that no rule has, explained."""


def make_parser() -> Parser:
    """What reads the options."""
    parser = Parser("jaxlint rule", "Explains one rule, or lists all of them.")
    parser.add_argument("code", nargs="?", help="a code or name, for example JXL101")
    parser.add_argument("--all", action="store_true", help="the table of all rules")
    parser.add_argument(
        "--output-format", choices=("text", "markdown", "json"), default="text", metavar="FORMAT",
        help="(text), markdown, json",
    )  # fmt: skip
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto",
        help="(auto: on a terminal, as NO_COLOR and FORCE_COLOR say)",
    )  # fmt: skip
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    if arguments.all or arguments.code is None:
        rules = all_rules()
    elif arguments.code.upper() in ABOUT_ITSELF:
        return _print(f"{ABOUT_ITSELF[arguments.code.upper()]}\n")
    else:
        found = find_rule(arguments.code)
        if found is None:
            return unknown_rule(arguments.code)
        rules = (found,)
    if arguments.output_format == "json":
        try:
            docs_url = settings_for(Path.cwd()).options.docs_url
        except SettingsError as error:
            return fail(str(error))
        data = [as_data(rule, docs_url) for rule in rules]
        one = arguments.code is not None and not arguments.all
        return _print(json.dumps(data[0] if one else data, indent=2) + "\n")
    if arguments.all or arguments.code is None:
        return _print("".join(map(_line, rules)))
    return _print(_page(rules[0], arguments))


def as_data(rule: Rule, docs_url: str) -> dict[str, Any]:
    """All there is to know about a rule, for programs."""
    evidence = rule.evidence
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "url": page_address(rule.code, docs_url) or None,
        "severity": rule.severity,
        "default": rule.default,
        "in_tests": rule.in_tests,
        "evidence": {
            "kind": evidence.kind,
            "exceptions": list(evidence.exceptions),
            "effects": list(evidence.effects),
            "measured": evidence.measured,
        },
        "explanation": rule.page(),
    }


def _line(rule: Rule) -> str:
    off = "" if rule.default else "  (off by default)"
    return f"{rule.code}  {rule.name:<28}  {rule.severity:<7}  {rule.summary}{off}\n"


def _page(rule: Rule, arguments: argparse.Namespace) -> str:
    """The page: drawn for a terminal, else as it is written."""
    colours = colours_wanted(arguments.color, sys.stdout)
    drawn = arguments.output_format == "text" and (colours or sys.stdout.isatty())
    return draw(rule.page(), colours) if drawn else rule.page()


def draw(page: str, colours: bool) -> str:
    """Markdown as a terminal shows it."""
    from io import StringIO

    from rich.console import Console
    from rich.markdown import Markdown

    out = StringIO()
    console = Console(
        file=out, force_terminal=colours, no_color=not colours,
        color_system="standard" if colours else None, width=min(Console().width, _WIDEST),
    )  # fmt: skip
    console.print(Markdown(page, code_theme="ansi_dark"))
    return out.getvalue()


def _print(text: str) -> int:
    problem = write(text, sys.stdout)
    return fail(f"cannot write: {problem}") if problem else 0
