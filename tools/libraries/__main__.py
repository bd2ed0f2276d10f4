"""The command: see the package."""

from __future__ import annotations

import json
import sys
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

from tools.libraries.tables import PACKAGES, differs, rows

TARGET = Path(__file__).parents[2] / "docs" / "evidence" / "libraries.json"


def checked() -> dict[str, Any]:
    """Of every row whether it holds, or how the library differs; and which versions said so."""
    distributions = packages_distributions()
    names = sorted({distributions[package][0] for package in (*PACKAGES, "jax")})
    return {
        "versions": {name: version(name) for name in names},
        "rows": {
            table: {name: differs(table, name) or "holds" for name in names}
            for table, names in rows().items()
        },
    }


def main() -> int:
    """Check, print what differs and write the result."""
    found = checked()
    wrong = [
        f"{table}: {name}: {what}"
        for table, names in found["rows"].items()
        for name, what in names.items()
        if what != "holds"
    ]
    TARGET.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    count = sum(map(len, found["rows"].values()))
    print("\n".join([*wrong, f"{count} rows, {len(wrong)} do not hold"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
