"""The child process: imports jax, runs fixtures one after the other, answers in JSON lines.

Started by ``confirm.run`` as ``python -m jaxlint.confirm.worker``. The first line
it writes says what it runs on; then each line on standard input is a task and
each line of the answer what was observed. What a fixture prints goes nowhere.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
import traceback
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PLATFORMS = {"cpu": "cpu", "gpu": "cuda", "tpu": "tpu"}
_TIMED_ROUNDS = 7


def main() -> None:
    """Serve until standard input ends."""
    answers = os.fdopen(os.dup(1), "w")
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    if wanted:
        os.environ["JAX_PLATFORMS"] = PLATFORMS[wanted]

    def answer(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    try:
        answer(_environment())
    except Exception as error:
        answer({"error": f"{type(error).__name__}: {error}".splitlines()[0]})
        return
    from jaxlint.confirm.observer import Counters

    counters = Counters()
    for line in sys.stdin:
        task = json.loads(line)
        try:
            answer(_Run(task, counters).observe())
        except Exception:
            answer({"failure": traceback.format_exc(limit=-3)})


def _environment() -> dict[str, Any]:
    import jax
    import jaxlib.version

    device = jax.devices()[0]
    return {
        "jax": jax.__version__,
        "jaxlib": jaxlib.version.__version__,
        "python": platform.python_version(),
        "platform": device.platform,
        "device_kind": device.device_kind,
        "machine": f"{platform.system()} {platform.machine()}",
    }


class _Run:
    """Observes one fixture; each trigger in a module of its own."""

    def __init__(self, task: dict[str, Any], counters: Any) -> None:
        self.path: str = task["path"]
        self.kind: str = task["kind"]
        self.marked: list[int] = task["marked"]
        self.counters = counters
        with open(self.path, encoding="utf-8") as stream:
            self.text = stream.read()

    def observe(self) -> dict[str, Any]:
        import jax

        jax.clear_caches()
        names = [name for name in self._load({}) if name.split("_")[0] == "trigger"]
        triggers = {name: self._trigger(name) for name in sorted(names)}
        if triggers and self.kind == "raises":
            triggers["<module>"] = self._module()
        return {"triggers": triggers}

    def _load(self, replaced: dict[int, str]) -> dict[str, Any]:
        """Run the fixture's module code; some lines may be replaced."""
        lines = self.text.split("\n")
        for number, text in replaced.items():
            lines[number - 1] = text
        module = types.ModuleType("jaxlint_fixture")
        sys.modules[module.__name__] = module
        exec(compile("\n".join(lines), self.path, "exec"), module.__dict__)
        return module.__dict__

    def _module(self) -> dict[str, Any]:
        """What the fixture's module code shows when it is imported."""
        from jaxlint.confirm.observer import Observer

        observer = Observer(self.path, {})
        with observer.watching():
            self._load({})
        return {"error": None, "runs": [_facts(observer)]}

    def _trigger(self, name: str) -> dict[str, Any]:
        import jax

        from jaxlint.confirm.observer import Observer

        with self._conditions():
            namespace = self._load({})
        first = Observer(self.path, namespace)
        traced = self.counters.traces
        with self._conditions():
            error, result = self._call(first, namespace, name)
        seen: dict[str, Any] = {"error": error, "runs": [_facts(first)]}
        seen["first_traces"] = self.counters.traces - traced
        if error is None and self.kind in ("effect", "retraces", "slow_dispatch"):
            again = Observer(self.path, namespace)
            before = self.counters.traces, self.counters.compiles
            self._call(again, namespace, name)
            seen["traces"] = self.counters.traces - before[0]
            seen["compiles"] = self.counters.compiles - before[1]
            seen["runs"].append(_facts(again))
        if error is None and self.kind == "slow_dispatch" and "hoisted" in namespace:
            seen["ratio"] = _ratio(namespace[name], namespace["hoisted"])
        if error is None and self.kind == "ends_early":
            later = sorted(namespace["waited"]() for _ in range(3))[1]
            earlier = sorted(namespace[name]() for _ in range(3))[1]
            seen["ratio"] = later / max(earlier, 1e-9)
        if error is None and self.kind == "repeats":
            seen["repeats"] = all(_same(result[0], other) for other in result[1:])
            seen["results"] = [str(result[0])[:40]]
        if error is None and self.kind == "stale":
            with jax.disable_jit():
                eager = self._load({})[name]()
            seen["differs"] = not _same(result, eager)
            seen["results"] = [str(result)[:60], str(eager)[:60]]
        if error is None and self.kind == "no_effect" and self.marked:
            changed = self._load({line: self._passing(line) for line in self.marked})
            seen["differs"] = not _same(result, changed[name]())
        return seen

    @contextmanager
    def _conditions(self) -> Iterator[None]:
        """What JAX and Python are told to mind, for the kind of evidence."""
        import jax

        if self.kind == "key_reuse":
            legacy = jax.random.PRNGKey
            # The checker sees typed keys only; legacy keys follow the same rules.
            jax.random.PRNGKey = jax.random.key
            try:
                with jax.debug_key_reuse(True):
                    yield
            finally:
                jax.random.PRNGKey = legacy
        elif self.kind == "warns":
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                yield
        else:
            yield

    def _passing(self, line: int) -> str:
        text = self.text.split("\n")[line - 1]
        return text[: len(text) - len(text.lstrip())] + "pass"

    def _call(self, observer: Any, namespace: dict[str, Any], name: str) -> tuple[str | None, Any]:
        try:
            with observer.watching():
                return None, namespace[name]()
        except Exception as error:
            return type(error).__name__, None


def _facts(observer: Any) -> dict[str, Any]:
    return {
        "hits": [[line, traced, count] for (line, traced), count in observer.hits.items()],
        "effects": [[*key, count] for key, count in observer.effects.items()],
        "exceptions": observer.exceptions,
        "reads": list(observer.reads.items()),
    }


def _same(one: Any, other: Any) -> bool:
    import jax
    import numpy as np

    left, right = jax.tree_util.tree_leaves(one), jax.tree_util.tree_leaves(other)
    if len(left) != len(right):
        return False
    return all(
        np.allclose(np.asarray(a), np.asarray(b), equal_nan=True)
        for a, b in zip(left, right, strict=True)
    )


def _ratio(slow: Any, fast: Any) -> float:
    """Median of the ratios of paired runs, each pair in one go."""
    import jax

    ratios = []
    for _ in range(_TIMED_ROUNDS):
        start = time.perf_counter()
        jax.block_until_ready(slow())
        middle = time.perf_counter()
        jax.block_until_ready(fast())
        ratios.append((middle - start) / max(time.perf_counter() - middle, 1e-9))
    return sorted(ratios)[_TIMED_ROUNDS // 2]


if __name__ == "__main__":
    main()
