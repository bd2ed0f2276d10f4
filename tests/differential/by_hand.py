"""Many thousands of programs: ``python -m tests.differential.by_hand FIRST COUNT``.

Prints each program on which JAX and jaxlint differ, then the counts.
"""

from __future__ import annotations

import random
import sys

from tests.differential.generate import Writer
from tests.differential.judge import compare


def main() -> None:
    first, count = int(sys.argv[1]), int(sys.argv[2])
    raised = missed = wrong = others = 0
    for seed in range(first, first + count):
        text = Writer(random.Random(seed).choice).program()
        found = compare(text)
        raised += len(found.raised)
        missed += len(found.missed)
        wrong += len(found.wrong)
        others += len(found.others)
        if found.missed or found.wrong:
            lines = text.split("\n")
            for kind, where in (("MISSED", found.missed), ("WRONG", found.wrong)):
                for line in sorted(where):
                    print(f"seed {seed} {kind} line {line}: {lines[line - 1].strip()}")
    print(f"{count} programs: JAX raised on {raised} lines, {missed} missed, {wrong} wrong; "
          f"{others} raised something else")  # fmt: skip


if __name__ == "__main__":
    main()
