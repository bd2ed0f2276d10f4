"""The abstract tracer: walks the program as ``jax.jit`` would, with abstract values.

:class:`Tracer` is small. It holds the parts of a run (stack, trail, analyses, budget) and
passes each node, call and attribute on to the function that a table names for its kind:
statements and expressions in ``language/``, operations on values in ``operations/``, what is
outside of the program in ``models/``, transforms in ``transforms/``. ``run.py`` puts the tables
together.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jaxlint.events import Context, Event, Kind, LeakedUse, Reason, Site
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.libraries import KEY_EVIDENCE
from jaxlint.knowledge.transforms import Rule, Transform
from jaxlint.program import nodes as n
from jaxlint.program.spots import Spot
from jaxlint.tracer.analysis import Analyses, Analysis
from jaxlint.tracer.parameters import Hint
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Level, Link
from jaxlint.tracer.state.memo import Memo, Runs
from jaxlint.tracer.state.stack import Branches, Stack
from jaxlint.tracer.state.trail import Facts, Trail, Writes
from jaxlint.tracer.values.arrays import ANY, Array, Constant, Key, Tree, kind_of, stronger
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.objects import Class, Function, Qualified, Transformed
from jaxlint.tracer.values.pytrees import source_of, tracers
from jaxlint.tracer.values.value import UNKNOWN, Const, Unknown, Value

if TYPE_CHECKING:
    from jaxlint.imports.modules import Modules

_BUILTINS = {name: Qualified(f"builtins.{name}") for name in dir(builtins)}
_STEPS_PER_NODE = 80
_LEAST_STEPS = 20_000
_LEAST_STEPS_OF_MODULE = 1_000
_STEPS_PER_IMPORTED_NODE = 40
_MOST_STEPS_FOR_IMPORTED = 400_000


class OutOfSteps(Exception):
    """The file's step budget is spent, at a node; what has not run stays unknown."""

    def __init__(self, node: n.Node) -> None:
        super().__init__()
        self.node = node


@dataclass(frozen=True, slots=True)
class Tables:
    """Which function handles which kind of node or value."""

    expressions: Mapping[type[n.Node], Callable[[Tracer, Any], Value]]
    statements: Mapping[type[n.Node], Callable[[Tracer, Any], None]]
    calls: Mapping[type[Value], Callable[[Tracer, Any, Arguments, n.Node], Value]]
    attributes: Mapping[type[Value], Callable[[Tracer, Any, str, n.Node], Value]]
    analyses: tuple[type[Analysis], ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user says.

    Attributes:
        own: transforms of the user's own, by qualified name.
        unroll: iterations of a Python loop in traced code that are worth an event.
        x64: whether 64 bit types are on; None when that is not known.
        project: finds the modules that are imported; None: there are none.
        file: where the program lies; None when it lies nowhere.
        said: whether linting another module finds something of a kind at a place; None: nobody
            can tell.
    """

    own: Mapping[str, Transform]
    unroll: int = 100
    x64: bool | None = False
    project: Modules | None = None
    file: Path | None = None
    said: Callable[[Path, Kind, Spot], bool] | None = None


Errand = Literal["alone", "own", "traced"]
"""What a call into another module has with it: nothing of the file, something of it, a trace."""


@dataclass(slots=True)
class Away:
    """What calls from the file into other modules cost.

    Attributes:
        left_at: the steps that were left when the one that runs began.
        spent: by all of them, by what they are made for.
    """

    left_at: int = 0
    spent: Counter[Errand] = field(default_factory=Counter)


class Tracer:
    """One run over one file.

    Each node that is run, and each call, spends one step of the file's budget; the first that
    finds none left raises :class:`OutOfSteps`.

    Attributes:
        module: the file.
        stack: where the run stands.
        trail: writes the state.
        facts: what tests have said of unknown values, by symbol.
        analyses: who is told.
        events: what was found.
        memo: what calls gave.
        runs: which code ran how.
        hints, key_hints: what bodies say of parameters, by code.
        attributes_set: where methods assign attributes of ``self``, by code.
        tested: symbol of what each test asked last, by node.
        formatted: what each expression in a text was when that was made last, by node.
        made: what the host has wrapped by transforms, in order.
        rules: rules of differentiation of a custom_jvp and its like, by where it is made and kind.
        functions: the function object made last for each ``def``.
        classes: every class that was defined.
        kept: the function that instances of a class keep in an attribute, the first one seen.
        operations: how many JAX operations ran while tracing.
        consumed: how often a PRNG key was used up.
        version: counts changes of objects that outlive the function that makes them.
        keys_about: the file uses PRNG keys.
        refs_about: the file uses mutable references: an argument of unknown structure may be one.
        modules: the variables of the modules that were imported, the file's own among them, by
            where they lie; None for one that cannot be read.
        importing: how many imports surround this point.
        away: steps that the file's calls into other modules have taken.
    """

    def __init__(self, module: n.Module, tables: Tables, settings: Settings) -> None:
        self.module = module
        self.settings = settings
        self.stack = Stack(module.scope)
        self.trail = Trail()
        self.facts: Facts = Facts()
        self.events: list[Event] = []
        self.functions: dict[int, Function] = {}
        self.classes: list[Class] = []
        self.kept: dict[tuple[int, str], Value] = {}
        self.operations = 0
        self.consumed = 0
        self.version = 0
        self.steps = _LEAST_STEPS + _STEPS_PER_NODE * module.size
        self._steps_for_imported = _MOST_STEPS_FOR_IMPORTED
        self._own = module.origin.source if isinstance(module.origin, Spot) else None
        self.keys_about = self.refs_about = False
        self.about(module)
        self.modules: dict[Path, Frame | None] = {}
        self.importing = 0
        self.away = Away()
        if settings.file is not None:
            self.stack.globals.file = settings.file
            self.modules[settings.file] = self.stack.globals
        self.memo = Memo()
        self.runs = Runs()
        self.hints: dict[int, dict[str, Hint]] = {}
        self.key_hints: dict[int, frozenset[str]] = {}
        self.attributes_set: dict[int, dict[str, n.Node]] = {}
        self.tested: dict[int, object] = {}
        self.formatted: dict[int, Value] = {}
        self.made: list[Transformed] = []
        self.rules: dict[int, dict[Rule, tuple[Value, ...]]] = {}
        self._tables = tables
        self._expressions = tables.expressions
        self._statements = tables.statements
        self._seen: set[object] = set()
        self._asked: dict[object, object] = {}
        self._key_elements: dict[tuple[int, int, int], Key] = {}
        self._folded_keys: dict[tuple[int, int, object], Key] = {}
        self.analyses = Analyses(self, tables.analyses)

    # ------------------------------------------------------------------- running

    def evaluate(self, node: n.Node) -> Value:
        """The value of an expression."""
        self.steps -= 1
        if self.steps < 0:
            raise OutOfSteps(node)
        return self._expressions[type(node)](self, node)

    def execute(self, body: Iterable[n.Node]) -> None:
        """Run statements until one leaves the body."""
        frame = self.stack.frame
        for statement in body:
            if frame.stopped:
                return
            self.steps -= 1
            if self.steps < 0:
                raise OutOfSteps(statement)
            self._statements[type(statement)](self, statement)

    def call(self, function: Value, arguments: Arguments, node: n.Node) -> Value:
        """``function(*arguments)``."""
        self.steps -= 1
        if self.steps < 0:
            raise OutOfSteps(node)
        return self._tables.calls[type(function)](self, function, arguments, node)

    def attribute(self, value: Value, name: str, node: n.Node) -> Value:
        """``value.name``."""
        return self._tables.attributes[type(value)](self, value, name, node)

    def builtin(self, name: str) -> Value:
        """What a name means that no scope binds."""
        if name == "__name__":
            return Const(self._name_of_module())
        return _BUILTINS.get(name, UNKNOWN)

    def _name_of_module(self) -> str:
        """The name of the module that runs: the linted file is taken for the one started."""
        module, project = self.stack.frame.globals, self.settings.project
        if module is self.stack.globals or project is None or module.file is None:
            return "__main__"
        return project.qualified(module.file)

    # ---------------------------------------------------------------- other modules

    def about(self, module: n.Module) -> None:
        """Note what a file uses that is now part of the program."""
        self.keys_about |= not KEY_EVIDENCE.isdisjoint(module.loaded)
        self.refs_about |= not jax_api.REF_NAMES.isdisjoint(module.loaded)

    @contextmanager
    def importing_module(self, module: n.Module) -> Iterator[None]:
        """Run a module on steps of its own; calls into it later get some more."""
        steps, self.steps = self.steps, _LEAST_STEPS_OF_MODULE + _STEPS_PER_NODE * module.size
        outer, self.away = self.away, Away(self.steps)
        self.importing += 1
        try:
            yield
        finally:
            self.importing -= 1
            more = min(_STEPS_PER_IMPORTED_NODE * module.size, self._steps_for_imported)
            self._steps_for_imported -= more
            self.steps, self.away = steps + more, outer
            self.away.left_at += more

    @contextmanager
    def going_away(self, what_for: Errand) -> Iterator[None]:
        """Run a call from the file into another module."""
        outer, self.away.left_at = self.away.left_at, self.steps
        try:
            yield
        finally:
            self.away.spent[what_for] += self.away.left_at - self.steps
            self.away.left_at = outer

    # ------------------------------------------------------------------ branching

    def fork(self, about: object = None) -> Fork:
        """Run alternatives, each from the state before it, and join what they leave.

        Forks that ask the same of a value that stays the same, ``about``, go the same way.
        """
        return Fork(self, None if about is None else self._asked.setdefault(about, about))

    # --------------------------------------------------------------------- events

    def emit(self, event: Event) -> None:
        """Record an event once for each place."""
        if self.stack.muted:
            return
        if self.is_elsewhere(event.site.origin):
            if not self._concerns_file(event):
                return
            if event.context.reached is None:
                way = self._way_by()
                if way is None:
                    return
                event = replace(event, context=replace(event.context, reached=way))
        key: object = (event.kind, id(event.site.origin), event.guarded, event.context.expected)
        if event.context.reached is not None:
            key = (key, id(event.context.reached.origin))
        if key not in self._seen:
            self._seen.add(key)
            self.events.append(event)

    def reported(self, kind: Kind, node: n.Node) -> bool:
        """Whether such an event was recorded at a place."""
        return (kind, id(node.origin), False, False) in self._seen

    def _concerns_file(self, event: Event) -> bool:
        """Whether what happens in another module happens because of the linted file.

        Else linting that module, or one that lies between, says so.
        """
        if event.of_the_text or event.context.latent:
            return False
        here = any(not self.is_elsewhere(site.origin) for site in event.causes())
        return here or not self._is_said_elsewhere(event)

    def _is_said_elsewhere(self, event: Event) -> bool:
        """Whether linting the other module finds it too, or one of those on the way there."""
        said = self.settings.said
        origins = [event.site.origin, *(link.node.origin for link in self.stack.chain)]
        spots = [each for each in origins if isinstance(each, Spot)]
        if said is None:
            return True
        files = dict.fromkeys(spot.source.filename for spot in spots)
        return any(said(Path(file), event.kind, spots[0]) for file in files)

    def is_elsewhere(self, origin: object) -> bool:
        """Whether an origin lies in another module than the linted file."""
        return type(origin) is Spot and origin.source is not self._own

    def _way_by(self, chain: tuple[Link, ...] | None = None) -> Site | None:
        """The last place in the linted file on the way to here; None: the file is not on it."""
        for link in reversed(self.stack.chain if chain is None else chain):
            if not self.is_elsewhere(link.node.origin):
                return Site(link.node.origin)
        return None

    def context(
        self,
        node: n.Node,
        subject: n.Node | None = None,
        value: Value | None = None,
        guarded: bool | None = None,
        by: tuple[Link, ...] | None = None,
    ) -> Context:
        """Here and now, for an event at ``node`` about ``value``, written as ``subject``.

        ``by``: the calls that lead to the node; None: those that lead here.
        """
        found = tracers(value) if value is not None else []
        level = self.stack.level
        return Context(
            Site(node.origin),
            Site(subject.origin) if subject is not None else None,
            found[0].reason if found else None,
            tuple(level.name for level in self.stack.levels()),
            level.described if level is not None else None,
            self.stack.frame.guards > 0 if guarded is None else guarded,
            self.stack.raising,
            latent=_latent(found[0].reason if found else None) or self.stack.latent,
            reached=self._way_by(by) if self.is_elsewhere(node.origin) else None,
        )

    # --------------------------------------------------------------------- arrays

    def array(
        self,
        operands: Iterable[Value],
        node: n.Node,
        name: str = "",
        aval: Aval = ANY,
        varies: n.Node | None = None,
    ) -> Array:
        """The array that a JAX operation on these operands gives here and now."""
        best: Array | Tree | None = None
        unsure = False
        for operand in operands:
            for found in tracers(operand):
                if best is None or best.concreteness != stronger(
                    best.concreteness, found.concreteness
                ):
                    best = found
            if isinstance(operand, Unknown) or (
                isinstance(operand, Array) and operand.traced is None
            ):
                unsure = True
        level = self.stack.level
        if level is not None and level.stages:
            self.operations += 1
            reason = best.reason if best is not None else _made_here(name, node, level)
            return Array(True, aval, reason, varies=varies)
        if best is None and level is not None and level.replicates:
            return Array(True, aval, _made_here(name, node, level), "replicated", varies=varies)
        if best is not None:
            if level is None and best.concreteness == "abstract" and self.stack.outside_traces():
                self.emit(LeakedUse(self.context(node, node, best)))
                return Array(None, aval, varies=varies)
            if best.concreteness == "differentiated" and kind_of(aval.dtype) in ("bool", "int"):
                return Array(False, aval, varies=varies)  # What has no tangent is no tracer.
            return Array(True, aval, best.reason, best.concreteness, varies=varies)
        traced = None if unsure or not self.stack.frame.certain else False
        return Array(traced, aval, varies=varies)

    def unseen(self, *values: Value) -> Unknown:
        """What comes of values in a way that nobody can see."""
        level = self.stack.level
        if level is not None and level.stages:
            for value in values:
                source = source_of(value)
                if source is not None:
                    return Unknown(source=source)
        return UNKNOWN

    # ----------------------------------------------------------------------- keys

    def new_key(self, constant: Constant = None, count: int | None = None) -> Key:
        """A PRNG key made here, or an array of ``count`` keys."""
        return Key(self.stack.level, constant, count)

    def derived_key(self, of: Key) -> Key:
        """A key derived from another in a way that nobody can see."""
        return self.new_key(of.constant)

    def key_at(self, keys: Key, index: int) -> Key:
        """``keys[index]``: the same key each time it is asked for."""
        which = (keys.serial, id(keys.made_in), index)
        found = self._key_elements.get(which)
        if found is None:
            found = Key(keys.made_in, keys.constant, None, keys)
            self._key_elements[which] = found
        return found

    def folded(self, key: Key, data: object, constant: Constant = None) -> Key:
        """``fold_in(key, data)``: the same key each time it is asked for here."""
        which = (key.serial, id(self.stack.level), data)
        found = self._folded_keys.get(which)
        if found is None:
            found = self._folded_keys[which] = self.new_key(constant)
        return found

    def consume(self, key: Key, node: n.Node, subject: n.Node, name: str) -> None:
        """Use a PRNG key up: ``name`` is called with it."""
        level = self.stack.level
        if not self.stack.muted and (level is None or level.computes):
            self.consumed += 1
            self.analyses.on_consume(key, node, subject, name)

    # ----------------------------------------------------------------------- end

    def let_go(self) -> None:
        """Break the cycles between frames and functions: memory is free without a collection."""
        for frame in self.stack.frames:
            frame.names.clear()
        self._key_elements.clear()
        self._folded_keys.clear()
        self.memo = Memo()
        self.functions.clear()
        self.classes.clear()
        self.kept.clear()
        del self.analyses


class Fork:
    """Alternatives of which one run of the program takes one."""

    def __init__(self, tracer: Tracer, token: object = None) -> None:
        self._tracer = tracer
        self._token = self if token is None else token
        self._frame = tracer.stack.frame
        self._ends: list[tuple[object, Writes]] = []
        self._left = 0

    def __enter__(self) -> Fork:
        self._keeping = self._tracer.trail.keeping()
        self._keeping.__enter__()
        return self

    def arm(self, taken: object) -> _Arm:
        """One alternative; ``taken`` tells it from the others."""
        return _Arm(self, taken)

    def begin(self, taken: object) -> tuple[int, Branches]:
        """An alternative begins; gives what :meth:`end` needs."""
        tracer = self._tracer
        path = tracer.stack.path
        tracer.stack.path = (*path, (self._token, taken, False))
        self._frame.conditional += 1
        return tracer.trail.mark, path

    def end(self, taken: object, mark: int, path: Branches) -> None:
        """It has ended: keep what it wrote, and take it back."""
        tracer, frame = self._tracer, self._frame
        tracer.stack.path = path
        frame.conditional -= 1
        if frame.stopped:
            self._left += 1
            frame.stopped = False
        else:
            self._ends.append((taken, tracer.trail.written(mark)))
        tracer.trail.undo(mark)

    def __exit__(self, *error: object) -> None:
        try:
            if error[0] is None:
                self._join()
        finally:
            self._keeping.__exit__(None, None, None)

    def _join(self) -> None:
        tracer = self._tracer
        tracer.trail.join([writes for _, writes in self._ends])
        if not self._ends and self._left:
            self._frame.stopped = True
        elif len(self._ends) == 1 and self._left:
            tracer.stack.only(self._token, self._ends[0][0])


class _Arm:
    """The ``with`` block of one alternative."""

    __slots__ = ("_fork", "_mark", "_path", "_taken")

    def __init__(self, fork: Fork, taken: object) -> None:
        self._fork = fork
        self._taken = taken

    def __enter__(self) -> None:
        self._mark, self._path = self._fork.begin(self._taken)

    def __exit__(self, *error: object) -> None:
        self._fork.end(self._taken, self._mark, self._path)


def _latent(reason: Reason | None) -> str:
    """The parameter that a tracer comes from, if nobody in view passes it."""
    root = reason.root if reason is not None else None
    return root.subject if root is not None and root.latent else ""


def _made_here(name: str, node: n.Node, level: Level) -> Reason:
    return Reason("result", name, Site(node.origin), level.function, level.name, level.site)
