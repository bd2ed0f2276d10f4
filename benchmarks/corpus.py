"""The development corpus: fetch it, lint it, compare with what was judged before.

    python benchmarks/corpus.py fetch FOLDER      download and unpack the packages
    python benchmarks/corpus.py compare FOLDER    findings against tests/corpus/judged.toml

``compare`` fails on a finding that nobody has judged, on a judged one that is
gone, and when more than one finding in 50,000 lines is judged wrong.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import jaxlint
from jaxlint.check import check, internal_error
from jaxlint.source import SourceError, read_source

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CORPUS = Path(__file__).parent.parent / "tests" / "corpus"
LINES_FOR_ONE_WRONG = 50_000


def packages() -> list[str]:
    """Names and versions, one a line."""
    lines = (CORPUS / "packages.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def fetch(folder: Path) -> None:
    """Download source distributions and unpack them."""
    folder.mkdir(parents=True, exist_ok=True)
    for package in packages():
        print(f"fetching {package}")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*command, "--no-binary", ":all:", "-d", str(folder), package], check=True)
    for archive in sorted(folder.glob("*.tar.gz")):
        with tarfile.open(archive) as tar:
            tar.extractall(folder)


def lint(folder: Path) -> tuple[list[jaxlint.check.Finding], int, int]:
    """Findings, number of files, number of lines."""
    findings = []
    files = sorted(folder.rglob("*.py"))
    lines = 0
    for number, path in enumerate(files):
        if sys.stderr.isatty() and number % 20 == 0:
            print(f"\r{number}/{len(files)}", end="", file=sys.stderr)
        try:
            source = read_source(path)
        except SourceError as error:
            print(error)
            continue
        lines += source.text.count("\n")
        name = path.relative_to(folder).as_posix()
        try:
            found = check(source, jaxlint.Options())
            findings += [replace(finding, filename=name) for finding in found]
        except SourceError as error:
            print(error)
        except Exception as error:
            findings.append(internal_error(name, error))
    return findings, len(files), lines


def compare(folder: Path) -> int:
    """Lint and compare; the exit code."""
    start = time.perf_counter()
    findings, files, lines = lint(folder)
    seconds = time.perf_counter() - start
    judged = tomllib.loads((CORPUS / "judged.toml").read_text("utf-8"))["finding"]
    known = {(entry["file"], entry["line"], entry["code"]): entry for entry in judged}
    found = {(finding.filename, finding.line, finding.code): finding for finding in findings}
    new = [found[key] for key in sorted(found.keys() - known.keys())]
    gone = [known[key] for key in sorted(known.keys() - found.keys())]
    for finding in new:
        print(f"not judged: {finding}")
    for entry in gone:
        print(f"gone: {entry['file']}:{entry['line']} {entry['code']}")
    verdicts = Counter(known[key]["verdict"] for key in found.keys() & known.keys())
    print(f"{files} files, {lines} lines in {seconds:.0f} s")
    print(f"{len(findings)} findings: {dict(verdicts)}")
    allowed = lines // LINES_FOR_ONE_WRONG
    print(f"wrong: {verdicts['wrong']}, allowed: {allowed}")
    return 1 if new or gone or verdicts["wrong"] > allowed else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["fetch", "compare"])
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    if arguments.action == "fetch":
        fetch(arguments.folder)
        return 0
    return compare(arguments.folder)


if __name__ == "__main__":
    sys.exit(main())
