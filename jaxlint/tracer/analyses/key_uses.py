"""Uses of PRNG keys, and what two of them have to do with each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from jaxlint.events import KeyReuse, Site
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.libraries import FOLDS_KEYS, SETS_PARAMETERS
from jaxlint.program import nodes as n
from jaxlint.program.walk import is_dotted, walk
from jaxlint.tracer.state.frames import Frame, Level, Link, Loop
from jaxlint.tracer.state.stack import Branches
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Key
from jaxlint.tracer.values.pytrees import keys_in
from jaxlint.tracer.values.value import Value, immutable


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


def made_again(use: Use) -> int | None:
    """The link at which a loop makes the key that is drawn from again, of the same constants.

    None where something else in the making or the drawing is another thing in each pass: what is
    drawn for several sizes, or by several functions, is meant to be comparable. So is what begins
    anew from a seed, and splits the key.
    """
    node, level = use.key.constant or (None, None)
    is_drawn = use.name.startswith(jax_api.RANDOM) and use.name not in jax_api.SPLITS
    if node is None or level is not None or use.level is not None or not is_drawn:
        return None
    if use.key.part_of is not None:
        return None
    *calls, drawing = use.chain
    loop = _innermost(drawing)
    if loop is not None and any(part is node for part in walk([loop.node])):
        changing = (changes(call, (loop,), use.subject) for call in (node, drawing.node))
        return len(calls) if _goes_on(loop) and not any(changing) else None
    return next((at for at, call in enumerate(calls) if _makes_in_step(use, at, node)), None)


def _innermost(call: Link) -> Loop | None:
    """The innermost loop around a call in the function that calls."""
    loops = call.frame.loops
    return loops[-1] if loops and loops[-1].frame is call.frame else None


def _makes_in_step(use: Use, at: int, made: n.Node) -> bool:
    """Whether a loop goes from state to state, ``x = step(x)``, and the step makes the key."""
    loop, call = _innermost(use.chain[at]), use.chain[at].node
    if loop is None or not _goes_on(loop) or not isinstance(call, n.Call):
        return False
    changed = _names([call]) & loop.binds
    steps = (part for part in walk([loop.node]) if isinstance(part, n.Assign))
    advances = any(step.value is call and changed <= _names(step.targets) for step in steps)
    within = (link.frame.function for link in use.chain[at + 1 :])
    bodies = (function.code.body for function in within if function is not None)
    return bool(changed) and advances and any(made in walk(body) for body in bodies)


def _names(nodes: Iterable[n.Node]) -> set[str]:
    return {part.id for part in walk(nodes) if isinstance(part, n.Name)}


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


def gets_another(call: Link) -> bool:
    """Whether a loop changes something that a call in it is given."""
    return changes(call.node, (loop for loop in call.frame.loops if loop.frame is call.frame))


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


def loops_further_in(first: Use, second: Use) -> Callable[[Use], bool]:
    """Tells earlier uses in other passes of a loop that is behind the call at which two part.

    That loop is a mistake of its own, whoever else uses the key.
    """
    part = where_they_part(first, second)

    def is_one(earlier: Use) -> bool:
        if part is None or where_they_part(earlier, second) is not None:
            return False
        return where_it_loops(earlier, second) > part

    return is_one


def which_loops(first: Use, second: Use) -> n.Node | None:
    """The loop of which two uses that are the same calls are in different passes."""
    at = where_it_loops(first, second)
    one, other = first.chain[at], second.chain[at]
    passes = zip(other.loops, one.passes, other.passes, strict=False)
    return next((loop for loop, before, now in passes if before != now), None)


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


def leads_through(use: Use, node: n.Node) -> bool:
    """Whether a call on the way to a use stands there, and is not what uses up the key."""
    return any(link.node is node for link in use.chain[:-1])


def is_given(key: Key, level: Level) -> bool:
    """Whether a traced function was given the key, what it is part of, or may be one of."""
    found: Key | None = key
    while found is not None:
        if found.serial in level.given or any(is_given(one, level) for one in found.one_of):
            return True
        found = found.part_of
    return False


def is_around(key: Key, inner: Key) -> bool:
    """Whether a key was made further out than another one: before the loop that makes that."""
    level = inner.made_in
    return level is not None and level is not key.made_in and level.within(key.made_in)


def mapped(level: Level | None) -> int:
    """How many transforms in force map a function over its arguments."""
    count = 0
    while level is not None:
        count += level.transform.concreteness == "mapped" or level.transform.each
        level = level.parent
    return count


def is_default_elsewhere(tracer: Tracer, use: Use, part: int) -> bool:
    """Whether another module has a key of its own for callers who pass none.

    It does the same for each of them, as it says.
    """
    for link in use.chain[part + 1 :]:
        function = link.frame.function
        if function is not None and tracer.is_elsewhere(function.code.origin):
            defaults = function.defaults.values()
            if any(key is use.key for value in defaults for key in keys_in(value)):
                return True
    return False
