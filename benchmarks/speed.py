"""What linting costs, as ratios measured in one run.

    python benchmarks/speed.py FOLDER [--every N] [--rounds N] [--alone]

For each part of the files under FOLDER, in pairs: flake8 with jaxlint and
without (the plugin's own time is the difference), and ``libcst.parse_module`` of
the files that use JAX. flake8 follows what they import from their project; what each
costs by itself, without it, is measured too. Bars: 1.4 times the parse for files by
themselves, 2.1 times with what they import; 2 % of flake8's own time for files without JAX.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import libcst

from jaxlint.config import Options
from jaxlint.source import Source, SourceError, read_source
from jaxlint.workspace.lint import lint_source

_FLAKE8 = [sys.executable, "-m", "flake8", "--isolated", "-j1", "--exit-zero", "--select", "JXL"]
_WITHOUT = (
    "import sys, importlib.metadata as m\n"
    "real = m.distributions\n"
    "ours = lambda d: d.metadata['name'] == 'flake8-jaxlint'\n"
    "m.distributions = lambda **k: (d for d in real(**k) if not ours(d))\n"
    "from flake8.main.cli import main\n"
    "sys.exit(main(sys.argv[1:]))\n"
)


_SETTINGS = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""What is installed has its bytecode: without it each start would compile all of jaxlint."""


def timed(command: list[str]) -> float:
    """Seconds of the processor: what else runs on the machine counts little."""
    start = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_SETTINGS)
    end = os.times()
    return end.children_user + end.children_system - start.children_user - start.children_system


def parse_time(sources: list[Source]) -> float:
    start = time.process_time()
    for source in sources:
        libcst.parse_module(source.text)
    return time.process_time() - start


def alone_time(sources: list[Source]) -> float:
    """Seconds of the processor that linting takes of texts without a place: nothing is imported."""
    texts = [Source(source.text, f"<{source.filename}>", source.cells) for source in sources]
    start = time.process_time()
    for source in texts:
        lint_source(source, Options())
    return time.process_time() - start


def pair(sources: list[Source]) -> tuple[float, float]:
    """Seconds of flake8 with the plugin and without, on the same files."""
    names = [source.filename for source in sources]
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(_WITHOUT)
        script.flush()
        without = [sys.executable, script.name, *_FLAKE8[3:], *names]
        return timed([*_FLAKE8, *names]), timed(without)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=10, help="take one file in N (10)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--alone", action="store_true", help="each by itself alone: no flake8")
    arguments = parser.parse_args()
    sources = []
    for path in sorted(arguments.folder.rglob("*.py"))[:: arguments.every]:
        try:
            sources.append(read_source(path))
        except SourceError as error:
            print(error)
    with_jax = [source for source in sources if source.uses_jax]
    lines = sum(source.text.count("\n") for source in with_jax)
    print(f"{len(with_jax)} files that use JAX, {lines} lines")
    by_themselves(with_jax, arguments.rounds)
    if not arguments.alone:
        in_flake8(with_jax, arguments.rounds)
        without_jax([source for source in sources if not source.uses_jax], arguments.rounds)


def by_themselves(sources: list[Source], rounds: int) -> None:
    """What files cost that import nothing, in times of their parse."""
    sources = [source for source in sources if _is_parsed(source)]
    alone_time(sources[:1])  # The tracer is loaded.
    ratios = []
    for number in range(rounds):
        parse, alone = parse_time(sources), alone_time(sources)
        ratios.append(alone / parse)
        print(
            f"round {number + 1}: each by itself {alone:.1f} s, libcst.parse_module {parse:.1f} s: "
            f"ratio {alone / parse:.2f}",
            flush=True,
        )
    print(f"each by itself, median of {rounds}: {median(ratios):.2f} (bar 1.4)")


def _is_parsed(source: Source) -> bool:
    try:
        libcst.parse_module(source.text)
    except libcst.ParserSyntaxError:
        return False
    return True


def in_flake8(sources: list[Source], rounds: int) -> None:
    """What they cost with what they import, in times of their parse."""
    pair(sources[:1])  # Bytecode is written.
    ratios = []
    for number in range(rounds):
        ours, bare = pair(sources)
        parse = parse_time(sources)
        ratios.append((ours - bare) / parse)
        print(
            f"round {number + 1}: flake8 with jaxlint {ours:.1f} s, without {bare:.1f} s, "
            f"libcst.parse_module {parse:.1f} s: ratio {ratios[-1]:.2f}",
            flush=True,
        )
    print(f"with what they import, median of {rounds}: {median(ratios):.2f} (bar 2.1)")


def without_jax(plain: list[Source], rounds: int) -> None:
    """What files without JAX cost, in hundredths of flake8's own time."""
    if plain:
        print(f"{len(plain)} files without JAX")
    for number in range(rounds if plain else 0):
        ours, bare = pair(plain)
        gate = sum_of_gates(plain)
        print(
            f"round {number + 1}: with jaxlint {ours:.2f} s, without {bare:.2f} s; the gate alone "
            f"{gate * 1000:.1f} ms: {100 * gate / bare:.2f} % (bar 2 %)"
        )


def sum_of_gates(sources: list[Source]) -> float:
    """Seconds that the question "does it use JAX?" takes on fresh sources."""
    fresh = [Source(source.text, source.filename) for source in sources]
    start = time.perf_counter()
    for source in fresh:
        assert not source.uses_jax
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
