"""What to do with each thing that is seen: lines, exceptions, returns."""

from __future__ import annotations

import os
import sys
import warnings
from traceback import walk_tb
from types import CodeType, FrameType, TracebackType
from typing import Any
from weakref import ref

from .changes import Changes
from .gradients import Gradients
from .journal import Journal
from .keys import Keys
from .leaks import names_that_hold_tracers
from .membership import MEMBER_VARIABLE, Membership
from .probes import ERRORS, STACK_OF_OPERATION, Probes
from .readings import Readings
from .settings import Settings
from .stack import JAX, Stack, current_test
from .states import States
from .traces import Traces
from .values import Values
from .watchlist import (
    MOST_HITS,
    SEES_CHANGES,
    UNROLLED,
    Plan,
    Watch,
    Watchlist,
    is_at_first_start,
)

_QUIET = (StopIteration, GeneratorExit, StopAsyncIteration)
_LONGEST_LINE, _LONGEST_TEXT = 200, 2000

Traceback = TracebackType | None


class Session:
    """The observer of one process, from ``import jax`` to the end.

    Args:
        folder: of the run; empty where nobody waits for what is written.
    """

    def __init__(self, journal: Journal, watchlist: Watchlist, folder: str = "") -> None:
        self._journal = journal
        self._folder = folder
        self._is_member = bool(folder) and MEMBER_VARIABLE in os.environ
        self._watchlist = watchlist
        self._host_hits: dict[int, int] = {}
        self._calls: dict[int, tuple[int, int]] = {}
        self._told: set[tuple[int, str]] = set()
        self._last_refused: ref[BaseException] | None = None
        self._has_devices = False
        self._main_file: str = getattr(sys.modules.get("__main__"), "__file__", None) or ""

    def begin(self) -> None:
        """Start watching; called when ``import jax`` has succeeded."""
        with warnings.catch_warnings():
            # Looking for a name in its old place must not warn the user.
            warnings.simplefilter("ignore")
            self._begin()

    def _begin(self) -> None:
        import jax
        import jaxlib
        from jax import monitoring

        self._is_clean = _trace_state_clean()
        self._has_started = _has_started()
        self._values = Values(jax)
        self.stack = Stack(self._watchlist, jax)
        self._changes = Changes(self._journal, self.stack, self._values)
        self._readings = Readings(self._journal, self._values)
        self._states = States(self._journal, self._values, jax)
        traces = Traces(self._journal, self.stack, self._is_clean, self._is_member)
        keys = Keys(self._journal, self.stack, jax)
        monitoring.register_event_duration_secs_listener(traces.listen)
        self._gradients = Gradients(self._journal, self.stack, jax)
        settings = Settings(self._journal, self.stack, self._watchlist, self._has_started, jax)
        probes = Probes(
            self._journal, self.stack, traces, keys, self._gradients, self._watchlist,
            settings,
        )  # fmt: skip
        self._engine = engine = self._start_engine(probes)
        traces.on_work = self._at_work
        self._journal.closers += [
            self._readings.compare,
            self._tell_leaks,
            settings.tell,
            engine.tell,
        ]
        self._journal.write_for_all(
            "jax",
            version=jax.__version__,
            jaxlib=jaxlib.__version__,
            engine=engine.name,
        )
        if self._is_member:
            Membership(self._journal, self.stack, self._values, self._folder).begin()

    def _at_work(self) -> None:
        """JAX traces or compiles."""
        self._engine.revive()
        if not self._has_devices and self._has_started():
            self._has_devices = True
            self._tell_devices()

    def _tell_devices(self) -> None:
        """What it computes on: the backend runs already, asking starts nothing."""
        import jax

        names = [(each.platform, each.device_kind) for each in jax.local_devices()]
        kinds = [kind if kind == name else f"{name} ({kind})" for name, kind in names]
        counts = [[kind, kinds.count(kind)] for kind in dict.fromkeys(kinds)]
        self._journal.write_for_all("devices", kinds=counts)

    def _start_engine(self, probes: Probes) -> Any:
        if sys.version_info >= (3, 12):
            from .with_monitoring import MonitoringEngine

            return MonitoringEngine(self, probes, self._journal)
        from .with_settrace import SettraceEngine

        return SettraceEngine(self, probes, self._journal)

    def pause(self) -> None:
        """See nothing of what runs until :meth:`resume`; traces are still heard of."""
        self._engine.pause()

    def resume(self) -> None:
        """See what runs from now on."""
        self._engine.resume()

    def start_afresh(self) -> None:
        """Forget all that has been counted."""
        self._journal.clear()
        self._host_hits.clear()
        self._calls.clear()
        self._told.clear()

    @property
    def is_tracing(self) -> bool:
        """Whether JAX is tracing now."""
        return not self._is_clean()

    def plan_for(self, code: CodeType) -> Plan | None:
        """What to look at in a code object that has just started for the first time."""
        number = self.stack.kind(code.co_filename)
        if number < 0:
            self._note_copy(code)
            return None
        if code.co_name == "<module>" or ("file", number) not in self._journal.counts:
            self._journal.count("file", number)
        return self._watchlist.plan_for(code, number)

    def _note_copy(self, code: CodeType) -> None:
        """A module that looks like a copy of a named file: installed beside the source, perhaps."""
        if code.co_name == "<module>":
            number = self._watchlist.look_alike(code.co_filename)
            if number >= 0:
                self._journal.count("copy", number, code.co_filename)

    def line(self, frame: FrameType, plan: Plan, line: int) -> None:
        """A line of a function with findings begins."""
        if plan.sees_changes:
            self._changes.end(frame)
        watches = plan.at.get(line)
        if not watches or (watches[0].is_head and not is_at_first_start(frame)):
            return
        traced = self.is_tracing
        if not traced and self._is_worn_out(watches[0]):
            return
        for watch in watches:
            state = self._values.state(frame, watch.names)
            self._journal.count("hit", watch.number, traced, state)
            self._tell_what_led(frame, watch, "traced" if traced else "ran")
            self._look(frame, watch, traced)
        looks = SEES_CHANGES if traced else ("same",)
        changing = [watch for watch in watches if watch.look in looks]
        if changing:
            self._changes.begin(frame, changing)

    def _tell_what_led(self, frame: FrameType, watch: Watch, how: str) -> None:
        """Once: the test, and the lines of the user's files, that led to a finding's line."""
        if (watch.number, how) not in self._told:
            self._told.add((watch.number, how))
            lines = [(each.file, each.line, each.scope) for each in self.stack.user_lines(frame)]
            self._journal.count("led", watch.number, how, current_test(), tuple(lines))

    def _look(self, frame: FrameType, watch: Watch, traced: bool) -> None:
        """At what the finding wants to be looked at when its line begins."""
        if traced and watch.look == "stale":
            self._readings.note(frame, watch)
        elif traced and watch.look == "loop":
            self._count_in_call(frame, watch)
        elif not traced and watch.look in ("state", "optimizer"):
            self._states.note(frame, watch)
        elif watch.look == "gradient":
            self._gradients.note(watch.number)
        elif watch.look == "ready" and self._values.anything_unready(frame):
            self._journal.count("unready", watch.number)
        elif watch.look == "started" and self._has_started():
            self._journal.count("started", watch.number)

    def _count_in_call(self, frame: FrameType, watch: Watch) -> None:
        """How often the line has run in this one call of its function."""
        call, number = self._calls.get(watch.number, (0, 0))
        number = number + 1 if call == id(frame) else 1
        self._calls[watch.number] = (id(frame), number)
        if number == UNROLLED:
            self._journal.count("unrolled", watch.number)

    def _is_worn_out(self, watch: Watch) -> bool:
        """A line that has run so often outside of any trace tells nothing new there."""
        number = self._host_hits.get(watch.number, 0) + 1
        self._host_hits[watch.number] = number
        return number > MOST_HITS

    def leave(self, frame: FrameType) -> None:
        """A function with findings returns."""
        self._changes.end(frame)

    def raised(self, frame: FrameType, plan: Plan, error: BaseException, tb: Traceback) -> None:
        """An exception passes through a function with findings.

        ``tb``: where it has come from. Before Python 3.12 an exception does not know that
        itself until it is caught.
        """
        if isinstance(error, _QUIET):
            return
        self._changes.end(frame, raised=True)
        line = frame.f_lineno
        watches = [w for w in plan.watches if w.lines[0] <= line <= w.lines[1]]
        if not watches:
            return
        own = all(kind < 0 for kind in self._kinds_inside(tb))
        for watch in watches:
            self._count_error("raise", watch, error, own)
            self._tell_what_led(frame, watch, "raised")

    def _count_error(self, what: str, watch: Watch, error: BaseException, *facts: bool) -> None:
        names = [kind.__name__ for kind in type(error).__mro__[:-2]]
        message = _message(error)
        first_line = (message.splitlines() or [""])[0][:_LONGEST_LINE]
        self._journal.count(what, watch.number, *facts, ",".join(names), first_line)
        if (watch.number, names[0]) not in self._told:
            self._told.add((watch.number, names[0]))
            self._journal.count("said", watch.number, names[0], message)

    def refused(self, error: BaseException) -> None:
        """JAX raises when it transforms an operation, and says which one the program asked for.

        That line has run before, and its function need not run any more.
        """
        cause, last = error.__cause__, self._last_refused
        if cause is None or type(cause).__name__ != STACK_OF_OPERATION:
            return
        if last is not None and last() is cause:
            return  # It comes through one function after the other.
        self._last_refused = ref(cause)
        frames = [(each.f_code.co_filename, line) for each, line in walk_tb(cause.__traceback__)]
        places = [(self.stack.kind(file), line) for file, line in frames]
        for number, line in [place for place in places if place[0] >= 0][-1:]:
            for watch in self._watchlist.at(number, line):
                self._count_error("refused", watch, error)

    def _kinds_inside(self, tb: Traceback) -> list[int]:
        """Whose frames an exception has come through before it came here."""
        kinds = []
        inside = tb.tb_next if tb is not None else None
        while inside is not None:
            kinds.append(self.stack.kind(inside.tb_frame.f_code.co_filename))
            inside = inside.tb_next
        return kinds

    def jax_error(self, frame: FrameType, error: BaseException, tb: Traceback) -> None:
        """An exception of JAX's own reaches a function of the user's files."""
        file = self.stack.kind(frame.f_code.co_filename)
        inside = self._kinds_inside(tb)
        if file >= 0 and all(kind < 0 for kind in inside):
            name, direct = type(error).__name__, all(kind == JAX for kind in inside)
            facts = (file, frame.f_lineno, name, direct, None)
            self._journal.count("event", ERRORS[name], *facts)

    def _tell_leaks(self) -> None:
        found = names_that_hold_tracers(self._values, self.stack, self._main_file)
        for number, name, line in found:
            self._journal.count("leak", number, name, line)


def _message(error: BaseException) -> str:
    """What JAX, NumPy or Python says; exceptions of the user's are not asked."""
    if type(error).__module__.split(".")[0] not in ("jax", "jaxlib", "numpy", "builtins"):
        return ""
    return str(error).strip()[:_LONGEST_TEXT]


def _has_started() -> Any:
    """What says whether the backend has started; it must not start it."""
    from jax._src import xla_bridge

    known = getattr(xla_bridge, "backends_are_initialized", None)
    return known or (lambda: bool(getattr(xla_bridge, "_backends", None)))


def _trace_state_clean() -> Any:
    try:
        from jax._src.core import trace_state_clean
    except ImportError:
        from jax.core import trace_state_clean
    return trace_state_clean
