"""Walking the lowered program without running it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.program import nodes as n

_SKIP = frozenset({"origin", "scope"})
_FIELDS: dict[type[n.Node], tuple[str, ...]] = {}


def children(node: n.Node) -> list[n.Node]:
    """The nodes directly below a node; functions nested in it included."""
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = tuple(name for name in kind.__dataclass_fields__ if name not in _SKIP)
        _FIELDS[kind] = fields
    found: list[n.Node] = []
    for name in fields:
        value = getattr(node, name)
        if isinstance(value, n.Node):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            _add_nodes(value, found)
    return found


def _add_nodes(values: Iterable[object], found: list[n.Node]) -> None:
    for value in values:
        if isinstance(value, n.Node):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            _add_nodes(value, found)


def walk(nodes: Iterable[n.Node]) -> Iterator[n.Node]:
    """The nodes and everything below them, parents first."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(children(node))


def is_dotted(node: n.Node) -> bool:
    """Whether an expression is a name, or attributes of one."""
    while isinstance(node, n.Attribute):
        node = node.value
    return isinstance(node, n.Name)


def assigned_names(nodes: Iterable[n.Node]) -> frozenset[str]:
    """Names that code in these nodes binds, nested functions left out.

    A comprehension binds its own for itself alone: they count where it is one of the nodes.
    """
    found: set[str] = set()
    waiting = list(nodes)
    for node in waiting:
        for clause in node.clauses if isinstance(node, n.Comprehension) else ():
            found.update(_bound(clause.target))
    while waiting:
        node = waiting.pop()
        targets: list[n.Node] = []
        if isinstance(node, n.Assign):
            targets = node.targets
        elif isinstance(node, (n.AugmentedAssign, n.AnnotatedAssign, n.For, n.Walrus)):
            targets = [node.target]
        elif isinstance(node, n.WithItem):
            targets = [node.target] if node.target is not None else []
        for target in targets:
            found.update(_bound(target))
        if not isinstance(node, n.Function):
            waiting.extend(children(node))
    return frozenset(found)


def _bound(target: n.Node) -> Iterator[str]:
    """Names that assigning to a target binds; an item or attribute of one stays bound as it is."""
    if isinstance(target, n.Name):
        yield target.id
    elif isinstance(target, n.Starred):
        yield from _bound(target.value)
    elif isinstance(target, n.Display):
        for element in target.elements:
            yield from _bound(element)
