"""Host callbacks: whether they compute with JAX, which may wait for the program that calls them."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxlint.events import JaxInCallback
from jaxlint.knowledge import jax_api, settings
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import name_of
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level, Loop
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import Const, Unknown, Value, is_number

_IN_FLIGHT = 32
"""How many programs JAX lets wait on the CPU before the next dispatch waits for one of them.

``max_inflight_computations_per_device`` of XLA's ``CpuClientOptions``, which JAX leaves as it is.
"""


@dataclass(eq=False, slots=True)
class _Use:
    """The first thing that a callback computes with JAX.

    Attributes:
        event: what is to be said of it.
        loops: the loops of the host around each run of the program that calls back.
        returns: the program uses what the callback gives.
        open: somebody out of view runs that program.
    """

    event: JaxInCallback
    returns: bool
    loops: list[tuple[Loop, ...]] = field(default_factory=list)
    open: bool = False


class Callbacks(Analysis):
    """Notes callbacks that use JAX and are called again and again while nothing waits."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._uses: dict[Level, _Use] = {}
        self._ran: list[_Use] = []
        self._waits: list[int] = []
        self._waiting: set[Loop] = set()
        self._at_once = False
        self._callers_unseen = False

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return any(name.endswith("callback") for name in module.loaded)

    # ---------------------------------------------------------------- what computes

    def on_computed(self, name: str, node: n.Node) -> None:
        if name not in jax_api.HANDS_BACK:
            is_function = name.startswith(jax_api.PACKAGE) and not name.startswith(jax_api.ARRAY)
            self._note(name if is_function else "", node)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        if function.transform.computes:
            name = name_of(function)
            self._note(name if name.isidentifier() else "", node)

    def on_callee(self, name: str, function: Value, arguments: Arguments, node: n.Node) -> None:
        self._note(name, node)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name in jax_api.BRINGS_IN and len(arguments.all()) == 1:
            given = arguments.args[0] if arguments.args else None
            if isinstance(given, NumpyArray) or (given is not None and is_number(given)):
                self._note(name, node)
        option, value = arguments.get(0, "name"), arguments.get(1, "val")
        if name in settings.SETS_OPTIONS and isinstance(option, Const):
            off = isinstance(value, Const) and value.value is False
            self._at_once = self._at_once or (off and option.value == settings.ASYNC_ON_CPU)

    def _note(self, name: str, node: n.Node) -> None:
        level = self.tracer.stack.level
        if level is None or not _is_called_back(level) or not self._is_certain(level):
            return
        use = self._uses.get(level)
        if use is None:
            context = self.tracer.context(node, node)
            event = JaxInCallback(context, name, level.function, level.name, level.site)
            use = self._uses[level] = _Use(event, not level.transform.for_effect)
            self._place(use)

    def _is_certain(self, level: Level) -> bool:
        """Whether each call of the callback comes here."""
        stack = self.tracer.stack
        entered = (frame.entered for frame in stack.running if frame.level is level)
        return stack.frame.conditional == next(entered, stack.frame.conditional)

    def _place(self, use: _Use) -> None:
        """The program that calls back is dispatched here."""
        around = self.tracer.stack.frame.loops
        loops = tuple(loop for loop in around if loop.frame.level is None)
        use.loops.append(loops)
        use.open = use.open or (use.returns and not loops and self._is_for_others())
        self._ran.append(use)

    def _is_for_others(self) -> bool:
        """Whether somebody out of view calls what runs, and gives it something."""
        running = self.tracer.stack.running
        outermost = running[0].function if self._callers_unseen and running else None
        if outermost is None:
            return False
        return len(outermost.code.parameters) > (outermost.owner is not None)

    # ------------------------------------------------------------------ what waits

    def on_wait(self, value: Value | None, node: n.Node, construct: str) -> None:
        stack = self.tracer.stack
        if stack.level is None and not stack.muted and (value is None or _may_be_pending(value)):
            self._wait()

    def _wait(self) -> None:
        frame = self.tracer.stack.frame
        self._waits.append(frame.conditional)
        passes = (loop for loop in frame.loops if loop.conditional == frame.conditional)
        self._waiting.update(passes)

    # ---------------------------------------------------------------------- memory

    def before_call(self) -> tuple[int, int, int]:
        return len(self._ran), len(self._waits), self.tracer.stack.frame.conditional

    def after_call(self, before: tuple[int, int, int]) -> tuple[tuple[_Use, ...], bool]:
        """The callbacks that a call runs, and whether it waits whichever way it goes."""
        ran, waits, conditional = before
        return tuple(self._ran[ran:]), conditional in self._waits[waits:]

    def replay(self, record: tuple[tuple[_Use, ...], bool], level: Level | None = None) -> None:
        uses, waits = record
        for use in uses:
            self._place(use)
        if waits and self.tracer.stack.level is None:
            self._wait()

    def on_settle(self) -> None:
        self._callers_unseen = True

    def on_end(self) -> None:
        for use in self._uses.values():
            if not self._at_once and (use.open or any(map(self._fills_up, use.loops))):
                self.tracer.emit(use.event)
        self._uses.clear()
        self._waiting.clear()

    def _fills_up(self, loops: tuple[Loop, ...]) -> bool:
        """Whether more programs than may wait are dispatched while the host waits for none."""
        count = 1
        for loop in reversed(loops):
            if loop in self._waiting:
                break
            count *= _IN_FLIGHT if loop.count is None else loop.count
        return count >= _IN_FLIGHT


def _may_be_pending(value: Value) -> bool:
    return any(isinstance(leaf, (Array, Tree, Unknown)) for leaf in leaves(value))


def _is_called_back(level: Level) -> bool:
    """Whether a compiled program calls the function; some are called at once outside of traces."""
    if level.tracing:
        return False
    return not level.transform.at_once or (level.parent is not None and level.parent.stages)
