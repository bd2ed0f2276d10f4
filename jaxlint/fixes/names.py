"""The names of a file: what they mean where a node stands, who reads and who binds them."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Hashable, Iterator
from functools import cached_property
from itertools import pairwise, takewhile
from typing import NamedTuple

import libcst as cst

from jaxlint.fixes.bindings import Bindings
from jaxlint.fixes.layout import Layout
from jaxlint.program import nodes as n
from jaxlint.source import Source


class _Reads(NamedTuple):
    """When a function reads a name.

    Attributes:
        called: whether a function inside of it does, at any time.
        loops: the ids of the loops that do.
        last: where that stands for the last time.
    """

    called: bool
    loops: frozenset[int]
    last: tuple[int, int]


class Names(Layout):
    """A file whose names can be asked about.

    Args:
        source: the file.
        tree: its syntax.
        program: what that was lowered to.
    """

    def __init__(self, source: Source, tree: cst.Module, program: n.Module) -> None:
        super().__init__(source, tree)
        self._program = program
        self._new_names: dict[tuple[n.Scope, str, Hashable], int] = {}
        self._last_new: dict[tuple[n.Scope, str], int] = {}
        self._scopes: dict[int, tuple[n.Scope, ...]] = {}

    def binds(self, name: cst.Name) -> bool:
        """Whether the innermost function around a name (or the module) has it for its own.

        Assigning to a name of an outer function would make another variable of it.
        """
        scope = self._variables_at(name)
        return name.value in scope.bound and name.value not in scope.outer

    def is_read_after(self, name: str, statement: cst.CSTNode) -> bool:
        """Whether anything in the function around a statement reads a name once that has run.

        A loop comes back to what stands above the statement, a function may be called at any time;
        what a module binds is there for everybody.
        """
        home = self.enclosing(statement, cst.FunctionDef)
        if home is None:
            return True
        inside = takewhile(lambda each: each is not home, self.around(statement))
        looping = [id(each) for each in inside if isinstance(each, (cst.For, cst.While))]
        reads = self.once(self._reads_in, home, name)
        again = bool(looping) and looping[-1] in reads.loops
        return reads.called or again or reads.last >= self.span(statement)[2:]

    def _reads_in(self, home: cst.FunctionDef, name: str) -> _Reads:
        """When a function reads a name."""
        written, bound = self.mentions(name, home)
        binding = {id(each) for each in bound}
        read = [each for each in written if id(each) not in binding]
        above = [[*takewhile(lambda one: one is not home, self.around(each))] for each in read]
        every = {id(one): one for each in above for one in each}.values()
        return _Reads(
            any(isinstance(one, (cst.FunctionDef, cst.Lambda)) for one in every),
            frozenset(id(one) for one in every if isinstance(one, (cst.For, cst.While))),
            max((self.span(each)[:2] for each in read), default=(0, 0)),
        )

    def is_bound_before(self, name: str, statement: cst.CSTNode) -> bool:
        """Whether a variable of the function around a statement has a value by then, by its place.

        A loop that runs no time, or a branch, may still have left it out.
        """
        home = self.enclosing(statement, cst.FunctionDef)
        if home is not None and name in {each.name.value for each in _parameters(home)}:
            return True
        first = self.once(self._first_bound, self._body(home), name, home)
        return first is not None and first < self.span(statement)[:2]

    def _body(self, home: cst.FunctionDef | None) -> cst.CSTNode:
        """The body of a function, or of the module."""
        return home.body if home is not None else self._tree

    def _first_bound(
        self, body: cst.CSTNode, name: str, home: cst.FunctionDef | None
    ) -> tuple[int, int] | None:
        """Where a body binds a variable for the first time."""
        bound = self.mentions(name, body).bound
        own = (each for each in bound if self.enclosing(each, cst.FunctionDef) is home)
        return min((self.span(each)[:2] for each in own), default=None)

    def is_bound_between(self, name: str, first: cst.CSTNode, last: cst.CSTNode) -> bool:
        """Whether a variable gets a value anywhere between two places of the same function."""
        home = self.enclosing(last, cst.FunctionDef)
        places = self.once(self._bound_anew, self._body(home), name)
        start, end = self.span(first)[2:], self.span(last)[:2]
        return bisect_left(places, start) < bisect_left(places, end)

    def _bound_anew(self, body: cst.CSTNode, name: str) -> list[tuple[int, int]]:
        """Where a body gives a variable a value, in the order of the file."""
        written = self.mentions(name, body).written
        return sorted(self.span(each)[:2] for each in written if self._binds_anew(each))

    def _binds_anew(self, name: cst.Name) -> bool:
        """Whether a variable has another value where a name stands: ``x += 1`` reads it too."""
        parent = self.parent(name)
        changed = isinstance(parent, cst.AugAssign) and parent.target is name
        return changed or not self._reads(name)

    def qualified(self, node: cst.CSTNode) -> str:
        """The full dotted name of something that a file imports at its top; else empty."""
        scopes = self._scopes_at(node)
        if isinstance(node, cst.Attribute):
            package = self.qualified(node.value)
            return f"{package}.{node.attr.value}" if package else ""
        if not isinstance(node, cst.Name) or any(node.value in each.bound for each in scopes[:-1]):
            return ""
        return self._bindings.imports_at_the_top(node.value)

    def value_of(self, name: cst.Name) -> cst.BaseExpression | None:
        """What a local variable was assigned, where one simple assignment alone binds it."""
        home = self.enclosing(name, cst.FunctionDef)
        if home is None or name.value in {each.name.value for each in _parameters(home)}:
            return None
        bound = self.mentions(name.value, home.body).bound
        found = [each for each in bound[:3] if each is not name]
        target = self.parent(found[0]) if len(found) == 1 else None
        if not isinstance(target, cst.AssignTarget) or target.target is not found[0]:
            return None
        assign = self.parent(target)
        return assign.value if isinstance(assign, cst.Assign) else None

    def same_variable(self, own: cst.Name, inner: cst.CSTNode) -> bool:
        """Whether a name of its function's own means the same variable further inside."""
        variables = self._variables_at(own)
        scopes = itertools.takewhile(lambda s: s is not variables, self._scopes_at(inner))
        return self.binds(own) and not any(own.value in each.bound for each in scopes)

    def is_global(self, name: cst.CSTNode) -> bool:
        """Whether a name means the same in all of the file: no function or class has it."""
        assert isinstance(name, cst.Name)
        return not any(name.value in each.bound for each in self._scopes_at(name)[:-1])

    def is_free(self, name: str, at: cst.CSTNode) -> bool:
        """Whether no name of the file's own hides one, such as a builtin, where a node stands."""
        return self._bindings.is_free(name, self._scopes_at(at))

    def is_captured(self, name: str, at: cst.CSTNode) -> bool:
        """Whether functions inside of the one around a node know its variable of this name."""
        return name in self._variables_at(at).captured

    def new_name(self, base: str, at: cst.CSTNode, purpose: Hashable) -> str:
        """A name that means nothing yet where a node stands; the same for the same purpose."""
        scope, scopes = self._variables_at(at), self._scopes_at(at)
        last = self._last_new.get((scope, base), 0)
        number = self._new_names.get((scope, base, purpose), last + 1)
        for count in itertools.count(number):
            name = base if count == 1 else f"{base}_{count}"
            read = any(name in each.reads or name in each.inner_reads for each in scopes)
            if not read and self._bindings.is_free(name, scopes):
                break
        self._new_names[scope, base, purpose] = count
        self._last_new[scope, base] = max(last, count)
        return name

    def uses(self, binding: cst.CSTNode, name: str) -> list[cst.Name]:
        """Where a name is read that an import binds, in its namespace and in those inside it."""
        scope = self._scopes_at(binding)[0]
        found: list[cst.Name] = []
        for node in self._bindings.reads.get(name, ()):
            origin = node.origin
            assert isinstance(origin, cst.Name)
            scopes = self._scopes_at(origin)
            owner = next((each for each in scopes if name in each.bound), None)
            if owner is scope:
                found.append(origin)
        return found

    def is_imported(self, node: cst.CSTNode, name: str) -> bool:
        """Whether ``module.name`` stands there and the file imports just that module."""
        module = name.rpartition(".")[0]
        return isinstance(node, cst.Attribute) and module in {
            self._bindings.imports_at_the_top(root.value)
            for root in [node.value]
            if isinstance(root, cst.Name)
        }

    def is_exported(self, binding: cst.CSTNode, name: str) -> bool:
        """Whether other modules may read a name of this one: ``__all__`` or ``__init__.py``."""
        if self._scopes_at(binding)[0].kind != "module":
            return False
        return "__all__" in self._bindings.module.bound or self.source.filename.endswith(
            "__init__.py"
        )

    @cached_property
    def _bindings(self) -> Bindings:
        return Bindings(self._program)

    def _variables_at(self, node: cst.CSTNode) -> n.Scope:
        """The namespace that an assignment where a node stands would bind in."""
        return next(s for s in self._scopes_at(node) if s.kind in ("function", "module"))

    def _scopes_at(self, node: cst.CSTNode) -> list[n.Scope]:
        """The namespaces that a name at a node is looked up in, from the inside out."""
        found = self._scopes_around(node)
        if isinstance(node, cst.Module) or not hasattr(node, "body"):
            own = self._bindings.scopes.get(id(node))
            found = (own, *found) if own is not None else found
        return [each for place, each in enumerate(found) if not place or each.kind != "class"]

    def _scopes_around(self, node: cst.CSTNode) -> tuple[n.Scope, ...]:
        """The namespaces that are around a node, from the inside out."""
        ways: list[tuple[cst.CSTNode, cst.CSTNode]] = []
        found: tuple[n.Scope, ...] = ()
        for below, each in pairwise(self.around(node)):
            if id(below) in self._scopes:
                found = self._scopes[id(below)]
                break
            ways.append((below, each))
        for below, each in reversed(ways):
            scope = self._bindings.scopes.get(id(each))
            # Decorators, defaults and bases of a definition belong to what is around it.
            inside = isinstance(each, cst.Module) or below is getattr(each, "body", below)
            found = (scope, *found) if scope is not None and inside else found
            self._scopes[id(below)] = found
        return found

    def _is_bound_before(self, at: cst.CSTNode) -> Bindings.Before:
        """Whether an import has run by the time that a node does."""
        line = self.span(at).line
        inside = any(isinstance(each, (cst.FunctionDef, cst.Lambda)) for each in self.around(at))

        def before(origin: object, scope: n.Scope) -> bool:
            assert isinstance(origin, cst.CSTNode)
            if scope.kind == "module" and inside:
                return True
            return self.span(origin).line < line

        return before


def _parameters(function: cst.FunctionDef) -> Iterator[cst.Param]:
    """All parameters of a function."""
    given = function.params
    yield from (*given.posonly_params, *given.params, *given.kwonly_params)
    for star in (given.star_arg, given.star_kwarg):
        if isinstance(star, cst.Param):
            yield star
