"""Mistakes that people have mended themselves: what is said of the project as it was before.

    python benchmarks/mended.py REPOSITORY ...            clones with their history
    python benchmarks/mended.py REPOSITORY ... --only 3f2a91c ...

Looks for commits whose message says that they mend something about tracers, keys, donation or
compilation, and that change little code. Each project is laid out as it was before such a commit
and linted whole; a finding counts where it stands, or happens, beside what the commit changed.
Most of these commits mend something else: what is not found has to be read, next to its diff.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

_ABOUT = re.compile(
    r"tracer|traced|concretiz|donat|recompil|retrac|re-?jit|prng|key reuse|same key|split\w* key"
    r"|leak|static_arg|jittable|jit.?compat|under jit|inside jit|lax\.cond|block_until",
    re.IGNORECASE,
)
_MENDS = re.compile(r"fix|bug|avoid|wrong|error|correct|remov|prevent", re.IGNORECASE)
_MOST_FILES, _MOST_LINES = 4, 25
"""Of a commit that mends one thing: files of Python, and lines that it takes away."""

_BESIDE = 4
"""Lines around a change in which a finding is one of it."""

_KEPT = (".py", ".toml", ".cfg")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")
_CHECK = ("-m", "jaxlint", "check", "--no-cache", "--output-format", "json", ".")


@dataclass(frozen=True)
class Commit:
    """One that may mend a mistake."""

    repository: Path
    name: str
    message: str


def git(repository: Path, *arguments: str) -> bytes:
    """What git prints; nothing where it fails, as for objects that a clone lacks."""
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, check=False).stdout


def commits(repository: Path) -> Iterator[Commit]:
    """The commits that may mend a mistake, newest first."""
    listed = git(repository, "log", "--all", "--no-merges", "--format=%h%x09%s").decode(
        "utf-8", "replace"
    )
    for line in listed.splitlines():
        name, _, message = line.partition("\t")
        if _ABOUT.search(message) and _MENDS.search(message) and _is_small(repository, name):
            yield Commit(repository, name, message)


def _is_small(repository: Path, name: str) -> bool:
    listed = git(repository, "show", "--numstat", "--format=", name, "--", "*.py").decode(
        "utf-8", "replace"
    )
    rows = [line.split("\t") for line in listed.splitlines() if line]
    taken = sum(int(row[1]) for row in rows if row[1].isdigit())
    return len(rows) <= _MOST_FILES and 0 < taken <= _MOST_LINES


def changed(commit: Commit) -> dict[str, list[range]]:
    """The lines that a commit changes, by file, as they are numbered before it."""
    found: dict[str, list[range]] = {}
    file = ""
    shown = git(commit.repository, "show", "-U0", "--format=", commit.name, "--", "*.py")
    for line in shown.decode("utf-8", "replace").splitlines():
        if line.startswith("--- "):
            file = line.removeprefix("--- a/")
        hunk = _HUNK.match(line)
        if hunk is not None:
            first, count = int(hunk[1]), int(hunk[2] or 1)
            found.setdefault(file, []).append(range(first - _BESIDE, first + count + _BESIDE))
    return found


def lay_out(commit: Commit, folder: Path) -> None:
    """Write the project as it was before a commit."""
    before = f"{commit.name}^"
    listed = git(commit.repository, "ls-tree", "-r", "--name-only", before).decode(
        "utf-8", "replace"
    )
    kept = [name for name in listed.splitlines() if name.endswith(_KEPT)]
    archive = git(commit.repository, "archive", before, "--", *kept) if kept else b""
    if archive:
        with tarfile.open(fileobj=BytesIO(archive)) as opened:
            opened.extractall(folder, filter="data")


def findings(folder: Path) -> list[dict[str, Any]]:
    """What is said of a project."""
    result = subprocess.run([sys.executable, *_CHECK], cwd=folder, capture_output=True, check=False)
    return json.loads(result.stdout) if result.stdout else []


def beside(finding: dict[str, Any], lines: dict[str, list[range]]) -> bool:
    """Whether a finding stands, or happens, beside what was changed."""
    places = [finding, finding["happens_at"] or finding]
    return any(
        each["location"]["row"] in rows
        for each in places
        for rows in lines.get(Path(each["filename"]).as_posix(), ())
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("repositories", nargs="+", type=Path, help="clones with their history")
    parser.add_argument("--only", nargs="+", default=[], help="names of commits, as git shows them")
    arguments = parser.parse_args()
    count = found = 0
    for commit in (each for one in arguments.repositories for each in commits(one)):
        if arguments.only and not commit.name.startswith(tuple(arguments.only)):
            continue
        with tempfile.TemporaryDirectory() as folder:
            lay_out(commit, Path(folder))
            lines = changed(commit)
            near = [each for each in findings(Path(folder)) if beside(each, lines)]
        count, found = count + 1, found + bool(near)
        print(
            f"{'found' if near else '-':6}{commit.repository.name} {commit.name} {commit.message}"
        )
        for each in near:
            row = each["location"]["row"]
            print(f"      {each['code']} {each['filename']}:{row} {each['what']}", flush=True)
    print(f"{count} commits, findings beside {found} of them")


if __name__ == "__main__":
    main()
