"""Ask JAX which variables are tracers, and jaxlint whether it knows.

    python benchmarks/tracers.py record OUT [--root FOLDER] -- COMMAND ...
    python benchmarks/tracers.py probe OUT [PATH ...] [--list]

``record`` runs a program (its tests, a script) and notes, for each line that JAX staged, which
local variables were tracers every time and which were concrete every time. ``probe`` puts
``if variable: pass`` before such a line in a copy of the file and lints it: the first kind must
be flagged, the second must not. One probe a variable of a function, at the last line that fits.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from recorder.sitecustomize import ARRAY, NUMPY, PLAIN, TRACER, UNSTAGED

from jaxlint.check import Tools, check
from jaxlint.config import Options
from jaxlint.imports.modules import Library
from jaxlint.source import SourceError, read_source, source_from

OPTIONS = Options(group=False)
"""Each place is asked for by itself."""

RECORDER = Path(__file__).parent / "recorder"


@dataclass(frozen=True)
class Variable:
    """A local variable, as JAX saw it.

    Attributes:
        file: of the program.
        function: the line where its function begins.
        name: of the variable.
        line: the statement before which it is asked for.
        kinds: what it held there, all times together.
        in_file: the file itself applies the transform that stages the function.
        way: the files through which it was called when it was staged first.
    """

    file: str
    function: int
    name: str
    line: int
    kinds: int
    in_file: bool
    way: tuple[str, ...] = ()

    @property
    def traced(self) -> bool:
        """A tracer every time; else it was concrete every time."""
        return bool(self.kinds & TRACER)

    @property
    def probe(self) -> str:
        """The statement that raises when the variable is a tracer, and runs when it is not.

        What JAX computes of its own arrays where it stages is a tracer, whatever they are.
        """
        if self.kinds & ARRAY:
            return f"import numpy as jaxlint_probe; jaxlint_probe.asarray({self.name})"
        return f"if {self.name}: pass" if self.kinds & PLAIN else f"if {self.name}.any(): pass"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.name}"


@dataclass
class Answer:
    """What jaxlint says of one variable.

    Attributes:
        flagged: the probe is reported.
        staged: jaxlint knows, at this line, that the function is being staged.
        ran: what is reported is reported too when functions that did not run are empty.
    """

    flagged: bool
    staged: bool = True
    ran: bool = True

    @property
    def wrong(self) -> bool:
        """Of a concrete variable: jaxlint calls it a tracer on a way that ran."""
        return self.flagged and self.ran


# ------------------------------------------------------------------------ record


def record(out: Path, root: Path, command: list[str]) -> int:
    """Run a program under the recorder; its exit code."""
    out.mkdir(parents=True, exist_ok=True)
    found = [str(RECORDER.resolve()), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, found)),
        "JAXLINT_RECORD_ROOT": str(root.resolve()),
        "JAXLINT_RECORD_OUT": str(out.resolve()),
    }
    return subprocess.run(command, env=environment, check=False).returncode


def recorded(out: Path) -> Iterator[dict[str, Any]]:
    """The functions that were seen, those of all processes."""
    for file in sorted(out.glob("*.json")):
        yield from json.loads(file.read_text("utf-8"))


# ------------------------------------------------------------------------- probe


def variables(out: Path, paths: Sequence[Path]) -> list[Variable]:
    """Every variable that can be asked for, once."""
    kinds: dict[tuple[str, int], dict[str, dict[int, int]]] = {}
    in_file: dict[tuple[str, int], bool] = defaultdict(bool)
    ways: dict[tuple[str, int], tuple[str, ...]] = {}
    for function in recorded(out):
        key = (function["file"], function["line"])
        ways[key] = ways.get(key) or tuple(step.rpartition(":")[0] for step in function["way"])
        names = kinds.setdefault(key, defaultdict(lambda: defaultdict(int)))
        in_file[key] |= function["in_file"]
        for line, seen in function["lines"].items():
            for name, kind in seen.items():
                names[name][int(line)] |= kind
    wanted = [str(path.resolve()) for path in paths]
    found = []
    for (file, start), names in sorted(kinds.items()):
        if wanted and not any(Path(file).is_relative_to(path) for path in wanted):
            continue
        statements = lines_with_room(Path(file))
        for name, at in sorted(names.items()):
            fitting = [line for line, kind in at.items() if line in statements and is_pure(kind)]
            if fitting:
                line = max(fitting)
                where = in_file[file, start]
                way = ways[file, start]
                found.append(Variable(file, start, name, line, at[line], where, way))
    return found


def is_pure(kinds: int) -> bool:
    """A tracer every time, or concrete every time."""
    return kinds in (TRACER, TRACER | UNSTAGED) or not kinds & ~(ARRAY | NUMPY | PLAIN)


def lines_with_room(file: Path) -> set[int]:
    """Lines of a file before which a statement can be put that runs once for each time they do."""
    text = read_source(file).text
    lines = text.splitlines()
    found = set()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.stmt) or isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            continue
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(each.lineno for each in decorators)])
        before = lines[first - 1][: node.col_offset]
        opens_line = before.strip() == ""
        if opens_line and not lines[first - 1].lstrip().startswith("elif"):
            found.add(first)
    return found


def ask(
    file: Path, wanted: Sequence[Variable], ran: dict[Path, set[int]]
) -> dict[Variable, Answer]:
    """Probe variables of one file, in each copy one of every function.

    Args:
        file: of the program.
        wanted: its variables.
        ran: of each file of the program, the lines where functions begin that were called.
    """
    texts = {each: read_source(each).text for each in (file, *ran)}
    flagged = reported(file, wanted, texts)
    answers = {each: Answer(each in flagged) for each in wanted}
    # A caller that did not run may well hand over a tracer.
    doubtful = [each for each in wanted if not each.traced and each in flagged]
    if doubtful:
        left = {each: emptied(text, ran[each]) for each, text in texts.items()}
        still = reported(file, doubtful, left)
        for each in doubtful:
            answers[each].ran = each in still
    missed = [each for each in wanted if each.traced and each not in flagged]
    # The result of a jnp function is a tracer wherever a transform stages.
    for together in rounds(missed):
        staged = "import jax.numpy as jaxlint_probe; assert jaxlint_probe.zeros(()), '{}'"
        known = lint_with(texts[file], together, [staged.format(each.name) for each in together])
        for each in together:
            answers[each].staged = each in known
    return answers


def reported(file: Path, wanted: Sequence[Variable], texts: dict[Path, str]) -> set[Variable]:
    """The variables whose probes are reported in their file, or where another one is linted."""
    for each, text in texts.items():
        LIBRARY.overlay(each, text)
    found: set[Variable] = set()
    for together in rounds(wanted):
        found |= lint_with(texts[file], together, [each.probe for each in together])
    others = {each: text for each, text in texts.items() if each != file}
    for together in rounds(each for each in wanted if each not in found):
        found |= lint_others(texts[file], together, others)
    for each in texts:
        LIBRARY.overlay(each, None)
    return found


def rounds(wanted: Iterable[Variable]) -> Iterator[list[Variable]]:
    """Variables in groups with one of each function: probes of one do not disturb another."""
    by_function: dict[int, list[Variable]] = defaultdict(list)
    for each in wanted:
        by_function[each.function].append(each)
    for together in zip_longest(*by_function.values()):
        yield [each for each in together if each is not None]


def emptied(text: str, ran: set[int]) -> str:
    """A program without the bodies of the functions that did not run; lines stay where they are."""
    lines = text.splitlines()
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            start, end = node.body[0].lineno, node.end_lineno or 0
            if first not in ran and start > node.lineno:
                indent = lines[start - 1][: node.body[0].col_offset]
                blank = [""] * (end - start)
                lines[start - 1 : end] = [f"{indent}raise NotImplementedError", *blank]
                continue
        waiting += ast.iter_child_nodes(node)
    return "\n".join(lines) + "\n"


LIBRARY = Library()


def lint_with(text: str, wanted: Sequence[Variable], probes: Sequence[str]) -> set[Variable]:
    """The variables whose probes are reported as an error of tracing."""
    file = wanted[0].file
    text, at = with_probes(text, wanted, probes)
    found = check(source_from(text, file), OPTIONS, Tools(library=LIBRARY))
    return {at[each.line] for each in found if each.line in at and each.code.startswith("JXL1")}


def lint_others(text: str, wanted: Sequence[Variable], others: dict[Path, str]) -> set[Variable]:
    """The variables whose probes are reported where other files of the program are linted."""
    file = Path(wanted[0].file)
    probed, at = with_probes(text, wanted, [each.probe for each in wanted])
    LIBRARY.overlay(file, probed)
    found: set[Variable] = set()
    # Those first that are likely to say something: who was on the way knows.
    near = Counter(name for each in wanted for name in set(each.way))
    for other, its_text in sorted(others.items(), key=lambda pair: -near[str(pair[0])]):
        for each in check(source_from(its_text, str(other)), OPTIONS, Tools(library=LIBRARY)):
            here = each.happens_at
            if here is None or not each.code.startswith("JXL1"):
                continue
            if Path(each.path(here.file)).resolve() == file and here.line in at:
                found.add(at[here.line])
        if len(found) == len(wanted):
            break
    LIBRARY.overlay(file, text)
    return found


def with_probes(
    text: str, wanted: Sequence[Variable], probes: Sequence[str]
) -> tuple[str, dict[int, Variable]]:
    """A program with probes in it, and the variable that each of their lines asks for."""
    lines = text.splitlines(keepends=True)
    at: dict[int, Variable] = {}
    order = sorted(zip(wanted, probes, strict=True), key=lambda pair: pair[0].line)
    for above, (each, probe) in enumerate(order):
        line = each.line + above
        indent = lines[line - 1][: -len(lines[line - 1].lstrip())]
        lines.insert(line - 1, f"{indent}{probe}\n")
        at[line] = each
    return "".join(lines), at


def probe(out: Path, paths: Sequence[Path], listed: bool) -> None:
    """Ask for all variables and print the table."""
    by_file: dict[str, list[Variable]] = defaultdict(list)
    for each in variables(out, paths):
        by_file[each.file].append(each)
    answers: dict[Variable, Answer] = {}
    ran: dict[Path, set[int]] = defaultdict(set)
    for function in sorted(recorded(out), key=lambda function: function["file"]):
        ran[Path(function["file"])].add(function["line"])
    for file, wanted in by_file.items():
        try:
            answers |= ask(Path(file), wanted, ran)
        except SourceError as error:
            print(f"{file}: {error.reason}")
    if listed:
        for each, answer in answers.items():
            if each.traced and not answer.flagged:
                print(f"{each}: missed: {cause(answer)}")
            elif not each.traced and answer.flagged:
                print(f"{each}: {'wrong' if answer.wrong else 'a tracer where it did not run'}")
    for line in table(answers):
        print(line)


def cause(answer: Answer) -> str:
    """Why a tracer was not known to be one."""
    return "value unknown" if answer.staged else "function not known to be traced"


def table(answers: dict[Variable, Answer]) -> Iterator[str]:
    """What is known and what is wrong, by who traces the function."""
    for in_file, title in ((True, "traced by the same file"), (False, "traced by another file")):
        here = {each: answer for each, answer in answers.items() if each.in_file is in_file}
        traced = [answer for each, answer in here.items() if each.traced]
        concrete = [answer for each, answer in here.items() if not each.traced]
        known = sum(answer.flagged for answer in traced)
        wrong = sum(answer.wrong for answer in concrete)
        yield (
            f"{title}: {len(traced)} tracers, known {share(known, traced)}; "
            f"{len(concrete)} concrete, wrong {wrong} ({share(wrong, concrete)})"
        )
        for why, count in Counter(cause(each) for each in traced if not each.flagged).items():
            yield f"  missed, {why}: {count}"


def share(part: int, whole: Sequence[object]) -> str:
    """A percentage, or a dash of nothing."""
    return f"{part / len(whole):.1%}" if whole else "-"


def main() -> int:
    given = sys.argv[1:]
    at = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    actions = parser.add_subparsers(dest="action", required=True)
    recording = actions.add_parser("record")
    recording.add_argument("out", type=Path)
    recording.add_argument("--root", type=Path, default=Path.cwd(), help="the program's folder")
    probing = actions.add_parser("probe")
    probing.add_argument("out", type=Path)
    probing.add_argument("paths", type=Path, nargs="*", help="only files in these")
    probing.add_argument("--list", action="store_true", help="print what is missed and wrong")
    arguments = parser.parse_args(given[:at])
    if arguments.action == "probe":
        probe(arguments.out, arguments.paths, arguments.list)
        return 0
    command = given[at + 1 :]
    if not command:
        parser.error("no command: benchmarks/tracers.py record OUT -- COMMAND")
    return record(arguments.out, arguments.root, command)


if __name__ == "__main__":
    sys.exit(main())
