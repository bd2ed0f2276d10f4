"""Lints prey in processes that are watched: what crashes, hangs, is lost, or runs."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from jaxlint.config import Options
from jaxlint.workspace.lint import Linted, Task
from jaxlint.workspace.many import lint_files
from tools.hunts.outcome import SLOW, Caught, Hunt, Round
from tools.hunts.prey import KINDS

_BATCH = 200
_WATCHED = Path(__file__).parent / "watched"
_SENTINEL = "import jax\n\n\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n"
_MARK = "sentinel"


def lint_prey(kind: str, hunt: Hunt) -> Iterator[Round]:
    """Lint files of a kind, a batch at a time."""
    _watch(hunt.folder)
    files = [path for top in hunt.arguments.files for path in sorted(top.rglob("*.py"))]
    prey = KINDS[kind](hunt.chance, [path for path in files if path.is_file()])
    tried = 0
    while True:
        batch = hunt.folder / "batch"
        shutil.rmtree(batch, ignore_errors=True)
        paths: list[Path] = []
        for name, data in islice(prey, min(_BATCH, hunt.arguments.count - tried)):
            path = batch / (name if "/" in name else f"{len(paths)}_{name}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            paths.append(path)
        if not paths:
            return
        tried += len(paths)
        yield Round(len(paths), list(_lint(kind, hunt, paths)))


def _watch(folder: Path) -> None:
    """Have the processes that lint watch themselves."""
    path = [str(_WATCHED), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(path)
    os.environ["HUNT_FOLDER"] = str(folder / "batch")
    os.environ.setdefault("HUNT_SECONDS", str(SLOW))
    os.environ["HUNT_LOG"] = str(folder / "ran")


def _lint(kind: str, hunt: Hunt, paths: list[Path]) -> Iterator[Caught]:
    """What is wrong with the files, and with what was said of good ones between them."""
    sentinels = [paths[0].parent / f"{_MARK}{number}.py" for number in range(2)]
    for each in sentinels:
        each.write_text(_SENTINEL, "utf-8")
    order = [sentinels[0], *paths, sentinels[1]]
    tasks = [Task(str(path), Options(unused_noqa=True)) for path in order]
    linted = lint_files(tasks, None, max(hunt.arguments.jobs, 2), lambda done, total: None)
    for path, result in zip(order, linted, strict=True):
        if path in sentinels:
            if [finding.code for finding in result.findings] != ["JXL101"]:
                yield Caught("lost", f"a good file among {order[1]} ...: {result.findings}")
        elif result.failed:
            yield _failed(result, _keep(kind, hunt, path))
    log = Path(os.environ["HUNT_LOG"])
    if log.exists():
        yield Caught("executed", f"{log.read_text('utf-8')[:500]!r} among {order[1]} ...")
        log.unlink()


def _failed(result: Linted, kept: Path) -> Caught:
    said = result.findings[0].message
    return Caught("hung" if "SIGPROF" in said else "crashed", f"{kept}: {said}")


def _keep(kind: str, hunt: Hunt, path: Path) -> Path:
    keep: Path = hunt.arguments.keep
    keep.mkdir(exist_ok=True, parents=True)
    kept = keep / f"{kind}_{hunt.arguments.seed}_{time.time_ns():x}{path.suffix}"
    shutil.copy(path, kept)
    return kept
