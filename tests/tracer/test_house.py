"""The rooms of the tracer: what may import what, and where names of JAX may stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import jaxlint.tracer
from jaxlint.knowledge.transforms import TRANSFORMS

TRACER = Path(jaxlint.tracer.__file__).parent
ROOMS = [
    {"values"},
    {"state"},
    {"analysis", "borders", "listeners", "parameters", "record"},
    {"callables", "tracer"},
    {"registering"},
    {"modules", "following"},
    {"names"},
    {"operations"},
    {"language"},
    {"transforms"},
    {"models"},
    {"calls"},
    {"analyses"},
    {"harness"},
    {"run"},
]
"""A room imports from those above it."""

LIBRARIES = ("flax.", "equinox.", "haiku.", "optax.", "chex.", "distrax.", "numpyro.")


def room_of(path: Path) -> str:
    return path.relative_to(TRACER).parts[0].removesuffix(".py")


def rank(room: str) -> int:
    return next(number for number, rooms in enumerate(ROOMS) if room in rooms)


def files() -> list[Path]:
    return [path for path in sorted(TRACER.rglob("*.py")) if path.parent != TRACER or (
        path.name != "__init__.py")]  # fmt: skip


def imported(path: Path) -> Iterator[str]:
    """Modules of the tracer that a file imports when it runs."""
    for node in run_time(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("jaxlint.tracer."):
            yield (node.module or "").removeprefix("jaxlint.tracer.")


def run_time(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a file, without what stands there for the type checker alone."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def test_a_room_imports_from_those_above_it() -> None:
    wrong = [
        f"{path.relative_to(TRACER)} imports {module}"
        for path in files()
        for module in imported(path)
        if rank(module.split(".")[0]) > rank(room_of(path))
    ]
    assert not wrong


def test_no_circle() -> None:
    edges = {
        path.relative_to(TRACER).with_suffix("").as_posix().replace("/", "."): set(imported(path))
        for path in files()
    }
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, " -> ".join((*trail, module))
        if module not in done:
            for other in edges.get(module, ()):
                visit(other, (*trail, module))
            done.add(module)

    for module in edges:
        visit(module, ())


def strings(path: Path) -> Iterator[str]:
    """String constants that are no docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    prose = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
    }  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in prose:
                yield node.value


def test_no_transform_and_no_library_is_known_by_name() -> None:
    wrong = [
        f"{path.relative_to(TRACER)}: {text}"
        for path in files()
        for text in strings(path)
        if text in TRANSFORMS or text.startswith(LIBRARIES)
    ]
    assert not wrong


def test_functions_of_jax_are_known_by_name_in_the_models_alone() -> None:
    wrong = [
        f"{path.relative_to(TRACER)}: {text}"
        for path in files()
        for text in strings(path)
        if text.startswith(("jax.", "numpy.")) and room_of(path) not in ("models", "values")
    ]
    assert not wrong
