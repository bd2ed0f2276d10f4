"""Nodes of the lowered program.

About forty plain classes without whitespace, positions or libcst types. Each
node keeps ``origin``, an opaque handle by which ``syntax.spans`` finds its
position if it is ever reported. Python's sugar that makes no difference to a
tracer is gone: an ``elif`` is an :class:`If` in an ``orelse``, an index tuple is
a :class:`Display`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

DONATES = frozenset({"donate", "donate_argnames", "donate_argnums"})
"""Options of calls, and keys, that are kept among what a file reads: does it donate?"""


class Scope:
    """One namespace of the program: a module, function, class or comprehension.

    Attributes:
        kind: what opened it.
        parent: the scope around it; None for the module.
        bound: names bound in it.
        outer: names it declares ``global`` or ``nonlocal``, with which of the two.
        captured: names bound in it that an inner scope reads or rebinds.
        reads, inner_reads: names read in it, and in scopes inside of it.
    """

    __slots__ = ("bound", "captured", "inner_reads", "kind", "outer", "parent", "reads")

    def __init__(
        self,
        kind: Literal["module", "function", "class", "comprehension"],
        parent: Scope | None,
    ) -> None:
        self.kind = kind
        self.parent = parent
        self.bound: set[str] = set()
        self.outer: dict[str, Literal["global", "nonlocal"]] = {}
        self.captured: set[str] = set()
        self.reads: set[str] = set()
        self.inner_reads: set[str] = set()

    def close(self) -> None:
        """The scope is complete: settle what is captured, tell the parent what is not."""
        visible = self.kind != "class"
        self.captured = self.inner_reads & self.bound if visible else set()
        if self.parent is None:
            self.captured = self.inner_reads
            return
        hidden = self.bound - self.outer.keys()
        self.parent.inner_reads |= (self.reads | self.outer.keys()) - hidden
        self.parent.inner_reads |= self.inner_reads - hidden if visible else self.inner_reads

    def hops(self, name: str) -> int:
        """How many frames out the name lives; -1 when it is a global or builtin."""
        if self.outer.get(name) == "global":
            return -1
        count = 0
        scope: Scope | None = self
        first = True
        while scope is not None and scope.parent is not None:
            visible = first or scope.kind != "class"
            if visible and name in scope.bound and name not in scope.outer:
                return count
            if scope.outer.get(name) == "global":
                return -1
            count += 1
            first = False
            scope = scope.parent
        return -1


@dataclass(slots=True, eq=False)
class Node:
    origin: object


# ---------------------------------------------------------------- expressions


@dataclass(slots=True, eq=False)
class Constant(Node):
    value: Any


@dataclass(slots=True, eq=False)
class Name(Node):
    id: str
    scope: Scope
    hops: int | None = None


@dataclass(slots=True, eq=False)
class Attribute(Node):
    value: Node
    attr: str


@dataclass(slots=True, eq=False)
class Subscript(Node):
    value: Node
    index: Node


@dataclass(slots=True, eq=False)
class Slice(Node):
    lower: Node | None
    upper: Node | None
    step: Node | None


@dataclass(slots=True, eq=False)
class Argument(Node):
    value: Node
    keyword: str | None
    star: str


@dataclass(slots=True, eq=False)
class Call(Node):
    function: Node
    arguments: list[Argument]


@dataclass(slots=True, eq=False)
class UnaryOperation(Node):
    operator: str
    operand: Node


@dataclass(slots=True, eq=False)
class BinaryOperation(Node):
    operator: str
    left: Node
    right: Node


@dataclass(slots=True, eq=False)
class BooleanOperation(Node):
    operator: Literal["and", "or"]
    left: Node
    right: Node


@dataclass(slots=True, eq=False)
class Comparison(Node):
    left: Node
    operators: list[str]
    comparators: list[Node]


@dataclass(slots=True, eq=False)
class Conditional(Node):
    test: Node
    body: Node
    orelse: Node


@dataclass(slots=True, eq=False)
class Starred(Node):
    value: Node


@dataclass(slots=True, eq=False)
class Display(Node):
    kind: Literal["tuple", "list", "set"]
    elements: list[Node]


@dataclass(slots=True, eq=False)
class DictDisplay(Node):
    items: list[tuple[Node | None, Node]]


@dataclass(slots=True, eq=False)
class Clause(Node):
    """``for target in iterable if test ...`` of a comprehension."""

    target: Node
    iterable: Node
    tests: list[Node]


@dataclass(slots=True, eq=False)
class Comprehension(Node):
    kind: Literal["list", "set", "dict", "generator"]
    element: Node
    value: Node | None
    clauses: list[Clause]
    scope: Scope


@dataclass(slots=True, eq=False)
class Formatted(Node):
    value: Node
    conversion: str | None
    spec: list[Node] | None


@dataclass(slots=True, eq=False)
class FormattedString(Node):
    parts: list[Node]


@dataclass(slots=True, eq=False)
class Walrus(Node):
    target: Name
    value: Node


@dataclass(slots=True, eq=False)
class Await(Node):
    value: Node


@dataclass(slots=True, eq=False)
class Yield(Node):
    """``yield value``; ``each``: ``yield from value``."""

    value: Node | None
    each: bool = False


@dataclass(slots=True, eq=False)
class Opaque(Node):
    """Syntax that the tracer has no meaning for; its value is unknown."""

    reason: str


TOO_DEEP = "nested too deeply"
"""Why a statement is opaque that Python's own stack is too short for."""


# ------------------------------------------------------------------ functions


@dataclass(slots=True, eq=False)
class Parameter(Node):
    name: str
    kind: Literal["positional_only", "positional", "star", "keyword_only", "double_star"]
    default: Node | None
    annotation: Node | None


@dataclass(slots=True, eq=False)
class Function(Node):
    """A ``def`` or ``lambda``; ``body`` of a lambda is one :class:`Return`.

    ``returns`` is the annotation of what it returns, ``found`` what was found out about its text.
    """

    name: str
    parameters: list[Parameter]
    body: list[Node]
    scope: Scope
    decorators: list[Node] = field(default_factory=list)
    is_async: bool = False
    is_generator: bool = False
    returns: Node | None = None
    found: dict[Any, Any] | None = None

    @property
    def is_lambda(self) -> bool:
        return self.name == "<lambda>"


@dataclass(slots=True, eq=False)
class Lambda(Node):
    function: Function


# ----------------------------------------------------------------- statements


@dataclass(slots=True, eq=False)
class ExpressionStatement(Node):
    value: Node
    shown: bool = False


@dataclass(slots=True, eq=False)
class Assign(Node):
    targets: list[Node]
    value: Node


@dataclass(slots=True, eq=False)
class AnnotatedAssign(Node):
    target: Node
    annotation: Node
    value: Node | None


@dataclass(slots=True, eq=False)
class AugmentedAssign(Node):
    target: Node
    operator: str
    value: Node


@dataclass(slots=True, eq=False)
class Return(Node):
    value: Node | None


@dataclass(slots=True, eq=False)
class Raise(Node):
    value: Node | None


@dataclass(slots=True, eq=False)
class Assert(Node):
    test: Node
    message: Node | None


@dataclass(slots=True, eq=False)
class Delete(Node):
    targets: list[Node]


@dataclass(slots=True, eq=False)
class Jump(Node):
    kind: Literal["break", "continue"]


@dataclass(slots=True, eq=False)
class If(Node):
    test: Node
    body: list[Node]
    orelse: list[Node]
    keyword: Literal["if", "elif"] = "if"


@dataclass(slots=True, eq=False)
class While(Node):
    test: Node
    body: list[Node]
    orelse: list[Node]


@dataclass(slots=True, eq=False)
class For(Node):
    target: Node
    iterable: Node
    body: list[Node]
    orelse: list[Node]


@dataclass(slots=True, eq=False)
class Handler(Node):
    type: Node | None
    name: Name | None
    body: list[Node]


@dataclass(slots=True, eq=False)
class Try(Node):
    """``exhibits``: a cell of a notebook shows what its body raises."""

    body: list[Node]
    handlers: list[Handler]
    orelse: list[Node]
    final: list[Node]
    exhibits: bool = False


@dataclass(slots=True, eq=False)
class RaisingCell(Node):
    """A cell of a notebook that is meant to raise: the exception ends it alone."""

    body: list[Node]


@dataclass(slots=True, eq=False)
class WithItem(Node):
    context: Node
    target: Node | None


@dataclass(slots=True, eq=False)
class With(Node):
    items: list[WithItem]
    body: list[Node]


@dataclass(slots=True, eq=False)
class Pattern(Node):
    """A ``case`` pattern.

    Attributes:
        kind: what it asks of the subject: ``any`` nothing; ``value`` that it equals that, ``is``
            that it is that constant, ``class`` that it is an instance of that; ``sequence`` that
            it has such elements, ``star`` being any number of them; ``mapping`` that it has such
            entries; ``or`` one of several patterns.
        value: an expression.
        parts: patterns of what is in the subject; those behind ``or``.
        name: what it binds.
        keys: of the last parts of a ``class`` the attributes, of those of a ``mapping`` the texts
            under which they stand; empty for a key that is no text.
    """

    kind: Literal["any", "value", "is", "class", "sequence", "star", "mapping", "or"]
    value: Node | None = None
    parts: list[Pattern] = field(default_factory=list)
    name: Name | None = None
    keys: list[str] = field(default_factory=list)

    @property
    def irrefutable(self) -> bool:
        """Whether everything matches."""
        return self.kind == "any"

    @property
    def compares(self) -> bool:
        """Whether the subject itself is compared with ``==``, which asks for a truth value."""
        return self.kind == "value" or (
            self.kind == "or" and any(part.compares for part in self.parts)
        )

    @property
    def captures(self) -> list[Name]:
        """The names that it binds, and that its parts do."""
        own = [self.name] if self.name is not None else []
        return own + [name for part in self.parts for name in part.captures]


@dataclass(slots=True, eq=False)
class Case(Node):
    pattern: Pattern
    guard: Node | None
    body: list[Node]


@dataclass(slots=True, eq=False)
class Match(Node):
    subject: Node
    cases: list[Case]


@dataclass(slots=True, eq=False)
class FunctionDefinition(Node):
    function: Function
    target: Name


@dataclass(slots=True, eq=False)
class ClassDefinition(Node):
    name: str
    target: Name
    bases: list[Argument]
    decorators: list[Node]
    body: list[Node]
    scope: Scope


@dataclass(slots=True, eq=False)
class Import(Node):
    """``import a.b as c`` or ``from a import b as c``: binds one name.

    ``qualified`` is the full dotted name that ``target`` stands for; a relative
    import keeps its leading dots. ``target`` is None for ``from a import *``. ``module`` is what
    an ``import`` statement loads, ``a.b`` also where it binds ``a``; empty for ``from a import b``.
    """

    qualified: str
    target: Name | None
    module: str = ""


@dataclass(slots=True, eq=False)
class Module(Node):
    """A whole file.

    Attributes:
        functions: every function of the file, in source order, lambdas excepted.
        lambdas: every lambda of the file.
        loaded: every name and attribute that is read somewhere in the file, and the names of
            options by which it donates.
        size: number of nodes, from which the tracer's step budget is drawn.
        found: what was found out about its text, for :func:`jaxlint.program.once.once`.
    """

    body: list[Node]
    scope: Scope
    functions: list[Function]
    lambdas: list[Function]
    loaded: set[str]
    size: int
    found: dict[Any, Any] | None = None
