"""Upgrades whole applications, and asks the newest JAX what it has of the names in them.

    python benchmarks/upgrade.py FOLDER PYTHON [--from RELEASE] [--unsafe-fixes]

FOLDER holds one application a folder, as ``benchmarks/corpus.py fetch applications`` leaves them;
PYTHON is an interpreter with the JAX that they are carried to. Each is upgraded in a copy. Of every
``import`` of a name of JAX and every dotted name that begins with one, PYTHON says whether it is
there; what stands under ``try`` or an ``if`` is left out, as it may be meant for another release.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from jaxlint.fixes.bindings import Bindings
from jaxlint.program import nodes as n
from jaxlint.program.lower_ast import lower_ast
from jaxlint.program.walk import children
from jaxlint.source import SourceError, read_source
from jaxlint.workspace.discovery import find

_ASK = """\
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
def there(name):
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        try:
            for part in parts[count:]:
                found = getattr(found, part)
        except AttributeError:
            return False
        return True
    return False
print(json.dumps([name for name in json.load(sys.stdin) if not there(name)]))
"""


def names(path: Path) -> Iterator[str]:
    """The names of JAX that a file uses, imports included."""
    try:
        program = lower_ast(read_source(path))
    except (SourceError, RecursionError):
        return
    bindings = Bindings(program)
    waiting: list[tuple[n.Node, bool]] = [(node, False) for node in program.body]
    while waiting:
        node, guarded = waiting.pop()
        guarded = guarded or isinstance(node, (n.Try, n.If))
        if isinstance(node, n.Import) and not guarded and node.qualified.split(".")[0] == "jax":
            yield node.qualified
        elif isinstance(node, n.Attribute) and not guarded:
            name = dotted(node, bindings)
            if name.startswith("jax."):
                yield name
                continue
        waiting += [(each, guarded) for each in children(node)]


def dotted(node: n.Node, bindings: Bindings) -> str:
    if isinstance(node, n.Attribute):
        base = dotted(node.value, bindings)
        return f"{base}.{node.attr}" if base else ""
    return bindings.imports_at_the_top(node.id) if isinstance(node, n.Name) else ""


def missing(folder: Path, python: str) -> tuple[int, int, int]:
    """Uses of names of JAX, those that are not there, and the files that hold one of these."""
    uses = {path: list(names(path)) for path in find([folder], ignore_files=False).files}
    asked = sorted({name for found in uses.values() for name in found})
    done = subprocess.run(
        [python, "-c", _ASK], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    lacking = set(json.loads(done.stdout))
    counts = [sum(name in lacking for name in found) for found in uses.values()]
    return sum(map(len, uses.values())), sum(counts), sum(map(bool, counts))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("python")
    parser.add_argument("--unsafe-fixes", action="store_true")
    parser.add_argument("--only", nargs="*", default=[], help="names of applications")
    arguments = parser.parse_args()
    options = ["--unsafe-fixes"] if arguments.unsafe_fixes else []
    print("application: uses of JAX's names, missing in the new release (in files) -> after")
    for folder in sorted(path for path in arguments.folder.iterdir() if path.is_dir()):
        if arguments.only and folder.name not in arguments.only:
            continue
        with tempfile.TemporaryDirectory() as name:
            copy = Path(name) / folder.name
            shutil.copytree(folder, copy, symlinks=True)
            uses, before, files = missing(copy, arguments.python)
            command = [sys.executable, "-m", "jaxlint", "upgrade", "--new-only", *options]
            done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
            _, after, files_after = missing(copy, arguments.python)
            told = [line for line in done.stdout.splitlines() if line.endswith("files.")]
            line = f"{before} ({files}) -> {after} ({files_after})"
            print(f"{folder.name}: {uses}, {line}; {' '.join(told[:2])}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
