"""Small projects of several modules: what jaxlint finds in them, and what JAX says of it.

`# JXL101` at the end of a line is a finding there, `# JXL101 -> branch` one of what happens on
the line with `# here: branch`, in another module. `# quiet: why` marks a line that only looks as
if something were wrong; `# todo JXL101` a mistake that is not found yet. The project's
`verify.py` lets real JAX show each, in the function around the mark.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from jaxlint import Options, check_source

PROJECTS = Path(__file__).parent / "projects"
NAMES = sorted(path.parent.name for path in PROJECTS.glob("*/verify.py"))
OPTIONS = Options(enable=("JXL",), ignore=("JXL913",), jax=">=0.4")
_MARKS = re.compile(
    r"# (todo )?(JXL\d{3}(?: -> [\w-]+)?(?:, JXL\d{3}(?: -> [\w-]+)?)*)(?: # here: [\w-]+)?$"
)
_HERE = re.compile(r"# here: ([\w-]+)$")
_QUIET = re.compile(r"# quiet: \S")

Expected = tuple[str, int, str, str]
"""File, line, code, and the place in another module where it happens; empty for none."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a project; ``place``: its module and the function around it."""

    file: str
    number: int
    text: str
    place: str


def modules(name: str) -> list[Path]:
    """The modules of a project, without what proves it."""
    return [path for path in sorted((PROJECTS / name).rglob("*.py")) if path.name != "verify.py"]


def lines(name: str) -> Iterator[Line]:
    for path in modules(name):
        text = path.read_text("utf-8")
        around = _places(ast.parse(text))
        file = path.relative_to(PROJECTS / name).as_posix()
        for number, line in enumerate(text.splitlines(), 1):
            place = ".".join([path.stem, *around.get(number, ())])
            yield Line(file, number, line.rstrip(), place)


def _places(tree: ast.Module) -> dict[int, tuple[str, ...]]:
    """Line -> the function or method around it, by its name and its class's."""
    found: dict[int, tuple[str, ...]] = {}
    outermost: list[tuple[tuple[str, ...], ast.stmt]] = [((), node) for node in tree.body]
    while outermost:
        names, node = outermost.pop()
        if isinstance(node, ast.ClassDef):
            outermost += [((*names, node.name), inner) for inner in node.body]
        elif isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            for number in range(first, (node.end_lineno or 0) + 1):
                found[number] = (*names, node.name)
    return found


def marks(line: Line) -> Iterator[tuple[bool, str, str]]:
    """Of each mark on a line: whether it is a todo, the code, and the tag of where it happens."""
    found = _MARKS.search(line.text)
    for mark in found[2].split(", ") if found else ():
        code, _, tag = mark.partition(" -> ")
        yield bool(found and found[1]), code, tag


def expected(name: str) -> tuple[set[Expected], set[Expected]]:
    """What must be found, and what is not found yet."""
    tags: dict[str, str] = {}
    for line in lines(name):
        tag = _HERE.search(line.text)
        if tag is not None:
            assert tag[1] not in tags, f"two lines of {name} are {tag[1]}"
            tags[tag[1]] = f"{line.file}:{line.number}"
    wanted: set[Expected] = set()
    missing: set[Expected] = set()
    for line in lines(name):
        for todo, code, tag_of in marks(line):
            at = tags[tag_of] if tag_of else ""
            (missing if todo else wanted).add((line.file, line.number, code, at))
    return wanted, missing


def found(folder: Path) -> Iterator[Expected]:
    for path in sorted(folder.rglob("*.py")):
        if path.name == "verify.py":
            continue
        for finding in check_source(path.read_text("utf-8"), str(path), OPTIONS):
            at = ""
            if finding.happens_at is not None:
                other = os.path.normpath(path.parent / finding.happens_at.file)
                at = f"{Path(other).relative_to(folder).as_posix()}:{finding.happens_at.line}"
            yield path.relative_to(folder).as_posix(), finding.line, finding.code, at


@pytest.mark.parametrize("name", NAMES)
def test_what_is_found(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name  # Below `tests` the rules about cost would be silent.
    shutil.copytree(PROJECTS / name, folder, ignore=shutil.ignore_patterns("__pycache__"))
    wanted, todo = expected(name)
    got = set(found(folder))
    differences = [f"not found: {_shown(each)}" for each in sorted(wanted - got)]
    differences += [f"too much:  {_shown(each)}" for each in sorted(got - wanted - todo)]
    differences += [f"no todo:   {_shown(each)}" for each in sorted(got & todo)]
    assert differences == [], "\n".join(differences)


def _shown(each: Expected) -> str:
    file, line, code, at = each
    return f"{file}:{line} {code}" + (f" that happens at {at}" if at else "")


@pytest.mark.parametrize("name", NAMES)
def test_jax_agrees(name: str) -> None:
    if importlib.util.find_spec("jax") is None:
        pytest.skip("needs jax")
    command = [sys.executable, "-B", "verify.py"]
    ran = subprocess.run(
        command, cwd=PROJECTS / name, capture_output=True, text=True, check=False, timeout=600
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    shown = ran.stdout.split("\n")
    mistakes = {line.place for line in lines(name) if any(marks(line))}
    traps = {line.place for line in lines(name) if _QUIET.search(line.text)}
    assert {line[8:] for line in shown if line.startswith("mistake ")} == mistakes
    assert {line[5:] for line in shown if line.startswith("trap ")} == traps


def test_there_are_enough() -> None:
    every = [line for name in NAMES for line in lines(name)]
    assert len(NAMES) == 4
    for name in NAMES:
        assert 6 <= sum(path.name != "__init__.py" for path in modules(name)) <= 12
    assert sum(1 for line in every for _ in marks(line)) >= 60
    assert sum(1 for line in every if _QUIET.search(line.text)) >= 60


def test_todos(capsys: pytest.CaptureFixture[str]) -> None:
    """What is not found yet is said, not hidden."""
    missing = [(name, each) for name in NAMES for each in sorted(expected(name)[1])]
    with capsys.disabled():
        for name, each in missing:
            print(f"\ntodo in {name}: {_shown(each)}", end="")
