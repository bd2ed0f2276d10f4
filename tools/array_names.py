"""Asks releases of JAX what their arrays have, and which of it their tracers refuse.

    python -m tools.array_names FOLDER

FOLDER holds an environment for each release, as ``python -m tools.versions FOLDER`` makes them.
Writes ``knowledge/array_names.json``: every public name that the arrays of some release have, and
those that the tracers of ``jit``, ``vmap`` and ``grad`` refuse in each release that has them, when
they are read or when they are called without an argument. Run by its path it asks the JAX of its
own interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "jaxlint" / "knowledge" / "array_names.json"

_ENDS_ARRAY = frozenset({"delete"})
_SHAPES = frozenset({"ValueError", "TypeError"})
"""What is raised because the array of this experiment has too few axes, or too few arguments."""


def asked() -> dict[str, Any]:
    """What the arrays of this JAX have, and how its tracers refuse it."""
    import jax

    array = jax.numpy.ones((2, 3))
    names = sorted(name for name in dir(array) if not name.startswith("_"))
    tried = [name for name in names if name not in _ENDS_ARRAY]
    taken = {name for name in tried if not refusal(array, name)}

    def by(transform: Callable[..., Any]) -> dict[str, str]:
        answers: dict[str, str] = {}

        def ask(tracer: Any) -> Any:
            answers.update({name: refusal(tracer, name) for name in tried})
            return tracer.sum()

        transform(ask)(array)
        return {name: how for name, how in answers.items() if how and name in taken}

    refused = {"jit": by(jax.jit), "vmap": by(jax.vmap), "grad": by(jax.grad)}
    return {"jax": jax.__version__, "names": names, "refused": refused}


def refusal(value: Any, name: str) -> str:
    """``read`` or ``called`` and what is raised then; empty where nothing is."""
    try:
        found: Callable[[], Any] = getattr(value, name)
    except Exception as error:
        return f"read {type(error).__name__}"
    try:
        if callable(found):
            found()
    except Exception as error:
        return "" if type(error).__name__ in _SHAPES else f"called {type(error).__name__}"
    return ""


def condensed(releases: list[dict[str, Any]]) -> dict[str, Any]:
    """The names of all releases, and those refused in each by all three kinds of tracers.

    By how they are refused: ``missing`` when read, for AttributeError, ``read`` or ``called``.
    """
    names = sorted({name for release in releases for name in release["names"]})
    found: dict[str, list[str]] = {"missing": [], "read": [], "called": []}
    for name in names:
        hows = {
            kind.get(name, "")
            for release in releases
            if name in release["names"]
            for kind in release["refused"].values()
        }
        if "" in hows:
            continue
        ways = {how.partition(" ")[0] for how in hows}
        missing = hows == {"read AttributeError"}
        found["missing" if missing else "called" if ways == {"called"} else "read"].append(name)
    return {"releases": [each["jax"] for each in releases], "names": names, "refused": found}


def main() -> int:
    """Ask every release in a folder; without one, this JAX."""
    parser = argparse.ArgumentParser(prog="python -m tools.array_names")
    parser.add_argument("folder", type=Path, nargs="?", help="of environments")
    folder: Path | None = parser.parse_args().folder
    if folder is None:
        warnings.simplefilter("ignore")
        print(json.dumps(asked()))
        return 0
    found = []
    for python in sorted(folder.glob("*/bin/python"), key=_release):
        environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
        command = [str(python), __file__]
        answer = subprocess.run(command, env=environment, capture_output=True, check=True)
        found.append(json.loads(answer.stdout.splitlines()[-1]))
    TARGET.write_text(json.dumps(condensed(found), indent=0) + "\n", "utf-8")
    print(f"{len(found)} releases asked")
    return 0


def _release(python: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in python.parts[-3].split(".") if part.isdigit())


if __name__ == "__main__":
    sys.exit(main())
