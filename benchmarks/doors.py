"""Whether every door says the same of a folder of real code, line by line.

    python benchmarks/doors.py FOLDER ... [--without DOOR] [--batch 20]

For each folder: ``jaxlint check`` of all of it, in one process and in two, cold and with a warm
cache; file by file in batches of a shuffled order, as pre-commit hands over what has changed;
``flake8``; and ``jaxlint server``, in which each file is opened by a client. Prints what any of
them finds and ``check`` does not, or the other way round, and how many findings they agree on.
flake8 and the client look at ``.py`` files alone.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

_PYTHON = (sys.executable, "-m")
_CHECK = (*_PYTHON, "jaxlint", "check", "--isolated", "--no-respect-gitignore",
          "--output-format", "concise", "--quiet")  # fmt: skip
Door = Callable[[Path, list[str], int], Counter[str]]
"""What is said of a folder, given its files and the size of a batch: lines, each how often."""


def _run(folder: Path, command: tuple[str, ...]) -> Counter[str]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command[:6])} ended with {done.returncode}: {done.stderr}")
    lines = (line.removeprefix("./") for line in done.stdout.splitlines())
    return Counter(line for line in lines if ": JXL" in line)


def all_at_once(folder: Path, files: list[str], batch: int) -> Counter[str]:
    """``check FOLDER`` in one process."""
    return _run(folder, (*_CHECK, "--no-cache", "--jobs", "1", "."))


def in_two_processes(folder: Path, files: list[str], batch: int) -> Counter[str]:
    """``check FOLDER`` in two, and again from its cache: both must say the same."""
    with tempfile.TemporaryDirectory() as cache:
        command = (*_CHECK, "--cache-dir", cache, "--jobs", "2", ".")
        cold, warm = _run(folder, command), _run(folder, command)
    return cold | warm if cold == warm else cold + warm


def in_batches(folder: Path, files: list[str], batch: int) -> Counter[str]:
    """As pre-commit does: some files, named, in no order."""
    shuffled = random.Random(0).sample(files, len(files))
    found: Counter[str] = Counter()
    for start in range(0, len(files), batch):
        named = shuffled[start : start + batch]
        found += _run(folder, (*_CHECK, "--no-cache", "--jobs", "1", *named))
    return found


def by_flake8(folder: Path, files: list[str], batch: int) -> Counter[str]:
    """flake8 in two processes."""
    names = [name for name in files if name.endswith(".py")]
    options = ("--isolated", "--select=JXL", "-j2", "--exclude=")
    found: Counter[str] = Counter()
    for start in range(0, len(names), 500):
        found += _run(folder, (*_PYTHON, "flake8", *options, *names[start : start + 500]))
    return found


def by_the_server(folder: Path, files: list[str], batch: int) -> Counter[str]:
    """A language server and its client."""
    return asyncio.run(_in_an_editor(folder, [name for name in files if name.endswith(".py")]))


async def _in_an_editor(folder: Path, names: list[str]) -> Counter[str]:
    from lsprotocol import types as lsp
    from pygls.lsp.client import LanguageClient

    client = LanguageClient("benchmark", "1")
    said: dict[str, asyncio.Future[list[lsp.Diagnostic]]] = {}

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(params: lsp.PublishDiagnosticsParams) -> None:
        if params.uri in said and not said[params.uri].done():
            said[params.uri].set_result(list(params.diagnostics))

    await client.start_io(*_PYTHON, "jaxlint", "server", cwd=folder)
    await client.initialize_async(
        lsp.InitializeParams(lsp.ClientCapabilities(), root_uri=folder.as_uri())
    )
    client.initialized(lsp.InitializedParams())
    found: Counter[str] = Counter()
    for name in names:
        uri = (folder / name).as_uri()
        said[uri] = asyncio.get_running_loop().create_future()
        text = (folder / name).read_bytes().decode("utf-8", "replace")
        item = lsp.TextDocumentItem(uri, "python", 1, text)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        for each in await said[uri]:
            at = each.range.start
            found[f"{name}:{at.line + 1}:{at.character + 1}: {each.code} {each.message}"] += 1
        document = lsp.TextDocumentIdentifier(uri)
        client.text_document_did_close(lsp.DidCloseTextDocumentParams(document))
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return found


DOORS: dict[str, Door] = {
    "processes": in_two_processes,
    "batches": in_batches,
    "flake8": by_flake8,
    "server": by_the_server,
}
_PY_ALONE = frozenset({"flake8", "server"})


def compare(folder: Path, doors: list[str], batch: int) -> int:
    """Print the differences of one folder; how many there are."""
    files = sorted(
        os.path.relpath(path, folder)
        for kind in ("*.py", "*.ipynb")
        for path in folder.rglob(kind)
        if path.is_file() and not any(part.startswith(".") for part in path.parts)
    )
    wanted = all_at_once(folder, files, batch)
    print(f"{folder.name}: {len(files)} files, {wanted.total()} findings", flush=True)
    differences = 0
    for name in doors:
        start = time.perf_counter()
        got = DOORS[name](folder, files, batch)
        same = wanted
        if name in _PY_ALONE:
            same = Counter({k: v for k, v in wanted.items() if k.split(":")[0].endswith(".py")})
        unlike = [f"  not by {name}: {line}" for line in (same - got).elements()]
        unlike += [f"  by {name} alone: {line}" for line in (got - same).elements()]
        print(*unlike, sep="\n", end="\n" if unlike else "")
        seconds = time.perf_counter() - start
        print(f"  {name}: {(same & got).total()} alike, {len(unlike)} not ({seconds:.0f} s)")
        differences += len(unlike)
    return differences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--without", action="append", choices=list(DOORS), default=[])
    parser.add_argument("--batch", type=int, default=20, help="files handed over at once")
    arguments = parser.parse_args()
    doors = [name for name in DOORS if name not in arguments.without]
    folders = [folder.resolve() for folder in arguments.folders]
    return min(1, sum(compare(folder, doors, arguments.batch) for folder in folders))


if __name__ == "__main__":
    sys.exit(main())
