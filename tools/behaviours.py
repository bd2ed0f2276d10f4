"""Asks releases of JAX whether they do what ``knowledge/behaviours.py`` says.

    python -m tools.behaviours FOLDER

FOLDER holds an environment for each release, as ``tools.versions`` makes them. Prints what each
probe gives on the last one before a change and on the first one since, and fails when that is the
same.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from jaxlint.knowledge.behaviours import BEHAVIOURS, Behaviour
from tools.versions import RELEASES, numbers

_PROGRAM = """\
import jax, jax.numpy as jnp, numpy as np
try:
    print({probe})
except Exception as error:
    print(type(error).__name__)
"""


def answer(python: Path, row: Behaviour) -> str:
    program = _PROGRAM.format(probe=row.probe)
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [str(python), "-W", "ignore", "-c", program],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def main() -> int:
    folder = Path(sys.argv[1])
    same = 0
    for row in BEHAVIOURS:
        before = [each for each in RELEASES if numbers(each) < numbers(row.since)][-1]
        since = next(each for each in RELEASES if numbers(each) >= numbers(row.since))
        was, now = (answer(folder / each / "bin" / "python", row) for each in (before, since))
        print(f"{row.since} {row.touches[0]}: {before}: {was} | {since}: {now}")
        same += was == now
    return 1 if same else 0


if __name__ == "__main__":
    sys.exit(main())
