"""What the documents show of jaxlint in a terminal: run, compared, and written again.

A block of the language ``console`` in which lines follow upon ``$ jaxlint ...`` is a transcript:
all of them are what the command writes. Blocks of commands alone are none. What JAX says, in
``confirm``, is left to a test that has the time for it.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

from jaxlint.frontends.command_line import main

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(
    r"(?<=^```console\n)(\$ jaxlint (?!confirm).*?)(?=^```$)", re.MULTILINE | re.DOTALL
)
_RUN = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def documents() -> list[Path]:
    """The documents that people write."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def transcripts(text: str) -> Iterator[tuple[str, str]]:
    """A transcript as it stands, and as it ought to stand."""
    for block in _BLOCK.findall(text):
        runs = _RUN.findall(block)
        if any(output.strip() for _, output in runs):
            yield block, "".join(f"$ {command}\n{said(command)}" for command, _ in runs)


@cache
def said(command: str) -> str:
    """What a command of jaxlint writes, run in the top folder without a cache."""
    name, *arguments = shlex.split(command)
    assert name == "jaxlint", f"only jaxlint has transcripts: {command}"
    if arguments[0] == "check" or arguments[0].endswith(".py"):
        arguments.append("--no-cache")
        arguments += [] if "--color" in arguments else ["--color", "never"]
    out, before = io.StringIO(), Path.cwd()
    os.chdir(ROOT)
    try:
        with redirect_stdout(out), redirect_stderr(out):
            main(arguments)
    finally:
        os.chdir(before)
    return out.getvalue()


def rewrite() -> list[str]:
    """Write every transcript as it ought to stand; returns the names of the files that changed."""
    changed = []
    for path in documents():
        text = new = path.read_text("utf-8")
        for stands, ought in transcripts(text):
            new = new.replace(stands, ought)
        if new != text:
            path.write_text(new, "utf-8")
            changed.append(path.relative_to(ROOT).as_posix())
    return changed
