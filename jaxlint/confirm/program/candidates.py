"""What JAX cannot tell of itself: places that are watched in case something happens there.

A print while tracing, a value of another module that changes after it was read, an unhashable
static argument leave no trace in JAX. Where the source could do so, the observer looks.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from jaxlint.confirm.event_kinds import (
    HOST_OUTPUT,
    LOST_STATE,
    STALE_OPTIMIZER,
    STALE_READ,
    UNHASHABLE_STATIC,
)
from jaxlint.confirm.observation import At, Observation, Occurrence, Seen
from jaxlint.confirm.observer.watchlist import Watch
from jaxlint.confirm.places import scopes_at
from jaxlint.source import Source

_OPTAX, _NNX = "optax", "nnx"
_LEAST = 2
"""How often a state must be what it was the time before."""

_REFUSES = "Non-hashable static arguments"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place at which something may happen.

    Attributes:
        kind: of the event that it would be.
        file: the file.
        what: the name that it would be about.
        watch: what the observer is told.
    """

    kind: str
    file: str
    what: str
    watch: Watch


@dataclass(frozen=True, slots=True)
class Project:
    """What is known of a project's files before any of it runs.

    Attributes:
        modules: names of its modules: values of others are left alone.
        compiled: names of functions that are compiled with static arguments.
    """

    modules: frozenset[str]
    compiled: frozenset[str]


def project_of(texts: Mapping[str, str]) -> Project:
    """What the files, path -> source, say of themselves."""
    compiled: set[str] = set()
    for text in texts.values():
        tree = Source(text).tree_if_any if "static_arg" in text else None
        if tree is not None:
            compiled.update(_with_static_arguments(tree))
    return Project(frozenset(map(_module_name, texts)), frozenset(compiled))


def _with_static_arguments(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if any(map(_says_static, node.decorator_list)):
                yield node.name
        elif isinstance(node, ast.Assign) and _says_static(node.value):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _says_static(node: ast.AST) -> bool:
    return any(
        isinstance(each, ast.keyword) and each.arg in ("static_argnums", "static_argnames")
        for each in ast.walk(node)
    )


def candidates_in(file: str, text: str, project: Project, first: int) -> list[Candidate]:
    """The places in a file, numbered from ``first`` on."""
    tree = ast.parse(text)
    found: list[Candidate] = []
    for kind, node, what in _places(tree, project):
        at = (node.lineno, node.col_offset)
        scopes = scopes_at(tree, at)
        if len(scopes) == 1:
            continue  # What runs when the module is imported is not traced.
        names, look = ([what], "stale") if kind == STALE_READ else ([], "")
        watch = Watch(first + len(found), _lines(node), scopes, names, look, False)
        found.append(Candidate(kind, file, what, watch))
    of_libraries = [
        *((STALE_OPTIMIZER, "optimizer", *step) for step in _steps(tree) if _OPTAX in text),
        *((LOST_STATE, "given", *use) for use in _uses_of_arguments(tree) if _NNX in text),
    ]
    for kind, look, node, names in of_libraries:
        scopes = scopes_at(tree, (node.lineno, node.col_offset))
        watch = Watch(first + len(found), _lines(node), scopes, names, look, False)
        found.append(Candidate(kind, file, names[0], watch))
    return found


def _uses_of_arguments(tree: ast.Module) -> Iterator[tuple[ast.expr, list[str]]]:
    """Where a function calls what it was given, or a method of it, or sets something in it.

    It must not hand that on to anybody, or return it.
    """
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
            continue
        body = function.body if isinstance(function.body, list) else [function.body]
        uses: dict[str, list[ast.expr]] = {}
        whole: set[str] = set()
        for node in (each for statement in body for each in ast.walk(statement)):
            owner = _changed(node)
            if owner is not None and isinstance(node, ast.expr):
                uses.setdefault(owner.id, []).append(node)
            parts = ast.iter_child_nodes(node)
            whole |= {
                each.id
                for each in parts
                if isinstance(each, ast.Name)
                and not isinstance(node, (ast.Attribute, ast.Subscript))
                and each is not owner
            }
        for each in (*function.args.posonlyargs, *function.args.args):
            if each.arg != "self" and each.arg not in whole:
                yield from ((node, [each.arg]) for node in uses.get(each.arg, ()))


def _changed(node: ast.AST) -> ast.Name | None:
    """The variable whose object an expression may change: it calls it, or sets a part of it."""
    is_set = isinstance(getattr(node, "ctx", None), ast.Store)
    if not isinstance(node, ast.Call) and not (is_set and not isinstance(node, ast.Name)):
        return None
    root: ast.AST = node.func if isinstance(node, ast.Call) else node
    while isinstance(root, (ast.Attribute, ast.Subscript)):
        root = root.value
    return root if isinstance(root, ast.Name) else None


def _lines(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.end_lineno or node.lineno


def _steps(tree: ast.Module) -> Iterator[tuple[ast.Call, list[str]]]:
    """Calls in loops: an argument that the loop does not bind anew, and those that it does."""
    for loop in ast.walk(tree):
        if not isinstance(loop, (ast.For, ast.While)):
            continue
        inside = [each for statement in loop.body for each in ast.walk(statement)]
        bound = {
            ast.unparse(each)
            for each in inside
            if isinstance(getattr(each, "ctx", None), ast.Store) and _is_dotted(each)
        }
        for call in inside:
            if isinstance(call, ast.Call):
                values = [*call.args, *(each.value for each in call.keywords)]
                given = list(map(ast.unparse, filter(_is_dotted, values)))
                moving = [name for name in given if name in bound]
                for name in given if moving else ():
                    if name not in bound:
                        yield call, [name, *moving]


def _is_dotted(node: ast.AST) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _places(tree: ast.Module, project: Project) -> Iterator[tuple[str, ast.expr, str]]:
    """(kind, where, name) of all that may happen in a file."""
    modules = _names_of_modules(tree, project.modules)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name) and function.id == "print":
                yield HOST_OUTPUT, node, "print"
            name = getattr(function, "attr", getattr(function, "id", ""))
            if name in project.compiled:
                yield UNHASHABLE_STATIC, node, "ValueError"
        elif isinstance(node, ast.Attribute) and id(node) not in called:
            owner = node.value
            if isinstance(owner, ast.Name) and owner.id in modules:
                yield STALE_READ, node, f"{owner.id}.{node.attr}"


def _names_of_modules(tree: ast.Module, modules: Collection[str]) -> set[str]:
    """Names that imports bind to modules of the project."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if alias.name.split(".")[-1] in modules:
                    found.add(alias.asname or alias.name.split(".")[0])
    return found


def _module_name(path: str) -> str:
    pure = PurePath(path)
    return pure.parent.name if pure.stem == "__init__" else pure.stem


def occurrences(candidates: list[Candidate], observation: Observation) -> Iterator[Occurrence]:
    """What has happened there after all."""
    for each in candidates:
        happened = _happened(each, observation.of(each.watch.number))
        if happened is not None:
            yield happened


def _happened(candidate: Candidate, seen: Seen) -> Occurrence | None:
    at = At(candidate.file, candidate.watch.lines[0], candidate.watch.scopes[0][1])
    if candidate.kind == HOST_OUTPUT and seen.traced:
        return Occurrence(candidate.kind, at, candidate.what, seen.traced)
    if candidate.kind == UNHASHABLE_STATIC:
        count = sum(
            times
            for (own, _, text), times in seen.raised.items()
            if own and text.startswith(_REFUSES)
        )
        return Occurrence(candidate.kind, at, candidate.what, count) if count else None
    if candidate.kind == LOST_STATE and seen.copied[True]:
        return Occurrence(candidate.kind, at, candidate.what, seen.copied[True])
    if candidate.kind == STALE_OPTIMIZER:
        again, other = seen.states[True], seen.states[False]
        same = again >= _LEAST and not other
        return Occurrence(candidate.kind, at, candidate.what, again) if same else None
    if candidate.kind == STALE_READ and seen.stale:
        name, was, now = min(seen.stale)
        how = "another object" if was == now else f"{now}"
        return Occurrence(candidate.kind, at, name, 1, example=f"was {was} then and is {how} now")
    return None
