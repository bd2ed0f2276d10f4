"""The arguments of a call, and where they are written."""

from __future__ import annotations

from dataclasses import field

from jaxlint.program import nodes as n
from jaxlint.tracer.values.value import UNKNOWN, Value, immutable


@immutable
class Given:
    """One argument of a call, by the parameter it belongs to."""

    parameter: str
    value: Value
    node: n.Node


@immutable
class Arguments:
    """The arguments of one call.

    ``open_args`` stands for the elements of a ``*args`` of unknown length,
    ``open_kwargs`` for the values of an unknown ``**kwargs``.
    """

    args: tuple[Value, ...] = ()
    kwargs: dict[str, Value] = field(default_factory=dict)
    open_args: Value | None = None
    open_kwargs: Value | None = None

    def all(self) -> list[Value]:
        """Every value handed over."""
        found = [*self.args, *self.kwargs.values()]
        if self.open_args is not None:
            found.append(self.open_args)
        if self.open_kwargs is not None:
            found.append(self.open_kwargs)
        return found

    def get(self, position: int, keyword: str = "") -> Value | None:
        """One argument by position or keyword; None when it was not passed."""
        if keyword and keyword in self.kwargs:
            return self.kwargs[keyword]
        if 0 <= position < len(self.args):
            return self.args[position]
        if self.open_args is not None or self.open_kwargs is not None:
            return UNKNOWN
        return None

    def prepend(self, *args: Value) -> Arguments:
        """The same with more positional arguments first."""
        return Arguments((*args, *self.args), self.kwargs, self.open_args, self.open_kwargs)

    @property
    def closed(self) -> bool:
        """Whether every argument is in view."""
        return self.open_args is None and self.open_kwargs is None


ANYTHING = Arguments((), {}, UNKNOWN, UNKNOWN)
"""What a caller out of view passes."""


def argument_nodes(node: n.Node) -> list[n.Node]:
    """The expressions of the positional arguments of a call, up to the first ``*args``."""
    found: list[n.Node] = []
    for item in node.arguments if isinstance(node, n.Call) else []:
        if item.star:
            break
        if item.keyword is None:
            found.append(item.value)
    return found


def keyword_node(node: n.Node, keyword: str) -> n.Node:
    """The expression of a keyword argument; the call itself when it is not written out."""
    for item in node.arguments if isinstance(node, n.Call) else []:
        if item.keyword == keyword:
            return item.value
    return node


def nodes_of(arguments: Arguments, node: n.Node) -> list[n.Node]:
    """The expression of each positional argument; the call where none is written out."""
    nodes = argument_nodes(node)
    hidden = len(arguments.args) - len(nodes)
    if hidden > 0 and isinstance(node, n.Call):
        starred = any(item.star for item in node.arguments)
        return [*nodes, *[node] * hidden] if starred else [*[node] * hidden, *nodes]
    return nodes if hidden == 0 else [node] * len(arguments.args)


def called_as(node: n.Node) -> str:
    """The name that a call is written with."""
    function = node.function if isinstance(node, n.Call) else node
    if isinstance(function, n.Attribute):
        return function.attr
    return function.id if isinstance(function, n.Name) else ""
