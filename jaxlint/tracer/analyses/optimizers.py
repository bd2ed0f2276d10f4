"""What optimizers of optax are given: parameters, and the state that they gave before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from jaxlint.events import (
    InvalidArgument,
    MissingParameters,
    RefusedArgument,
    Site,
    StaleOptimizer,
    StructureMismatch,
)
from jaxlint.knowledge.optax_api import MIRRORS, NEEDS_PARAMETERS, OPTIMIZER
from jaxlint.knowledge.steppers import STEPPERS
from jaxlint.program import nodes as n
from jaxlint.program.attributes import ANY, set_later
from jaxlint.program.demand import any_of, parts_of
from jaxlint.program.loops import goes_around, loops_around
from jaxlint.program.walk import alike, bindings, is_dotted, statements, walk
from jaxlint.tracer.analyses.unread import Unread, called_directly
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.models.layers import VARIABLES
from jaxlint.tracer.names import held
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.state.frames import Frame, Level, Link
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.leaf_types import holder_of, module_of, without_type
from jaxlint.tracer.values.externals import External, Part
from jaxlint.tracer.values.objects import Class, Instance
from jaxlint.tracer.values.structures import other_structure, structure
from jaxlint.tracer.values.value import NONE, UNKNOWN, Unknown, Value, replace

_INIT, _UPDATE = "init", "update"
_METHODS = (f"{OPTIMIZER}.{_INIT}", f"{OPTIMIZER}.{_UPDATE}")
_STATE, _PARAMETERS = 1, 2
_WHOLE = -1
_Makes = Callable[[n.Node], bool]
"""Whether an expression is a class of which a call makes an object."""

_COPY_WITH = frozenset({"_replace", "replace"})
"""Methods of pytrees that, given keywords alone, return a copy with just those fields replaced."""


@dataclass(frozen=True, slots=True)
class _Update:
    """One update.

    Attributes:
        chain: the calls that lead there, it included.
        given: what it is given as its state.
        owner: the variable that this is, or of which it is a field.
        field: the name of that; empty where the variable is the state.
        maker: what made the optimizer that counts on the state.
        back: where in what it gives the new state is.
        whole: the state is all that the next step goes on from.
    """

    chain: tuple[Link, ...]
    given: n.Node
    owner: n.Name
    field: str
    maker: str
    back: int = _STATE
    whole: bool = False


class Optimizers(Analysis):
    """Notes states of what is no array, updates without parameters or from the same state again."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._unread = Unread(tracer, finished=True, whole=True)
        self._updates: list[_Update] = []
        self._begun: list[tuple[External, Value, n.Call]] = []

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return not module.loaded.isdisjoint({_INIT, _UPDATE})

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if not isinstance(node, n.Call):
            return
        if name in STEPPERS:
            self._on_step(name, node)
        if name not in _METHODS:
            return
        method = node.function
        # Only names are looked at again: calls have had their effects.
        if not isinstance(method, n.Attribute) or not is_dotted(method.value):
            return
        optimizer = self.tracer.evaluate(method.value)
        if not isinstance(optimizer, External) or not arguments.closed:
            return
        if name == _METHODS[0]:
            self._on_init(optimizer, arguments, node)
        else:
            self._on_update(optimizer, arguments, node, method)

    def _on_init(self, optimizer: External, arguments: Arguments, node: n.Call) -> None:
        """The first state has an array for each parameter, which must be one."""
        mirrors = any(map(_mirrors, optimizer.parts))
        self._begun.append((optimizer, arguments.get(0, "params") or UNKNOWN, node))
        what, holder = without_type(arguments.get(0, "params") or UNKNOWN)
        if not mirrors or not what or self.tracer.stack.in_branch():
            return
        where = next(iter(argument_nodes(node)), node)
        held = holder_of(holder) if holder is not None else ""
        event = InvalidArgument(
            self.tracer.context(where, where),
            what,
            "the first state of an optimizer",
            Site(node.origin),
            "",
            held,
            module_of(holder),
            called=False,
        )
        self.tracer.emit(event)

    def _on_update(
        self, optimizer: External, arguments: Arguments, node: n.Call, method: n.Attribute
    ) -> None:
        parameters = arguments.get(_PARAMETERS, "params")
        needy = [part.maker for part in optimizer.parts if part.maker in NEEDS_PARAMETERS]
        if needy and (parameters is None or parameters is NONE):
            context = self.tracer.context(node, method)
            self.tracer.emit(MissingParameters(context, needy[0]))
        first = arguments.get(0, "updates") or UNKNOWN
        if isinstance(first, Unknown) and _is_state(first.symbol):
            where = next(iter(argument_nodes(node)), node)
            event = RefusedArgument(self.tracer.context(node, where), "update", "", "gradients")
            self.tracer.emit(event)
            return
        self._note_gradients(optimizer, arguments.get(0, "updates") or UNKNOWN, node)
        keepers = [part.maker for part in optimizer.parts if part.keeps_state]
        given = argument_nodes(node)
        state = given[_STATE] if len(given) > _STATE else keyword_node(node, "state")
        owner, field = self._owner(state)
        if keepers and owner is not None:
            self._note(_Update(self._chain(node), state, owner, field, keepers[0]))
            if not field:
                self._note_fresh(owner, node, method.value, keepers[0])

    def _on_step(self, name: str, node: n.Call) -> None:
        """Another library makes a step from the state that it is given."""
        row, given = STEPPERS[name], argument_nodes(node)
        place, keyword = row.given
        state = given[place] if len(given) > place else keyword_node(node, keyword)
        owner, field = self._owner(state)
        if owner is not None:
            chain = self._chain(node)
            self._note(_Update(chain, state, owner, field, row.called, row.back, row.whole))

    def _chain(self, node: n.Call) -> tuple[Link, ...]:
        stack = self.tracer.stack
        return (*stack.chain, stack.link(node))

    def _note_fresh(self, state: n.Name, node: n.Call, optimizer: n.Node, maker: str) -> None:
        """A state that is made anew for the only update that a pass of a loop makes with it."""
        chain = self._chain(node)
        frame = chain[-1].frame
        body = self.body_of(frame)
        loop = next(reversed(loops_around(node, body)), None)
        made = _made_anew(state.id, optimizer, body, loop)
        calls = [each for each in walk(body) if isinstance(each, n.Call)]
        if made is None or sum(_is_method(each, optimizer, _UPDATE) for each in calls) != 1:
            return
        again, around = chain[-1], loop
        if loop is None:
            if len(chain) < 2 or not called_directly(self.tracer, chain[-2], frame):
                return
            again = chain[-2]
            outer = loops_around(again.node, self.body_of(again.frame))[-1:]
            around = outer[0] if outer else None
        own = {state.id} if again is chain[-1] else set()
        if around is not None and again.looping and _feeds_the_next(again.node, around, own):
            context = self.tracer.context(state, state, by=chain[:-1])
            event = StaleOptimizer(context, state.id, maker, made_at=Site(made.origin))
            self.tracer.emit(event)

    def _note_gradients(self, optimizer: External, gradients: Value, node: n.Call) -> None:
        """Gradients unlike all parameters from which this optimizer has made a state."""
        mirrors = any(map(_mirrors, optimizer.parts))
        begun = [each for each in self._begun if each[0] is optimizer]
        if not mirrors or not begun or self.tracer.stack.in_branch():
            return
        if all(_is_unlike(gradients, params) for _, params, _ in begun):
            context = self.tracer.context(node, next(iter(argument_nodes(node)), node))
            made = Site(begun[-1][2].origin)
            event = StructureMismatch(context, "gradients", OPTIMIZER, made_at=made)
            self.tracer.emit(event)

    def _owner(self, state: n.Node) -> tuple[n.Name | None, str]:
        """The variable that a state is, or of which it is a field that code in view never sets."""
        if isinstance(state, n.Name):
            return state, ""
        if not isinstance(state, n.Attribute) or not isinstance(state.value, n.Name):
            return None, ""
        changing = set_later(self.tracer.module)
        return (None, "") if changing & {state.attr, ANY} else (state.value, state.attr)

    def _note(self, update: _Update) -> None:
        """Take up an update: report it where each pass of a loop drops the new state."""
        self._updates.append(update)
        chain, owners = update.chain, self._owners(update)
        again = next((at for at in owners if self._is_the_same(at, update, owners)), None)
        dropped = next((at for at in owners if self._is_dropped(chain[at:], update.back)), None)
        if again is None or dropped is None:
            return
        at = max(again, dropped)
        owner = owners[at]
        where = update.given if owner is update.owner else owner
        name = f"{owner.id}.{update.field}" if update.field else owner.id
        context = self.tracer.context(where, where, by=chain[:at])
        self.tracer.emit(StaleOptimizer(context, name, update.maker))

    def _owners(self, update: _Update) -> dict[int, n.Name]:
        """What holds the state for each caller, by its place among the calls, innermost first."""
        chain, owner = update.chain, update.owner
        found = {len(chain) - 1: owner}
        for place in range(len(chain) - 2, -1, -1):
            passed = self._passed(chain[place], chain[place + 1], owner.id, update.field)
            if not isinstance(passed, n.Name):
                break
            found[place] = owner = passed
        return found

    def _passed(self, caller: Link, link: Link, name: str, field: str) -> n.Node | None:
        """What a caller has passed for what a variable holds at a link; None when unclear."""
        frame = link.frame
        code = frame.function.code if frame.function is not None else None
        made = self._maker(frame)
        if code is None or not _binds_alone(link.node, name, field, code.body, made):
            return None
        if not called_directly(self.tracer, caller, frame):
            return None
        names = [parameter.name for parameter in code.parameters]
        if name not in names:
            return None
        given, place = argument_nodes(caller.node), names.index(name)
        if frame.owner is not None:
            if not isinstance(frame.names.get(names[0]), Instance):
                return None
            if not place:  # Nobody writes the object itself among the arguments.
                return _receiver(caller.node)
            place -= 1
        return given[place] if place < len(given) else keyword_node(caller.node, name)

    def _is_the_same(self, at: int, update: _Update, owners: dict[int, n.Name]) -> bool:
        """Whether the next pass of what repeats the call at a place brings the same state."""
        chain, field = update.chain, update.field
        link, name = chain[at], owners[at].id
        if _is_repeated(link.frame, chain[at - 1].level if at else None):
            bound = name in link.frame.scope.bound
            return not bound or _hands_back(link.frame, name, field, self._maker(link.frame))
        if not link.looping:
            return False
        body = self.body_of(link.frame)
        loops = loops_around(link.node, body)[-1:]
        inside = chain[at + 1].frame if at + 1 in owners else None
        goes_on = bool(loops) and (
            goes_around(link.node, loops[0])
            or (inside is not None and _keeps_in_object(inside, owners[at + 1].id, field))
            or (update.whole and _is_read_after(loops[0], name, body))
        )
        if not goes_on:
            return False
        binders = [node for node, bound in bindings(loops) if bound == name]
        if all(_hands_on(_value(node), name, field, self._maker(link.frame)) for node in binders):
            return True
        inside = chain[at + 1].frame if at + 1 in owners else None
        inner = inside.function if inside is not None else None
        if inside is None or inner is None:
            return False
        if len(binders) != 1 or _value(binders[0]) is not link.node:
            return False
        given_back = _returned(owners[at + 1].id, field, inner.code, self._maker(inside))
        return given_back is not None and _place_in(binders[0], name) == given_back

    def _maker(self, frame: Frame) -> _Makes:
        """Whether what a call in a frame names is a class of the program."""

        def makes(called: n.Node) -> bool:
            found = held(self.tracer, called.id, frame) if isinstance(called, n.Name) else None
            return isinstance(found, Class)

        return makes

    def _is_dropped(self, chain: tuple[Link, ...], back: int) -> bool:
        """Whether nobody among those who make these calls reads the new state of the last one.

        What is left of the last pass of a loop is none that another pass goes on from.
        """
        if not any_of(parts_of(self._unread.asked(chain), 2)[back]):
            return True
        loops = loops_around(chain[0].node, self.body_of(chain[0].frame))[-1:]
        if not loops or not chain[0].looping:
            return False
        return not any_of(parts_of(self._unread.asked(chain, loops[0]), 2)[back])

    # ------------------------------------------------------------------------ memory

    def before_call(self) -> tuple[int, int]:
        return len(self._updates), len(self.tracer.stack.chain) + 1

    def after_call(self, before: tuple[int, int]) -> tuple[_Update, ...]:
        count, depth = before
        return tuple(replace(each, chain=each.chain[depth:]) for each in self._updates[count:])

    def replay(self, record: tuple[_Update, ...], level: Level | None = None) -> None:
        for each in record:
            self._note(replace(each, chain=(*self.tracer.stack.chain, *each.chain)))


def _is_unlike(gradients: Value, params: Value) -> bool:
    """Whether gradients have another structure than parameters: those of a module are no array."""
    symbol = params.symbol if isinstance(params, Unknown) else None
    of_module = isinstance(symbol, tuple) and symbol[0] == VARIABLES
    return other_structure(gradients, params) or (of_module and structure(gradients) == "array")


def _is_state(symbol: object) -> bool:
    """Whether a value is what ``init`` of an optimizer gave."""
    return isinstance(symbol, tuple) and symbol[0] == OPTIMIZER


def _is_method(call: n.Node | None, owner: n.Node, name: str) -> bool:
    """Whether an expression calls a method of what another expression is."""
    method = call.function if isinstance(call, n.Call) else None
    return isinstance(method, n.Attribute) and method.attr == name and alike(method.value, owner)


def _made_anew(
    state: str, optimizer: n.Node, body: list[n.Node], loop: n.Node | None
) -> n.Node | None:
    """The call of ``init`` that a variable holds at the update, in each pass of a loop."""
    inside = list(bindings([loop] if loop is not None else body))
    binders = [node for node, name in inside if name == state]
    made = [node for node in binders if _is_method(_value(node), optimizer, _INIT)]
    others = [node for node in binders if node not in made]
    if len(made) != 1 or not all(_is_method(_value(node), optimizer, _UPDATE) for node in others):
        return None
    return _value(made[0])


def _feeds_the_next(call: n.Node, loop: n.Node, but: set[str]) -> bool:
    """Whether a pass of a loop binds, with the call or after it, what the next one passes to it."""
    body = loop.body if isinstance(loop, (n.For, n.While)) else []
    places = [place for place, each in enumerate(body) if any(x is call for x in walk([each]))]
    read = {each.id for each in walk([call]) if isinstance(each, n.Name)} - but
    return bool(places) and any(
        min(bound_at) >= places[0]
        for name in read
        if (bound_at := [place for place, each in enumerate(body) if _binds(each, name)])
    )


def _binds(statement: n.Node, name: str) -> bool:
    return any(bound == name for _, bound in bindings([statement]))


def _mirrors(part: Part) -> bool:
    """Whether the first state of a link has an array for each leaf of the parameters."""
    return part.maker in MIRRORS and not part.masked


def _is_repeated(frame: Frame, outside: Level | None) -> bool:
    """Whether a transform runs the function of a frame again and again."""
    level = frame.level
    return level is not None and level is not outside and level.transform.repeats


def _binds_alone(
    call: n.Node, name: str, field: str, body: Iterable[n.Node], makes: _Makes
) -> bool:
    """Whether a name is bound to nothing but what a call gives, and copies with the same field."""
    binders = [_value(node) for node, bound in bindings(body) if bound == name]
    return all(value is call or _hands_on(value, name, field, makes) for value in binders)


def _value(binder: n.Node) -> n.Node | None:
    """What a statement binds; None where that is not in its text."""
    return binder.value if isinstance(binder, n.Assign) else None


def _hands_on(value: n.Node | None, name: str, field: str, makes: _Makes) -> bool:
    """Whether an expression is a variable, or an object in which a field of it is the same."""
    if isinstance(value, n.Name):
        return value.id == name
    if not field or not isinstance(value, n.Call):
        return False
    method, given = value.function, {each.keyword: each.value for each in value.arguments}
    if makes(method):
        kept = given.get(field)
        return isinstance(kept, n.Attribute) and kept.attr == field and _is_name(kept.value, name)
    if not isinstance(method, n.Attribute) or method.attr not in _COPY_WITH:
        return False
    return _hands_on(method.value, name, field, makes) and given.keys().isdisjoint((field, None))


def _is_name(node: n.Node, name: str) -> bool:
    return isinstance(node, n.Name) and node.id == name


def _returned(name: str, field: str, code: n.Function, makes: _Makes) -> int | None:
    """Where in the tuple that a function returns it gives a variable back; None when unclear."""
    returns = [each for each in statements(code.body) if isinstance(each, n.Return)]
    result = returns[0].value if len(returns) == 1 else None
    return _place(result, lambda each: _hands_on(each, name, field, makes))


def _hands_back(frame: Frame, name: str, field: str, makes: _Makes) -> bool:
    """Whether the body of a loop of JAX returns what it carries as it was given."""
    code = frame.function.code if frame.function is not None else None
    if code is None or name not in {each.name for each in code.parameters}:
        return False
    if any(bound == name for _, bound in bindings(code.body)):
        return False
    return _returned(name, field, code, makes) in (_WHOLE, 0)


def _place_in(binder: n.Node, name: str) -> int | None:
    """Where in what it binds a statement takes a variable from."""
    target = binder.targets[0] if isinstance(binder, n.Assign) else None
    return _place(target, lambda each: isinstance(each, n.Name) and each.id == name)


def _place(node: n.Node | None, wanted: Callable[[n.Node], bool]) -> int | None:
    """The only element of a tuple that is wanted; :data:`_WHOLE` where it is no tuple."""
    if node is not None and wanted(node):
        return _WHOLE
    elements = node.elements if isinstance(node, n.Display) else []
    found = [i for i, each in enumerate(elements) if wanted(each)]
    return found[0] if len(found) == 1 else None


def _receiver(call: n.Node) -> n.Node | None:
    """The variable whose method a call calls."""
    method = call.function if isinstance(call, n.Call) else None
    return method.value if isinstance(method, n.Attribute) else None


def _is_read_after(loop: n.Node, name: str, body: list[n.Node]) -> bool:
    """Whether what follows a loop reads a variable: the loop was to change it."""
    if loop not in body:
        return False
    after = walk(body[body.index(loop) + 1 :])
    return any(isinstance(each, n.Name) and each.id == name for each in after)


def _keeps_in_object(frame: Frame, name: str, state: str) -> bool:
    """Whether a method computes another attribute of its object anew: what the next pass reads."""
    code = frame.function.code if frame.function is not None else None
    if code is None or not code.parameters or code.parameters[0].name != name:
        return False
    for node in statements(code.body):
        if isinstance(node, n.Assign) and any(isinstance(x, n.Call) for x in walk([node.value])):
            for target in node.targets:
                if isinstance(target, n.Attribute) and target.attr != state:
                    if isinstance(target.value, n.Name) and target.value.id == name:
                        return True
    return False
