"""What to do with each thing that is seen: lines, exceptions, returns."""

from __future__ import annotations

import sys
import warnings
import weakref
from types import CodeType, FrameType
from typing import Any

from .journal import Journal
from .keys import Keys
from .leaks import names_that_hold_tracers
from .pictures import Picture, changes_inside, picture
from .probes import ERRORS, Probes
from .stack import JAX, Stack
from .traces import Traces
from .values import Values
from .watchlist import Plan, Watch, Watchlist

_QUIET = (StopIteration, GeneratorExit, StopAsyncIteration)
_DEPTH = 3
_MOST_READINGS = 8
MOST_HITS = 10_000
"""How often a line is looked at outside of traces; the count stops there."""

_MOST_BYTES = 100_000


class Session:
    """The observer of one process, from ``import jax`` to the end."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._watchlist = Watchlist(journal.folder)
        self._open: dict[FrameType, tuple[list[Watch], dict[str, Picture]]] = {}
        self._host_hits: dict[int, int] = {}
        self._readings: dict[tuple[int, str], list[tuple[Any, _Kept]]] = {}

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
        self._values = Values(jax)
        self.stack = Stack(self._watchlist, jax)
        traces = Traces(self._journal, self.stack, self._is_clean)
        keys = Keys(self._journal, self.stack, jax)
        monitoring.register_event_duration_secs_listener(traces.listen)
        probes = Probes(self._journal, self.stack, traces, keys, self._watchlist)
        engine = self._start_engine(probes)
        traces.on_work = engine.revive
        self._journal.closers += [self._tell_all_stale, self._tell_leaks, engine.tell]
        self._journal.write_for_all(
            "jax",
            version=jax.__version__,
            jaxlib=jaxlib.__version__,
            engine=engine.name,
        )

    def _start_engine(self, probes: Probes) -> Any:
        if sys.version_info >= (3, 12):
            from .with_monitoring import MonitoringEngine

            return MonitoringEngine(self, probes, self._journal)
        from .with_settrace import SettraceEngine

        return SettraceEngine(self, probes, self._journal)

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
            self._compare(frame)
        watches = plan.at.get(line)
        if not watches:
            return
        traced = not self._is_clean()
        if not traced and self._is_worn_out(watches[0]):
            return
        for watch in watches:
            state = self._values.state(frame, watch.names)
            self._journal.count("hit", watch.number, traced, state)
            if traced and watch.look == "stale":
                self._remember(frame, watch)
            elif watch.look == "ready" and self._values.anything_unready(frame):
                self._journal.count("unready", watch.number)
        changing = [watch for watch in watches if traced and watch.look == "changes"]
        if changing:
            self._open[frame] = (changing, self._pictures(frame, changing))

    def _is_worn_out(self, watch: Watch) -> bool:
        """A line that has run so often outside of any trace tells nothing new there."""
        number = self._host_hits.get(watch.number, 0) + 1
        self._host_hits[watch.number] = number
        return number > MOST_HITS

    def leave(self, frame: FrameType) -> None:
        """A function with findings returns."""
        self._compare(frame)

    def raised(self, frame: FrameType, plan: Plan, error: BaseException) -> None:
        """An exception passes through a function with findings."""
        if isinstance(error, _QUIET):
            return
        self._compare(frame)
        line = frame.f_lineno
        watches = [w for w in plan.watches if w.lines[0] <= line <= w.lines[1]]
        if not watches:
            return
        own = all(kind < 0 for kind in self._kinds_inside(error))
        names = [kind.__name__ for kind in type(error).__mro__[:-2]]
        message = (str(error).strip().splitlines() or [""])[0][:200]
        for watch in watches:
            self._journal.count("raise", watch.number, own, ",".join(names), message)

    def _kinds_inside(self, error: BaseException) -> list[int]:
        """Whose frames an exception has come through before it came here."""
        kinds = []
        inside = error.__traceback__.tb_next if error.__traceback__ else None
        while inside is not None:
            kinds.append(self.stack.kind(inside.tb_frame.f_code.co_filename))
            inside = inside.tb_next
        return kinds

    def jax_error(self, frame: FrameType, error: BaseException) -> None:
        """An exception of JAX's own reaches a function of the user's files."""
        file = self.stack.kind(frame.f_code.co_filename)
        inside = self._kinds_inside(error)
        if file >= 0 and all(kind < 0 for kind in inside):
            name, direct = type(error).__name__, all(kind == JAX for kind in inside)
            facts = (file, frame.f_lineno, name, direct, None)
            self._journal.count("event", ERRORS[name], *facts)

    def _is_own(self, kind: type) -> bool:
        """Whether to look into objects of a class: those of the user's files."""
        module = sys.modules.get(kind.__module__)
        return self.stack.kind(getattr(module, "__file__", None) or "<none>") >= 0

    def _pictures(self, frame: FrameType, watches: list[Watch]) -> dict[str, Picture]:
        """The values that the findings are about, and what outer names are bound to."""
        found: dict[str, Picture] = {}
        for name in {name.split(".")[0] for watch in watches for name in watch.names}:
            for value in self._values.find(frame, name):
                found[name] = picture(value, self._is_own, _DEPTH)
        return found

    def _compare(self, frame: FrameType) -> None:
        """Has the line that has just ended changed anything?"""
        opened = self._open.pop(frame, None)
        if opened is None:
            return
        watches, before = opened
        after = self._pictures(frame, watches)
        changes = set()
        for name, new in after.items():
            old = before.get(name)
            if old is not None and old[1] is not new[1]:
                if name not in frame.f_code.co_varnames:
                    changes.add(("rebinding", self._values.is_tracer(new[1])))
            elif old is not None:
                changes |= set(changes_inside(old, new, self._values.is_tracer))
            elif name not in frame.f_code.co_varnames:
                changes.add(("rebinding", self._values.is_tracer(new[1])))
        for watch in watches:
            for kind, leaks in changes:
                self._journal.count("change", watch.number, kind, leaks)

    def _remember(self, frame: FrameType, watch: Watch) -> None:
        """Traced code reads an outer value: keep what it was."""
        for name in watch.names:
            readings = self._readings.setdefault((watch.number, name), [])
            self._tell_stale(watch.number, name)
            if len(readings) < _MOST_READINGS:
                reader = self._values.reader(frame, name)
                for value in reader() if reader is not None else ():
                    readings.append((reader, _Kept(value)))

    def _tell_stale(self, number: int, name: str) -> None:
        """Which values that traced code had read are other ones now?"""
        for reader, kept in self._readings[number, name]:
            for value in reader():
                if not kept.is_same(value) and not kept.told:
                    kept.told = True
                    self._journal.count("stale", number, name, kept.text, _short(value))

    def _tell_all_stale(self) -> None:
        for number, name in self._readings:
            self._tell_stale(number, name)

    def _tell_leaks(self) -> None:
        for number, name, line in names_that_hold_tracers(self._values, self.stack):
            self._journal.count("leak", number, name, line)


class _Kept:
    """A value as it was when traced code read it, without keeping big things alive."""

    def __init__(self, value: Any) -> None:
        self.text = _short(value)
        self.told = False
        self._picture = picture(value, _nothing, 1)
        self._bytes = _bytes(value)
        try:
            self._ref: Any = weakref.ref(value)
            self._picture = ("leaf", None, None)
        except TypeError:
            self._ref = lambda: value

    def is_same(self, value: Any) -> bool:
        if self._ref() is not value or self._bytes != _bytes(value):
            return False
        return not any(changes_inside(self._picture, picture(value, _nothing, 1), _nothing))


def _bytes(value: Any) -> bytes:
    """The content of a small NumPy array: it may be changed in place."""
    if type(value).__module__ == "numpy" and type(value).__name__ == "ndarray":
        if value.nbytes <= _MOST_BYTES and value.dtype.kind != "O":
            content: bytes = value.tobytes()
            return content
    return b""


def _nothing(value: Any) -> bool:
    return False


def _short(value: Any) -> str:
    """A value in short; only what prints without running the user's code."""
    if value is None or isinstance(value, (bool, int, float, str)):
        text = repr(value)
        return text if len(text) <= 40 else text[:37] + "..."
    if isinstance(value, (list, tuple, dict, set)):
        return f"{type(value).__name__} of {len(value)}"
    shape = getattr(value, "shape", None)
    what = f" of shape {tuple(shape)}" if isinstance(shape, tuple) else ""
    return f"{type(value).__name__}{what}"


def _trace_state_clean() -> Any:
    try:
        from jax._src.core import trace_state_clean
    except ImportError:
        from jax.core import trace_state_clean
    return trace_state_clean
