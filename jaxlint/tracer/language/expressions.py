"""Expressions: one function for each node, named after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from jaxlint.events import DonatedUse, Site
from jaxlint.knowledge import jax_api
from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.tracer.language.functions import make_function
from jaxlint.tracer.language.narrowing import (
    compares_with_none,
    narrow,
    never_in_trace,
    unproven,
)
from jaxlint.tracer.language.passing import never_read
from jaxlint.tracer.language.texts import format_numbers, formatted
from jaxlint.tracer.modules import look_in
from jaxlint.tracer.operations.arithmetic import binary, negated
from jaxlint.tracer.operations.comparison import compare, symbol_of
from jaxlint.tracer.operations.conversions import hashed
from jaxlint.tracer.operations.forgetting import forget_told
from jaxlint.tracer.operations.items import item
from jaxlint.tracer.operations.iteration import iterate
from jaxlint.tracer.operations.misuse import taken_for_mapping
from jaxlint.tracer.operations.overloads import negated_by_class
from jaxlint.tracer.operations.stores import store
from jaxlint.tracer.operations.truth import (
    ASKED,
    agrees,
    truth,
)
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Bounds, Donated
from jaxlint.tracer.values.containers import (
    Mapping,
    are_distinct,
    contents_like,
    contents_of,
    entries_of,
    mapping,
    sequence,
    stands_in,
)
from jaxlint.tracer.values.joins import chosen_where, join, join_all, one_of
from jaxlint.tracer.values.objects import Imported, Instance, Told
from jaxlint.tracer.values.value import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    VARIABLE,
    Const,
    Host,
    Unknown,
    Value,
    replace,
)

# --------------------------------------------------------------------------- tests


def ask(tracer: Tracer, node: n.Node, construct: str) -> bool | None:
    """Ask an expression for its truth value on behalf of ``construct``."""
    if isinstance(node, n.BooleanOperation):
        return _ask_both(tracer, node, construct)
    if isinstance(node, n.UnaryOperation) and node.operator == "not":
        inner = ask(tracer, node.operand, construct)
        return None if inner is None else not inner
    if isinstance(node, n.Comparison) and len(node.operators) > 1:
        return truth(tracer, _chain(tracer, node, construct), node, construct)
    _tell_apart(tracer, node)
    value = tracer.evaluate(node)
    symbol = tracer.tested[id(node)] = symbol_of(value)
    if symbol is not None:
        tracer.analyses.on_ask(symbol, node)
    if symbol is None and isinstance(value, Unknown):
        tracer.unanswered.add(id(node))
    else:
        tracer.unanswered.discard(id(node))
    return truth(tracer, value, node, construct)


def _tell_apart(tracer: Tracer, node: n.Node) -> None:
    """A variable that nobody knows, and that is asked: it answers the same again.

    ``if use_jax:`` and ``if mask is None:`` choose several functions at once; that of a module
    also in others.
    """
    frame = tracer.stack.frame
    name = node.left if isinstance(node, n.Comparison) and compares_with_none(node) else node
    value = frame.names.get(name.id) if isinstance(name, n.Name) else None
    if not isinstance(value, (Host, Unknown)) or value.symbol is not None:
        return
    assert isinstance(name, n.Name)
    if frame.parent is not None:
        symbol: object = (VARIABLE, object())
    elif frame.loops:
        return
    else:
        symbol = (ASKED, id(node))
    tracer.trail.refine(frame.names, name.id, replace(value, symbol=symbol))


def _ask_both(tracer: Tracer, node: n.BooleanOperation, construct: str) -> bool | None:
    stops = node.operator == "or"
    left = ask(tracer, node.left, construct)
    tracer.tested.pop(id(node), None)
    if left is stops:
        return left
    if left is not None:
        right = ask(tracer, node.right, construct)
        # It is what the right side says.
        tracer.tested[id(node)] = tracer.tested.get(id(node.right))
        return right
    right = None
    with tracer.fork() as fork:
        with fork.arm("right"), _doubting(tracer, node.left, not stops):
            narrow(tracer, node.left, not stops)
            right = ask(tracer, node.right, construct)
        with fork.arm("left"):
            pass
    return right if right is stops else None


@contextmanager
def _doubting(tracer: Tracer, test: n.Node, holds: bool) -> Iterator[None]:
    """Run what an outcome of a test leads to, which nobody in view may show to happen."""
    frame = tracer.stack.frame
    doubtful = frame.doubtful
    frame.doubtful = doubtful or unproven(tracer, test) is holds
    try:
        yield
    finally:
        frame.doubtful = doubtful


# --------------------------------------------------------------------------- atoms


def _constant(tracer: Tracer, node: n.Constant) -> Value:
    return NONE if node.value is None else Const(node.value)


def _name(tracer: Tracer, node: n.Name) -> Value:
    value = look_up(tracer, node)
    return _after_donation(tracer, node, value) if isinstance(value, Donated) else value


def _after_donation(tracer: Tracer, node: n.Node, value: Donated) -> Value:
    """What a variable held whose buffers were given away: reading it is an event.

    Unless a test says that the path which gave them away was not taken.
    """
    if not agrees(tracer, dict(value.when)):
        return value.value
    tracer.emit(
        DonatedUse(
            tracer.context(node, node), value.function, Site(value.node.origin),
            Site(value.made.origin), value.position, value.parameter,
        )
    )  # fmt: skip
    tracer.buffers.told(value)
    return value.value


def look_up(tracer: Tracer, name: n.Name) -> Value:
    """The value of a name here, donated or not."""
    hops = name.hops
    if hops is None:
        hops = name.hops = name.scope.hops(name.id)
    here = tracer.stack.frame
    frame: Frame = here.globals if hops == -1 else here
    while hops > 0:
        if frame.parent is None:
            return UNKNOWN
        frame = frame.parent
        hops -= 1
    value = frame.names.get(name.id)
    if type(value) is Imported:
        value = look_in(tracer, frame, name.id)
    if value is None:
        return tracer.builtin(name.id) if hops == -1 else UNKNOWN
    if frame is not here and tracer.stack.level is not None:
        tracer.analyses.on_read(frame, name.id, name, value)
        if isinstance(value, Array) and _was_function(tracer, frame, name.id):
            return UNKNOWN
    return value


def _was_function(tracer: Tracer, frame: Frame, name: str) -> bool:
    """Whether a global is that of a function, too: ``loss = update(...)`` below ``def loss``.

    Which of them a trace reads depends on when JAX traces, and on what it has kept.
    """
    return frame.parent is None and name in once(_functions, frame.program or tracer.module)


def _functions(module: n.Module) -> frozenset[str]:
    """The names of the functions that the top level of a module defines."""
    return frozenset(
        each.target.id for each in module.body if isinstance(each, n.FunctionDefinition)
    )


def _attribute(tracer: Tracer, node: n.Attribute) -> Value:
    if node.attr in _STAYS and is_donated(tracer, node.value):
        return UNKNOWN
    value = tracer.attribute(tracer.evaluate(node.value), node.attr, node)
    return _after_donation(tracer, node, value) if isinstance(value, Donated) else value


_STAYS = jax_api.ATTRIBUTES_OF_DELETED | jax_api.KEYS_OF_DELETED


def is_donated(tracer: Tracer, node: n.Node) -> bool:
    """Whether an expression takes items, or attributes, of what was donated."""
    while isinstance(node, (n.Attribute, n.Subscript)):
        node = node.value
    return isinstance(node, n.Name) and isinstance(look_up(tracer, node), Donated)


def _opaque(tracer: Tracer, node: n.Opaque) -> Value:
    return UNKNOWN


def _display(tracer: Tracer, node: n.Display) -> Value:
    items: list[Value] = []
    known = True
    for element in node.elements:
        if isinstance(element, n.Starred):
            inner = iterate(tracer, tracer.evaluate(element.value), element)
            known = known and isinstance(inner, list)
            items += inner if isinstance(inner, list) else [inner]
        else:
            items.append(tracer.evaluate(element))
    made = tracer.stack.moment()
    if node.kind == "set":
        refused = next((item for item in items if isinstance(item, Array)), UNKNOWN)
        hashed(tracer, refused, node, "set element")
        known = known and are_distinct(items)
    if known:
        return sequence(node.kind, contents_of(items), made)
    contents = contents_like(join_all(items)) if items else contents_of([])
    return sequence(node.kind, contents, made)


def _dict(tracer: Tracer, node: n.DictDisplay) -> Value:
    known: dict[Any, Value] = {}
    rest: list[Value] = []
    for key_node, value_node in node.items:
        key = tracer.evaluate(key_node) if key_node is not None else UNKNOWN
        value = tracer.evaluate(value_node)
        if key_node is None:
            taken_for_mapping(tracer, value, value_node)
            others = value.entries if isinstance(value, Mapping) else entries_of({}, UNKNOWN)
            if others.rest is not None:
                # Any key may be among them.
                known = {name: join(each, others.rest) for name, each in known.items()}
                rest.append(others.rest)
            known.update(others.known)
        elif isinstance(key, Const):
            known[key.value] = value
        else:
            hashed(tracer, key, key_node, "dict key")
            rest.append(value)
    return mapping(known, join_all(rest) if rest else None, tracer.stack.moment())


def _lambda(tracer: Tracer, node: n.Lambda) -> Value:
    return make_function(tracer, node.function)


def _walrus(tracer: Tracer, node: n.Walrus) -> Value:
    value = tracer.evaluate(node.value)
    store(tracer, node.target, value, node)
    return value


def _await(tracer: Tracer, node: n.Await) -> Value:
    tracer.evaluate(node.value)
    return UNKNOWN


def _yield(tracer: Tracer, node: n.Yield) -> Value:
    frame = tracer.stack.frame
    value = tracer.evaluate(node.value) if node.value is not None else NONE
    elements = iterate(tracer, value, node) if node.each else [value]
    for each in elements if isinstance(elements, list) else [elements]:
        frame.yielded.append(each)
        if frame.around is not None:
            frame.around(each)
    return UNKNOWN


def _starred(tracer: Tracer, node: n.Starred) -> Value:
    tracer.evaluate(node.value)
    return UNKNOWN


def _slice(tracer: Tracer, node: n.Slice) -> Value:
    parts = (node.lower, node.upper, node.step)
    return Bounds(tuple(tracer.evaluate(part) if part is not None else None for part in parts))


def _subscript(tracer: Tracer, node: n.Subscript) -> Value:
    return item(tracer, tracer.evaluate(node.value), tracer.evaluate(node.index), node)


# ----------------------------------------------------------------------- operators


def _unary(tracer: Tracer, node: n.UnaryOperation) -> Value:
    if node.operator == "not":
        found = ask(tracer, node.operand, "not")
        if found is not None:
            return FALSE if found else TRUE
        symbol = tracer.tested.get(id(node.operand))
        return Host("bool", symbol=None if symbol is None else ("not", symbol))
    operand = tracer.evaluate(node.operand)
    said = negated_by_class(tracer, node.operator, operand, node)
    return said if said is not None else negated(tracer, operand, node)


def _binary(tracer: Tracer, node: n.BinaryOperation) -> Value:
    left, right = tracer.evaluate(node.left), tracer.evaluate(node.right)
    if node.operator == "%" and isinstance(left, Const) and isinstance(left.value, str):
        format_numbers(tracer, left.value, right, node.right)
    return binary(tracer, node.operator, left, right, node)


def _boolean(tracer: Tracer, node: n.BooleanOperation) -> Value:
    left = tracer.evaluate(node.left)
    tracer.tested[id(node.left)] = symbol_of(left)
    found = truth(tracer, left, node.left, node.operator)
    if found is not None:
        return left if found is (node.operator == "or") else tracer.evaluate(node.right)
    right: Value = UNKNOWN
    with tracer.fork() as fork:
        with fork.arm("right"):
            narrow(tracer, node.left, node.operator == "and")
            right = tracer.evaluate(node.right)
        with fork.arm("left"):
            pass
    if node.operator == "and" and right is FALSE:
        return FALSE  # Or what is as false.
    if node.operator == "or" and stands_in(left, right):
        return left
    joined = join(left, right)
    if node.operator == "and" and isinstance(joined, Unknown):
        # Where it holds, both do.
        return replace(joined, symbol=("and", symbol_of(left), symbol_of(right)))
    return joined


def _comparison(tracer: Tracer, node: n.Comparison) -> Value:
    if len(node.operators) > 1:
        return _chain(tracer, node, "chained comparison")
    operator = node.operators[0]
    left, right = (
        _object(tracer, each) if operator in ("is", "is not") else tracer.evaluate(each)
        for each in (node.left, node.comparators[0])
    )
    return compare(tracer, operator, left, right, node)


def _object(tracer: Tracer, node: n.Node) -> Value:
    """What an expression gives, of which only is asked which object it is: it may be deleted."""
    if not isinstance(node, n.Name):
        return tracer.evaluate(node)
    found = look_up(tracer, node)
    return found.value if isinstance(found, Donated) else found


def _chain(tracer: Tracer, node: n.Comparison, construct: str) -> Value:
    left = tracer.evaluate(node.left)
    result: Value = TRUE
    last = len(node.operators) - 1
    pairs = zip(node.operators, node.comparators, strict=True)
    for position, (operator, comparator) in enumerate(pairs):
        right = tracer.evaluate(comparator)
        result = compare(tracer, operator, left, right, node)
        if position < last and truth(tracer, result, node, construct) is False:
            return FALSE
        left = right
    return result


def _conditional(tracer: Tracer, node: n.Conditional) -> Value:
    found = ask(tracer, node.test, "conditional expression")
    if found is not None:
        return tracer.evaluate(node.body if found else node.orelse)
    values: list[Value] = []
    told: list[Told] = []
    with tracer.fork() as fork:
        for holds, branch in ((True, node.body), (False, node.orelse)):
            with fork.arm(holds), _doubting(tracer, node.test, holds):
                muted = never_in_trace(tracer, node.test, holds)
                mark = tracer.trail.mark
                narrow(tracer, node.test, holds)
                tracer.stack.muted += muted
                value = tracer.evaluate(branch)
                tracer.stack.muted -= muted
                if not muted:
                    told.append(tracer.trail.told(mark))
                    values.append(value)
    return chosen_where(values, told)


# --------------------------------------------------------------------------- calls


def _call(tracer: Tracer, node: n.Call) -> Value:
    function = tracer.evaluate(node.function)
    arguments = evaluate_arguments(tracer, node, never_read(tracer, function, node))
    if isinstance(function, Unknown) and isinstance(node.function, n.Attribute):
        _forget_told(tracer, node.function.value)
    return tracer.call(function, arguments, node)


def _forget_told(tracer: Tracer, owner: n.Node) -> None:
    """What is no longer known of the object whose method is called, which is out of view."""
    held = tracer.stack.frame.names.get(owner.id) if isinstance(owner, n.Name) else None
    if isinstance(held, Instance) and held.cls.traits.library:
        forget_told(tracer, held)


def evaluate_arguments(
    tracer: Tracer, node: n.Call, unread: frozenset[int] = frozenset()
) -> Arguments:
    """The arguments as they are written.

    ``unread``: those, by identity, that are only passed on: what they held may be gone.
    """
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    open_args: Value | None = None
    open_kwargs: Value | None = None
    for argument in node.arguments:
        value = UNKNOWN if id(argument.value) in unread else tracer.evaluate(argument.value)
        if not argument.star:
            if argument.keyword is not None:
                kwargs[argument.keyword] = value
            elif open_args is None:
                args.append(value)
            else:
                open_args = one_of([open_args, value])
        elif argument.star == "*":
            elements = iterate(tracer, value, argument.value)
            if open_args is not None:
                further = elements if isinstance(elements, list) else [elements]
                open_args = one_of([open_args, *further])
            elif isinstance(elements, list):
                args += elements
            else:
                open_args = elements
        elif isinstance(value, Mapping):
            kwargs.update({str(key): entry for key, entry in value.entries.known.items()})
            rest = value.entries.rest
            if rest is not None:
                # Nobody sees which of several gives a parameter.
                open_kwargs = rest if open_kwargs is None else join(open_kwargs, rest)
        else:
            taken_for_mapping(tracer, value, argument.value)
            open_kwargs = UNKNOWN if open_kwargs is None else join(open_kwargs, UNKNOWN)
    return Arguments(tuple(args), kwargs, open_args, open_kwargs)


EXPRESSIONS: dict[type[n.Node], Callable[[Tracer, Any], Value]] = {
    n.Constant: _constant,
    n.Name: _name,
    n.Attribute: _attribute,
    n.Subscript: _subscript,
    n.Slice: _slice,
    n.Call: _call,
    n.UnaryOperation: _unary,
    n.BinaryOperation: _binary,
    n.BooleanOperation: _boolean,
    n.Comparison: _comparison,
    n.Conditional: _conditional,
    n.Starred: _starred,
    n.Display: _display,
    n.DictDisplay: _dict,
    n.FormattedString: formatted,
    n.Lambda: _lambda,
    n.Walrus: _walrus,
    n.Await: _await,
    n.Yield: _yield,
    n.Opaque: _opaque,
}
