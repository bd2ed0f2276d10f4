"""What the names of a file are bound to by its imports, and which are bound by anything else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

from jaxlint.program import nodes as n
from jaxlint.program.walk import children


class _Imports:
    """The imports of a namespace.

    Attributes:
        names_of: package -> what it is called -> the imports that say so.
        packages_of: what something is called -> the packages that it is.
    """

    def __init__(self) -> None:
        self.names_of: dict[str, dict[str, list[n.Import]]] = defaultdict(dict)
        self.packages_of: dict[str, set[str]] = defaultdict(set)

    def add(self, node: n.Import, name: str) -> None:
        """Note one more."""
        self.names_of[node.qualified].setdefault(name, []).append(node)
        self.packages_of[name].add(node.qualified)


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
        self._imported: dict[n.Scope, _Imports] = defaultdict(_Imports)
        self._otherwise: dict[n.Scope, set[str]] = defaultdict(set)
        waiting: list[n.Node] = [program]
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue  # A module lists its functions besides.
            seen.add(id(node))
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
            if scope in self._imported and (not rest or reaches(package, rest))
            for name, imports in self._imported[scope].names_of.get(package, {}).items()
            if self._means(name, scope, package) and not self._hidden(name, scopes[:depth])
            if any(before(each.origin, scope) for each in imports)
        ]
        return max(found)[2] if found else None

    def is_free(self, name: str, scopes: Sequence[n.Scope]) -> bool:
        """Whether nothing in the module, or in namespaces inside it, has a name."""
        return name not in self.module.bound and not self._hidden(name, scopes)

    def imports_at_the_top(self, name: str) -> str:
        """What a name of the module stands for that imports alone bind; else empty."""
        found = [*self._imported[self.module].packages_of.get(name, ())]
        return found[0] if len(found) == 1 and self._means(name, self.module, "") else ""

    def _note(self, node: n.Node) -> None:
        if isinstance(node, n.Import):
            if node.target is not None:
                self._imported[node.target.scope].add(node, node.target.id)
            return
        if isinstance(node, (n.Function, n.ClassDefinition, n.Comprehension)):
            self.scopes[id(node.origin)] = node.scope
        if isinstance(node, n.Function):
            self._otherwise[node.scope].update(each.name for each in node.parameters)
        for target in _targets(node):
            self._otherwise[target.scope].add(target.id)

    def _means(self, name: str, scope: n.Scope, package: str) -> bool:
        """Whether every binding of a name is an import, and of the same thing."""
        return (
            name not in self._otherwise.get(scope, ())
            and name not in self._rebound
            and (not package or self._imported[scope].packages_of.get(name) == {package})
        )

    @cached_property
    def _rebound(self) -> frozenset[str]:
        """The names that functions bind anew for all of the module."""
        return frozenset(
            name
            for scope, names in self._otherwise.items()
            for name, where in scope.outer.items()
            if where == "global" and name in names
        )

    def _hidden(self, name: str, scopes: Sequence[n.Scope]) -> bool:
        return any(name in scope.bound for scope in scopes)


def _packages(qualified: str) -> Iterator[tuple[str, str]]:
    """A dotted name in two, in every way: ``a.b`` and ``c``, ``a`` and ``b.c``."""
    yield qualified, ""
    parts = qualified.split(".")
    for count in range(len(parts) - 1, 0, -1):
        yield ".".join(parts[:count]), ".".join(parts[count:])


_OF_JAX = frozenset(
    {"core", "custom_derivatives", "debug", "dtypes", "errors", "image", "lax", "nn", "numpy",
     "profiler", "random", "scipy", "sharding", "tree", "tree_util", "typing"}
)  # fmt: skip
"""Modules of JAX that `import jax` alone brings in (``tests/test_fixes.py`` asks it)."""


_BROUGHT_IN = {
    "jax": _OF_JAX,
    "jax.numpy": frozenset({"fft", "linalg"}),
    "equinox": frozenset({"nn"}),
}
"""Packages, and modules in them that come with their import."""


def reaches(package: str, rest: str) -> bool:
    """Whether the attributes ``rest`` of an imported package are there without another import."""
    first, _, further = rest.partition(".")
    if not further:
        return True
    return first in _BROUGHT_IN.get(package, ()) and "." not in further.partition(".")[2]


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
    elif isinstance(node, (n.Handler, n.Pattern)):
        waiting = [node.name]
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
