"""``jaxlint check --watch``: lint again whenever something has changed."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from jaxlint.frontends.check_plan import Plan
from jaxlint.frontends.complaints import warn
from jaxlint.project import forget_declared
from jaxlint.workspace.baseline import BaselineError
from jaxlint.workspace.discovery import find
from jaxlint.workspace.settings import FILE_NAME, SettingsError, forget

_PAUSE = 0.3
"""Seconds between two looks at the files."""

_CLEAR = "\x1b[2J\x1b[H"

State = dict[Path, tuple[int, int]]
"""Path -> when it was changed and how long it is."""


def watch(arguments: argparse.Namespace, check: Callable[[argparse.Namespace, Plan], int]) -> int:
    """Lint until the user has seen enough, which is an interrupt."""
    before: State | None = None
    while True:
        now = _state(arguments)
        if now != before:
            before = now
            _lint(arguments, check)
        time.sleep(_PAUSE)


def _lint(arguments: argparse.Namespace, check: Callable[[argparse.Namespace, Plan], int]) -> None:
    if sys.stdout.isatty() and arguments.output_file is None:
        print(_CLEAR, end="", flush=True)
    forget()
    forget_declared()
    try:
        check(arguments, Plan(arguments))
    except (SettingsError, BaselineError) as error:
        warn(str(error))
    if not arguments.quiet:
        warn(f"{time.strftime('%H:%M:%S')} watching; Ctrl-C ends")


def _state(arguments: argparse.Namespace) -> State:
    """What a run depends on: the Python files below the paths, and files of settings."""
    forget()
    try:
        plan = Plan(arguments)
        exclusions, ignore_files = plan.exclusions, plan.respect_gitignore
        files = find(map(Path, arguments.paths or ["."]), exclusions, ignore_files).files
    except SettingsError:
        files = []
    state: State = {}
    for path in (*files, *_beside(arguments, files)):
        try:
            found = os.stat(path)
        except OSError:
            continue
        state[path] = (found.st_mtime_ns, found.st_size)
    return state


def _beside(arguments: argparse.Namespace, files: list[Path]) -> Iterator[Path]:
    """Where settings are, or may come to be."""
    if arguments.config is not None:
        yield arguments.config
    folders = {Path.cwd(), *(Path(os.path.abspath(file)).parent for file in files)}
    above = {folder for each in folders for folder in (each, *each.parents)}
    yield from (folder / FILE_NAME for folder in sorted(above))
