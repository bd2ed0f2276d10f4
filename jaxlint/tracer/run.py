"""Runs a whole file: the module, then what nobody in it calls, then what nobody traces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from jaxlint.events import Event, Site
from jaxlint.knowledge.transforms import Transform
from jaxlint.program import nodes as n
from jaxlint.program.walk import assigned_names
from jaxlint.tracer.api_changes import ApiChanges
from jaxlint.tracer.builtin_calls import Builtins
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.calls import Calls
from jaxlint.tracer.classes import Classes
from jaxlint.tracer.costs import Costs
from jaxlint.tracer.effects import Effects
from jaxlint.tracer.expressions import Expressions
from jaxlint.tracer.frames import Frame, Read
from jaxlint.tracer.keys import Keys
from jaxlint.tracer.machine import OutOfSteps
from jaxlint.tracer.methods import Methods
from jaxlint.tracer.models import Models
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.refusals import Refusals
from jaxlint.tracer.repetition import version_of
from jaxlint.tracer.statements import Statements
from jaxlint.tracer.transforms import Transforms
from jaxlint.tracer.values import (
    UNKNOWN,
    Class,
    Const,
    Function,
    Host,
    Instance,
    Transformed,
    Value,
)
from jaxlint.tracer.waiting import Waiting


@dataclass(frozen=True, slots=True)
class Traced:
    """What the abstract tracer found.

    ``gave_up_at`` is where the step budget ran out: the rest is unknown. None: it never did.
    """

    events: list[Event]
    gave_up_at: Site | None = None


class Interpreter(
    Statements,
    Expressions,
    Calls,
    Classes,
    Builtins,
    Models,
    Methods,
    Effects,
    Refusals,
    Keys,
    Costs,
    Waiting,
    ApiChanges,
    Transforms,
):
    """The abstract tracer, put together."""

    def __init__(self, module: n.Module, own: Mapping[str, Transform], unroll: int) -> None:
        super().__init__(module)
        self.own_transforms = own
        self.unroll = unroll
        self._instances: dict[int, Instance] = {}

    def run(self) -> Traced:
        """Run the file."""
        gave_up_at = None
        try:
            self.execute(self.module.body)
            self._run_uncalled()
            self._trace_uncalled()
        except OutOfSteps as spent:
            gave_up_at = Site(spent.node.origin)
        self.level, self.frame, self.muted = None, self.globals, 0
        self.finish_per_call()
        self._report_reads_of_changing_values()
        self._let_go()
        return Traced(self.events, gave_up_at)

    def _let_go(self) -> None:
        """Break the cycles between frames and functions: memory is free without a collection."""
        for frame in self.frames:
            frame.names.clear()
        self.memo.clear()
        self.traces.clear()
        self.key_uses.clear()

    # ----------------------------------------------------------------- uncalled

    def _run_uncalled(self) -> None:
        """Run functions that nothing has called yet, entry points first.

        Who calls them, and whether under a trace, is unknown: so are their
        parameters, and so is whether their arrays are tracers.
        """
        self.globals.certain = False
        self.frame, self.level, self.muted = self.globals, None, 0
        self.frame.stopped = False
        waiting = sorted(self.module.functions, key=self._is_entry_point, reverse=True)
        # Twice: running them defines the functions nested in them.
        for code in (*waiting, *waiting):
            if id(code) not in self.ran and not self._awaits_tracing(code):
                self._run_with_unknowns(code)

    def _is_entry_point(self, code: n.Function) -> bool:
        """Whether nothing in the file mentions the function, or it sets an object up."""
        return code.name == "__init__" or code.name not in self.module.loaded

    def _awaits_tracing(self, code: n.Function) -> bool:
        return any(_code(transformed) is code for transformed in self.waiting)

    def _run_with_unknowns(self, code: n.Function) -> None:
        function = self.functions.get(id(code))
        if function is None:
            return
        arguments = Arguments([], {}, UNKNOWN, UNKNOWN)
        positional = [p for p in code.parameters if p.kind in ("positional", "positional_only")]
        if function.owner is not None and positional:
            arguments.args.append(self._receiver(function.owner))
        self._settle()
        self.invoke(function, arguments, code)

    def _receiver(self, cls: Class) -> Value:
        found = self._instances.get(id(cls))
        if found is None:
            self._settle()
            found = self.some_instance(cls)
            self._instances[id(cls)] = found
        return found

    def _settle(self) -> None:
        self.frame, self.level, self.muted = self.globals, None, 0
        self.frame.stopped = False
        self.frame.loops = ()
        self.era += 1
        self.path = self.call_chain = ()
        self.clock.pending, self.clock.loops = None, ()

    def _trace_uncalled(self) -> None:
        """Trace the transformed functions that nobody in view calls."""
        position = 0
        while position < len(self.waiting):
            transformed = self.waiting[position]
            position += 1
            code = _code(transformed)
            if code is not None and id(code) not in self.ran:
                self._settle()
                self.trace_unseen(transformed)

    # -------------------------------------------------------------------- stale

    def _report_reads_of_changing_values(self) -> None:
        """Reads by cached traces of what some other function rebinds whenever it likes."""
        rebinding = self._globals_rebound()
        for read in self.kept_reads:
            if not read.level.lasting:
                continue
            if isinstance(read.holder, Frame) and read.holder is self.globals:
                changed = rebinding.get(read.name)
                if changed is not None and self._settled_data(self.globals.names.get(read.name)):
                    if self._may_be_seen(read, changed):
                        self.stale(read, changed)
            elif isinstance(read.holder, Instance):
                self._report_attribute(read, read.holder)

    def _may_be_seen(self, read: Read, setter: n.Node) -> bool:
        """Whether a call after the rebinding can show the old value.

        Where the setter's calls are in view, it must have run after the trace, and
        the compiled function must be called more than once.
        """
        if id(setter) not in self.ran_for_certain:
            return True
        again = self.applications[id(read.level.site.origin)] > 1
        return again and version_of(read) != read.version

    def _globals_rebound(self) -> dict[str, n.Node]:
        """Global name -> a function that rebinds it at run time."""
        found: dict[str, n.Node] = {}
        for function in self.module.functions:
            # A traced one has its own rule; a context manager puts the old value back.
            if id(function) in self.ran_traced or function.is_generator:
                continue
            declared = [name for name, kind in function.scope.outer.items() if kind == "global"]
            for name in assigned_names(function.body).intersection(declared) if declared else ():
                found.setdefault(name, function)
        return found

    def _settled_data(self, value: Value | None) -> bool:
        return isinstance(value, (Const, Host)) and not (
            isinstance(value, Const) and value.value is None
        )

    def _report_attribute(self, read: Read, instance: Instance) -> None:
        cls = instance.cls
        if not instance.open:
            return  # Made in view: what happens to it has been followed.
        if cls.library or cls.pytree or cls.find("__hash__") or cls.find("__eq__"):
            return
        changed = self.set_outside_init(cls).get(read.name)
        init = cls.find("__init__")
        if changed is None or not isinstance(init, Function):
            return
        if self._set_to_data(init.code, read.name):
            self.stale(read, changed)

    def _set_to_data(self, code: n.Function, attr: str) -> bool:
        """Whether a constructor gives the attribute a value other than None."""
        for statement in code.body:
            targets = statement.targets if isinstance(statement, n.Assign) else []
            for target in targets:
                if isinstance(target, n.Attribute) and target.attr == attr:
                    assert isinstance(statement, n.Assign)
                    value = statement.value
                    return not (isinstance(value, n.Constant) and value.value is None)
        return False


def _code(transformed: Transformed) -> n.Function | None:
    function = function_under(transformed)
    return function.code if function is not None else None


def trace(
    module: n.Module, own: Mapping[str, Transform] = MappingProxyType({}), unroll: int = 100
) -> Traced:
    """Run a lowered file on abstract values.

    Args:
        module: the file.
        own: transforms of the user's own, by qualified name.
        unroll: iterations of a Python loop in traced code that are worth an event.
    """
    return Interpreter(module, own, unroll).run()
