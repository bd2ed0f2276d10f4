"""``--show-files`` and ``--show-settings``: what a run would do, without doing it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from jaxlint.config import Options
from jaxlint.frontends.check_files import find_files
from jaxlint.frontends.check_plan import Plan
from jaxlint.frontends.complaints import fail
from jaxlint.frontends.streams import write
from jaxlint.rules.codes import rule_codes
from jaxlint.workspace.keys import KEYS

_TROUBLE = 2


def show(arguments: argparse.Namespace, plan: Plan) -> int:
    """Print what was asked for; returns the exit code."""
    if arguments.show_settings:
        return _print(_settings(_first_file(arguments, plan), plan))
    found = find_files(arguments, plan)
    code = _print("".join(f"{file}\n" for file in found.files))
    return _TROUBLE if found.missing or found.unreadable else code


def _first_file(arguments: argparse.Namespace, plan: Plan) -> Path:
    if arguments.stdin_filename is not None:
        return Path(arguments.stdin_filename)
    files = find_files(arguments, plan).files
    return files[0] if files else Path("jaxlint.py")


def _print(text: str) -> int:
    problem = write(text, sys.stdout)
    return fail(f"cannot write: {problem}") if problem else 0


def _settings(file: Path, plan: Plan) -> str:
    """The settings that hold for a file, as they would be written in pyproject.toml."""
    options, settings = plan.options(file), plan.settings(file.parent)
    lines = [f"# for {file}, from {plan.source_of(file.parent)}", "[tool.jaxlint]"]
    for name, key in KEYS.items():
        value: Any = getattr(options if hasattr(options, key.field) else settings, key.field)
        if value is None or (value == "" and key.kind != "address"):
            lines.append(f"# {name}: {key.default}")
        else:
            lines.append(f"{name} = {_toml(value, key.kind)}")
    said = options.said_last
    if said.select is not None or said.extend_select or said.ignore:
        lines += ["", "# and over them, from the command line"]
        lines += [
            f"# {name} = {_toml(value, 'codes')}"
            for name, value in vars(said).items()
            if value or (name == "select" and value is not None)
        ]
    on = [code for code in rule_codes() if _speaks(options, code, str(file))]
    lines += ["", f"# rules that speak: {', '.join(on) or 'none'}"]
    return "\n".join(lines) + "\n"


def _speaks(options: Options, code: str, file: str) -> bool:
    from jaxlint.rules.registry import find_rule

    rule = find_rule(code)
    return (
        rule is not None and (rule.default or options.enables(code)) and options.wants(code, file)
    )


def _toml(value: Any, kind: str) -> str:
    if kind == "table of codes":
        pairs = (f"{json.dumps(each)} = {_toml(codes, 'codes')}" for each, codes in value)
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(json.dumps, value))}]"
    return json.dumps(value if isinstance(value, (bool, int)) else str(value))
