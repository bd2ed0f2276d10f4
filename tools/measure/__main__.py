"""``python -m tools.measure [--check] [NAME ...]`` writes ``jaxlint/knowledge/measured.json``.

For every public function: find arguments with which it runs, then hand over each argument as
a tracer and as a Python list, and call it with many shapes, dtypes and options. Nothing in
the table is typed by hand. With names of modules or functions only their rows are measured,
the others stay.
With ``--check`` nothing is written: the rows that are no longer what JAX does are printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tools.measure.functions import MODULES, module_of
from tools.measure.rows import differing, measured_rows, table

TARGET = Path(__file__).parents[2] / "jaxlint" / "knowledge" / "measured.json"


def written(found: dict[str, Any]) -> str:
    """The table as text, one function or map a line."""
    parts = [f'"jax": {json.dumps(found["jax"])}, "numpy": {json.dumps(found["numpy"])}']
    for key in ("dtypes", "functions"):
        lines = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in found[key].items()]
        parts.append(f'"{key}": {{\n' + ",\n".join(lines) + "\n}")
    return "{" + ",\n".join(parts) + "}\n"


def main() -> int:
    """Measure what is named on the command line, or everything."""
    parser = argparse.ArgumentParser(prog="python -m tools.measure")
    parser.add_argument("--check", action="store_true", help="write nothing, print what differs")
    parser.add_argument("--jobs", type=int, help="processes at a time, one for each core")
    parser.add_argument("names", nargs="*", default=list(MODULES), help="modules, or functions")
    options = parser.parse_args()
    earlier = json.loads(TARGET.read_text("utf-8"))
    only = frozenset(options.names) - set(MODULES)
    modules = sorted({module_of(name) if name in only else name for name in options.names})
    if options.check:
        rows, maps = measured_rows(modules, earlier["functions"], only or None, options.jobs)
        wrong = differing(earlier, rows, maps)
        print("\n".join([*wrong, f"{len(wrong)} of {len(rows)} rows differ"]))
        return 1 if wrong else 0
    found = table(modules, earlier, only or None, options.jobs)
    TARGET.write_text(written(found), "utf-8")
    print(f"{len(found['functions'])} functions measured, jax {found['jax']}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
