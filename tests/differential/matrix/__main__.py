"""Many programs: ``python -m tests.differential.matrix FIRST COUNT [--keep FOLDER]``."""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

import jax

from tests.differential.matrix.compose import ABSENT, Program
from tests.differential.matrix.judge import Tally, Verdict, judge, programs
from tests.differential.matrix.start import start

CLEARED_EVERY = 500


def main() -> int:
    """Print the counts; write, if asked, each program that differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.matrix")
    parser.add_argument("first", type=int, help="number of the first program")
    parser.add_argument("count", type=int, help="how many")
    parser.add_argument("--keep", type=Path, help="folder for the programs that differ")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so many")
    parser.add_argument("--show", action="store_true", help="print the programs, run nothing")
    options = parser.parse_args()
    written = programs(options.first, options.count)
    if options.show:
        for seed, program in written:
            print(f"# program {seed}\n{program.text}")
        return 0
    start()
    tally = Tally()
    begun = time.perf_counter()
    for number, (seed, program) in enumerate(written, 1):
        verdict = judge(program)
        tally.add(program, verdict)
        if options.keep and (verdict.missed or verdict.wrong):
            keep(options.keep, seed, program, verdict)
        if number % CLEARED_EVERY == 0:
            jax.clear_caches()
        if time.perf_counter() - begun > options.seconds:
            break
    report(tally, time.perf_counter() - begun)
    return 0 if tally.agrees else 1


def keep(folder: Path, seed: int, program: Program, verdict: Verdict) -> None:
    """Write a program that differs, with what differs above it."""
    kind = "missed" if verdict.missed else "wrong"
    forms = " of ".join(form.title for form in reversed(program.forms))
    about = [
        f"# {kind}: {program.construct.name} in {forms}",
        f"# {program.distance}, {program.style}, {program.spelling}",
        f"# {program.place}, {program.calls}",
        f"# not seen: {program.unseen or 'nothing'}",
        *(f"# {finding}" for finding in verdict.wrong),
    ]
    lines = program.text.split("\n")
    for line in program.lines if verdict.missed else {f.line for f in verdict.wrong}:
        lines[line - 1] += f"  # <-- {kind}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{kind}_{seed}.py").write_text("\n".join([*lines, *about]) + "\n")


def report(tally: Tally, seconds: float) -> None:
    """Print the tables."""
    for kind, rows in tally.by.items():
        print(f"\n{kind:40} programs    due missed  wrong  discarded")
        for name, row in sorted(rows.items(), key=lambda item: (-item[1].missed, item[0])):
            print(f"{name:40} {row.programs:8} {row.due:6} {row.missed:6} {row.wrong:6} "
                  f"{row.discarded:10}")  # fmt: skip
    print("\ndiscarded")
    for reason, times in tally.reasons.most_common(40):
        print(f"{times:6} {reason}")
    if ABSENT:
        print(f"\nskipped, for they are not here: {', '.join(ABSENT)}")
    total = tally.total
    print(
        f"\n{total.programs} programs in {seconds:.0f} s, {total.discarded} more discarded: "
        f"{total.due} findings due, {total.missed} missed "
        f"({100 * total.missed / max(total.due, 1):.1f} %), {total.wrong} programs with wrong ones"
    )


if __name__ == "__main__":
    sys.exit(main())
