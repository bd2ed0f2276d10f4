"""Imports go from right to left only: a file imports from lower layers than its own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import jaxlint

PACKAGE = Path(jaxlint.__file__).parent
LAYERS = [
    {
        "one_line",
        "pages",
        "reading",
        "newer_syntax",
        "cells",
        "stored",
        "source",
        "config",
        "project",
        "requirements",
    },
    {"syntax"},
    {"program"},
    {"knowledge"},
    {"imports"},
    {"events"},
    {"tracer"},
    {"edits"},
    {"findings", "positions"},
    {"fixes"},
    {"rules"},
    {"neighbours"},
    {"check"},
    {"inspection"},
    {"workspace"},
    {"frontends", "confirm"},
]
ROOT = {"__init__", "__main__"}


def layer_of(part: str) -> int:
    return next(number for number, names in enumerate(LAYERS) if part in names)


def imports_of(path: Path) -> set[str]:
    """Parts of jaxlint that a file imports, except for type checking alone."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jaxlint"):
            parts = (node.module or "").split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
    return found


def test_imports_go_one_way() -> None:
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if part in ROOT:
            continue
        for imported in imports_of(path):
            if imported in {"__version__", "Options"}:
                continue
            if imported != part and layer_of(imported) > layer_of(part):
                wrong.append(f"{path.name} imports {imported}")
            if {imported, part} == {"frontends", "confirm"} and part == "confirm":
                wrong.append(f"{path.name} imports a front end")
    assert not wrong


def test_every_part_has_a_layer() -> None:
    parts = {path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.suffix == ".py"}
    parts |= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert parts - ROOT == set().union(*LAYERS)


def test_libcst_stays_in_syntax_lowering_and_fixes() -> None:
    users = set()
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        for node in ast.walk(tree):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "libcst" for name in names):
                users.add(path.relative_to(PACKAGE).as_posix())
    mending = {f"rules/{path.name}" for path in (PACKAGE / "rules").glob("*.py") if mends(path)}
    rest = {each for each in users if not each.startswith("fixes/")} - mending
    assert rest == {
        "syntax/parse.py",
        "syntax/reparse.py",
        "syntax/spans.py",
        "program/lower.py",
        "program/lower_expressions.py",
        "program/lower_patterns.py",
    }


def mends(path: Path) -> bool:
    """Whether a rule writes fixes: only then it may look at the syntax."""
    return re.search(r"def fix\(\s*self", path.read_text("utf-8")) is not None


def test_jax_is_imported_in_confirm_only() -> None:
    for path in PACKAGE.rglob("*.py"):
        if "confirm" in path.relative_to(PACKAGE).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] in ("jax", "jaxlib") for name in names), path


def test_the_observer_needs_nothing_of_jaxlint() -> None:
    """It runs where jaxlint is not installed."""
    for path in (PACKAGE / "confirm" / "observer").rglob("*.py"):
        assert not imports_of(path), path


def top_level_names(tree: ast.Module) -> list[str]:
    """The names that a module gives to its functions, classes and constants, in order."""
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
    return names


def test_no_name_is_given_twice_in_a_module() -> None:
    """A merge of two branches may leave a definition twice, and no other tool says so."""
    twice = []
    for path in sorted(PACKAGE.rglob("*.py")):
        names = top_level_names(ast.parse(path.read_text("utf-8")))
        twice += [f"{path.name}: {name}" for name in set(names) if names.count(name) > 1]
    assert not twice


def test_no_private_name_is_of_no_use() -> None:
    """What only its own definition mentions was left behind by a change."""
    idle = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text("utf-8")
        for name in top_level_names(ast.parse(text)):
            private = name.startswith("_") and not name.startswith("__")
            if private and len(re.findall(rf"\b{name}\b", text)) == 1:
                idle.append(f"{path.name}: {name}")
    assert not idle
