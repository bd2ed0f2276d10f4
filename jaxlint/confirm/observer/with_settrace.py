"""Watching with ``sys.settrace``, before Python 3.12: a local trace function only where needed.

There is one trace function in a thread. When coverage or a debugger has set it, it stays
theirs: what they measure is the program's, what is watched here is only looked at.
"""

from __future__ import annotations

import sys
import threading
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from .journal import Journal
from .probes import ERRORS, Handler, Probe, Probes
from .watchlist import Plan

if TYPE_CHECKING:
    from .session import Session, Traceback

_MISSING: Any = object()
_STEPPED_BACK = (
    "another tool (a debugger, coverage) has set sys.settrace, which is left to it; run the "
    "command without it, or under Python 3.12 or later, where both can watch"
)


class SettraceEngine:
    """Every call is seen; all but a few are let go after one or two look-ups."""

    name = "sys.settrace"

    def __init__(self, session: Session, probes: Probes, journal: Journal) -> None:
        self._session = session
        self._journal = journal
        self._kept: list[CodeType] = []
        self._trace = self._global_trace([*probes.all(), *probes.errors(self._await_error)])
        self._stepped_back = sys.gettrace() is not None or threading.gettrace() is not None
        self._is_paused = False
        if self._stepped_back:
            self._journal.write("blind", text=_STEPPED_BACK)
            return
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            # The modules that are importing jax right now have started already.
            local = self._trace(frame, "call", None)
            if local is not None:
                frame.f_trace = local
            frame = frame.f_back
        self.resume()

    def _global_trace(self, probes: list[Probe]) -> Any:
        """The function that Python calls at every call: kept as small as can be."""
        watched: dict[str, dict[int, Any]] = {}
        for probe in probes:
            watched.setdefault(probe.code.co_filename, {})[id(probe.code)] = self._on_probe(probe)
        known: dict[str, Any] = dict(watched)
        missing, classify = _MISSING, self._classify

        def trace(frame: FrameType, event: str, argument: Any) -> Any:
            code = frame.f_code
            codes = known.get(code.co_filename, missing)
            if codes is None:
                return None
            if codes is missing:
                codes = known[code.co_filename] = classify(code)
                if codes is None:
                    return None
            on_call = codes.get(id(code), missing)
            if on_call is missing:
                on_call = codes[id(code)] = self._for_code(code)
            return on_call(frame) if on_call is not None else None

        return trace

    def _classify(self, code: CodeType) -> dict[int, Any] | None:
        """None for files that are of no interest."""
        try:
            if self._session.stack.kind(code.co_filename) >= 0:
                return {}
            self._session.plan_for(code)
        except Exception as error:
            self._journal.trouble(error)
        return None

    def _for_code(self, code: CodeType) -> Any:
        self._kept.append(code)
        try:
            plan = self._session.plan_for(code)
        except Exception as error:
            self._journal.trouble(error)
            return None
        if plan is None:
            return None
        local = self._local_trace(plan)
        return lambda frame: local

    def _local_trace(self, plan: Plan) -> Any:
        session, journal, at, sees_changes = (
            self._session, self._journal, plan.at, plan.sees_changes,
        )  # fmt: skip

        def local(frame: FrameType, event: str, argument: Any) -> Any:
            try:
                if event == "line":
                    if sees_changes or frame.f_lineno in at:
                        session.line(frame, plan, frame.f_lineno)
                elif event == "exception":
                    session.raised(frame, plan, *argument[1:])
                    self._exception(frame, *argument[1:])
                elif event == "return" and sees_changes:
                    session.leave(frame)
            except Exception as error:
                journal.trouble(error)
            return local

        return local

    def _await_error(self, frame: FrameType) -> None:
        """JAX makes an exception: see whether it reaches the user's function."""
        user: FrameType | None = frame
        while user is not None and self._session.stack.kind(user.f_code.co_filename) < 0:
            user = user.f_back
        if user is not None and user.f_trace is None:
            user.f_trace, user.f_trace_lines = self._exceptions_only, False

    def _exceptions_only(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "exception":
            try:
                self._exception(frame, *argument[1:])
            except Exception as error:
                self._journal.trouble(error)
        return self._exceptions_only

    def _exception(self, frame: FrameType, error: BaseException, tb: Traceback) -> None:
        if type(error).__name__ in ERRORS:
            self._session.jax_error(frame, error, tb)
        if error.__cause__ is not None:
            self._session.refused(error)

    def _on_probe(self, probe: Probe) -> Any:
        local = self._probe_lines(probe.at_lines) if probe.at_lines else None

        def on_call(frame: FrameType) -> Any:
            if probe.at_start is not None:
                try:
                    probe.at_start(frame)
                except Exception as error:
                    self._journal.trouble(error)
            return local

        return on_call

    def _probe_lines(self, at_lines: dict[int, Handler]) -> Any:
        def local(frame: FrameType, event: str, argument: Any) -> Any:
            handler = at_lines.get(frame.f_lineno) if event == "line" else None
            if handler is not None:
                try:
                    handler(frame)
                except Exception as error:
                    self._journal.trouble(error)
            return local

        return local

    def pause(self) -> None:
        """See nothing until :meth:`resume`."""
        self._is_paused = True
        self._have_called(None)

    def resume(self) -> None:
        """See what runs from now on."""
        self._is_paused = False
        self._have_called(self._trace)

    def _have_called(self, trace: Any) -> None:
        """Have Python call this in every thread from now on; another tool's stays."""
        if not self._stepped_back:
            threading.settrace(trace)
            sys.settrace(trace)

    def revive(self) -> None:
        """Python drops a trace function that cannot be called: the program used up the stack.

        Another tool may also be done with it.
        """
        if self._is_paused:
            return
        if sys.gettrace() is None and threading.current_thread() is threading.main_thread():
            sys.settrace(self._trace)

    def tell(self) -> None:
        """At the end: was anything lost?"""
        found = sys.gettrace()
        if self._stepped_back:
            return  # It was told at the beginning.
        if found is None:
            text = "sys.settrace was switched off, by the program or by its using up the stack"
            self._journal.write("blind", text=text)
        elif found is not self._trace:
            self._journal.write("blind", text=_STEPPED_BACK)
