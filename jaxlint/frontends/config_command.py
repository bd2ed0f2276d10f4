"""``jaxlint config``: the settings of ``pyproject.toml``, each explained."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from jaxlint.frontends.complaints import fail
from jaxlint.frontends.parser import Parser, did_you_mean
from jaxlint.frontends.streams import write
from jaxlint.workspace.keys import KEYS, KINDS, Key


def make_parser() -> Parser:
    """What reads the options."""
    parser = Parser(
        "jaxlint config",
        "Explains the settings: keys of [tool.jaxlint] in pyproject.toml. What holds for a\n"
        "file: jaxlint check --show-settings FILE.",
    )
    parser.add_argument("key", nargs="?", help="one of them, for example per-file-ignores")
    parser.add_argument(
        "--output-format", choices=("text", "json"), default="text", metavar="FORMAT",
        help="(text), json",
    )  # fmt: skip
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    wanted = arguments.key
    if wanted is not None and wanted not in KEYS:
        return fail(f"no setting {wanted!r}{did_you_mean(wanted, KEYS)}; see: jaxlint config")
    chosen = KEYS if wanted is None else {wanted: KEYS[wanted]}
    if arguments.output_format == "json":
        text = json.dumps({name: _as_data(key) for name, key in chosen.items()}, indent=2) + "\n"
    elif wanted is None:
        width = max(map(len, KEYS))
        text = "".join(f"{name:<{width}}  {key.brief}\n" for name, key in KEYS.items())
        text += "\njaxlint config KEY explains one.\n"
    else:
        text = explain(wanted)
    problem = write(text, sys.stdout)
    return fail(f"cannot write: {problem}") if problem else 0


def explain(name: str) -> str:
    """One setting, for people."""
    key = KEYS[name]
    return (
        f"{name}: {key.brief}\n\n{key.means}\n\n"
        f"type:     {KINDS[key.kind]}\ndefault:  {key.default}\nexample:  {key.example}\n"
    )


def _as_data(key: Key) -> dict[str, Any]:
    return {
        "type": KINDS[key.kind],
        "default": key.default,
        "example": key.example,
        "summary": key.brief,
        "explanation": key.means,
    }
