"""The order of the pages."""

from __future__ import annotations

from typing import Any

from jaxlint.frontends.rule_command import ABOUT_ITSELF
from jaxlint.pages import FOLDER
from jaxlint.rules.registry import all_rules
from tools.site.rule_pages import GROUPS

Navigation = list[dict[str, Any]]


def navigation() -> Navigation:
    """Titles and pages, as mkdocs takes them."""
    return [
        {"Home": "index.md"},
        {"Start": [{"Your first run": "first-run.md"}, {"Why was nothing found?": "faq.md"}]},
        {
            "Guides": [
                {"Silencing": "suppression.md"},
                {"Fixes": "fixes.md"},
                {"Upgrade to a new JAX": "upgrade.md"},
                {"Prove it: confirm": "confirm.md"},
                {"Across modules": "modules.md"},
                {"Notebooks": "notebooks.md"},
                {"Editors": "editors.md"},
                {"CI and pre-commit": "ci.md"},
            ]
        },
        {"Rules": [f"{FOLDER}/index.md", *_groups()]},
        {
            "Reference": [
                {"Settings": "settings.md"},
                {"Command line": "commands.md"},
                {"Releases of JAX": "releases.md"},
            ]
        },
        {
            "About": [
                {"How it works": "how-it-works.md"},
                {"What others do": "comparison.md"},
                {"Changelog": "changelog.md"},
                {"Versions": "versioning.md"},
                {"Where to report": "reporting.md"},
                {"Work on it": "contributing.md"},
            ]
        },
    ]


def _groups() -> Navigation:
    codes = [*sorted(ABOUT_ITSELF), *(rule.code for rule in all_rules())]
    names = {rule.code: f"{rule.code} {rule.name}" for rule in all_rules()}
    groups = {
        title: [
            {names.get(code, code): f"{FOLDER}/{code}.md"} for code in codes if code[3] == digit
        ]
        for digit, (title, _) in GROUPS.items()
    }
    return [{title: pages} for title, pages in groups.items() if pages]


def paths(entries: Navigation | str | dict[str, Any] | list[Any]) -> list[str]:
    """The pages that navigation names."""
    if isinstance(entries, str):
        return [entries]
    parts = entries.values() if isinstance(entries, dict) else entries
    return [path for part in parts for path in paths(part)]
