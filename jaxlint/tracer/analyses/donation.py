"""Buffers that a compiled function was given to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from jaxlint.events import DonatedUse, Site
from jaxlint.program import nodes as n
from jaxlint.program.aliases import aliases_before, names_within
from jaxlint.program.walk import alike
from jaxlint.tracer.analyses.deleted import read_from
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import donated_by, name_of, parameter_names
from jaxlint.tracer.state.arguments import Arguments, keyword_node, nodes_of
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Donated, NumpyArray
from jaxlint.tracer.values.containers import mutable_kind
from jaxlint.tracer.values.objects import Class, Function, Instance, Transformed
from jaxlint.tracer.values.pytrees import flattened, leaves, unpacked
from jaxlint.tracer.values.value import Const, Host, Unknown, Value, replace


@dataclass(frozen=True, slots=True)
class _Given:
    """A donated argument of a call.

    Attributes:
        where: the expression that gives it.
        value: what that is.
        position: of the parameter that it is for, if it has one.
        parameter: its name; empty where that is not in view.
    """

    where: n.Node
    value: Value
    position: int | None
    parameter: str


@dataclass(frozen=True, slots=True)
class _Called:
    """A call, the compiled function that it calls, and what becomes of its outputs."""

    function: Transformed
    node: n.Node
    outputs: Callable[[], _Outputs]


@dataclass(frozen=True, slots=True)
class _Gone:
    """What a function of the program has given away of what it was handed, or of an object.

    Attributes:
        place: where an object keeps it; None: it is a variable.
    """

    given: _Given
    call: _Called
    place: tuple[dict[str, Value], str] | None


class Donation(Analysis):
    """Marks the variables whose buffers a call gave away; reading one is an event.

    Those of the callers, too: what a function was handed they still hold.
    """

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._gone: dict[Frame, list[_Gone]] = {}
        self._calls: dict[Frame, list[tuple[n.Node, bool]]] = {}
        self._kept: list[tuple[dict[str, Value], str, Donated]] = []

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        if self.tracer.stack.level is not None or not isinstance(node, n.Call):
            return
        donated = donated_by(function)
        if not donated.positions and not donated.names:
            return
        names = parameter_names(function.function) or []
        nodes = nodes_of(arguments, node)
        every = [
            _Given(nodes[position], value, position, names[position] if names[position:] else "")
            for position, value in enumerate(arguments.args)
        ]
        by_name = [
            _Given(
                keyword_node(node, name), value, names.index(name) if name in names else None, name
            )
            for name, value in arguments.kwargs.items()
        ]
        given = [each for at, each in enumerate(every) if donated.has(at, names)]
        if _takes_keywords(function):
            given += [each for each in by_name if donated.has_name(each.parameter, names)]
        others = [each for each in (*every, *by_name) if each not in given]
        blindly = bool(function.transform.donate_from)
        call = _Called(function, node, partial(_OutputsForAll if blindly else _Outputs, result))
        self._note_twice(given, others, call)
        outputs = call.outputs()
        for each in given:
            if not outputs.in_view and not each.parameter:
                continue  # Whether an output is as large as it, nobody can see.
            if outputs.take_over(each.value):
                self._give_away(each, call)
                gone = self._told_apart(outputs.taken, result)
                self.tracer.buffers.give_away(gone, self._marked(each, call))
                self._note_given(node)

    def _told_apart(self, taken: list[Value], result: Value) -> list[Value]:
        """Of what is gone, that of which nothing else stands for something else, too."""
        there = {id(leaf) for leaf in leaves(result)}
        is_one = self.tracer.buffers.is_one
        return [each for each in taken if is_one(each) and id(each) not in there]

    def _arrays_in(self, value: Value) -> Iterator[Value]:
        """The arrays that are leaves of a value, as often as they are there."""
        return (leaf for leaf, _ in flattened(value) if self.tracer.buffers.is_one(leaf))

    def _note_twice(self, given: list[_Given], others: list[_Given], call: _Called) -> None:
        """The same array donated and passed once more in one call: JAX refuses it."""
        outputs, taken = call.outputs(), dict[int, _Given]()
        for each in given:
            for array in self._arrays_in(each.value):
                which = id(self.tracer.buffers.first(array))
                if which in taken:
                    self._tell_twice(array, each, each.where, call)
                    return
                if outputs.take_over(array):
                    taken[which] = each
        for other in others:
            for array in self._arrays_in(other.value):
                donated = taken.get(id(self.tracer.buffers.first(array)))
                if donated is not None:
                    self._tell_twice(array, donated, other.where, call)
                    return

    def _tell_twice(self, array: Value, given: _Given, where: n.Node, call: _Called) -> None:
        function, node = call.function, call.node
        subject = read_from(self.tracer, where, array)
        event = DonatedUse(
            self.tracer.context(node, subject or where),
            name_of(function),
            Site(node.origin),
            Site(function.node.origin),
            given.position,
            given.parameter,
            again=True,
            within=subject is None,
        )
        self.tracer.emit(event)

    def _give_away(self, given: _Given, call: _Called) -> None:
        if self._is_filled_anew(given.value):
            return  # Its arrays are gone; it may get others in their place.
        where, value, node = given.where, given.value, call.node
        gone = self._marked(given, call)
        frame, trail = self.tracer.stack.frame, self.tracer.trail
        aliases = aliases_before(self.body_of(self.tracer.stack.frame), node)
        for name, expression in aliases.items():
            held = _part_of(value, where, expression)
            if held is not None and frame.names.get(name) is held:
                if call.outputs().take_over(held):
                    trail.set(frame.names, name, replace(gone, value=held))
        place = _place(frame, where)
        written = aliases.get(where.id, where) if isinstance(where, n.Name) else where
        if place is not None:
            trail.set(*place, gone)
        if place is not None and isinstance(where, n.Attribute):
            self._kept.append((*place, gone))
        self._give_away_within(written, gone, call)
        self._keep(_Gone(given, call, place if isinstance(where, n.Attribute) else None))

    def _is_filled_anew(self, value: Value) -> bool:
        """Whether it is a dict or list of arrays of which each is told from all others."""
        if mutable_kind(value) is None or isinstance(value, NumpyArray):
            return False
        held = [leaf for leaf in leaves(value) if not isinstance(leaf, (Const, Host, NumpyArray))]
        return bool(held) and all(map(self.tracer.buffers.is_one, held))

    def _marked(self, given: _Given, call: _Called) -> Donated:
        """What a variable holds once a call has been given its buffers."""
        function, when = call.function, frozenset(self.tracer.facts.items())
        return Donated(
            given.value, name_of(function), call.node, function.node, given.position,
            given.parameter, when,
        )  # fmt: skip

    def on_settle(self) -> None:
        """Which method of an object comes after which, nobody in view says."""
        for slots, name, gone in self._kept:
            if slots.get(name) is gone:
                self.tracer.trail.set(slots, name, gone.value)
        self._kept.clear()
        self._gone.clear()
        self._calls.clear()
        self.tracer.buffers.gone.clear()

    def on_end(self) -> None:
        self.on_settle()

    def _keep(self, gone: _Gone) -> None:
        """Note what callers still hold, if it is given away however the function runs on."""
        frame = self.tracer.stack.frame
        if frame.function is not None and _runs_on(frame):
            self._gone.setdefault(frame, []).append(gone)

    def _note_given(self, call: n.Node) -> None:
        """Note whether a call that donates runs whenever the function does."""
        frame = self.tracer.stack.frame
        if frame.function is not None:
            self._calls.setdefault(frame, []).append((call, _runs_on(frame)))

    def on_returned(self, frame: Frame, arguments: Arguments, node: n.Node) -> bool:
        """What a function gave away of what its caller holds; not what it perhaps kept."""
        for call_within, always in self._calls.pop(frame, []):
            if always:
                self._note_given(call_within)
            else:
                self.tracer.buffers.forget(call_within)
        found = self._gone.pop(frame, [])
        for gone in found if isinstance(node, n.Call) else ():
            call = replace(gone.call, node=node)
            if gone.place is not None:
                self._take_from_aliases(gone, call)
                self._keep(gone)
                continue
            where = self._handed_as(gone.given.value, frame, arguments, node)
            place = _place(self.tracer.stack.frame, where)
            if where is not None and place and place[0][place[1]] is gone.given.value:
                self._give_away(replace(gone.given, where=where), call)
        return bool(found)

    def _handed_as(
        self, value: Value, frame: Frame, arguments: Arguments, node: n.Node
    ) -> n.Node | None:
        """The expression by which a caller hands a value over, if that can be told from others."""
        if isinstance(value, Unknown) and value.symbol is None:
            return None
        position = next((at for at, each in enumerate(frame.given) if each is value), None)
        if position is None or frame.function is None:
            return None
        if position < len(arguments.args):
            return nodes_of(arguments, node)[position]
        name = frame.function.code.parameters[position].name
        return keyword_node(node, name) if name in arguments.kwargs else None

    def _take_from_aliases(self, gone: _Gone, call: _Called) -> None:
        """The variables of a caller that hold what an object has given away."""
        frame, value, kept = self.tracer.stack.frame, gone.given.value, gone.place
        for name, expression in aliases_before(self.body_of(frame), call.node).items():
            place = _place(frame, expression)
            if place is None or kept is None or frame.names.get(name) is not value:
                continue
            if place[0] is kept[0] and place[1] == kept[1]:
                self.tracer.trail.set(frame.names, name, self._marked(gone.given, call))

    def _give_away_within(self, written: n.Node, gone: Donated, call: _Called) -> None:
        """What a donated argument was written as: another variable, or a container of some."""
        inside = [gone.value, *leaves(gone.value)]
        for each in names_within(written):
            place = _place(self.tracer.stack.frame, each)
            if place is None:
                continue
            held = place[0][place[1]]
            if not any(held is part for part in inside):
                continue
            if held is gone.value or call.outputs().take_over(held):
                self.tracer.trail.set(*place, replace(gone, value=held))


def _runs_on(frame: Frame) -> bool:
    """Whether a function comes to where it is, however its tests come out."""
    return frame.conditional == frame.entered and not frame.exits


def _takes_keywords(function: Transformed) -> bool:
    """Whether what is given by keyword is donated: ``pmap`` does so with positions alone."""
    return bool(function.transform.donate_names or function.transform.donate_from)


def _place(frame: Frame, where: n.Node | None) -> tuple[dict[str, Value], str] | None:
    """Where a variable, or an attribute of one, is kept."""
    if isinstance(where, n.Name) and where.id in frame.names:
        return frame.names, where.id
    if isinstance(where, n.Attribute) and isinstance(where.value, n.Name):
        owner = frame.names.get(where.value.id)
        if isinstance(owner, Instance) and where.attr in owner.attributes:
            return owner.attributes, where.attr
    return None


def _part_of(value: Value, where: n.Node, expression: n.Node) -> Value | None:
    """What an expression holds of the value of another: of ``state``, ``state.params``.

    What is static is no part of it.
    """
    if alike(expression, where):
        return value
    if not isinstance(expression, n.Attribute):
        return None
    owner = _part_of(value, where, expression.value)
    if not isinstance(owner, Instance) or expression.attr in owner.cls.traits.static_fields:
        return None
    return owner.attributes.get(expression.attr)


class _Outputs:
    """The outputs of a call that a donated buffer may still lie in.

    JAX gives each of them to the first buffer that is as large, and of its dtype. What no output
    takes over is kept. ``in_view``: all of them are arrays, whatever their sizes.
    """

    def __init__(self, result: Value) -> None:
        outputs = list(leaves(result))
        self._left = [output for output in outputs if isinstance(output, Array)]
        self.taken: list[Value] = []
        in_view = all(isinstance(output, (Array, Const, Host)) for output in outputs)
        self.in_view = in_view
        self._known = in_view and all(array.rank is not None for array in self._left)

    def take_over(self, value: Value) -> bool:
        """Whether a buffer of an argument may be taken over; the output is gone then.

        Of a NumPy array JAX takes over a copy. What it may take over is in ``taken`` then.
        """
        self.taken = []
        if isinstance(value, (Const, Host, Function, Class, Donated, NumpyArray)):
            return False
        given = [each for each in leaves(value) if not isinstance(each, (Const, Host, NumpyArray))]
        arrays = [item for item in given if isinstance(item, Array)]
        if not self._known or len(arrays) < len(given):
            self.taken = given
            return not self._known or self._take_all()
        self.taken = [each for each in arrays if self._taken_by(each) is not None]
        return bool(self.taken)

    def _take_all(self) -> bool:
        """A pytree that nobody can see into holds arrays with axes, or nobody would donate it."""
        before = len(self._left)
        self._left = [array for array in self._left if not array.rank]
        return len(self._left) < before

    def _taken_by(self, array: Array) -> Array | None:
        found = next((output for output in self._left if _alike(output, array)), None)
        self._left = [output for output in self._left if output is not found]
        return found


class _OutputsForAll(_Outputs):
    """The same where one word donates all that a call is given: batches and keys, too.

    What an output does not surely take over is kept, as far as anybody can see: an array of the
    same shape, an object of the same class.
    """

    def __init__(self, result: Value) -> None:
        super().__init__(result)
        self._objects = [each for each in unpacked(result) if isinstance(each, Instance)]
        self._left = [each for each in self._left if _is_known(each)]
        self._known = True

    def take_over(self, value: Value) -> bool:
        self.taken = []
        if isinstance(value, Instance):
            found = next((each for each in self._objects if each.cls is value.cls), None)
            self._objects = [each for each in self._objects if each is not found]
            return found is not None
        known = isinstance(value, Array) and _is_known(value)
        return known and super().take_over(value)


def _is_known(array: Array) -> bool:
    """Whether all sizes of an array are known, and what it holds."""
    shape = array.aval.shape
    sized = shape is not None and all(isinstance(size, int) for size in shape)
    return sized and array.dtype is not None


def _alike(one: Array, other: Array) -> bool:
    """Whether two arrays may have the same shape and dtype."""
    if one.dtype is not None and other.dtype is not None and one.dtype != other.dtype:
        return False
    shape, twin = one.aval.shape, other.aval.shape
    if shape is None or twin is None:
        return True
    return len(shape) == len(twin) and all(
        size == same or not (isinstance(size, int) and isinstance(same, int))
        for size, same in zip(shape, twin, strict=True)
    )
