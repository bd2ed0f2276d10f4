"""Uses of PRNG keys, and what two of them have to do with each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.events import KeyReuse, Site
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.libraries import FOLDS_KEYS, SETS_PARAMETERS
from jaxlint.program import nodes as n
from jaxlint.program.walk import is_dotted, walk
from jaxlint.tracer.state.frames import Frame, Level, Link, Loop
from jaxlint.tracer.state.stack import Branches
from jaxlint.tracer.values.arrays import Key
from jaxlint.tracer.values.objects import Function, Instance, Transformed
from jaxlint.tracer.values.value import Const, Unknown, Value, immutable

_EVALUATES = frozenset({"eval", "evaluate", "evaluation", "val", "validate", "validation", "test"})
"""Words by which the name of a function says that it measures something, and changes nothing."""

_OPPOSITES = frozenset(
    map(frozenset, [("pos", "neg"), ("positive", "negative"), ("plus", "minus"), ("up", "down")])
)
"""Words by which the names of two arguments say that they lie on two sides of something."""

_INVERSE = frozenset({"inverse", "inv", "undo"})
"""Words by which the name of a function says that it takes back what another one does."""


@immutable
class Use:
    """One place at which a key is used up.

    Attributes:
        chain: the calls that lead there, the consuming call last.
        path: the branches taken so far.
        era: which of the runs that start from nothing this belongs to.
        name: the function that uses it up.
        subject: the expression of the key.
        key: which one it is.
        demo: what runs only where the file itself is run leads there.
        alone: the key is all that ``subject`` stands for.
        level: the transform level at which it is used up.
    """

    chain: tuple[Link, ...]
    path: Branches
    era: int
    name: str
    subject: n.Node
    key: Key
    demo: bool = False
    alone: bool = False
    level: Level | None = None


@immutable
class Found:
    """A key that is used up again.

    Attributes:
        uses: the earlier one, and the one that repeats it.
        event: what is said of it.
        about: what it shares with others that are the same mistake: either key in the same
            run of a function; the place; the earlier place, by the same name.
    """

    uses: tuple[Use, Use]
    event: KeyReuse
    about: tuple[object, ...]


def belong_together(first: Use, second: Use) -> bool:
    """Whether two uses of one key belong to each other, or keep apart what they draw."""
    return (
        _shuffles_alike(first, second)
        or _folds_apart(first, second)
        or _shown_apart(first, second)
        or _compares(first, second)
        or _evaluates(first, second)
        or _mirrors(first, second)
        or _takes_back(first, second)
        or _looks_again(first, second)
        or _copies(first, second)
    )


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


def made_again(use: Use) -> n.Node | None:
    """Where each pass of a loop makes the key that it draws from, of the same constants.

    None where something else in the making or the drawing is another thing in each pass: what is
    drawn for several sizes, or by several functions, is meant to be comparable. So is what begins
    anew from a seed, and splits the key.
    """
    node, level = use.key.constant or (None, None)
    frame = use.chain[-1].frame
    if node is None or level is not None or use.level is not None or not frame.loops:
        return None
    if use.key.part_of is not None:
        return None
    loop = frame.loops[-1]
    inside = loop.frame is frame and any(part is node for part in walk([loop.node]))
    is_drawn = use.name.startswith(jax_api.RANDOM) and use.name not in jax_api.SPLITS
    if not inside or not is_drawn or not _goes_on(loop):
        return None
    calls = (node, use.chain[-1].node)
    return None if any(changes(call, (loop,), use.subject) for call in calls) else node


def _goes_on(loop: Loop) -> bool:
    """Whether a loop counts, or goes on while something holds: what it does is done again."""
    if isinstance(loop.node, n.While):
        return True
    counted = loop.node.iterable if isinstance(loop.node, n.For) else None
    called = counted.function if isinstance(counted, n.Call) else None
    return isinstance(called, n.Name) and called.id == "range"


def changes(call: n.Node, loops: Iterable[Loop], but: n.Node | None = None) -> bool:
    """Whether loops bind something that an expression reads, outside of one part of it."""
    apart = {id(part) for part in walk([but])} if but is not None else set()
    names = {part.id for part in walk([call]) if isinstance(part, n.Name) and id(part) not in apart}
    return any(not names.isdisjoint(loop.binds) for loop in loops)


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
    if where_they_part(first, second) is None:
        link = second.chain[where_it_loops(first, second)]
        return not _EVALUATES.isdisjoint(_words(link.node)) and gets_another(link)
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


def gets_another(call: Link) -> bool:
    """Whether a loop changes something that a call in it is given."""
    return changes(call.node, (loop for loop in call.frame.loops if loop.frame is call.frame))


def _alike(one: n.Node, other: n.Node) -> bool:
    """Whether both are the same name, attribute or constant."""
    if isinstance(one, n.Name) and isinstance(other, n.Name):
        return one.id == other.id
    if isinstance(one, n.Attribute) and isinstance(other, n.Attribute):
        return one.attr == other.attr and _alike(one.value, other.value)
    if isinstance(one, n.Constant) and isinstance(other, n.Constant):
        return bool(one.value == other.value)
    return False


def _shown_apart(first: Use, second: Use) -> bool:
    """Whether a demonstration at the end of a module uses one key for each thing that it shows."""
    return first.demo and second.demo and first.chain[0].node is not second.chain[0].node


def on_one_path(first: Use, second: Use, certain: frozenset[int] = frozenset()) -> bool:
    """Whether one run of the program can take both uses, for certain of one of them.

    ``certain``: the branches, by the identity of their tokens, of which each arm uses the key.
    """
    pairs = zip(first.path, second.path, strict=False)
    shared = next((i for i, (one, other) in enumerate(pairs) if one is not other), None)
    if shared is None:
        return True  # One lies on the way to the other.
    arms = {id(token): (taken, exit_) for token, taken, exit_ in first.path[shared:]}
    only_second = False
    for token, taken, exit_ in second.path[shared:]:
        if id(token) in arms:
            if arms.pop(id(token))[0] != taken:
                return False
        elif not exit_:
            only_second = True
    only_first = any(not exit_ for token, (_, exit_) in arms.items() if token not in certain)
    return not (only_first and only_second)


def _folds_apart(first: Use, second: Use) -> bool:
    """Whether they draw apart because one folds a place into the key that the other does not.

    A module folds in the names of its parts: those of another module may be others.
    """
    if first.name != second.name:
        return folds(first) or folds(second)
    alike = _alike(_receiver(first), _receiver(second))
    return folds(first) and not (alike and _same_method(first, second))


def _same_method(first: Use, second: Use) -> bool:
    """Whether both run the same method of a module: what another draws is not in view."""
    one, other = (_keyword(use.chain[-1].node, "method") for use in (first, second))
    return one is other is None or (one is not None and other is not None and _alike(one, other))


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


def folds(use: Use) -> bool:
    """Whether what uses a key folds something else into it first."""
    return use.name.partition("(")[0] in FOLDS_KEYS


def sets_parameters(use: Use) -> bool:
    """Whether what uses a key makes the parameters of a module."""
    return use.name.partition("(")[0] in SETS_PARAMETERS


def where_they_part(first: Use, second: Use) -> int | None:
    """The first link at which two uses are different calls; None where all are the same."""
    links = enumerate(zip(first.chain, second.chain, strict=False))
    return next((i for i, (one, other) in links if one.node is not other.node), None)


def where_it_loops(first: Use, second: Use) -> int:
    """The link at which a loop goes around between two uses that are the same calls."""
    links = list(zip(first.chain, second.chain, strict=True))
    again = (index for index, (one, other) in enumerate(links) if one.passes != other.passes)
    looping = (index for index, (_, link) in enumerate(links) if link.looping)
    return next(again, next(looping, len(links) - 1))


def alternatives(uses: tuple[Use, Use], given: list[set[int]]) -> bool:
    """Whether two uses belong to different arguments of a call."""
    part = where_they_part(*uses)
    if part is None:
        return False
    first, second = (
        [at for at, inside in enumerate(given) if id(use.chain[part].node) in inside]
        for use in uses
    )
    return bool(first and second) and first != second


def is_used_in(use: Use, given: list[set[int]]) -> bool:
    """Whether an argument of a call uses a key."""
    return any(id(link.node) in inside for link in use.chain for inside in given)


def called_at(use: Use, part: int) -> Site | None:
    """The function that the caller calls there, where it hands the key on."""
    call = use.chain[part].node
    if part == len(use.chain) - 1 or not isinstance(call, n.Call):
        return None
    return Site(call.function.origin) if is_dotted(call.function) else None


def seen_from(frame: Frame, name: str) -> Value | None:
    """What a name means in a frame."""
    found: Frame | None = frame
    while found is not None and name not in found.names:
        found = found.parent
    return found.names[name] if found is not None else None


def causes(found: list[Found]) -> Iterator[int]:
    """A number for each: the same for those that share something."""
    first: dict[object, int] = {}
    # Each number leads to a later one of its group; the last one to itself.
    leads: list[int] = []

    def group(number: int) -> int:
        while leads[number] != number:
            number = leads[number] = leads[leads[number]]
        return number

    for number, reuse in enumerate(found):
        leads.append(number)
        for each in reuse.about:
            leads[group(first.setdefault(each, number))] = number
    return (group(first[reuse.about[0]]) for reuse in found)
