"""What ``jaxlint confirm`` and ``jaxlint report`` have in common: linting, and where reports go."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from jaxlint.config import Options
from jaxlint.confirm.program.comparison import Comparison
from jaxlint.confirm.program.comparison_data import comparison_as_data
from jaxlint.confirm.program.data import as_data
from jaxlint.confirm.program.linted import Linted, lint
from jaxlint.confirm.program.page.whole import as_page
from jaxlint.confirm.program.report import Report
from jaxlint.confirm.program.text import Text
from jaxlint.frontends.streams import colours_wanted


def wrong_outputs(arguments: argparse.Namespace) -> str:
    """What is wrong with the options about reports; empty when nothing is."""
    for target in (arguments.json, arguments.html):
        if target is not None and not os.path.isdir(os.path.dirname(target.absolute())):
            return f"cannot write {target}: its folder does not exist"
    if arguments.retraces is not None and arguments.retraces < 0:
        return "--retraces must not be negative"
    return ""


def lint_with_progress(paths: Sequence[Path], options: Options) -> Linted:
    """Lint, and show on a terminal how far it is.

    Raises:
        jaxlint.workspace.discovery.PathError: a path does not exist or has no Python file.
    """
    linted = lint(paths, options, _progress)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return linted


def _progress(number: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[Klinting {number}/{total}", end="", file=sys.stderr, flush=True)


def text_for(stream: TextIO) -> Text:
    """What writes reports as text there: in colours, and as wide as a terminal."""
    colours = colours_wanted("auto", stream)
    return Text.for_terminal(colours) if stream.isatty() else Text(colours)


def write_outputs(
    report: Report, arguments: argparse.Namespace, comparison: Comparison | None = None
) -> str:
    """Write the files that were asked for; returns what went wrong, or nothing."""
    try:
        if arguments.json is not None:
            target = arguments.json
            data = as_data(report)
            if comparison is not None:
                data["fix"] = comparison_as_data(comparison)
            target.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
        if arguments.html is not None:
            target = arguments.html
            target.write_text(as_page(report), "utf-8", "backslashreplace")
    except OSError as error:
        return f"cannot write {target}: {error.strerror}"
    return ""
