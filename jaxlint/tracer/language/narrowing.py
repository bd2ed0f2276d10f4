"""What a test that holds (or does not) says about the values in it."""

from __future__ import annotations

from jaxlint.knowledge import array_names, jax_api, python_api
from jaxlint.program import nodes as n
from jaxlint.program.walk import is_dotted
from jaxlint.tracer.names import once_more
from jaxlint.tracer.operations.attributes import size_value
from jaxlint.tracer.operations.truth import tell
from jaxlint.tracer.operations.types import (
    ARRAYS,
    CONTAINERS,
    HOST_TYPES,
    is_instance,
    type_names,
)
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.avals import Size
from jaxlint.tracer.values.containers import Mapping, Sequence, tuple_of
from jaxlint.tracer.values.joins import same
from jaxlint.tracer.values.objects import Choice, Class, Instance, Qualified
from jaxlint.tracer.values.value import (
    GIVEN_FOR_NONE,
    LOOKED_UP,
    NONE,
    SOMETHING,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
    likely,
    replace,
)

_MOST_PARTS = 20
"""Of the beginning of a chain of tests, and of its end, that tell something of values."""

_VALUE_AND_CLASS = 2

_ASKS_WHICH = {"is": True, "==": True, "is not": False, "!=": False}

_PREDICATES = frozenset({"builtins.isinstance", "builtins.callable", "builtins.hasattr"})


def narrow(tracer: Tracer, test: n.Node, holds: bool) -> None:
    """Refine what is known by a test's outcome."""
    if isinstance(test, n.UnaryOperation) and test.operator == "not":
        narrow(tracer, test.operand, not holds)
    elif isinstance(test, n.BooleanOperation):
        for part in _parts(test) if holds is (test.operator == "and") else ():
            narrow(tracer, part, holds)
    else:
        tell(tracer, tracer.tested.get(id(test)), holds)
        if isinstance(test, n.Comparison) and len(test.operators) == 1:
            _narrow_comparison(tracer, test, holds)
        elif isinstance(test, n.Call):
            _narrow_call(tracer, test, holds)
        elif isinstance(test, n.Walrus):
            narrow(tracer, test.target, holds)
        elif isinstance(test, n.Name) and holds:
            _present(tracer, test.id)
        elif isinstance(test, n.Attribute) and holds:
            _narrow_attribute(tracer, test, present=True)


def _parts(test: n.BooleanOperation) -> list[n.Node]:
    """What a chain of ``and``, or of ``or``, holds: of very many the first and the last."""
    found: list[n.Node] = []
    part: n.Node = test
    while isinstance(part, n.BooleanOperation) and part.operator == test.operator:
        found.append(part.right)
        part = part.left
    found.append(part)
    found.reverse()
    return [*found[:_MOST_PARTS], *found[_MOST_PARTS:][-_MOST_PARTS:]]


def never_in_trace(tracer: Tracer, test: n.Node, holds: bool) -> bool:
    """Whether an outcome says that what a compiled function was given is no tracer.

    Its own trace never comes there: the code is for callers without one.
    """
    if isinstance(test, n.UnaryOperation) and test.operator == "not":
        return never_in_trace(tracer, test.operand, not holds)
    if isinstance(test, n.BooleanOperation) and id(test) not in tracer.tested:
        both = holds is (test.operator == "and")
        return both and any(never_in_trace(tracer, x, holds) for x in (test.left, test.right))
    return likely(tracer.tested.get(id(test))) is (not holds)


def unproven(tracer: Tracer, test: n.Node) -> bool | None:
    """The outcome of a test that nobody in view shows to happen; None where there is none.

    A traced argument of unknown structure may lack a key that ``x.get`` or ``in`` asks for; an
    array of unknown rank need not have the one that is asked for; a parameter that must be passed,
    or that is passed, is None only if somebody passes None, and so it is with attributes that are
    set; and what code out of view gives is of no class of the program.
    """
    if isinstance(test, n.UnaryOperation) and test.operator == "not":
        found = unproven(tracer, test.operand)
        return None if found is None else not found
    if isinstance(test, n.BooleanOperation):
        both = test.operator == "and"
        return both if both in (unproven(tracer, part) for part in _parts(test)) else None
    if isinstance(test, n.Call) and _asks_class(tracer, test):
        return True
    if isinstance(test, n.Comparison) and _asks_passed(tracer, test):
        return test.operators == ["is"]
    if isinstance(test, n.Comparison) and _asks_rank(tracer, test):
        return test.operators == ["=="]
    symbol = tracer.tested.get(id(test))
    expected = likely(symbol)
    if expected is not None:
        return not expected
    negative = isinstance(symbol, tuple) and symbol[0] == "not"
    if negative and isinstance(symbol, tuple):
        symbol = symbol[1]
    if isinstance(symbol, tuple) and symbol[0] == "is" and symbol[2] == NONE.key():
        negative, symbol = not negative, symbol[1]
        if isinstance(symbol, tuple) and symbol[0] == GIVEN_FOR_NONE:
            return negative
    return not negative if isinstance(symbol, tuple) and symbol[0] == LOOKED_UP else None


def _asks_rank(tracer: Tracer, test: n.Comparison) -> bool:
    """Whether it asks for one rank where a call in view gives an array of a rank nobody knows.

    The code may be there for callers with others. Where nobody in view calls, it was written for
    somebody.
    """
    if not isinstance(test.left, n.Attribute) or test.left.attr != "ndim":
        return False
    if test.operators[0] not in ("==", "!=") or not isinstance(test.left.value, n.Name):
        return False
    value = tracer.stack.frame.names.get(test.left.value.id)
    return isinstance(value, Array) and not value.assumed


def _asks_class(tracer: Tracer, test: n.Call) -> bool:
    """Whether it asks if what code out of view gave is of a class of the program.

    A parameter that nobody in view passes has a symbol of its own, and may be.
    """
    if not isinstance(test.function, n.Name) or test.function.id != "isinstance":
        return False
    given = [each.value for each in test.arguments]
    if len(given) != _VALUE_AND_CLASS or not isinstance(given[0], n.Name):
        return False
    value = tracer.stack.frame.names.get(given[0].id)
    if not isinstance(value, Unknown) or value.symbol is not None:
        return False
    return isinstance(given[1], n.Name) and isinstance(tracer.evaluate(given[1]), Class)


def _asks_passed(tracer: Tracer, test: n.Comparison) -> bool:
    """Whether it asks if an argument is None that was passed, or for which there is no default."""
    if not _asks_none(test):
        return False
    value = _in_view(tracer, test.left)
    if isinstance(value, Array):
        root = value.reason.root if value.reason is not None and value.traced else None
        required = value.assumed and root is not None and not root.latent
    else:
        required = isinstance(value, Tree) and not value.optional and not value.container
    return required


def _in_view(tracer: Tracer, asked: n.Node) -> Value | None:
    """What a variable holds, or an attribute of an object that one holds."""
    names = tracer.stack.frame.names
    if isinstance(asked, n.Attribute) and isinstance(asked.value, n.Name):
        owner = names.get(asked.value.id)
        return owner.attributes.get(asked.attr) if isinstance(owner, Instance) else None
    return names.get(asked.id) if isinstance(asked, n.Name) else None


def _present(tracer: Tracer, name: str) -> None:
    """The value of a name is not None."""
    value = tracer.stack.frame.names.get(name)
    if isinstance(value, Array) and value.assumed:
        _rebind(tracer, name, replace(value, assumed=False))
    elif isinstance(value, Tree) and value.optional:
        _rebind(tracer, name, replace(value, optional=False))
    elif isinstance(value, Unknown):
        _rebind(tracer, name, tracer.buffers.same(value, replace(value, present=True)))
    elif isinstance(value, Choice):
        _rebind(tracer, name, value.present())
    elif value is NONE:
        _rebind(tracer, name, SOMETHING)


def _narrow_comparison(tracer: Tracer, test: n.Comparison, holds: bool) -> None:
    name, other = test.left, test.comparators[0]
    operator = test.operators[0]
    if isinstance(name, n.Walrus):
        name = name.target
    if isinstance(name, n.Attribute) and _asks_none(test):
        _narrow_attribute(tracer, name, present=holds is (operator == "is not"))
    if not isinstance(name, n.Name) or name.id not in tracer.stack.frame.names:
        return
    if _asks_none(test):
        if holds is (operator == "is"):
            _rebind(tracer, name.id, NONE)
        else:
            _present(tracer, name.id)
    elif isinstance(other, n.Constant) and operator in ("==", "!="):
        value = tracer.stack.frame.names[name.id]
        if holds is (operator == "==") and isinstance(value, (Unknown, Host)):
            _rebind(tracer, name.id, Const(other.value))
    elif is_dotted(other) and operator in _ASKS_WHICH:
        _narrow_to(tracer, name.id, other, holds is _ASKS_WHICH[operator])


def _narrow_to(tracer: Tracer, name: str, other: n.Node, holds: bool) -> None:
    """One of several functions or classes: the one that a test is for, or another."""
    value = tracer.stack.frame.names[name]
    one = once_more(tracer, other) if isinstance(value, Choice) else UNKNOWN
    if isinstance(value, Choice) and any(same(each, one) for each in value.options):
        left = value.where(lambda each: same(each, one) is holds, tracer.facts)
        _rebind(tracer, name, left)


def compares_with_none(test: n.Comparison) -> bool:
    """Whether it asks if something is None, in whatever way."""
    other = test.comparators[0]
    return isinstance(other, n.Constant) and other.value is None


def _asks_none(test: n.Comparison) -> bool:
    """``x is None``, ``x is not None``."""
    return compares_with_none(test) and test.operators[0] in ("is", "is not")


def _narrow_attribute(tracer: Tracer, test: n.Attribute, present: bool) -> None:
    """An attribute that nobody knows, of an object in view: ``if self.fn is None:``."""
    owner, value = _in_view(tracer, test.value), _in_view(tracer, test)
    if isinstance(owner, Instance) and isinstance(value, (Unknown, Choice)):
        there = value.present() if isinstance(value, Choice) else replace(value, present=True)
        tracer.trail.refine(owner.attributes, test.attr, there if present else NONE)


def _narrow_call(tracer: Tracer, test: n.Call, holds: bool) -> None:
    function = tracer.evaluate(test.function)
    if isinstance(function, Qualified) and function.name in _PREDICATES:
        _narrow_predicate(tracer, test, function.name, holds)
    elif isinstance(function, Qualified):
        if not function.name.startswith(python_api.TELLS_NOTHING):
            _forget_tested(tracer, test)
    elif isinstance(function, Unknown) or id(test) in tracer.unanswered:
        _forget_tested(tracer, test)


def sizes_taken(tracer: Tracer, target: n.Node, source: n.Attribute, value: Value) -> Value:
    """``batch, features = x.shape``: as many axes as names, and what the names stand for.

    What has a shape is no None, and no container, whatever else is done with it.
    """
    array = source.value
    if source.attr != "shape" or not isinstance(array, n.Name) or not isinstance(target, n.Display):
        return value
    if any(isinstance(each, n.Starred) for each in target.elements):
        return value
    names = tracer.stack.frame.names
    found = names.get(array.id)
    if isinstance(found, Tree):
        found = found.as_array()
    if not isinstance(found, Array) or found.aval.shape is not None:
        return value
    shape = tuple(Size(each.id if isinstance(each, n.Name) else "") for each in target.elements)
    aval = replace(found.aval, shape=shape)
    _rebind(tracer, array.id, replace(found, aval=aval, assumed=False))
    return tuple_of(map(size_value, shape))


def _forget_tested(tracer: Tracer, test: n.Call) -> None:
    """A predicate out of view may ask whether its argument is a tracer."""
    for argument in test.arguments:
        if isinstance(argument.value, n.Name):
            value = tracer.stack.frame.names.get(argument.value.id)
            if isinstance(value, Array) and value.prng is not None:
                _rebind(tracer, argument.value.id, replace(value, traced=None))
            elif isinstance(value, (Array, Tree)):
                _rebind(tracer, argument.value.id, UNKNOWN)
            elif isinstance(value, Unknown):
                _rebind(tracer, argument.value.id, replace(value, source=None))


def _narrow_predicate(tracer: Tracer, test: n.Call, function: str, holds: bool) -> None:
    if not test.arguments or not isinstance(test.arguments[0].value, n.Name):
        return
    name = test.arguments[0].value.id
    value = tracer.stack.frame.names.get(name)
    if isinstance(value, Unknown) and value.source is not None:
        # What it is was asked: it may well be no tracer here.
        value = replace(value, source=None)
        _rebind(tracer, name, value)
    if isinstance(value, Choice) and function == "builtins.isinstance":
        _narrow_choice(tracer, name, value, test, holds)
        return
    if isinstance(value, Tree) and function == "builtins.isinstance":
        _narrow_tree(tracer, name, value, test, holds)
        return
    if value is None:
        return
    if function != "builtins.isinstance":
        if isinstance(value, Tree) or (isinstance(value, Array) and value.assumed):
            _rebind(tracer, name, _with_attribute(tracer, value, test, holds))
    elif holds and len(test.arguments) == _VALUE_AND_CLASS:
        _narrow_instance(tracer, name, value, tracer.evaluate(test.arguments[1].value))


def _narrow_choice(tracer: Tracer, name: str, value: Choice, test: n.Call, holds: bool) -> None:
    """One of several objects: those that the test is for, or those that it is not for."""
    if len(test.arguments) == _VALUE_AND_CLASS:
        asked = tracer.evaluate(test.arguments[1].value)
        left = value.where(lambda each: is_instance(each, asked) is not (not holds), tracer.facts)
        _rebind(tracer, name, left)


def _narrow_instance(tracer: Tracer, name: str, value: Value, asked: Value) -> None:
    """What is of a class, though what is known of it does not say so, is something else."""
    types = type_names(asked)
    plain = isinstance(value, (Const, Sequence, Mapping)) and is_instance(value, asked) is None
    if plain or (isinstance(value, Array) and not any(map(_may_be_of_arrays, types))):
        # No array is of a class of the program, or of a library: it is a leaf that the code takes
        # for another.
        _rebind(tracer, name, UNKNOWN)
        return
    if isinstance(value, Unknown) and len(types) == 1 and types <= HOST_TYPES:
        _rebind(tracer, name, Host(next(iter(types)).removeprefix("builtins.")))


def _may_be_of_arrays(name: str) -> bool:
    return name in ARRAYS or name.partition(".")[0] == jax_api.PACKAGE


def _with_attribute(tracer: Tracer, value: Tree | Array, test: n.Call, holds: bool) -> Value:
    """What may be an array, and has an attribute or does not: ``hasattr(x, "shape")``."""
    asked = [tracer.evaluate(each.value) for each in test.arguments[1:]]
    name = asked[0].value if asked and isinstance(asked[0], Const) else None
    if not isinstance(name, str) or not (holds or array_names.ever_on_arrays(name)):
        return Unknown(symbol=value.symbol) if holds else value
    if holds and name in jax_api.PLAIN_EVIDENCE:
        return value.as_array() if isinstance(value, Tree) else replace(value, assumed=False)
    return Unknown(symbol=value.symbol) if holds else UNKNOWN


def _narrow_tree(tracer: Tracer, name: str, value: Tree, test: n.Call, holds: bool) -> None:
    """A parameter of a compiled function: an array, or a pytree with tracers in it."""
    if len(test.arguments) != 2:
        return
    types = type_names(tracer.evaluate(test.arguments[1].value))
    if types and types <= ARRAYS:
        _rebind(tracer, name, value.as_array() if holds else UNKNOWN)
    elif holds:
        certain = bool(types) and types <= CONTAINERS
        _rebind(tracer, name, replace(value, container=True) if certain else UNKNOWN)


def _rebind(tracer: Tracer, name: str, value: Value) -> None:
    tracer.trail.refine(tracer.stack.frame.names, name, value)
