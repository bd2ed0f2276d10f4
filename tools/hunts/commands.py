"""Settings, ignore files, baselines and caches that are odd or broken, under the real command."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.hunts.outcome import Caught, Hunt, Round

_KEYS = ["select", "ignore", "exclude", "jax", "unroll", "baseline", "per-file-ignores", "nonsense",
         "test-patterns", "jit-wrappers", "respect-gitignore", "unused-noqa"]  # fmt: skip
_VALUES = ["[]", '["JXL1"]', '["[z-a]"]', '["!"]', "5", "-1", "true", '"x"', "{}", "1e400",
           "{a = ['JXL1']}", "[[[[]]]]", "'>=0.4,<0.7'", "''", '"\\u0000"', "9" * 22]  # fmt: skip
_PATTERNS = [
    "a.py",
    "!",
    "\\",
    "a\\",
    "[z-a]",
    "*a*a*a*b",
    "**",
    "/",
    "[",
    "]",
    "!*",
    "#",
    "\0",
    "\x85",
]
_JSON = ["[]", "{}", "{", "[" * 50_000, '{"findings": 5}', "9" * 5000, "\0", "null",
         '{"findings": {"a.py": [["JXL101", "x", 1e400]]}}',
         '{"findings": {"a.py": [[1, 2, 3]]}}']  # fmt: skip
_BAD = "import jax\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n"
_ARGUMENTS: list[list[str]] = [
    [],
    ["--baseline", "x"],
    ["--config", "x"],
    ["--exclude", "[z-a]"],
    ["--jobs", "2"],
    ["--isolated"],
    ["--write-baseline", "y"],
]
_LIMIT = 60.0
_DOCUMENTED = (0, 1, 2)


def commands(hunt: Hunt) -> Iterator[Round]:
    """Run the command on odd settings, one after another."""
    while True:
        yield Round(1, list(_run_one(hunt.chance, hunt.folder)))


def _run_one(chance: random.Random, folder: Path) -> Iterator[Caught]:
    """Run the command once on something odd; gives what is wrong with how it ended."""
    (folder / "a.py").write_text(_BAD, "utf-8")
    settings = "".join(
        f"{key} = {chance.choice(_VALUES)}\n" for key in chance.sample(_KEYS, chance.randrange(4))
    )
    head = chance.choice(["[tool.jaxlint]\n", "[tool.jaxlint]\n", "[tool]\njaxlint = 5\n", "["])
    (folder / "pyproject.toml").write_text(head + settings, "utf-8")
    ignored = "\n".join(chance.choice(_PATTERNS) for _ in range(chance.randrange(5)))
    (folder / ".gitignore").write_text(ignored, "utf-8")
    (folder / "x").write_text(chance.choice(_JSON), "utf-8")
    for cached in (folder / ".jaxlint_cache").glob("*.json"):
        cached.write_text(chance.choice(_JSON), "utf-8")
    arguments = chance.choice(_ARGUMENTS)
    form = chance.choice(["text", "concise", "json", "sarif", "github", "junit"])
    try:
        done = subprocess.run(
            [sys.executable, "-m", "jaxlint", "check", "--output-format", form, *arguments],
            cwd=folder, capture_output=True, text=True, check=False, timeout=_LIMIT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        yield Caught("hung", f"no end after {_LIMIT:g} s: {settings!r} {arguments}")
        return
    wrong = "Traceback" in done.stderr or "jaxlint: failed" in done.stderr
    if wrong or done.returncode not in _DOCUMENTED:
        ending = f"exit code {done.returncode}: {done.stderr[-300:]!r}"
        yield Caught("crashed", f"{ending}: {settings!r} {arguments}")
