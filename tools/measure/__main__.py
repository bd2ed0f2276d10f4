"""``python -m tools.measure [MODULE ...]`` writes ``jaxlint/knowledge/measured.json``.

For every public function: find arguments with which it runs, then hand over each argument as
a tracer and as a Python list, and call it with many shapes, dtypes and options. Nothing in
the table is typed by hand. With module names only their rows are measured, the others stay.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tools.measure.functions import MODULES
from tools.measure.rows import table

TARGET = Path(__file__).parents[2] / "jaxlint" / "knowledge" / "measured.json"


def written(found: dict[str, Any]) -> str:
    """The table as text, one function or map a line."""
    parts = [f'"jax": {json.dumps(found["jax"])}, "numpy": {json.dumps(found["numpy"])}']
    for key in ("dtypes", "functions"):
        lines = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in found[key].items()]
        parts.append(f'"{key}": {{\n' + ",\n".join(lines) + "\n}")
    return "{" + ",\n".join(parts) + "}\n"


def main() -> None:
    """Measure what is named on the command line, or everything."""
    earlier = json.loads(TARGET.read_text("utf-8"))
    found = table(sys.argv[1:] or list(MODULES), earlier)
    TARGET.write_text(written(found), "utf-8")
    print(f"{len(found['functions'])} functions measured, jax {found['jax']}", file=sys.stderr)


if __name__ == "__main__":
    main()
