"""A page for each rule, and the table of all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxlint import Options, check_source
from jaxlint.frontends.formats.report import Report, name_and_summary
from jaxlint.frontends.formats.text import write
from jaxlint.frontends.rule_command import ABOUT_ITSELF
from jaxlint.pages import FOLDER
from jaxlint.rules.registry import all_rules
from jaxlint.rules.rule import Rule
from jaxlint.source import Source
from jaxlint.workspace.keys import KEYS
from jaxlint.workspace.lint import Linted
from tools.site.evidence import by_platform, by_release
from tools.site.history import since
from tools.site.markdown import fenced, folded, table

GROUPS = {
    "0": ("About jaxlint itself", "What it says of its own run and of comments that silence it."),
    "1": ("JAX raises", "The program ends with an error when the function is traced or called."),
    "2": ("Traced and compiled again", "It works, and costs seconds that nobody sees."),
    "3": ("Effects and values of trace time", "It runs once, while tracing, and never again."),
    "4": ("PRNG keys", "The numbers are not as random as they look."),
    "5": ("Waiting, and wide types", "Timings that lie, waits that nobody meant."),
    "6": ("Releases of JAX", "Names and parameters that come and go."),
    "7": ("Gradients", "NaN behind values that are fine, and rules that JAX refuses."),
    "8": ("State", "Objects of libraries whose changes JAX does not see."),
    "9": ("Devices and settings", "Meshes, axes, and settings that come too late."),
}
"""First digit of a code -> what such rules are about."""

_EXAMPLE = "example.py"
_IMPORTS = {
    "functools": "import functools", "partial": "from functools import partial",
    "math": "import math", "sys": "import sys", "time": "import time", "os": "import os",
    "jax": "import jax", "jnp": "import jax.numpy as jnp", "np": "import numpy as np",
}  # fmt: skip
"""What an example may use without saying so, and how it is imported."""

_IMPORT = re.compile(r"^\s*(import|from)\b.*$", re.MULTILINE)
_BLOCK = re.compile(r"```python\n(.*?)```\n?", re.DOTALL)


def rule_pages() -> dict[str, str]:
    """Path in the site -> Markdown."""
    pages = {f"{FOLDER}/{rule.code}.md": rule_page(rule) for rule in all_rules()}
    pages |= {f"{FOLDER}/{code}.md": _page_of_itself(code) for code in ABOUT_ITSELF}
    return pages | {f"{FOLDER}/index.md": _index()}


def rule_page(rule: Rule) -> str:
    """Everything there is to know about a rule."""
    sections = _sections(rule)
    said = _said(rule, sections.get("Bad", ""))
    parts = [f"# {rule.code} {rule.name}\n\n{_sentence(rule.summary)}\n\n{_facts(rule)}"]
    for heading, text in sections.items():
        parts.append(f"## {heading}\n\n{_with_imports(text) if heading == 'Bad' else text}\n")
        if heading == "Bad" and said:
            parts.append(f"jaxlint says:\n\n{fenced(said, '{ .text .said }')}")
    if rule.fixes:
        parts.append(f"## Fix\n\n{rule.fixes}\n")
    parts.append(f"## Evidence\n\n{_evidence(rule)}")
    parts.append(f"## Settings\n\n{_settings(rule)}")
    return "\n".join(parts)


def _sections(rule: Rule) -> dict[str, str]:
    """Heading -> text, of what the rule's author wrote."""
    body = rule.page().split("\n## Evidence\n")[0].split("\n## Fix\n")[0]
    parts = re.split(r"^## (.+)$", body, flags=re.MULTILINE)[1:]
    return {heading: text.strip() for heading, text in zip(parts[::2], parts[1::2], strict=True)}


def _facts(rule: Rule) -> str:
    fixable = "by `--fix`, as far as [Fix](#fix) says" if rule.fixes else "by hand"
    rows = [
        ("severity", f"{rule.severity}: " + _SEVERITIES[rule.severity]),
        ("on by default", "yes" if rule.default else "no"),
        ("in test files", "speaks" if rule.in_tests else "silent"),
        ("mended", fixable),
        ("since", since(rule.code)),
    ]
    return table(("", ""), ((f"**{name}**", value) for name, value in rows))


_SEVERITIES = {
    "error": "JAX raises",
    "warning": "it runs, and is wrong or slow",
    "note": "no mistake",
}


def _with_imports(text: str) -> str:
    """A section with an example, the imports of which are written out."""
    found = _BLOCK.search(text)
    if found is None:
        return text
    return text[: found.start()] + fenced(complete(found[1]), "python") + text[found.end() :]


def complete(example: str) -> str:
    """An example with the imports that it does not show."""
    code = _IMPORT.sub("", example)
    missing = [
        line
        for name, line in _IMPORTS.items()
        if re.search(rf"(?<![\w.]){name}(?!\w)", code) and not _is_imported(example, name)
    ]
    if not any("jax" in line for line in (*missing, example)):
        missing.insert(0, _IMPORTS["jax"])  # Other files are of no interest to jaxlint.
    return "\n".join(missing) + "\n\n" + example if missing else example


def _is_imported(example: str, name: str) -> bool:
    bound = rf"import {name}|import .+ as {name}|from \S+ import (.+(,| as) )?{name}"
    return bool(re.search(rf"^\s*({bound})\s*(,|$)", example, re.MULTILINE))


def _said(rule: Rule, bad: str) -> str:
    """What jaxlint says of the bad example, as the command draws it."""
    found = _BLOCK.search(bad)
    if found is None:
        return ""
    text = complete(found[1])
    every = Options(enable=("JXL",), jax=">=0.4")
    findings = [each for each in check_source(text, _EXAMPLE, every) if each.code == rule.code]
    drawn = write(Report([Linted(_EXAMPLE, findings)], {_EXAMPLE: Source(text, _EXAMPLE)}))
    return drawn.rpartition("\nFound ")[0] if findings else ""


def _evidence(rule: Rule) -> str:
    differs = "".join(
        f"- Before jax {each.before} {each.what}.\n" for each in rule.evidence.differs
    )
    releases = folded("Release by release, on the CPU", by_release(rule))
    return (
        f"{rule.evidence.measured}\n\n{differs}\n"
        "Every bad fixture of the rule must show this on each marked line and nowhere else, "
        "every good one must not; `jaxlint confirm "
        f"--rule {rule.code}` runs them on your machine ([how](../confirm.md)).\n\n"
        f"{by_platform(rule)}{releases}\n"
    )


def _settings(rule: Rule) -> str:
    lines = [
        f"- Off in a line: `# noqa: {rule.code}` at its end; in a file: `# jaxlint: noqa: "
        f"{rule.code}` ([silencing](../suppression.md)).",
        f'- Off everywhere: `ignore = ["{rule.code}"]`.',
    ]
    if not rule.default:
        on = f'`extend-select = ["{rule.code}"]`; in flake8: `jaxlint-enable = {rule.code}`'
        lines.append(f"- Off by default. On: {on}.")
    if not rule.in_tests:
        lines.append(
            "- Silent in test files, which [`test-patterns`](../settings.md#test-patterns) names."
        )
    lines += [f"- [`{name}`](../settings.md#{name}): {KEYS[name].brief}." for name in _about(rule)]
    return "".join(f"{line}\n" for line in lines)


def _about(rule: Rule) -> Iterator[str]:
    """The settings that say something about a rule."""
    return (name for name, key in KEYS.items() if rule.code.startswith(key.rules))


def _index() -> str:
    parts = [
        "# Rules\n\nA code is permanent: its first digit says what the rule is about. `ignore` and "
        "`select` take codes, beginnings of codes, and names. The table in a terminal: `jaxlint "
        "rule --all`; a page: `jaxlint rule JXL101`.\n"
    ]
    names = {code: (*name_and_summary(code), "") for code in sorted(ABOUT_ITSELF)}
    names |= {rule.code: (rule.name, rule.summary, _marks(rule)) for rule in all_rules()}
    for digit, (title, what) in GROUPS.items():
        rows = [
            (f"[{code}]({code}.md)", name, f"{summary}{marks}")
            for code, (name, summary, marks) in names.items()
            if code[3] == digit
        ]
        if rows:
            parts.append(f"## {title}\n\n{what}\n\n{table(('code', 'name', 'finds'), rows)}")
    return "\n".join(parts)


def _marks(rule: Rule) -> str:
    marks = [] if rule.default else ["off by default"]
    marks += ["can be fixed"] if rule.fixes else []
    return f" *({', '.join(marks)})*" if marks else ""


def _page_of_itself(code: str) -> str:
    """A code that no rule has."""
    name, summary = name_and_summary(code)
    text = ABOUT_ITSELF[code].removeprefix(f"{code}: ").replace("\n", " ")
    return f"# {code} {name}\n\n{_sentence(summary)}\n\n{_sentence(text)}\n"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
