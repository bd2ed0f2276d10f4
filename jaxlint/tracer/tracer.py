"""The abstract tracer: walks the program as ``jax.jit`` would, with abstract values.

:class:`Tracer` is small. It holds the parts of a run (stack, trail, record, analyses, budget) and
passes each node, call and attribute on to the function that a table names for its kind:
statements and expressions in ``language/``, operations on values in ``operations/``, what is
outside of the program in ``models/``, transforms in ``transforms/``. ``run.py`` puts the tables
together.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.events import Context, Event, LeakedUse, Reason, Site
from jaxlint.knowledge import gradients, jax_api, meshes
from jaxlint.knowledge.libraries import KEY_EVIDENCE
from jaxlint.knowledge.processes import MAKES_MESH
from jaxlint.knowledge.transform import Rule, Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.listeners import Analyses
from jaxlint.tracer.parameters import Hint
from jaxlint.tracer.record import Record
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.awaited import Awaited
from jaxlint.tracer.state.away import Away, Errand
from jaxlint.tracer.state.buffers import Buffers
from jaxlint.tracer.state.forks import Fork
from jaxlint.tracer.state.frames import Frame, Level
from jaxlint.tracer.state.harness import Harness
from jaxlint.tracer.state.keys import Keys
from jaxlint.tracer.state.memo import Memo, Runs
from jaxlint.tracer.state.stack import Stack
from jaxlint.tracer.state.trail import Facts, Trail
from jaxlint.tracer.values.arrays import ANY, Array, Key, Tree, differing, given_back, kind_of
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.derivations import OUT_OF_VIEW, Derivation, named
from jaxlint.tracer.values.objects import Class, Function, Qualified, Transformed
from jaxlint.tracer.values.placement import stays_spread, stays_whole, varying
from jaxlint.tracer.values.pytrees import deciding, source_of, tracers
from jaxlint.tracer.values.value import UNKNOWN, Const, Unknown, Value, replace

if TYPE_CHECKING:
    from jaxlint.imports.modules import Modules

_BUILTINS = {name: Qualified(f"builtins.{name}") for name in dir(builtins)}
_STEPS_PER_NODE = 80
_LEAST_STEPS = 20_000
_LEAST_STEPS_OF_MODULE = 1_000
_STEPS_PER_IMPORTED_NODE = 40
_MOST_STEPS_FOR_IMPORTED = 400_000


class OutOfSteps(Exception):
    """At a place the file's step budget is spent, or it is nested too deeply to go on.

    What has not run stays unknown.
    """

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context


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
    """

    own: Mapping[str, Transform]
    unroll: int = 100
    x64: bool | None = False
    project: Modules | None = None
    file: Path | None = None

    @property
    def in_cells(self) -> bool:
        """Whether the program is a notebook, whose user runs one cell after another."""
        return self.file is not None and self.file.suffix == ".ipynb"


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
        record: what was found; ``context`` and ``is_elsewhere`` are its own.
        keys: the PRNG keys that were made.
        memo: what calls gave.
        runs: which code ran how.
        hints, key_hints: what bodies say of parameters, by code.
        attributes_set: what classes held, by id of their attributes, and which of the methods
            assign attributes of ``self``, and where.
        left_out: the first statement of the file that is nested too deeply to be followed.
        tested: symbol of what each test asked last, by node.
        unanswered: the tests of which nobody in view says how they come out.
        formatted: what each expression in a text was when that was made last, by node.
        made: what the host has wrapped by transforms, in order.
        rules: rules of differentiation of a custom_jvp and its like, by where it is made and kind.
        functions, classes: the function object made last for each ``def``; every class.
        defined_by_calls: the classes that calls define, by the call and the fields.
        kept: the function that instances of a class keep in an attribute, the first one seen.
        operations: how many JAX operations ran while tracing.
        consumed: how often a PRNG key was used up.
        version, unfinished: changes of objects that outlive a call; those while they were made.
        keys_about: the file uses PRNG keys.
        refs_about: the file uses mutable references: an argument of unknown structure may be one.
        ordered_about: an ``OrderedDict`` was made, whose keys JAX does not sort.
        mesh: the one to which specs belong that stand alone, once it is set.
        modules: the variables of the modules that were imported, the file's own among them, by
            where they lie; None for one that cannot be read.
        put_off: imports and definitions of other modules that wait until somebody asks for
            them, by the variables of the module and their name.
        importing: how many imports, and looks at what was put off, surround this point.
        away: steps that the file's calls into other modules have taken.
        harness, awaited: what it says to what runs its tests; registries that were not asked yet.
        buffers: the arrays that were donated.
    """

    def __init__(self, module: n.Module, tables: Tables, settings: Settings) -> None:
        self.module = module
        self.settings = settings
        self.stack = Stack(module.scope)
        self.trail = Trail()
        self.facts: Facts = Facts()
        self.functions: dict[int, Function] = {}
        self.classes: list[Class] = []
        self.defined_by_calls: dict[tuple[int, tuple[str, ...]], n.ClassDefinition] = {}
        self.kept: dict[tuple[int, str], Value] = {}
        self.operations = self.consumed = 0
        self.version = self.unfinished = 0
        self.steps = _LEAST_STEPS + _STEPS_PER_NODE * module.size
        self._steps_for_imported = _MOST_STEPS_FOR_IMPORTED
        self.record = Record(module, self.stack)
        self.context = self.record.context
        self.is_elsewhere = self.record.is_elsewhere
        self.keys = Keys(self.stack)
        self.keys_about = self.refs_about = self._makes_meshes = self._cuts_arrays = False
        self.ordered_about = False
        self.mesh: dict[str, Value] = {}
        self.modules: dict[Path, Frame | None] = {}
        self.put_off: dict[tuple[Frame, str], n.Node] = {}
        self._left_of: dict[Frame, int] = {}
        self.importing = 0
        self.away = Away()
        self.harness, self.awaited = Harness(), Awaited()
        self.buffers = Buffers(self.trail)
        if settings.file is not None:
            self.stack.globals.file = settings.file
            self.modules[settings.file] = self.stack.globals
        self.memo = Memo()
        self.about(module)
        self.runs = Runs()
        self.hints: dict[int, dict[str, Hint]] = {}
        self.key_hints: dict[int, frozenset[str]] = {}
        self.left_out: n.Node | None = None
        self.attributes_set: dict[
            int, tuple[dict[str, Value], list[tuple[n.Function, dict[str, n.Node]]]]
        ] = {}
        self.tested: dict[int, object] = {}
        self.unanswered: set[int] = set()
        self.formatted: dict[int, Value] = {}
        self.made: list[Transformed] = []
        self.rules: dict[int, dict[Rule, tuple[Value, ...]]] = {}
        self._tables = tables
        self._expressions = tables.expressions
        self._statements = tables.statements
        self._asked: dict[object, object] = {}
        self.analyses = Analyses(self, tables.analyses)

    # ------------------------------------------------------------------- running

    def evaluate(self, node: n.Node) -> Value:
        """The value of an expression."""
        self.steps -= 1
        if self.steps < 0:
            raise OutOfSteps(self.context(node))
        return self._expressions[type(node)](self, node)

    def execute(self, body: Iterable[n.Node]) -> None:
        """Run statements until one leaves the body."""
        frame = self.stack.frame
        for statement in body:
            if frame.stopped:
                return
            self.steps -= 1
            if self.steps < 0:
                raise OutOfSteps(self.context(statement))
            try:
                self._statements[type(statement)](self, statement)
            except RecursionError:
                raise OutOfSteps(self.context(statement)) from None

    def call(self, function: Value, arguments: Arguments, node: n.Node) -> Value:
        """``function(*arguments)``."""
        self.steps -= 1
        if self.steps < 0:
            raise OutOfSteps(self.context(node))
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

    # --------------------------------------------------------------------- raising

    def emit(self, event: Event) -> None:
        """Record an event; where the program expects what raises, the rest does not run."""
        self.record.add(event)
        if event.raises and event.guarded and not event.context.latent:
            self.raises(guarded=True)

    def raises(self, guarded: bool = False) -> None:
        """A TypeError is raised here for certain: where it is caught, the rest does not run.

        Elsewhere what follows is looked at as if it had not happened.
        """
        frame = self.stack.frame
        if (guarded or self.stack.catching) and frame.stop():
            frame.raised = frame.conditional == frame.entered

    # ---------------------------------------------------------------- other modules

    def about(self, module: n.Module) -> None:
        """Note what a file uses that is now part of the program."""
        self.keys_about |= not KEY_EVIDENCE.isdisjoint(module.loaded)
        self.refs_about |= not jax_api.REF_NAMES.isdisjoint(module.loaded)
        self._makes_meshes |= MAKES_MESH.rpartition(".")[2] in module.loaded
        self._cuts_arrays |= meshes.CUTS_ARRAYS in module.loaded
        if not self.buffers.followed and not n.DONATES.isdisjoint(module.loaded):
            self.buffers.follow(self.memo.start_again())

    @contextmanager
    def importing_module(self, module: n.Module, frame: Frame) -> Iterator[None]:
        """Run a module on steps of its own; calls into one of the project get some more later."""
        steps, self.steps = self.steps, _LEAST_STEPS_OF_MODULE + _STEPS_PER_NODE * module.size
        outer, self.away = self.away, Away(self.steps)
        self.importing += 1
        try:
            yield
        finally:
            self.importing -= 1
            self._left_of[frame] = self.steps
            size = 0 if frame.library else module.size
            more = min(_STEPS_PER_IMPORTED_NODE * size, self._steps_for_imported)
            self._steps_for_imported -= more
            self.steps, self.away = steps + more, outer
            self.away.given += more

    @contextmanager
    def going_deeper(self) -> Iterator[None]:
        """Look up what is imported or was put off."""
        self.importing += 1
        try:
            yield
        finally:
            self.importing -= 1

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Run what no branch around it undoes, and no test around it has been asked for."""
        facts, self.facts = self.facts, Facts()
        try:
            with self.trail.for_good():
                yield
        finally:
            self.facts = facts

    @contextmanager
    def on_steps_of(self, frame: Frame) -> Iterator[None]:
        """Run a definition of a module on what is left of the module's steps."""
        steps, outer = self.steps, self.away
        left = self._left_of.get(frame)
        if left is not None:
            self.steps, self.away = left, Away(left)
        try:
            with self.going_deeper():
                yield
        except OutOfSteps:
            if left is None:
                raise
        finally:
            if left is not None:
                self._left_of[frame] = self.steps
                self.steps, self.away = steps, outer

    @contextmanager
    def going_away(self, what_for: Errand, new: bool) -> Iterator[None]:
        """Run a call from the file into another module."""
        away, aside = self.away, self.stack.aside
        outer = away.left_at, away.made_for, away.paid_before, away.new
        away.left_at, away.made_for, away.new = self.steps - away.given, what_for, new
        away.paid_before, self.stack.aside = away.spent[what_for], what_for == "handed"
        try:
            with away.going_on(what_for), self.paying(what_for):
                yield
        finally:
            away.left_at, away.made_for, away.paid_before, away.new = outer
            self.stack.aside = aside

    @contextmanager
    def paying(self, payer: Errand | None) -> Iterator[None]:
        """Run on the share of steps of a purpose; None: on no share."""
        self.count_away()
        outer, self.away.payer = self.away.payer, payer
        try:
            yield
        finally:
            self.count_away()
            self.away.payer = outer

    def count_away(self) -> None:
        """Count the steps that were taken in other modules since they were counted last."""
        self.away.count(self.steps)

    # ------------------------------------------------------------------ branching

    def fork(self, about: object = None) -> Fork:
        """Run alternatives, each from the state before it, and join what they leave.

        Forks that ask the same of a value that stays the same, ``about``, go the same way.
        """
        token = None if about is None else self._asked.setdefault(about, about)
        return Fork(self.stack, self.trail, token)

    # --------------------------------------------------------------------- arrays

    def array(
        self,
        operands: Sequence[Value],
        node: n.Node,
        name: str = "",
        aval: Aval = ANY,
        varies: n.Node | None = None,
    ) -> Array:
        """The array that a JAX operation on these operands gives here and now."""
        level = self.stack.level
        if level is not None and level.kernel is not None:
            self.analyses.on_operands(name, operands, node, level.kernel)
        if self.trail.gone and level is None and name not in jax_api.ASKS_SHAPE_ALONE:
            self.analyses.on_read_buffers(operands, node)
        found = self._array(operands, node, name, aval, varies)
        if any(type(each) is Array and each.reach for each in operands):
            spread = any(type(each) is Array and each.reach == "part" for each in operands)
            staged = level is not None and level.stages
            cut = spread and stays_spread(Derivation(name, (), node).operation, staged)
            found = replace(found, reach="part" if cut else "all")
        elif (differs := differing(operands)) is not None:
            found = replace(found, differs=differs)
        if self._makes_meshes and level is None and stays_whole(name, operands):
            found = replace(found, unplaced=True)
        if self._cuts_arrays and self.stack.told_apart():
            found = replace(found, varying=varying(name, operands))
        if not self.tracks_cotangents:
            return found
        return self._with_derivation(found, operands, node, name)

    @property
    def tracks_cotangents(self) -> bool:
        """Whether cotangents go back through what happens here."""
        level = self.stack.level
        return level is not None and level.transposes

    def named(self, value: Array | Tree) -> Derivation | None:
        """What a copy of a value under another name says of how it was computed."""
        return named(value) if self.tracks_cotangents else value.derived

    def _with_derivation(
        self, found: Array, operands: Sequence[Value], node: n.Node, name: str
    ) -> Array:
        derived = Derivation(name, tuple(operands), node, self.stack.chain)
        perturbed = (
            found.dtype not in ("int", "bool", "key")
            and not gradients.is_cut(derived.operation)
            and any(each.perturbed for operand in operands for each in tracers(operand))
        )
        return replace(found, perturbed=perturbed, derived=derived)

    def _array(
        self, operands: Sequence[Value], node: n.Node, name: str, aval: Aval, varies: n.Node | None
    ) -> Array:
        best, unsure = deciding(operands[1:] if name in jax_api.ASKS_SHAPE_ALONE else operands)
        level = self.stack.level
        if isinstance(best, Array) and best.kept_by:
            self.use_kept(best, level, node)
            return Array(None, aval, varies=varies)
        if level is not None and not level.tracing:
            self.analyses.on_computed(name, node)
        elif level is not None and level.stages and (best or not self.stack.computes_now):
            self.operations += 1
            reason = best.reason if best is not None else _made_here(name, node, level)
            back = given_back(name, operands, aval, reason) if best is None else None
            return back or Array(True, aval, reason, varies=varies)
        if best is None and level is not None and level.replicates:
            return Array(True, aval, _made_here(name, node, level), "replicated", varies=varies)
        if best is not None:
            # What `axis_index` gives is mapped, wherever it is called.
            leaves = best.concreteness in ("abstract", "differentiated")
            if leaves and level is None and self.stack.outside_traces():
                self.emit(LeakedUse(self.context(node, node, best)))
                return Array(None, aval, varies=varies)
            if best.concreteness == "differentiated" and kind_of(aval.dtype) in ("bool", "int"):
                return Array(False, aval, varies=varies)  # What has no tangent is no tracer.
            return Array(True, aval, best.reason, best.concreteness, varies=varies)
        traced = None if unsure is not None or not self.stack.frame.certain else False
        return Array(traced, aval, varies=varies)

    def use_kept(self, leaked: Array, level: Level | None, node: n.Node) -> None:
        """Compute with a tracer that a cache has kept after its trace.

        What is staged takes it for a constant: JAX refuses that when the program is to run.
        """
        if level is not None and level.tracing and level.stages:
            level.leaked = leaked
        else:
            self.emit(LeakedUse(self.context(node, node, leaked), leaked.kept_by))

    def unseen(self, *values: Value) -> Unknown:
        """What comes of values in a way that nobody can see."""
        level = self.stack.level
        if level is not None and level.stages:
            for value in values:
                source = source_of(value)
                if source is not None:
                    return Unknown(source=replace(source, derived=OUT_OF_VIEW))
        return UNKNOWN

    # ----------------------------------------------------------------------- keys

    def consume(
        self, key: Key, node: n.Node, subject: n.Node, name: str, alone: bool = False
    ) -> None:
        """Use a PRNG key up: ``name`` is called with it, ``alone`` or in a container."""
        level = self.stack.level
        if not self.stack.muted and (level is None or level.computes):
            self.consumed += 1
            name = self.stack.library or name
            self.analyses.on_consume(key, node, subject, name, alone)

    # ----------------------------------------------------------------------- end

    def let_go(self) -> None:
        """Break the cycles between frames and functions: memory is free without a collection."""
        for frame in self.stack.frames:
            frame.let_go()
        self.keys.let_go()
        self.memo = Memo()
        self.functions.clear()
        self.classes.clear()
        self.put_off.clear()
        self.kept.clear()
        del self.analyses


def _made_here(name: str, node: n.Node, level: Level) -> Reason:
    return Reason("result", name, Site(node.origin), level.function, level.name, level.site)
