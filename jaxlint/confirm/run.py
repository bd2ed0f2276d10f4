"""Hands the fixtures to worker processes and collects the verdicts.

A worker that hangs or dies is replaced; its fixture is reported and the others
go on.
"""

from __future__ import annotations

import ast
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jaxlint.confirm.fixtures import Fixture
from jaxlint.confirm.judge import Layout, Verdict, judge
from jaxlint.rules.registry import find_rule

_START_LIMIT = 180.0


class ConfirmError(Exception):
    """Confirm mode cannot run at all: no JAX, or not that platform."""


@dataclass(slots=True)
class Report:
    """The verdicts, in the order of the fixtures, and what they were reached on."""

    environment: dict[str, str]
    verdicts: list[Verdict] = field(default_factory=list)

    @property
    def all_confirmed(self) -> bool:
        """Whether real JAX agrees with every fixture."""
        return all(verdict.outcome == "confirmed" for verdict in self.verdicts)


def confirm(
    fixtures: list[Fixture],
    platform: str = "",
    limit: float = 120.0,
    jobs: int = 0,
    progress: Callable[[Verdict], None] = lambda verdict: None,
) -> Report:
    """Run fixtures under real JAX.

    Args:
        fixtures: what to run.
        platform: ``cpu``, ``gpu`` or ``tpu``; JAX's own choice when empty.
        limit: seconds for one fixture.
        jobs: worker processes; as many as cores (four at most) when 0.
        progress: called with each verdict as it comes.

    Raises:
        ConfirmError: JAX cannot be imported or has no such platform.
    """
    first = _Worker(platform)
    report = Report(first.environment)
    waiting: queue.SimpleQueue[tuple[int, Fixture]] = queue.SimpleQueue()
    for item in enumerate(fixtures):
        waiting.put(item)
    verdicts: dict[int, Verdict] = {}
    lock = threading.Lock()

    def serve(worker: _Worker) -> None:
        while True:
            try:
                number, fixture = waiting.get_nowait()
            except queue.Empty:
                worker.stop()
                return
            verdict, worker = _one(worker, fixture, limit, platform)
            with lock:
                verdicts[number] = verdict
                progress(verdict)

    count = jobs or min(os.cpu_count() or 1, 4)
    workers = [first, *(_Worker(platform) for _ in range(min(count, len(fixtures)) - 1))]
    threads = [threading.Thread(target=serve, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report.verdicts = [verdicts[number] for number in sorted(verdicts)]
    return report


def _one(worker: _Worker, fixture: Fixture, limit: float, platform: str) -> tuple[Verdict, _Worker]:
    """One fixture's verdict, and the worker for the next one."""
    rule = find_rule(fixture.code)
    if rule is None:
        reason = f"{fixture.code} is no rule"
        return Verdict(fixture.code, fixture.name, "", reason, "failed"), worker
    task = {
        "path": str(fixture.path),
        "kind": rule.evidence.kind,
        "marked": fixture.marked_lines,
    }
    try:
        answer = worker.ask(task, limit)
    except _WorkerGone as gone:
        worker.stop()
        verdict = Verdict(fixture.code, fixture.name, "", str(gone), "failed")
        return verdict, _Worker(platform)
    return judge(fixture, rule, answer, layout_of(fixture.path)), worker


def layout_of(path: Path) -> Layout:
    """Where the expressions of a file end, and which lines head a function."""
    layout = Layout()
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except SyntaxError:
        return layout
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            last = max(layout.ends.get(node.lineno, 0), node.end_lineno or node.lineno)
            layout.ends[node.lineno] = last
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for head in (node, *node.decorator_list):
                layout.functions[head.lineno] = node.name
    return layout


class _WorkerGone(Exception):
    """The worker hung or died; the text says which."""


class _Worker:
    """One child process with its own JAX."""

    def __init__(self, platform: str) -> None:
        command = [
            sys.executable,
            "-m",
            "jaxlint.confirm.worker",
            *([platform] if platform else []),
        ]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._errors: list[str] = []
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read_answers, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()
        try:
            hello = self._next(_START_LIMIT)
        except _WorkerGone as gone:
            self.stop()
            raise ConfirmError(f"the worker with JAX did not start: {gone}") from gone
        if "error" in hello:
            self.stop()
            raise ConfirmError(_explain(hello["error"], platform))
        self.environment: dict[str, str] = hello

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._errors = [*self._errors[-20:], line.rstrip()]

    def _next(self, limit: float) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=limit)
        except queue.Empty:
            raise _WorkerGone(f"no end after {limit:g} s: it hangs") from None
        if not line:
            code = self._process.wait()
            last = next((text for text in reversed(self._errors) if text.strip()), "")
            raise _WorkerGone(f"the interpreter died with exit code {code} {last}".strip())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, task: dict[str, Any], limit: float) -> dict[str, Any]:
        """Observe one fixture.

        Raises:
            _WorkerGone: it hung or died.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(task) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # It is dead: reading its answer says how.
        return self._next(limit)

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()


def _explain(error: str, platform: str) -> str:
    if "No module named 'jax" in error:
        return "JAX is not installed here; try: pip install 'flake8-jaxlint[confirm]'"
    if platform:
        return f"JAX has no platform {platform!r} on this machine ({error})"
    return f"JAX does not start on this machine ({error})"
