"""What JAX reads once: when it is imported, when its backend starts; what is set after that.

Each module keeps in order what it does that matters: it imports, it uses a device, it makes arrays
of default dtype. A setting that comes after has no effect on JAX. It is noted at the end, unless
the file sets the same thing another way.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jaxlint.events import ForkAfterStart, LateSetting, Site
from jaxlint.knowledge import python_api, settings
from jaxlint.knowledge.packages import KNOWN_LIBRARIES
from jaxlint.knowledge.settings import Deadline
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.modules import run
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Loop
from jaxlint.tracer.state.stack import Branches
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.value import UNKNOWN, Const, Host, Value

_Does = Literal["imports", "starts", "chooses a device", "makes arrays", "may widen"]
_TAME = KNOWN_LIBRARIES | sys.stdlib_module_names | {"matplotlib"}
"""Packages that leave the options of JAX as they are."""

_RUNS = ("abstract", "differentiated")
_PLAIN = (Const, Host, Sequence)
_BY: dict[Deadline, _Does] = {
    "import": "imports", "start": "starts", "default": "chooses a device", "arrays": "makes arrays"
}  # fmt: skip
_BESIDES: dict[_Does, frozenset[_Does]] = {
    "makes arrays": frozenset({"starts", "chooses a device"}),
    "chooses a device": frozenset({"starts"}),
}
"""What is done along with something: JAX makes an array on the device that it chooses."""


@dataclass(frozen=True, slots=True)
class _Step:
    """Something that a module does.

    Attributes:
        does: what; an import of another module does what that one does.
        path, loops: the branches and loops that lead there.
        demo: it is done where the file is run, and not where another imports it.
        through: the call of this module by which another one does it.
    """

    does: _Does
    node: n.Node
    path: Branches
    loops: tuple[Loop, ...]
    demo: bool = False
    through: n.Node | None = None

    def comes_before(self, path: Branches, loops: tuple[Loop, ...]) -> bool:
        """Whether all that gets to a later place has been here."""
        return self.path == path[: len(self.path)] and self.loops == loops[: len(self.loops)]


@dataclass(frozen=True, slots=True)
class _Doings:
    """What is done at once, and the modules of the project that run for it."""

    does: frozenset[_Does]
    imports: frozenset[Path] = frozenset()


@dataclass(frozen=True, slots=True)
class _Late:
    """A setting that came too late, unless the option is set another way."""

    option: str
    event: LateSetting


class Startup(Analysis):
    """Notes settings that JAX has read already."""

    of_the_file = True

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._for_others = not settings.OTHER_PROCESSES.isdisjoint(tracer.module.loaded)
        self._steps: dict[int, list[_Step]] = {}
        self._settled: int | None = None
        self._set: set[str] = set()
        self._updated: set[str] = set()
        self._late: list[_Late] = []
        self._by_module: dict[Path, _Doings] = {}
        self._method: object = None

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return not (settings.CHANGES | python_api.FORK_NAMES).isdisjoint(module.loaded)

    # ------------------------------------------------------------------ what happens

    def on_import(self, node: n.Import) -> None:
        self._add("imports", node)

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        if function.transform.computes and function.transform.concreteness in _RUNS:
            self._add("chooses a device", node)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if settings.starts_backend(name):
            self._add(_how_it_starts(name, arguments), node)
        elif name in settings.SETS_VARIABLES:
            for variable in _named(arguments):
                self._sets_variable(variable, node, node)
        elif name in settings.SETS_OPTIONS:
            self._sets_option(arguments, node)
        elif name in python_api.FORKS or name in python_api.FORKS_BY_DEFAULT:
            self._forks(name, node)
        elif name in (python_api.SETS_START_METHOD, python_api.EXECUTOR):
            self._choose(name, arguments)
        elif settings.deadline_of_call(name) is not None:
            self._check(name, settings.deadline_of_call(name), node, node)

    def _add(self, does: _Does, node: n.Node) -> None:
        stack = self.tracer.stack
        if stack.level is None and not stack.muted:
            step = _Step(does, node, stack.path, stack.frame.loops, stack.demo, self._leaves_by())
            self._steps.setdefault(id(stack.module), []).append(step)

    # ---------------------------------------------------------------------- processes

    def _choose(self, name: str, arguments: Arguments) -> None:
        """Processes may be started in another way than by default from here on."""
        if name == python_api.SETS_START_METHOD:
            method = arguments.get(0, "method")
            self._method = method.value if isinstance(method, Const) else UNKNOWN
        elif not arguments.closed or arguments.get(1, "mp_context") is not None:
            context = arguments.get(1, "mp_context")
            forks = isinstance(context, External) and context.type == python_api.FORK_CONTEXT
            self._method = python_api.FORK if forks else UNKNOWN

    def _forks(self, name: str, node: n.Node) -> None:
        """Note a fork of a process in which JAX runs."""
        stack = self.tracer.stack
        by_default = name in python_api.FORKS_BY_DEFAULT and self._method != python_api.FORK
        # Who calls a function that the file does not call may have chosen another way.
        if by_default and (self._method is not None or self._settled is not None):
            return
        if stack.level is not None or stack.muted or stack.module is not stack.globals:
            return
        before = self._before("start")
        if before is not None:
            context = self.tracer.context(node, node.function if isinstance(node, n.Call) else node)
            by_import = isinstance(before, n.Import)
            after = Site(before.origin)
            self.tracer.emit(ForkAfterStart(context, name, after, by_import, by_default))

    # ---------------------------------------------------------------------- settings

    def on_store_outside(self, name: str, index: Value, target: n.Subscript, node: n.Node) -> None:
        if name != settings.ENVIRON or not isinstance(index, Const):
            return
        if isinstance(node, n.Assign) and isinstance(node.value, n.Name):
            return  # Put back, perhaps, what it was.
        self._sets_variable(index.value, target, target.index)

    def _sets_variable(self, variable: object, node: n.Node, subject: n.Node) -> None:
        if not isinstance(variable, str) or self._for_others or variable in self._set:
            return
        self._set.add(variable)
        self._check(variable, settings.deadline_of_variable(variable), node, subject)

    def _sets_option(self, arguments: Arguments, node: n.Node) -> None:
        option, value = arguments.get(0, "name"), arguments.get(1, "val")
        if not isinstance(option, Const) or not isinstance(option.value, str):
            return
        deadline = settings.deadline_of_option(option.value)
        if option.value == settings.X64:
            first = option.value not in self._updated
            at_the_top = self.tracer.stack.frame is self.tracer.stack.globals
            on = isinstance(value, Const) and value.value is True
            deadline = "arrays" if on and first and at_the_top else None
            self._add("may widen", node)
        self._updated.add(option.value)
        self._check(option.value, deadline, node, node)

    def _check(
        self, setting: str, deadline: Deadline | None, node: n.Node, subject: n.Node
    ) -> None:
        """Note a setting that comes after what it must come before."""
        stack = self.tracer.stack
        if deadline is None or stack.level is not None or stack.muted:
            return
        if stack.module is not stack.globals:
            return  # Linting that module says so.
        before = self._before(deadline)
        if before is not None:
            context = self.tracer.context(node, subject)
            by_import = isinstance(before, n.Import)
            event = LateSetting(context, setting, deadline, Site(before.origin), by_import)
            self._late.append(_Late(setting.lower(), event))

    def _leaves_by(self) -> n.Node | None:
        """The call of the linted file by which the code of another module runs."""
        stack = self.tracer.stack
        if stack.frame.globals is stack.module:
            return None
        calls = (link.node for link in stack.chain[::-1] if link.frame.globals is stack.module)
        return next(calls, None)

    def _before(self, deadline: Deadline) -> n.Node | None:
        """What the linted file has done by now that a setting had to come before."""
        stack = self.tracer.stack
        wanted = _BY[deadline]
        # Another module asks whether to, for reasons of its own: it knows what it has done itself.
        through = self._leaves_by()
        asks = through is not None and stack.in_branch()
        for step in self._steps.get(id(stack.module), ()):
            if (asks and step.through is not through) or not step.comes_before(
                stack.path, stack.frame.loops
            ):
                continue
            done = self._done(step, stack.module)
            if deadline == "arrays" and "may widen" in done:
                return None  # What another module makes is its own affair, and so is when.
            own = deadline != "arrays" or not isinstance(step.node, n.Import)
            if wanted in done and own:
                return step.node
        return None

    def _done(self, step: _Step, module: Frame) -> set[_Does]:
        """All that a step does, with what it imports."""
        own = self._done_alone(step, module)
        found, waiting = set(own.does), list(own.imports)
        seen = set(waiting)
        while waiting:
            further = self._done_by(waiting.pop())
            found |= further.does
            waiting += further.imports - seen
            seen |= further.imports
        return found

    def _done_alone(self, step: _Step, module: Frame) -> _Doings:
        """What a step does itself, and the modules that it runs."""
        if not isinstance(step.node, n.Import):
            return _Doings(_BESIDES.get(step.does, frozenset()) | {step.does})
        found: set[_Does] = set()
        package = step.node.qualified.partition(".")[0]
        if package in settings.IMPORTS_JAX:
            found.add("imports")
        files = frozenset(self._modules_of(step.node, module))
        if not files and package not in _TAME:
            found.add("may widen")
        return _Doings(frozenset(found), files)

    def _modules_of(self, node: n.Import, module: Frame) -> Iterator[Path]:
        """The files of the project that an import runs: the packages on the way, and the module."""
        project = self.tracer.settings.project
        if project is None or module.file is None:
            return
        inner = node.qualified.lstrip(".")
        dots = node.qualified[: len(node.qualified) - len(inner)]
        parts = inner.split(".")
        for count in range(1, len(parts) + 1):
            found = project.find(dots + ".".join(parts[:count]), module.file)
            if found is not None and found.suffix == ".py":
                yield found

    def _done_by(self, file: Path) -> _Doings:
        """All that a module does itself for certain when it is imported; looked at once."""
        known = self._by_module.get(file)
        if known is not None:
            return known
        frame = run(self.tracer, file)
        doings = [
            self._done_alone(step, frame)
            for step in self._steps.get(id(frame), ())
            if frame is not None and not step.path and not step.loops
        ]
        does = frozenset[_Does]().union(*(each.does for each in doings))
        imports = frozenset[Path]().union(*(each.imports for each in doings))
        found = self._by_module[file] = _Doings(does, imports)
        return found

    # ------------------------------------------------------------------------ memory

    def _own(self) -> list[_Step]:
        return self._steps.setdefault(id(self.tracer.stack.module), [])

    def before_call(self) -> tuple[int, Branches]:
        return len(self._own()), self.tracer.stack.path

    def after_call(self, before: tuple[int, Branches]) -> tuple[_Step, ...]:
        """What the call does whichever way it goes."""
        count, path = before
        return tuple(step for step in self._own()[count:] if step.path == path)

    def replay(self, record: tuple[_Step, ...], level: object = None) -> None:
        for step in record:
            self._add(step.does, step.node)

    def on_settle(self) -> None:
        """A caller out of view comes after the module, and knows nothing of other callers."""
        own = self._own()
        if self._settled is None:
            own[:] = [step for step in own if not step.demo]
            # A cell that comes before may be what calls a function of a notebook.
            self._settled = 0 if self.tracer.settings.in_cells else len(own)
        del own[self._settled :]

    def on_end(self) -> None:
        for late in self._late:
            if late.option not in self._updated or late.event.setting in self._updated:
                self.tracer.emit(late.event)


def _named(arguments: Arguments) -> Iterator[object]:
    """The variables that ``setdefault``, ``update`` or ``putenv`` sets, where they are written."""
    for value in arguments.args[:1]:
        if isinstance(value, Const):
            yield value.value
        elif isinstance(value, Mapping):
            yield from value.entries.known
    yield from arguments.kwargs


def _how_it_starts(name: str, arguments: Arguments) -> _Does:
    """What a call does that starts the backend: it may say itself which device it is about."""
    if _follows_x64(name, arguments):
        return "makes arrays"
    index = settings.names_devices(name)
    named = [] if index is None else list(arguments.args[index : index + 1])
    named += [value for key, value in arguments.kwargs.items() if key in settings.DEVICE_ARGUMENTS]
    says = any(not (isinstance(value, Const) and value.value is None) for value in named)
    return "starts" if says or not arguments.closed else "chooses a device"


def _follows_x64(name: str, arguments: Arguments) -> bool:
    """Whether nothing but the default says how wide the numbers of a new array are."""
    count = settings.FOLLOWS_X64.get(name)
    if count is None or len(arguments.args) > count or not arguments.closed:
        return False
    given = (*arguments.args, *arguments.kwargs.values())
    return "dtype" not in arguments.kwargs and all(isinstance(each, _PLAIN) for each in given)
