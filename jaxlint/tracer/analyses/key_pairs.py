"""Two uses of one PRNG key that belong to each other, or keep apart what they draw."""

from __future__ import annotations

from collections.abc import Iterable

from jaxlint.knowledge import jax_api
from jaxlint.knowledge.libraries import SETS_PARAMETERS
from jaxlint.knowledge.steppers import FITS
from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer.analyses.key_uses import (
    Use,
    changes,
    folds,
    gets_another,
    seen_from,
    sets_parameters,
    where_it_loops,
    where_they_part,
)
from jaxlint.tracer.state.frames import Frame, Level, Link, Loop
from jaxlint.tracer.values.joins import same
from jaxlint.tracer.values.objects import Function, Instance, Qualified, Transformed
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import Const, Unknown, Value

_EVALUATES = frozenset(
    ["eval", "evaluate", "evaluation", "val", "validate", "validation", "test", "benchmark"]
)
"""Words by which the name of a function says that it measures something, and changes nothing."""

_SHOWS = ("render_", "plot_", "visualize_", "visualise_")
"""How the name of a function begins that shows something, and changes nothing."""

_PREPARES = frozenset({"train", "split", "data"})
"""Words by which it says that it prepares something to be measured on."""

_OPPOSITES = frozenset(
    map(frozenset, [("pos", "neg"), ("positive", "negative"), ("plus", "minus"), ("up", "down")])
)
"""Words by which the names of two arguments say that they lie on two sides of something."""


_INVERSE = frozenset({"inverse", "inv", "undo"})
"""Words by which the name of a function says that it takes back what another one does."""

_COPIES = frozenset(
    [
        *("base", "clone", "copy", "ema", "eval", "frozen", "global", "loaded", "local", "new"),
        *("old", "online", "pretrained", "previous", "ref", "reference", "restored", "shadow"),
        *("student", "target", "teacher", "template", "test", "train"),
    ]
)
"""Words by which the name of a module says that it begins as another one does, or is filled."""


def belong_together(first: Use, second: Use) -> bool:
    """Whether two uses of one key belong to each other, or keep apart what they draw."""
    return (
        _lies_within(first, second)
        or _shuffles_alike(first, second)
        or _folds_apart(first, second)
        or _shown_apart(first, second)
        or _shown_together(first, second)
        or _compares(first, second)
        or _evaluates(first, second)
        or _mirrors(first, second)
        or _takes_back(first, second)
        or _looks_again(first, second)
        or _copies(first, second)
        or _fits_another(first, second)
        or _sets_up_another(first, second)
    )


def _lies_within(first: Use, second: Use) -> bool:
    """Whether one lies on the way to the other: a module that initializes itself, with its key."""
    return len(first.chain) != len(second.chain) and where_they_part(first, second) is None


def _shuffles_alike(first: Use, second: Use) -> bool:
    """Whether both put several arrays into the same order, which wants the same key.

    A loop that changes nothing of what a call is given puts one array into one order.
    """
    if first.name != second.name or first.name not in jax_api.SHUFFLES:
        return False
    if where_they_part(first, second) is not None:
        return True
    link = second.chain[where_it_loops(first, second)]
    return not link.frame.loops or changes(link.node, link.frame.loops)


def _compares(first: Use, second: Use) -> bool:
    """Whether a function of the program is called twice but for one constant, or a few floats.

    Two variants are compared, on the same random numbers. Several integers are sizes: those are
    two things.
    """
    part = where_they_part(first, second)
    calls = _calls(first, second)
    if calls is None or part is None or part == len(second.chain) - 1:
        return False
    unlike = _unlike(*calls)
    if not unlike or not _alike(calls[0].function, calls[1].function):
        return False
    if len(unlike) == 1:
        return all(isinstance(each, n.Constant) for each in unlike[0])
    frames = first.chain[part].frame, second.chain[part].frame
    return all(_is_float(a, frames[0]) and _is_float(b, frames[1]) for a, b in unlike)


def _evaluates(first: Use, second: Use) -> bool:
    """Whether two things are evaluated by one function, or one thing in two ways.

    ``evaluate(model, key)`` and ``evaluate(other, key)``, or ``eval(model, key)`` and
    ``eval_with_loss(model, key)``: what is compared is measured on the same random numbers. So is
    what a loop gives ``evaluate``, another thing in each pass.
    """
    part = where_they_part(first, second)
    if part is None:
        at = where_it_loops(first, second)
        call, behind = second.chain[at], second.chain[at + 1 :]
        return (_measures(call) and gets_another(call)) or any(map(_measures, behind))
    within = first.chain[part + 1 :], second.chain[part + 1 :]
    if any(map(_measures, (*within[0], *within[1]))):
        return all(any(map(_measures, use.chain[part:])) for use in (first, second))
    calls = _calls(first, second)
    unlike = _unlike(*calls) if calls is not None else None
    if calls is None or unlike is None:
        return False
    one, other = map(_words, calls)
    if _EVALUATES.isdisjoint(one & other):
        return False
    if one == other:
        return len(unlike) == 1 and _alike(calls[0].function, calls[1].function)
    owners = [call.function.value for call in calls if isinstance(call.function, n.Attribute)]
    same_owner = not owners or (len(owners) == 2 and _alike(owners[0], owners[1]))
    return len(unlike) <= 1 and (one < other or other < one) and same_owner


def _measures(link: Link) -> bool:
    """Whether a call is of a function that evaluates something, by its name."""
    name = _last_name(link.node.function) if isinstance(link.node, n.Call) else ""
    return is_measure(name)


def is_measure(name: str) -> bool:
    """Whether the name of a function says that it evaluates or shows something."""
    words = _parts_of(name)
    evaluates = not _EVALUATES.isdisjoint(words) and _PREPARES.isdisjoint(words)
    return evaluates or name.startswith(_SHOWS)


def evaluates_within(use: Use, repeating: Level) -> bool:
    """Whether what a transform repeats calls a function that evaluates something.

    It is another thing each time, and is measured on the same random numbers.
    """
    inside = (link for link in use.chain if link.level is not None and link.level.within(repeating))
    return any(map(_measures, inside))


def evaluates(use: Use) -> bool:
    """Whether a function on the way to a use evaluates something, by its name."""
    functions = (link.frame.function for link in use.chain)
    names = (function.code.name for function in functions if function is not None)
    return any(map(is_measure, names))


def _mirrors(first: Use, second: Use) -> bool:
    """Whether one function is called on both sides of something: ``f(x_pos, k)``, ``f(x_neg, k)``.

    What differs between their results is the doing of the sides alone.
    """
    calls = _calls(first, second)
    unlike = _unlike(*calls) if calls is not None else None
    if calls is None or not unlike or not _alike(calls[0].function, calls[1].function):
        return False
    pairs = [(_parts_of(_last_name(a)), _parts_of(_last_name(b))) for a, b in unlike]
    return all(one ^ other in _OPPOSITES for one, other in pairs)


def _calls(first: Use, second: Use) -> tuple[n.Call, n.Call] | None:
    """The calls at which the ways to two uses part; None where one is no call."""
    part = where_they_part(first, second)
    if part is None:
        return None
    one, other = first.chain[part].node, second.chain[part].node
    return (one, other) if isinstance(one, n.Call) and isinstance(other, n.Call) else None


def _unlike(one: n.Call, other: n.Call) -> list[tuple[n.Node, n.Node]] | None:
    """The arguments in which two calls differ; None where they do not match one by one."""
    if len(one.arguments) != len(other.arguments):
        return None
    pairs = list(zip(one.arguments, other.arguments, strict=True))
    if any(a.keyword != b.keyword for a, b in pairs):
        return None
    return [(a.value, b.value) for a, b in pairs if not _alike(a.value, b.value)]


def _takes_back(first: Use, second: Use) -> bool:
    """Whether a function is called to undo what another one does: by its name, ``inverse_...``."""
    part = where_they_part(first, second)
    if part is None or part >= min(len(first.chain), len(second.chain)) - 1:
        return False
    one, other = (_words(use.chain[part].node) for use in (first, second))
    return len(one ^ other) == 1 and one ^ other <= _INVERSE


def _looks_again(first: Use, second: Use) -> bool:
    """Whether one function is called twice alike, under another transform.

    A loss and its gradient are those of the same numbers.
    """
    part = where_they_part(first, second)
    calls = _calls(first, second)
    if calls is None or part is None or _unlike(*calls) != []:
        return False
    seen = _wrapped(calls[0].function, first.chain[part].frame)
    again = _wrapped(calls[1].function, second.chain[part].frame)
    return seen is not None and again is not None and seen[0] is again[0] and seen[1] != again[1]


def _wrapped(node: n.Node, frame: Frame) -> tuple[n.Function, tuple[str, ...]] | None:
    """A function of the program, and the transforms around it where it is called."""
    transforms: list[str] = []
    while isinstance(node, n.Call) and len(node.arguments) > 0:
        transforms.append(_last_name(node.function))
        node = node.arguments[0].value
    value = _object(node, frame)
    while isinstance(value, Transformed):
        transforms.append(value.name)
        value = value.function
    return (value.code, tuple(transforms)) if isinstance(value, Function) else None


def _words(call: n.Node) -> frozenset[str]:
    """The words in the name of the function that is called."""
    return _parts_of(_last_name(call.function) if isinstance(call, n.Call) else "")


def _parts_of(name: str) -> frozenset[str]:
    return frozenset(name.lower().split("_")) - {""}


def _last_name(node: n.Node) -> str:
    """The name that an expression ends with."""
    if isinstance(node, n.Attribute):
        return node.attr
    return node.id if isinstance(node, n.Name) else ""


def _is_float(node: n.Node, frame: Frame) -> bool:
    """Whether an expression is a constant float, or the name of one."""
    value = seen_from(frame, node.id) if isinstance(node, n.Name) else None
    found = node if isinstance(node, n.Constant) else value
    return isinstance(found, (n.Constant, Const)) and isinstance(found.value, float)


def _copies(first: Use, second: Use) -> bool:
    """Whether two calls set up one module alike: a target network begins as a copy."""
    if first.name != second.name or first.name not in SETS_PARAMETERS:
        return False
    module = _object(_receiver(first), first.chain[-1].frame)
    again = _object(_receiver(second), second.chain[-1].frame)
    return where_they_part(first, second) is not None and module is again is not None


def _fits_another(first: Use, second: Use) -> bool:
    """Whether one method of a library fits two models, which are compared."""
    calls = _calls(first, second) if first.name == second.name and first.name in FITS else None
    return calls is not None and not _alike(*map(_fitted, calls))


def _sets_up_another(first: Use, second: Use) -> bool:
    """Whether each pass of a loop sets up a module of another kind or size: those are compared.

    ``Net(width).init(key, x)``, ``MLP(width, key=key)``.
    """
    if where_they_part(first, second) is not None:
        return False
    link = second.chain[where_it_loops(first, second)]
    loops = [loop for loop in link.frame.loops if loop.frame is link.frame]
    call = link.node
    if not loops or not isinstance(call, n.Call):
        return False
    if sets_parameters(second) and isinstance(call.function, n.Attribute):
        made = _made_as(call.function.value, loops[-1])
        return link is second.chain[-1] and any(changes(each, loops) for each in made)
    return _last_name(call.function)[:1].isupper() and changes(call, loops)


def _made_as(module: n.Node, loop: Loop) -> list[n.Node]:
    """What a loop makes a module of: what it binds the name to, or the expression itself."""
    given = (each for each in walk([loop.node]) if isinstance(each, n.Assign))
    made = [each.value for each in given if any(_alike(into, module) for into in each.targets)]
    return made or [module]


def _fitted(call: n.Call) -> n.Node:
    """The object whose method is called, or that is called itself."""
    return call.function.value if isinstance(call.function, n.Attribute) else call.function


def made_alike(first: Use, second: Use, setups: Iterable[Use]) -> bool:
    """Whether a function is given one module twice, and sets it up with parts of one key."""
    part = where_they_part(first, second)
    if part is None or part >= min(len(first.chain), len(second.chain)) - 1:
        return False
    one, other = first.chain[part], second.chain[part]
    if not (isinstance(one.node, n.Call) and isinstance(other.node, n.Call)):
        return False
    if not _alike(one.node.function, other.node.function):
        return False
    both = [
        _object(a.value, one.frame)
        for a in one.node.arguments
        if any(_alike(a.value, b.value) for b in other.node.arguments)
    ]
    modules = {id(module) for module in both if module is not None}
    return all(
        any(id(_set_up(use)) in modules for use in setups if _is_within(use, call, part))
        for call in (first, second)
    )


def _set_up(use: Use) -> Value | None:
    """The module that a use sets up."""
    return _object(_receiver(use), use.chain[-1].frame)


def _is_within(use: Use, call: Use, part: int) -> bool:
    """Whether a link of the calls that lead to one use leads to another one, too."""
    links = zip(use.chain[: part + 1], call.chain[: part + 1], strict=False)
    return len(use.chain) > part and all(a.node is b.node for a, b in links)


def _object(node: n.Node, frame: Frame) -> Value | None:
    """The value of a dotted name in a frame; None where nobody can tell it from others."""
    if isinstance(node, n.Attribute):
        owner = _object(node.value, frame)
        return owner.attributes.get(node.attr) if isinstance(owner, Instance) else None
    value = seen_from(frame, node.id) if isinstance(node, n.Name) else None
    return None if isinstance(value, Unknown) else value


def _shown_apart(first: Use, second: Use) -> bool:
    """Whether a demonstration at the end of a module uses one key for each thing that it shows."""
    return first.demo and second.demo and first.chain[0].node is not second.chain[0].node


def _shown_together(first: Use, second: Use) -> bool:
    """Whether a function that shows something, by its name, compares what others draw for it."""
    part = where_they_part(first, second)
    at = where_it_loops(first, second) if part is None else part
    if at >= min(len(first.chain), len(second.chain)) - 1:
        return False  # It draws itself.
    function = second.chain[at].frame.function
    return function is not None and function.code.name.startswith(_SHOWS)


def _folds_apart(first: Use, second: Use) -> bool:
    """Whether they draw apart because one folds a place into the key that the other does not.

    A module folds in the names of its parts: those of another module may be others.
    """
    if first.name != second.name:
        return folds(first) or folds(second)
    again = _alike(_receiver(first), _receiver(second)) or _twins(first, second)
    return folds(first) and not (again and _same_method(first, second))


def _twins(first: Use, second: Use) -> bool:
    """Whether two modules of one class, made with the same options, are set up: they are equal.

    A name may say that one of them is meant to begin as the other does.
    """
    if not (sets_parameters(first) and sets_parameters(second)):
        return False
    names = (_parts_of(_last_name(_receiver(use))) for use in (first, second))
    one, other = _set_up(first), _set_up(second)
    if not isinstance(one, Instance) or not isinstance(other, Instance):
        return False
    fields = one.cls.traits.fields
    if one.cls.definition is not other.cls.definition or fields is None:
        return False
    alike = (_is_equal(one.attributes.get(each), other.attributes.get(each)) for each in fields)
    return all(map(_COPIES.isdisjoint, names)) and all(alike)


def _is_equal(one: Value | None, other: Value | None) -> bool:
    """Whether two options are the same for certain."""
    if one is None or other is None or not same(one, other):
        return False
    return all(isinstance(leaf, (Const, Function, Qualified)) for leaf in leaves(one))


def _same_method(first: Use, second: Use) -> bool:
    """Whether both run the same method of a module: what another draws is not in view."""
    one, other = (_keyword(use.chain[-1].node, "method") for use in (first, second))
    return one is other is None or (one is not None and other is not None and _alike(one, other))


def _alike(one: n.Node, other: n.Node) -> bool:
    """Whether both are the same name, attribute or constant."""
    if isinstance(one, n.Name) and isinstance(other, n.Name):
        return one.id == other.id
    if isinstance(one, n.Attribute) and isinstance(other, n.Attribute):
        return one.attr == other.attr and _alike(one.value, other.value)
    if isinstance(one, n.Constant) and isinstance(other, n.Constant):
        return bool(one.value == other.value)
    return False


def _keyword(call: n.Node, name: str) -> n.Node | None:
    """What a call passes by a keyword."""
    arguments = call.arguments if isinstance(call, n.Call) else []
    return next((each.value for each in arguments if each.keyword == name), None)


def _receiver(use: Use) -> n.Node:
    """The object whose method uses the key; its class, where it is made there."""
    call = use.chain[-1].node
    if not isinstance(call, n.Call) or not isinstance(call.function, n.Attribute):
        return call
    module = call.function.value
    return module.function if isinstance(module, n.Call) else module
