"""Watching with ``sys.monitoring`` (Python 3.12 and later): what is not looked at costs nothing."""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .probes import ERRORS, Probe, Probes
from .watchlist import Plan

if TYPE_CHECKING:
    from .session import Session

_TOOLS = (3, 4, 1, 0, 2, 5)
"""Free numbers first; 0, 1, 2 and 5 are meant for debuggers, coverage, profilers, optimizers."""


class MonitoringEngine:
    """Each code object is looked at once, when it first runs; then only its lines with findings."""

    name = "sys.monitoring"

    def __init__(self, session: Session, probes: Probes, journal: Journal) -> None:
        self._session = session
        self._journal = journal
        self._monitoring: Any = sys.monitoring  # type: ignore[attr-defined]
        self._disable = self._monitoring.DISABLE
        watched = probes.all()
        self._probes = {id(probe.code): probe for probe in watched}
        self._plans: dict[int, tuple[CodeType, Plan]] = {}
        self._tool = next(n for n in _TOOLS if self._monitoring.get_tool(n) is None)
        self._monitoring.use_tool_id(self._tool, "jaxlint")
        events = self._monitoring.events
        self._callbacks = {
            events.PY_START: self._start,
            events.LINE: self._line,
            events.PY_RETURN: self._return,
            events.RAISE: self._raise,
        }
        self._install(watched)

    def _install(self, probes: list[Probe]) -> None:
        events = self._monitoring.events
        self.resume()
        for probe in probes:
            if probe.at_lines:
                self._monitoring.set_local_events(self._tool, probe.code, events.LINE)
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            # The modules that are importing jax right now have started already.
            self._look_at(frame.f_code)
            frame = frame.f_back
        self._monitoring.set_events(self._tool, events.PY_START | events.RAISE)

    def _look_at(self, code: CodeType) -> None:
        plan = self._session.plan_for(code)
        if plan is not None:
            events = self._monitoring.events
            wanted = events.LINE | (events.PY_RETURN if plan.sees_changes else 0)
            self._plans[id(code)] = (code, plan)
            self._monitoring.set_local_events(self._tool, code, wanted)

    def _start(self, code: CodeType, offset: int) -> Any:
        try:
            probe = self._probes.get(id(code))
            if probe is not None and probe.at_start is not None:
                probe.at_start(sys._getframe(1))
                return None
            if id(code) not in self._plans:
                self._look_at(code)
        except Exception as error:
            self._journal.trouble(error)
        return self._disable

    def _line(self, code: CodeType, line: int) -> Any:
        try:
            planned = self._plans.get(id(code))
            if planned is not None:
                plan = planned[1]
                if not plan.sees_changes and line not in plan.at:
                    return self._disable
                self._session.line(sys._getframe(1), plan, line)
                return None
            handler = self._probes[id(code)].at_lines.get(line)
            if handler is None:
                return self._disable
            handler(sys._getframe(1))
        except Exception as error:
            self._journal.trouble(error)
        return None

    def _return(self, code: CodeType, offset: int, value: object) -> Any:
        try:
            self._session.leave(sys._getframe(1))
        except Exception as error:
            self._journal.trouble(error)
        return None

    def _raise(self, code: CodeType, offset: int, error: BaseException) -> Any:
        try:
            planned = self._plans.get(id(code))
            if planned is not None:
                self._session.raised(sys._getframe(1), planned[1], error, error.__traceback__)
            if type(error).__name__ in ERRORS:
                self._session.jax_error(sys._getframe(1), error, error.__traceback__)
            if error.__cause__ is not None:
                self._session.refused(error)
        except Exception as own:
            self._journal.trouble(own)
        return None

    def pause(self) -> None:
        """See nothing until :meth:`resume`."""
        for event in self._callbacks:
            self._monitoring.register_callback(self._tool, event, None)

    def resume(self) -> None:
        """See what runs."""
        for event, callback in self._callbacks.items():
            self._monitoring.register_callback(self._tool, event, callback)

    def revive(self) -> None:
        """Nothing to do: an exception in a callback does not end ``sys.monitoring``."""

    def tell(self) -> None:
        """At the end: was anything lost?"""
        if self._monitoring.get_tool(self._tool) != "jaxlint":
            self._journal.write("blind", text="another tool took over sys.monitoring")
