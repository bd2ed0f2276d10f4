"""The command: ``python -m tools.hunts KIND``."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

from tools.hunts.commands import commands
from tools.hunts.files import lint_prey
from tools.hunts.observed import observed
from tools.hunts.outcome import REPOSITORY, Caught, Hunt, Hunter, counts
from tools.hunts.prey import KINDS
from tools.hunts.servers import servers

HUNTERS: dict[str, Hunter] = {
    **{kind: partial(lint_prey, kind) for kind in KINDS},
    "commands": commands,
    "servers": servers,
    "observed": observed,
}


def main() -> int:
    """Hunt; the exit code is 1 when something was caught."""
    arguments = _arguments()
    chance = random.Random(arguments.seed)
    end = time.monotonic() + arguments.seconds
    number, caught = 0, list[Caught]()
    with (
        tempfile.TemporaryDirectory(prefix="hunt-", ignore_cleanup_errors=True) as folder,
        suppress(KeyboardInterrupt),
    ):
        hunt = Hunt(chance, Path(folder), arguments)
        for done in HUNTERS[arguments.kind](hunt):
            number += done.tried
            caught += done.caught
            for each in done.caught:
                print(f"{each.wrong}: {each.what}", flush=True)
            if time.monotonic() > end or number >= arguments.count:
                break
    print(f"{arguments.kind}, seed {arguments.seed}: {counts(number, caught)}")
    return 1 if caught else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.hunts", description=__doc__)
    parser.add_argument("kind", choices=list(HUNTERS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60.0, help="ends after that (60)")
    parser.add_argument("--count", type=int, default=10**9, help="ends after so many")
    parser.add_argument("--jobs", type=int, default=2, help="processes, two or more (2)")
    parser.add_argument(
        "--files", type=Path, nargs="+", default=[REPOSITORY / "fixtures"],
        help="folders from which programs are taken",
    )  # fmt: skip
    parser.add_argument(
        "--keep", type=Path, default=Path("caught"), help="where caught files are put (caught)"
    )
    parser.add_argument(
        "--python", default=sys.executable, help="of observed: what runs confirm and its command"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
