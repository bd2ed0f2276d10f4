"""Processor time of a cold check of whole projects, beside that of another jaxlint.

    python benchmarks/cold.py FOLDER ... --against TREE

``TREE`` is a checkout of another commit. Both run by turns, one process each, without a cache;
the least of the rounds counts. A ratio above 1 says that this jaxlint takes longer.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent.parent
CHECK = ("-m", "jaxlint", "check", "--no-cache", "--jobs", "1", ".")


def processor_time(tree: Path, folder: Path) -> float:
    """Seconds that one check of a folder takes, those of the system included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    subprocess.run(
        [sys.executable, *CHECK],
        cwd=folder, env=environment, check=False, capture_output=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, help="projects")
    parser.add_argument("--against", type=Path, required=True, help="another checkout of jaxlint")
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    trees = (arguments.against.resolve(), HERE.resolve())
    totals = [0.0, 0.0]
    for folder in arguments.folders:
        rounds = [[processor_time(tree, folder) for tree in trees] for _ in range(arguments.rounds)]
        other, this = (min(times) for times in zip(*rounds, strict=True))
        totals = [totals[0] + other, totals[1] + this]
        print(f"{folder.name}: {other:.2f} s, now {this:.2f} s: {this / other:.2f}", flush=True)
    print(f"all: {totals[0]:.1f} s, now {totals[1]:.1f} s: {totals[1] / totals[0]:.2f}")


if __name__ == "__main__":
    main()
