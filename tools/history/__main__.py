"""The command: see the package."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import tools.history
from tools.history.condense import TARGET, condense, written
from tools.history.environments import OPTIONAL, environment, released, run


def main() -> int:
    """Ask the releases that were not asked yet, and write the history."""
    parser = argparse.ArgumentParser(description=tools.history.__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="for environments and what they answered")
    parser.add_argument("releases", nargs="*", help="ask these again")
    arguments = parser.parse_args()
    folder: Path = arguments.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {}
    failed = []
    known: set[str] = set()
    for release in released():
        path = folder / f"{release}.json"
        if release in arguments.releases:
            path.unlink(missing_ok=True)
        if not path.exists():
            try:
                inventory(folder, release, known, path)
            except subprocess.CalledProcessError as error:
                print(f"{release}: {error}", flush=True)
                failed.append(release)
                continue
        found[release] = json.loads(path.read_text("utf-8"))
        for module, names in found[release]["modules"].items():
            known |= {f"{module}.{name}" for name in names}
    TARGET.write_text(written(condense(found)), "utf-8")
    print(f"{len(found)} releases, {len(known)} names; not read: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


def inventory(folder: Path, release: str, known: set[str], target: Path) -> None:
    """Ask one release."""
    where = environment(folder, release)
    names = folder / "known.json"
    names.write_text(json.dumps(sorted(known)), "utf-8")
    jaxlib = [where.stand_in] if where.stand_in else []
    arguments = [str(target), str(names), ",".join(OPTIONAL), *jaxlib]
    run(where, "tools.history.inventory", *arguments)
    shutil.rmtree(folder / release)
    print(f"{release}: {'jaxlib stood in for' if jaxlib else 'with its jaxlib'}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
