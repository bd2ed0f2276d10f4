"""The fixtures under many releases of JAX, each in an environment of its own.

    python -m tools.versions FOLDER [VERSION ...]

Makes a virtual environment for each release in FOLDER (once), runs ``jaxlint confirm``
there, and writes ``jaxlint/knowledge/releases.json`` (rule, release, verdict) and the table
``docs/releases.md`` from it. A release is asked about the rules whose fixtures changed since it
was asked last, which ``docs/evidence/asked.json`` tells; with ``--all`` about every rule. Ask all
of them again when what confirm looks for has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tools.pythons import installed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
DATA = ROOT / "jaxlint" / "knowledge" / "releases.json"
TABLE = ROOT / "docs" / "releases.md"
FIXTURES = ROOT / "fixtures"
ASKED = ROOT / "docs" / "evidence" / "asked.json"
"""Release -> rule -> digest of its fixtures when that release was asked about them."""

RELEASES = (
    "0.4.13", "0.4.20", "0.4.26", "0.4.30", "0.4.35", "0.5.0", "0.6.2", "0.7.2", "0.8.2",
    "0.9.2", "0.10.2", "0.11.2", "0.12.0.1",
)  # fmt: skip
"""From the oldest whose jaxlib installs on a supported Python to the newest."""

_PATH = re.compile(r" \(/[^)]*\)?$")
"""Where Python looked for a module: of no interest to anybody else."""

LIMIT = 60
"""Seconds for one fixture."""


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def python_for(version: str) -> str:
    """The Python of a release's own time, of those that are installed."""
    release = numbers(version)
    wanted = "3.10" if release < (0, 4, 30) else "3.11" if release < (0, 11) else "3.12"
    return installed().get(wanted) or sys.executable


def requirements(version: str) -> list[str]:
    """What to install: what jaxlint needs itself; old releases do not say which NumPy they need."""
    old = ["numpy<2", "scipy<1.13"] if numbers(version) < (0, 4, 26) else []
    own = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    return [f"jax=={version}", f"jaxlib=={version}", *own, *old]


def environment(folder: Path, version: str) -> tuple[Path, str]:
    """The interpreter with a release, and why it cannot be had (or nothing)."""
    home = folder / version
    python = home / "bin" / "python"
    if (home / "complete").exists():
        return python, ""
    shutil.rmtree(home, ignore_errors=True)
    for command in (
        [python_for(version), "-m", "venv", str(home)],
        [str(python), "-m", "pip", "install", "-q", "--no-compile", *requirements(version)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return python, (done.stderr.strip().splitlines() or ["no output"])[-1]
    (home / "complete").touch()
    return python, ""


def digests() -> dict[str, str]:
    """Rule -> digest of the names and texts of its fixtures."""
    found: dict[str, str] = {}
    for folder in sorted(FIXTURES.iterdir()):
        digest = hashlib.sha256()
        for path in sorted(folder.glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        found[folder.name.split("_")[0]] = digest.hexdigest()[:16]
    return found


def confirm(python: Path, codes: list[str], evidence: Path) -> str:
    """Run the fixtures of some rules; returns what went wrong, or nothing."""
    command = [str(python), "-m", "jaxlint", "confirm", "--json", str(evidence)]
    evidence.unlink(missing_ok=True)
    done = subprocess.run(
        [*command, "--timeout", str(LIMIT), *(part for code in codes for part in ("--rule", code))],
        cwd=evidence.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode in (0, 1) and evidence.exists():
        return ""
    return (done.stderr.strip().splitlines() or ["no output"])[-1]


def summary(evidence: dict[str, Any]) -> dict[str, Any]:
    """Of one release: its environment, and for each rule what was not confirmed."""
    rules: dict[str, dict[str, str]] = {}
    asked: Counter[str] = Counter()
    for verdict in evidence["verdicts"]:
        if verdict["outcome"] == "skipped":
            continue  # The library that it is about is not there: nothing was asked.
        asked[verdict["rule"]] += 1
        differences = rules.setdefault(verdict["rule"], {})
        if verdict["outcome"] != "confirmed":
            name = verdict["fixture"].split("/")[1]
            observed = _PATH.sub("", verdict["observed"])
            differences[name] = f"{verdict['outcome']}: {observed}"
    return {"environment": evidence["environment"], "rules": rules, "asked": asked}


def ask(folder: Path, version: str, codes: list[str]) -> tuple[dict[str, Any] | None, str]:
    """What one release says of some rules; or nothing, and what went wrong."""
    evidence = folder / f"{version}.json"
    python, problem = environment(folder, version)
    problem = problem or confirm(python, codes, evidence)
    return (None, problem) if problem else (summary(json.loads(evidence.read_text("utf-8"))), "")


def with_earlier(found: dict[str, Any], earlier: dict[str, Any] | None) -> dict[str, Any]:
    """A summary of some rules, and what was found earlier of the others that there still are."""
    if earlier is None:
        return found
    codes = sorted(digests())
    merged = dict(found)
    for part in ("rules", "asked"):
        both = {**earlier[part], **found[part]}
        merged[part] = {code: both[code] for code in codes if code in both}
    return merged


def cell(found: dict[str, Any], code: str, count: int) -> str:
    """What the table says of a rule on one release."""
    asked = found["asked"].get(code, 0)
    missing = len(found["rules"].get(code, {}))
    if not asked:
        return "not run"
    return "all" if not missing and asked == count else f"{asked - missing} of {asked}"


def table(releases: dict[str, Any]) -> str:
    """A row for each rule, a column for each release."""
    counts = {code: len(list(FIXTURES.glob(f"{code}_*/*.py"))) for code in sorted(digests())}
    lines = [
        "# Which release does what",
        "",
        "Every rule's fixtures under real JAX, release by release, on the CPU. A number says how",
        "many were confirmed, of those that were run there: fixtures that a rule has got since are",
        "newer than that run. Those that were not confirmed are listed below the table.",
        "Written by `python -m tools.versions FOLDER`.",
        "",
        "| rule | fixtures | " + " | ".join(releases) + " |",
        "|---" * (len(releases) + 2) + "|",
    ]
    for code, count in counts.items():
        cells = " | ".join(cell(found, code, count) for found in releases.values())
        lines.append(f"| {code} | {count} | {cells} |")
    lines += ["", "## What was not confirmed", ""]
    for version, found in releases.items():
        python = found["environment"]["python"]
        lines += [f"### {version} (Python {python})", ""]
        differences = [
            f"- {code} `{name}`: {what}"
            for code, fixtures in found["rules"].items()
            for name, what in fixtures.items()
        ]
        lines += [*(differences or ["Nothing: all were confirmed."]), ""]
    return "\n".join(lines)


def read(path: Path) -> dict[str, Any]:
    """What a table holds; empty when there is none yet."""
    held: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return held


def write(kept: dict[str, Any], asked: dict[str, Any]) -> None:
    """The tables, the oldest release first."""
    ordered = {version: kept[version] for version in sorted(kept, key=numbers)}
    DATA.write_text(json.dumps(ordered, indent=1) + "\n", "utf-8")
    TABLE.write_text(table(ordered), "utf-8")
    told = {version: asked[version] for version in ordered if version in asked}
    ASKED.write_text(json.dumps(told, indent=1) + "\n", "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="for the environments; some 600 MB each")
    parser.add_argument("--all", action="store_true", help="ask about every rule again")
    parser.add_argument("versions", nargs="*", default=list(RELEASES))
    arguments = parser.parse_args()
    folder = arguments.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    kept, asked = read(DATA), read(ASKED)
    failed = 0
    for version in arguments.versions:
        now = digests()
        before = {} if arguments.all else asked.get(version, {})
        changed = [code for code in now if before.get(code) != now[code]]
        if changed:
            python, problem = environment(folder, version)
            evidence = folder / f"{version}.json"
            problem = problem or confirm(python, changed, evidence)
            if problem:
                print(f"{version}: {problem}", flush=True)
                failed += 1
                continue
            found = summary(json.loads(evidence.read_text("utf-8")))
            kept[version] = with_earlier(found, kept.get(version))
            asked[version] = now
            write(kept, asked)
        missing = sum(len(found) for found in kept[version]["rules"].values())
        print(
            f"{version}: {len(changed)} rules asked, {missing} fixtures not confirmed", flush=True
        )
    write(kept, asked)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
