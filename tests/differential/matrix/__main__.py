"""Many programs: ``python -m tests.differential.matrix FIRST COUNT [--keep FOLDER]``."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import jax

from tests.differential.matrix.compose import ABSENT, Program
from tests.differential.matrix.judge import Tally, Verdict, judge, programs
from tests.differential.matrix.start import start

CLEARED_EVERY = 500


def main() -> None:
    """Print the counts and, in ``--keep``'s folder, each program that differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.matrix")
    parser.add_argument("first", type=int, help="number of the first program")
    parser.add_argument("count", type=int, help="how many")
    parser.add_argument("--keep", type=Path, help="write each program that differs here")
    parser.add_argument("--show", type=int, help="print one program by its number, and stop")
    options = parser.parse_args()
    if options.show is not None:
        print(next(programs(options.show, 1))[1].text)
        return
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    start()
    tally = Tally()
    begun = time.perf_counter()
    for number, (seed, program) in enumerate(programs(options.first, options.count)):
        if number % CLEARED_EVERY == CLEARED_EVERY - 1:
            jax.clear_caches()
        verdict = judge(program)
        tally.add(program, verdict)
        if options.keep and (verdict.missed or verdict.wrong):
            keep(options.keep, seed, program, verdict)
    report(tally, time.perf_counter() - begun)


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
    (folder / f"{kind}_{seed}.py").write_text("\n".join([*lines, *about]) + "\n")


def report(tally: Tally, seconds: float) -> None:
    """Print the tables."""
    for kind, rows in tally.by.items():
        print(f"\n{kind:40} {'programs':>8} {'due':>6} {'missed':>6} {'wrong':>6}")
        for name, count in sorted(rows.items(), key=lambda row: (-row[1].missed, row[0])):
            print(f"{name:40} {count.programs:8} {count.due:6} {count.missed:6} {count.wrong:6}")
    print("\ndiscarded")
    for reason, times in tally.discarded.most_common(40):
        print(f"{times:6} {reason}")
    if ABSENT:
        print(f"\nskipped, for want of the library: {', '.join(ABSENT)}")
    total = tally.total
    print(
        f"\n{total.programs} programs in {seconds:.0f} s ({sum(tally.discarded.values())} more "
        f"discarded): {total.due} findings due, {total.missed} missed "
        f"({100 * total.missed / max(total.due, 1):.1f} %), {total.wrong} programs with wrong ones"
    )


if __name__ == "__main__":
    main()
