"""What the names of a file are bound to by its imports, and which are bound by anything else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from jaxlint.program import nodes as n
from jaxlint.program.walk import children


class Bindings:
    """The imports of a file by the namespace they bind in.

    Attributes:
        scopes: id of the syntax of a function, class or comprehension (and the module) -> its
            namespace.
        attributes: id of a node -> the attribute of it that is read.
        reads: name -> where it stands and is not bound, in any namespace.
    """

    Before: TypeAlias = Callable[[object, n.Scope], bool]
    """Whether an import (its syntax, the namespace it binds in) has run where a name is used."""

    def __init__(self, program: n.Module) -> None:
        self.module = program.scope
        self.scopes: dict[int, n.Scope] = {id(program.origin): program.scope}
        self.reads: dict[str, list[n.Name]] = defaultdict(list)
        self.attributes: dict[int, n.Attribute] = {}
        self._imported: dict[n.Scope, list[n.Import]] = defaultdict(list)
        self._otherwise: dict[n.Scope, set[str]] = defaultdict(set)
        waiting: list[n.Node] = [program]
        while waiting:
            node = waiting.pop()
            self._note(node)
            if isinstance(node, n.Name):
                self.reads[node.id].append(node)
            elif isinstance(node, n.Attribute):
                self.attributes[id(node.value)] = node
            # What an import binds is no use of it.
            waiting.extend(() if isinstance(node, n.Import) else children(node))

    def name_of(self, qualified: str, scopes: Sequence[n.Scope], before: Before) -> str | None:
        """What something of a library is called where some namespaces are in force.

        Args:
            qualified: its full dotted name.
            scopes: from the inside out; the module's is the last.
            before: whether an import has run there.
        """
        found = [
            (len(package), -depth, name + qualified[len(package) :])
            for package, rest in _packages(qualified)
            for depth, scope in enumerate(scopes)
            for each in self._imported.get(scope, ())
            if each.qualified == package and each.target is not None
            for name in [each.target.id]
            if (not rest or _reaches(package, rest)) and before(each.origin, scope)
            if self._means(name, scope, package) and not self._hidden(name, scopes[:depth])
        ]
        return max(found)[2] if found else None

    def is_free(self, name: str, scopes: Sequence[n.Scope]) -> bool:
        """Whether nothing in the module, or in namespaces inside it, has a name."""
        return name not in self.module.bound and not self._hidden(name, scopes)

    def imports_at_the_top(self, name: str) -> str:
        """What a name of the module stands for that imports alone bind; else empty."""
        found = {e.qualified for e in self._imported[self.module] if _target(e) == name}
        return found.pop() if len(found) == 1 and self._means(name, self.module, "") else ""

    def _note(self, node: n.Node) -> None:
        if isinstance(node, n.Import):
            if node.target is not None:
                self._imported[node.target.scope].append(node)
            return
        if isinstance(node, (n.Function, n.ClassDefinition, n.Comprehension)):
            self.scopes[id(node.origin)] = node.scope
        if isinstance(node, n.Function):
            self._otherwise[node.scope].update(each.name for each in node.parameters)
        for target in _targets(node):
            self._otherwise[target.scope].add(target.id)

    def _means(self, name: str, scope: n.Scope, package: str) -> bool:
        """Whether every binding of a name is an import, and of the same thing."""
        others = {e.qualified for e in self._imported[scope] if _target(e) == name}
        rebound = any(
            name in names and scope_.outer.get(name) == "global"
            for scope_, names in self._otherwise.items()
        )
        return (
            name not in self._otherwise.get(scope, ())
            and not rebound
            and (not package or others == {package})
        )

    def _hidden(self, name: str, scopes: Sequence[n.Scope]) -> bool:
        return any(name in scope.bound for scope in scopes)


def _target(node: n.Import) -> str:
    return node.target.id if node.target is not None else ""


def _packages(qualified: str) -> Iterator[tuple[str, str]]:
    """A dotted name in two, in every way: ``a.b`` and ``c``, ``a`` and ``b.c``."""
    yield qualified, ""
    parts = qualified.split(".")
    for count in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[:count]), ".".join(parts[count:])


_OF_JAX = frozenset(
    {"custom_derivatives", "debug", "dtypes", "errors", "image", "lax", "nn", "numpy", "profiler",
     "random", "scipy", "sharding", "tree", "tree_util", "typing"}
)  # fmt: skip
"""Modules of JAX that `import jax` alone brings in (``tests/test_fixes.py`` asks it)."""


_OF_NUMPY = frozenset({"fft", "linalg"})
"""Modules of ``jax.numpy`` that come with it."""


def _reaches(package: str, rest: str) -> bool:
    """Whether the attributes ``rest`` of an imported package are there without another import."""
    first, _, further = rest.partition(".")
    if not further:
        return True
    known = _OF_JAX if package == "jax" else _OF_NUMPY if package == "jax.numpy" else ()
    return first in known and "." not in further.partition(".")[2]


_WITH_A_TARGET = (
    n.AugmentedAssign, n.AnnotatedAssign, n.For, n.Walrus, n.Clause, n.WithItem,
    n.FunctionDefinition, n.ClassDefinition,
)  # fmt: skip


def _targets(node: n.Node) -> Iterator[n.Name]:
    """The names that a node other than an import binds."""
    if isinstance(node, n.Assign):
        waiting: list[n.Node | None] = list(node.targets)
    elif isinstance(node, _WITH_A_TARGET):
        waiting = [node.target]
    elif isinstance(node, n.Handler):
        waiting = [node.name]
    elif isinstance(node, n.Pattern):
        waiting = list(node.captures)
    elif isinstance(node, n.Delete):
        waiting = list(node.targets)
    else:
        return
    while waiting:
        target = waiting.pop()
        if isinstance(target, n.Name):
            yield target
        elif isinstance(target, n.Starred):
            waiting.append(target.value)
        elif isinstance(target, n.Display):
            waiting.extend(target.elements)
