"""What being observed costs: the same command with and without ``jaxlint confirm``, in pairs.

    python benchmarks/observer.py [--rounds N] PATHS ... -- COMMAND ...

Prints the wall time of each run and the median of the ratios. Linting, which comes
before the command, is not part of it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def alone(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def observed(paths: list[str], command: list[str]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        confirm = [sys.executable, "-m", "jaxlint", "confirm", *paths, "--json", str(report)]
        subprocess.run(
            [*confirm, "--", *command],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        seconds: float = json.loads(report.read_text("utf-8"))["seconds"]
    return seconds


def main() -> None:
    given = sys.argv[1:]
    at = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("paths", nargs="+")
    arguments = parser.parse_args(given[:at])
    command = given[at + 1 :]
    if not command:
        parser.error("no command: benchmarks/observer.py PATHS -- COMMAND")
    ratios = []
    for number in range(arguments.rounds):
        # Whoever goes first finds colder caches: they take turns.
        if number % 2:
            with_it = observed(arguments.paths, command)
            without = alone(command)
        else:
            without = alone(command)
            with_it = observed(arguments.paths, command)
        ratios.append(with_it / without)
        print(
            f"alone {without:.1f} s, observed {with_it:.1f} s, ratio {ratios[-1]:.2f}", flush=True
        )
    print(f"median ratio {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
