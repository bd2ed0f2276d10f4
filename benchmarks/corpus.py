"""The corpora: fetch them, lint them, compare with what was judged before.

    python benchmarks/corpus.py fetch libraries FOLDER       download and unpack the packages
    python benchmarks/corpus.py fetch applications FOLDER    clone the repositories
    python benchmarks/corpus.py compare CORPUS FOLDER        findings against judged*.toml

Libraries are well tested: a linter should be quiet there. Applications are code as people
write it. ``compare`` fails on a finding that nobody has judged, on a judged one that is gone,
when too many are judged wrong or noise, and when a file ran out of steps. ``--stubs`` prints
what is not judged in the form in which it is judged. Every place is judged; the shares are of
findings as a user gets them: one that names several places is wrong when it is wrong of one of
them, and noise when it is of no use at any.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from jaxlint.config import Options
from jaxlint.findings import CANNOT_CHECK, NOT_FINISHED, Finding, not_checked
from jaxlint.source import SourceError, read_source
from jaxlint.workspace.discovery import find
from jaxlint.workspace.lint import lint_source

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LISTS = Path(__file__).parent.parent / "tests" / "corpus"
KEPT = (
    "*.py", "*.ipynb",
    "requirements*", "pyproject.toml", "setup.*", "*env*.yml", "*env*.yaml",
)  # fmt: skip
"""Of an application: what is linted, and what states the release of JAX."""


@dataclass(frozen=True)
class Corpus:
    """Code that is linted, and what was said of the findings.

    Attributes:
        members: file with one package or repository a line.
        judged: file with the findings that were read.
        wrong: share of the judged findings that may be wrong.
        noise: share that may be true and useless.
        apart: prefix of codes that are not judged: too many, and each the same.
        fetch: downloads one member into a folder.
    """

    members: Path
    judged: Path
    wrong: float
    noise: float
    apart: str | None
    fetch: Callable[[str, Path], None]

    def names(self) -> list[str]:
        """What the corpus is made of."""
        lines = self.members.read_text("utf-8").splitlines()
        return [line for line in lines if line and not line.startswith("#")]


def fetch_package(package: str, folder: Path) -> None:
    """Download the source distribution of ``name==version`` and unpack it."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    with tempfile.TemporaryDirectory() as downloads:
        subprocess.run([*command, "--no-binary", ":all:", "-d", downloads, package], check=True)
        for archive in Path(downloads).glob("*.tar.gz"):
            with tarfile.open(archive) as tar:
                tar.extractall(folder)


def fetch_repository(named: str, folder: Path) -> None:
    """Unpack the files that matter of ``owner/name commit``."""
    name, commit = named.split()
    with tempfile.TemporaryDirectory() as clone:
        git = ["git", "-C", clone]
        subprocess.run([*git, "init", "--quiet"], check=True)
        address = f"https://github.com/{name}"
        subprocess.run([*git, "fetch", "--quiet", "--depth", "1", address, commit], check=True)
        packed = subprocess.run(
            [*git, "archive", "FETCH_HEAD"], check=True, stdout=subprocess.PIPE
        ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        kept = [
            member
            for member in tar
            if member.isfile() and any(fnmatch(Path(member.name).name, each) for each in KEPT)
        ]
        tar.extractall(folder / name.replace("/", "__"), members=kept)


CORPORA = {
    "libraries": Corpus(
        LISTS / "packages.txt", LISTS / "judged.toml",
        wrong=0.0, noise=1.0, apart=None, fetch=fetch_package,
    ),
    "applications": Corpus(
        LISTS / "applications.txt", LISTS / "judged_apps.toml",
        wrong=0.03, noise=0.15, apart="JXL60", fetch=fetch_repository,
    ),
}  # fmt: skip


@dataclass
class Linted:
    """What linting a corpus gave.

    Attributes:
        findings: with names relative to the corpus's folder.
        files: how many were read.
        lines: how many of Python they hold.
        unchecked: files, and cells of notebooks, that could not be checked.
        out_of_steps: files that were not traced to their end.
    """

    findings: list[Finding] = field(default_factory=list)
    files: int = 0
    lines: int = 0
    unchecked: list[Finding] = field(default_factory=list)
    out_of_steps: list[str] = field(default_factory=list)


def lint(folder: Path) -> Linted:
    """Lint every file and notebook under a folder, none of them configured."""
    done = Linted()
    paths = find([folder], ignore_files=False).files
    for number, path in enumerate(paths):
        if sys.stderr.isatty() and number % 20 == 0:
            print(f"\r{number}/{len(paths)}", end="", file=sys.stderr)
        name = path.relative_to(folder).as_posix()
        for finding in lint_one(path, done):
            if finding.code == NOT_FINISHED:
                done.out_of_steps.append(name)
                continue
            kept = done.unchecked if finding.code == CANNOT_CHECK else done.findings
            kept.append(replace(finding, filename=name))
    return done


def lint_one(path: Path, done: Linted) -> list[Finding]:
    """The findings of one file; whatever goes wrong is one of them."""
    try:
        source = read_source(path)
    except SourceError as error:
        return [not_checked(error)]
    done.files += 1
    done.lines += source.text.count("\n")
    linted = lint_source(source, Options())
    if linted.failed:
        return [replace(each, code="failed") for each in linted.findings]
    return linted.findings


Key = tuple[str, int, int, str]


def keys(finding: Finding) -> list[Key]:
    """The places of a finding, each as it is judged."""
    return [(finding.filename, cell, line, finding.code) for cell, line in finding.places]


def verdict(of_places: set[str]) -> str:
    """What a finding is, by the verdicts on its places."""
    return next((each for each in ("wrong", "true", "noise") if each in of_places), "not judged")


def compare(corpus: Corpus, folder: Path, stubs: bool) -> int:
    """Lint and compare; the exit code."""
    start = time.perf_counter()
    linted = lint(folder)
    seconds = time.perf_counter() - start
    judged = tomllib.loads(corpus.judged.read_text("utf-8"))["finding"]
    known: dict[Key, dict[str, Any]] = {
        (entry["file"], entry.get("cell", 0), entry["line"], entry["code"]): entry
        for entry in judged
    }
    apart = corpus.apart or "none of them"
    findings = [each for each in linted.findings if not each.code.startswith(apart)]
    found = {key: each for each in findings for key in keys(each)}
    new = sorted(found.keys() - known.keys())
    gone = [known[key] for key in sorted(known.keys() - found.keys())]
    for key in new:
        print(stub(key, found[key]) if stubs else f"not judged: {key[2]} of {found[key]}")
    for entry in gone:
        print(f"gone ({entry['verdict']}): {entry['file']}:{entry['line']} {entry['code']}")
    for name in linted.out_of_steps:
        print(f"out of steps: {name}")
    print(f"{linted.files} files, {linted.lines} lines in {seconds:.0f} s")
    print(f"{len(linted.unchecked)} files or cells not checked")
    print(f"{len(linted.out_of_steps)} files ran out of steps")
    if corpus.apart:
        rest = len(linted.findings) - len(findings)
        print(f"{rest} findings of {corpus.apart}x, not judged one by one")
    print(f"{len(found)} places")
    verdicts = Counter(
        verdict({known[key]["verdict"] for key in keys(each) if key in known}) for each in findings
    )
    good = within(corpus, verdicts, len(findings))
    return 0 if good and not new and not gone and not linted.out_of_steps else 1


def within(corpus: Corpus, verdicts: Counter[str], findings: int) -> bool:
    """Say what the judged findings are, and whether that is good enough."""
    print(f"{findings} findings: {dict(sorted(verdicts.items()))}")
    good = True
    for verdict, bar in (("wrong", corpus.wrong), ("noise", corpus.noise)):
        share = verdicts[verdict] / max(findings, 1)
        print(f"{verdict}: {share:.1%}, allowed: {bar:.0%}")
        good = good and share <= bar
    return good


def stub(key: Key, finding: Finding) -> str:
    """An entry of the judged list, to be filled in."""
    file, cell_number, line, code = key
    cell = f"cell = {cell_number}\n" if cell_number else ""
    message = finding.message.replace("\\", "\\\\").replace('"', '\\"')
    return (
        f'[[finding]]\nfile = "{file}"\n{cell}line = {line}\n'
        f'code = "{code}"\nverdict = ""\nwhy = "{message}"\n'
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("action", choices=["fetch", "compare"])
    parser.add_argument("corpus", choices=list(CORPORA))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stubs", action="store_true", help="print entries for what is not judged")
    arguments = parser.parse_args()
    corpus = CORPORA[arguments.corpus]
    if arguments.action == "compare":
        return compare(corpus, arguments.folder, arguments.stubs)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in corpus.names():
        print(f"fetching {name}", flush=True)
        corpus.fetch(name, arguments.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
