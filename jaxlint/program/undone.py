"""Changes that the code around them takes back: ``stack.append(x)`` and then ``stack.pop()``.

Asked of the text of the functions that a change happens in. A context manager that is a class
changes in ``__enter__`` and takes back in ``__exit__``; both count as one text here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.program.walk import alike, is_dotted, last_name, walk

_OPPOSITES = (
    ({"append", "push"}, {"pop", "remove"}),
    ({"appendleft"}, {"popleft"}),
    ({"add"}, {"remove", "discard"}),
)
"""Methods that put something into a container, and those that take it out."""

_PAIRS = {("__enter__", "__exit__"), ("__exit__", "__enter__")}
"""Methods of a class of which one takes back what the other does."""


def bodies(code: n.Function, owner: n.ClassDefinition | None) -> list[n.Node]:
    """The statements in which what a function changes may be taken back."""
    found = [*code.body]
    for statement in owner.body if owner is not None else ():
        if isinstance(statement, n.FunctionDefinition):
            if (code.name, statement.function.name) in _PAIRS:
                found += statement.function.body
    return found


def is_balanced(body: Iterable[n.Node], container: n.Node, method: str) -> bool:
    """Whether a method that changes a container stands beside one that does the opposite.

    ``pop(0)`` takes out what was put in long ago: what ``append`` has put in stays.
    """
    opposites = [
        ours if method in theirs else theirs
        for ours, theirs in _OPPOSITES
        if method in ours | theirs
    ]
    return any(
        any(call.function.attr in each for each in opposites)
        and alike(call.function.value, container)
        and not (call.function.attr == "pop" and call.arguments)
        for call in walk(body)
        if isinstance(call, n.Call) and isinstance(call.function, n.Attribute)
    )


def is_put_back(body: Iterable[n.Node], target: n.Node) -> bool:
    """Whether a variable or attribute is given again what it held: ``old = x.a; ...; x.a = old``.

    So is one that is counted up, and down again, and one that ``finally`` gives a constant.
    """
    finals = [each.final for each in walk(body) if isinstance(each, n.Try)]
    ends = [pair for final in finals for pair in _assigned(final)]
    if any(alike(into, target) and isinstance(value, n.Constant) for into, value in ends):
        return True
    steps = [each for each in walk(body) if isinstance(each, n.AugmentedAssign)]
    steps = [each for each in steps if alike(each.target, target)]
    if {each.operator for each in steps} >= {"+", "-"}:
        return True
    pairs = list(_assigned(body))
    kept = [into for into, value in pairs if alike(value, target)]
    return any(
        alike(into, target) and any(alike(value, each) for each in kept) for into, value in pairs
    )


def is_set_anew(body: Iterable[n.Node], target: n.Node) -> bool:
    """Whether a statement sets an item to what is not made of what it was: ``config["n"] = 2``.

    Done again, it changes nothing.
    """
    given = (each for each in walk(body) if isinstance(each, n.Assign))
    value = next(
        (each.value for each in given if any(into is target for into in each.targets)), None
    )
    if value is None or not isinstance(target, n.Subscript):
        return False
    return not any(_may_read(part, target) for part in walk([value]))


def _may_read(node: n.Node, item: n.Subscript) -> bool:
    """Whether an expression reads an item of a container, or calls a method of that."""
    if isinstance(node, n.Subscript):
        return alike(node.value, item.value) and alike(node.index, item.index)
    called = node.function if isinstance(node, n.Call) else None
    return isinstance(called, n.Attribute) and alike(called.value, item.value)


def gives_back(code: n.Module | n.Function, target: n.Attribute, value: n.Node) -> bool:
    """Whether a value was kept of an attribute of that name: ``old = x.a; ...; y.a = old``."""
    return is_dotted(value) and once(_kept_in, code).get(_written(value)) == {target.attr}


def _kept_in(code: n.Module | n.Function) -> dict[str, set[str]]:
    """Of which attributes each variable is assigned the value; empty for anything else."""
    found: dict[str, set[str]] = {}
    for into, held in _assigned(code.body):
        attr = held.attr if isinstance(held, n.Attribute) else ""
        found.setdefault(_written(into), set()).add(attr)
    return found


def _written(dotted: n.Node) -> str:
    """A name, or attributes of one, as the program has them."""
    if isinstance(dotted, n.Attribute):
        return f"{_written(dotted.value)}.{dotted.attr}"
    return last_name(dotted)


def takes_back_by(code: n.Function, owner: n.ClassDefinition, called: str) -> bool:
    """Whether what one end of a context manager calls, the other calls too: ``set(new)``."""
    return all(called in _called(each) for each in (code.body, _other_end(code, owner)))


def sets_at_both_ends(code: n.Function, owner: n.ClassDefinition, target: n.Node) -> bool:
    """Whether what one end of a context manager assigns to, the other does too."""
    other = _other_end(code, owner)
    return any(alike(into, target) for into, _ in _assigned(other))


def _other_end(code: n.Function, owner: n.ClassDefinition) -> list[n.Node]:
    own = {id(each) for each in code.body}
    return [each for each in bodies(code, owner) if id(each) not in own]


def _called(body: Iterable[n.Node]) -> set[str]:
    """The last names of what statements call."""
    return {last_name(each.function) for each in walk(body) if isinstance(each, n.Call)}


def restores(code: n.Function) -> bool:
    """Whether a function ends with giving back what it has saved: ``finally: load(saved)``."""
    for statement in walk(code.body):
        if isinstance(statement, n.Try) and statement.final:
            inside = {id(each) for each in walk([statement])}
            before = [each for each in walk(code.body) if id(each) not in inside]
            saved = [into for into, _ in _assigned(before)]
            if any(alike(each, into) for each in _handed(statement.final) for into in saved):
                return True
    return False


def _handed(body: Iterable[n.Node]) -> Iterator[n.Node]:
    """What statements hand on: arguments of calls, and what is assigned."""
    for node in walk(body):
        if isinstance(node, n.Call):
            yield from (each.value for each in node.arguments)
    yield from (value for _, value in _assigned(body))


def _assigned(body: Iterable[n.Node]) -> Iterator[tuple[n.Node, n.Node]]:
    """Each variable or attribute that is assigned, and what; those of a tuple one by one."""
    for node in walk(body):
        for target in node.targets if isinstance(node, n.Assign) else ():
            assert isinstance(node, n.Assign)
            pairs = [(target, node.value)]
            if isinstance(target, n.Display) and isinstance(node.value, n.Display):
                pairs = list(zip(target.elements, node.value.elements, strict=False))
            yield from ((into, value) for into, value in pairs if is_dotted(into))
