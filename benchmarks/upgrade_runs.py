"""Upgrades whole applications, and runs them on a new JAX: as they were, and after the upgrade.

    python benchmarks/upgrade_runs.py FOLDER PYTHON [--only NAME ...] [--json FILE]

FOLDER holds the applications of ``tests/corpus/upgraded.toml``, a folder each; PYTHON is an
interpreter with the JAX that they are carried to. Each runs in copies: as it is, after ``jaxlint
upgrade --new-only``, and after the same with ``--unsafe-fixes``. Counted are the modules that can
be imported and the tests that pass. Modules that want a package that is not there say nothing of
JAX, before or after, and are counted apart.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from jaxlint.config import DEFAULT_TEST_PATTERNS, TEST_DIRECTORIES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LIST = Path(__file__).parent.parent / "tests" / "corpus" / "upgraded.toml"
STEPS = {
    "as it is": None,
    "upgraded": ["--new-only"],
    "with unsafe fixes": ["--new-only", "--unsafe-fixes"],
}
"""What is run, and the options of the upgrade before it."""

_IMPORT = """\
import importlib, json, os, signal, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, os.getcwd())
names, said = json.load(sys.stdin), {}
answer, sys.stdout = sys.stdout, sys.stderr
def late(*_):
    raise TimeoutError("no answer within 60 seconds")
signal.signal(signal.SIGALRM, late)
for name in names:
    sys.argv = [name]
    signal.alarm(60)
    try:
        importlib.import_module(name)
        said[name] = "imported"
    except BaseException as error:
        said[name] = f"{type(error).__name__}: {error}"[:2000]
    signal.alarm(0)
print(json.dumps(said), file=answer, flush=True)
os._exit(0)
"""
_LACKING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")


@dataclass
class Ran:
    """What could be imported, and which tests passed.

    Attributes:
        imported: modules.
        failed: modules that JAX, or their own code, does not let be imported -> why.
        lacking: modules that want a package that is not there -> which.
        passed, not_passed: tests; those that cannot be collected are one for each file.
        skipped: tests that do not run anywhere.
    """

    imported: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)
    passed: int = 0
    not_passed: int = 0
    skipped: int = 0


def modules(folder: Path) -> Iterator[str]:
    """The modules of an application by their dotted names, without its tests and set-up.

    What configures its documents may change Python for everything that is imported after it.
    """
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        is_test = any(path.match(each) for each in DEFAULT_TEST_PATTERNS)
        apart = TEST_DIRECTORIES | {"doc", "docs"}
        if is_test or apart & set(parts) or parts[-1] in ("setup", "__main__"):
            continue
        if all(part.isidentifier() for part in parts):
            yield ".".join(parts[:-1] if parts[-1] == "__init__" and parts[1:] else parts)


def run(folder: Path, python: str, tests: list[str], root: str, seconds: int) -> Ran:
    """Import all modules, and run the tests."""
    ran = Ran()
    own = {path.stem for path in (folder / root).iterdir()}
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        [python, "-c", _IMPORT], input=json.dumps(list(modules(folder / root))),
        cwd=folder / root, env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name, said in json.loads(done.stdout.splitlines()[-1]).items():
        lacking = _LACKING.match(said)
        package = lacking[1].split(".")[0] if lacking is not None else ""
        if said == "imported":
            ran.imported.append(name)
        elif package and package != "jax" and package not in own:
            ran.lacking[name] = package
        else:
            ran.failed[name] = said
    if tests:
        counts = run_tests(folder / root, python, tests, environment, seconds)
        ran.passed, ran.not_passed, ran.skipped = (
            counts["passed"], counts["not passed"], counts["skipped"]
        )  # fmt: skip
    return ran


def run_tests(
    folder: Path, python: str, tests: list[str], environment: dict[str, str], seconds: int
) -> Counter[str]:
    """Run tests under pytest; how many passed, did not, and were skipped."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.xml"
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts="]
        command += ["--timeout", "120", "--continue-on-collection-errors", f"--junitxml={report}"]
        for test in tests:
            environment = {**environment, "PYTHONPATH": str(folder)}
            report.unlink(missing_ok=True)
            try:
                subprocess.run(
                    [*command, *test.split()], cwd=folder, env=environment,
                    capture_output=True, timeout=seconds, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                counts["not passed"] += 1
            if report.exists():
                counts += outcomes(report)
    return counts


def outcomes(report: Path) -> Counter[str]:
    """What a report of pytest counts."""
    counts: Counter[str] = Counter()
    for case in ElementTree.parse(report).iter("testcase"):
        tags = {child.tag for child in case}
        failed = tags & {"failure", "error"}
        counts["not passed" if failed else "skipped" if "skipped" in tags else "passed"] += 1
    return counts


def upgrade(folder: Path, options: list[str]) -> str:
    """Upgrade a copy of an application; what the command said."""
    command = [sys.executable, "-m", "jaxlint", "upgrade", "--jobs", "1", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def table(seen: dict[str, Any]) -> str:
    """What was seen of each application, a row each, as Markdown."""
    lines = [
        "| application | its JAX | modules that import | upgraded | with unsafe fixes | tests |",
        "|---|---|---|---|---|---|",
    ]
    for name, found in seen.items():
        steps = [found[step] for step in STEPS if step in found]
        if len(steps) < len(STEPS):
            continue
        counts = [f"{len(s['imported'])} of {len(s['imported']) + len(s['failed'])}" for s in steps]
        tests = " -> ".join(str(s["passed"]) for s in steps)
        ran = any(s["passed"] + s["not_passed"] for s in steps)
        cells = [name, f"`{found['pins']}`", *counts, tests if ran else "not run"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("python")
    parser.add_argument("--only", nargs="*", default=[], help="names of applications")
    parser.add_argument("--json", type=Path, help="where to write everything that was seen")
    parser.add_argument("--without-tests", action="store_true", help="import the modules only")
    parser.add_argument("--seconds", type=int, default=600, help="for one run of tests")
    arguments = parser.parse_args()
    seen: dict[str, Any] = {}
    if arguments.json and arguments.json.exists():
        seen = json.loads(arguments.json.read_text("utf-8"))
    for application in tomllib.loads(LIST.read_text("utf-8"))["application"]:
        name = application["name"].split("/")[1]
        if arguments.only and name not in arguments.only:
            continue
        seen[name] = {"pins": application["pins"]}
        for step, options in STEPS.items():
            with tempfile.TemporaryDirectory() as temporary:
                copy = Path(temporary) / name
                # Nothing imports a notebook.
                without = shutil.ignore_patterns("*.ipynb")
                shutil.copytree(arguments.folder / name, copy, symlinks=True, ignore=without)
                told = upgrade(copy, options) if options is not None else ""
                ran = run(
                    copy, arguments.python,
                    [] if arguments.without_tests else application.get("tests", []),
                    application.get("root", "."), arguments.seconds,
                )  # fmt: skip
            seen[name][step] = {**asdict(ran), "told": told}
            count = len(ran.imported) + len(ran.failed)
            print(
                f"{name}, {step}: {len(ran.imported)} of {count} modules "
                f"({len(ran.lacking)} lack packages), {ran.passed} of "
                f"{ran.passed + ran.not_passed} tests",
                flush=True,
            )
            if arguments.json:
                arguments.json.write_text(json.dumps(seen, indent=1) + "\n", "utf-8")
    print(table(seen))
    return 0


if __name__ == "__main__":
    sys.exit(main())
