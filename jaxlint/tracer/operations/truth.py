"""``bool(value)``, and what tests have said of unknown values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from jaxlint.events import BoolConversion, Site
from jaxlint.program import nodes as n
from jaxlint.program.registries import changed_by_functions, writers_elsewhere
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Moment
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values import arrays, containers, externals, objects
from jaxlint.tracer.values.arrays import Array, refuses_bool
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import Function, Instance
from jaxlint.tracer.values.value import VARIABLE, Clock, Const, Host, Unknown, Value, likely

ASKED = "asked"
"""What the symbols of variables of modules begin with that a test has asked for."""

Truth = Callable[[Tracer, Any, n.Node, str], "bool | None"]


def truth(tracer: Tracer, value: Value, node: n.Node, construct: str) -> bool | None:
    """The truth value that Python asks for on behalf of ``construct``; None when not certain."""
    return TRUTH[type(value)](tracer, value, node, construct)


def _open(tracer: Tracer, value: Value, node: n.Node, construct: str) -> bool | None:
    return None


def _certain(tracer: Tracer, value: Value, node: n.Node, construct: str) -> bool | None:
    return True


def _of_symbol(tracer: Tracer, value: Unknown | Host, node: n.Node, construct: str) -> bool | None:
    if isinstance(value, Unknown):
        # Whoever made the value, asking for its truth may wait for it.
        tracer.analyses.on_wait(value, node, construct)
    return told(tracer, value.symbol)


def told(tracer: Tracer, symbol: object) -> bool | None:
    """What a test of this unknown value has said before."""
    if symbol is None:
        return None
    if isinstance(symbol, tuple) and symbol[0] == "not":
        inner = told(tracer, symbol[1])
        return None if inner is None else not inner
    if isinstance(symbol, tuple) and symbol[0] == "and":
        parts = [told(tracer, part) for part in symbol[1:]]
        return False if False in parts else (None if None in parts else True)
    found = tracer.facts.get(symbol)
    return found if isinstance(found, bool) else None


def tell(tracer: Tracer, symbol: object, holds: bool) -> None:
    """Remember what a test says of an unknown value."""
    if isinstance(symbol, tuple) and symbol[0] == "not":
        tell(tracer, symbol[1], not holds)
    elif isinstance(symbol, tuple) and symbol[0] == "and":
        for part in symbol[1:] if holds else ():
            tell(tracer, part, True)
    elif symbol is not None and likely(symbol) is None:
        # What is likely is asked of other values at the next pass of a loop.
        tracer.trail.set(tracer.facts, symbol, holds)


def known(tracer: Tracer) -> dict[object, object] | None:
    """What tests have said so far, for a function that is made here."""
    return dict(tracer.facts) if tracer.facts else None


def agrees(tracer: Tracer, facts: dict[object, object] | None) -> bool:
    """Whether what was made where tests had said something may be there now."""
    return not facts or all(
        tracer.facts.get(symbol, fact) == fact for symbol, fact in facts.items()
    )


@contextmanager
def knowing(tracer: Tracer, facts: dict[object, object] | None) -> Iterator[None]:
    """Run what was made where tests had said something: that holds whenever it runs."""
    new = {k: v for k, v in (facts or {}).items() if k not in tracer.facts}
    for symbol, fact in new.items():
        tracer.trail.set(tracer.facts, symbol, fact)
    yield
    for symbol in new:
        tracer.trail.drop(tracer.facts, symbol)


def forget_variables(tracer: Tracer, before: frozenset[object]) -> None:
    """A function ends: nobody asks for what its variables held, but for functions made there."""
    for symbol in tracer.facts.keys() - before:
        if _is_of_variable(symbol):
            tracer.trail.drop(tracer.facts, symbol)


def _is_of_variable(symbol: object) -> bool:
    if not isinstance(symbol, tuple):
        return False
    return any(part == VARIABLE or _is_of_variable(part) for part in symbol)


def _const(tracer: Tracer, value: Const, node: n.Node, construct: str) -> bool | None:
    try:
        return bool(value.value)
    except (TypeError, ValueError):
        return None


def _array(tracer: Tracer, value: Array, node: n.Node, construct: str) -> bool | None:
    tracer.analyses.on_wait(value, node, construct)
    if refuses_bool(value):
        head = tracer.stack.asking if construct in ("if", "elif") else None
        chain = Site(head.origin) if head is not None else None
        context = tracer.context(node, node, value)
        tracer.emit(BoolConversion(context, construct, chain, value.dtype or ""))
    return None


def followed(tracer: Tracer, made: Moment | None) -> bool:
    """Whether everything that has happened to a container since it was made is in view.

    By the time that a function runs, other code may have filled a list that is not its own, nor of
    what called it; in a trace there is no other code, nor where the file runs from its top. What a
    call has made for code that still runs, such as the attributes of an object, is its own.
    """
    if made is None:
        return False
    frame = made.frame
    if made.level is not None or frame is tracer.stack.frame:
        return True
    return any(_runs(tracer, each) for each in (frame, *(link.frame for link in frame.chain)))


def stays(tracer: Tracer, container: Sequence) -> bool:
    """Whether a module has made a container at its top, and no function in view changes it."""
    frame = container.made.frame if container.made is not None else None
    if frame is None or frame.parent is not None or frame.function is not None:
        return False
    cell = container.cell
    bound = frame.names.items()
    names = {name for name, each in bound if isinstance(each, Sequence) and each.cell is cell}
    program = frame.code(tracer.module)
    if not names or not isinstance(program, n.Module) or names & changed_by_functions(program):
        return False
    others = [each.program for each in tracer.modules.values() if each and each.program]
    return not any(names & writers_elsewhere(each).keys() for each in (tracer.module, *others))


def _runs(tracer: Tracer, frame: Frame) -> bool:
    """Whether code still runs, from its top if it is the file."""
    stack = tracer.stack
    if frame is stack.globals:
        return frame.certain
    return any(frame is each for each in stack.running)


def _sequence(tracer: Tracer, value: Sequence, node: n.Node, construct: str) -> bool | None:
    if value.kind == "iterator":
        return True
    if value.items is None:
        return None
    own = value.kind == "tuple" or followed(tracer, value.made)
    return bool(value.items) if own else None


def _mapping(tracer: Tracer, value: Mapping, node: n.Node, construct: str) -> bool | None:
    if not followed(tracer, value.made):
        return None
    return bool(value.entries.known) or (None if value.entries.rest is not None else False)


def _instance(tracer: Tracer, value: Instance, node: n.Node, construct: str) -> bool | None:
    for name in ("__bool__", "__len__"):
        method = value.cls.find(name)
        if isinstance(method, Function):
            asked = tracer.call(method, Arguments((value,)), node)
            return truth(tracer, asked, node, construct) if name == "__bool__" else None
    return None if value.cls.traits.library else True


TRUTH: dict[type[Value], Truth] = {
    Unknown: _of_symbol,
    Host: _of_symbol,
    Const: _const,
    Clock: _open,
    Array: _array,
    arrays.Tree: _open,
    arrays.NumpyArray: _open,
    arrays.Ref: _open,
    arrays.AtProperty: _certain,
    arrays.Bounds: _certain,
    arrays.Donated: _open,
    containers.Contents: _open,
    containers.Entries: _open,
    Sequence: _sequence,
    Mapping: _mapping,
    objects.Traits: _open,
    objects.Class: _certain,
    Instance: _instance,
    Function: _certain,
    objects.BoundMethod: _certain,
    objects.Partial: _certain,
    objects.Transformed: _certain,
    objects.Qualified: _open,
    objects.Imported: _open,
    objects.Module: _certain,
    externals.External: _certain,
    externals.Stateful: _open,
    objects.Descriptor: _certain,
    objects.Super: _certain,
    objects.Choice: _open,
    objects.Method: _certain,
}
