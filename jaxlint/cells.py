"""Notebooks and percent scripts as one program: cells in order, magics as Python.

A notebook is JSON with a list of cells, read here with the standard library alone:
linting one must not need a notebook stack. Guarantees that the program keeps every
Python line of the author's in order, and that each of its lines has an
:class:`Origin`; lines that no author wrote point to the magic they stand for.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from jaxlint.newer_syntax import newer_syntax
from jaxlint.stored import Stored, stored_with

MARKER = "# %%"
"""Begins a cell in percent scripts, and in the programs made here."""

_POINTER = "version https://git-lfs.github.com/spec/"

RAISES = "raises-exception"
"""The tag of a cell that is meant to raise; in a marker it says the same."""

_ACCIDENTS = frozenset(
    {"KeyboardInterrupt", "ModuleNotFoundError", "ImportError", "FileNotFoundError", "NameError"}
)
"""Exceptions that a notebook is stored with by chance: they show no mistake with JAX."""

_PERCENT = re.compile(r"^# ?%%", re.MULTILINE)
_PAIRED = re.compile(r"^# +jupytext:[ \t]*\n(?:#.*\n)*?# +formats:.*\bipynb\b", re.MULTILINE)
_LIGHT = re.compile(r"^# +jupytext:[ \t]*\n(?:#.*\n)*?# +format_name: ['\"]?light\b", re.MULTILINE)
_MAGIC = re.compile(
    r"(?P<indent>[ \t]*)(?:[%!?]|(?P<target>[\w.,][\w.,\s]*=\s*)[%!](?!=))"
    r"|(?:[^\"'#]|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')*[\w\])]\?{1,2}\s*$"
)
"""A command, or a question that ends a line: not in a string, nor in a comment."""
_TIMED = re.compile(
    r"[ \t]*%(?P<name>timeit|time)\b"
    r"(?:[ \t]+-(?:[nrp][ \t]*(?:\d+|\$\w+|\{[^}]*\})|[tcqov]+))*[ \t]*"
)
_COMMENTED = re.compile(r"^# ?(?=%(?:timeit|time)\b)", re.MULTILINE)
_CELL_MAGIC = re.compile(r"[ \t]*%%(?P<name>\w+)")
_PYTHON_CELLS = frozenset({"time", "timeit", "capture", "prun", "memit"})
_TIMERS = frozenset({"time", "timeit"})
_AUTOMAGIC = frozenset(
    {"cat", "cd", "conda", "cp", "ls", "mamba", "mkdir", "mv", "pip", "pwd", "rm", "rmdir", "run",
     "uv"}
)  # fmt: skip
"""Commands that IPython takes without ``%`` where they are all that a cell holds."""

_START = "import IPython as _ipython; _started = _ipython.{name}()"
_STOP = "_ipython.{name}() - _started"
_TOKEN = re.compile(
    r"""(?P<triple>\"{3}|'{3})|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\#[^\n]*"""
    r"|(?P<open>[\[({])|(?P<close>[\])}])|(?P<joined>\\\n)|(?P<end>\n)"
)


class Origin(NamedTuple):
    """Where a line of the program comes from.

    Attributes:
        cell: number of the cell, from 1, counting cells of every type; 0: the file itself.
        line: line in the cell or file, from 1.
        shift: columns that a magic in front of the code takes.
        timed: a magic runs this line again and again, for its duration alone.
    """

    cell: int
    line: int
    shift: int = 0
    timed: bool = False


class NotebookError(Exception):
    """Text that is no notebook; the message is for the user."""

    def __init__(self, reason: str, line: int = 1, column: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column


class BadCell(NamedTuple):
    """A cell that is not Python and was left out. Lines count from 1, columns from 0."""

    cell: int
    line: int
    column: int
    reason: str


@dataclass
class Cells:
    """The program, and where its lines come from.

    Attributes:
        text: the program.
        origins: one for each line of it.
        bad: cells that were left out.
        originals: (cell, line) -> the line as its author wrote it.
        stored: what the notebook keeps around the code.
    """

    text: str = ""
    origins: list[Origin] = field(default_factory=list)
    bad: list[BadCell] = field(default_factory=list)
    originals: dict[tuple[int, int], str] = field(default_factory=dict)
    stored: Stored = field(default_factory=Stored)

    def without(self, bad: BadCell) -> Cells:
        """The program without a cell that cannot be read after all."""
        kept = [
            (line, origin)
            for line, origin in zip(self.text.split("\n"), self.origins, strict=False)
            if origin.cell != bad.cell
        ]
        text = "".join(f"{line}\n" for line, _ in kept)
        origins = [origin for _, origin in kept]
        return replace(self, text=text, origins=origins, bad=[*self.bad, bad])

    def origin(self, line: int) -> Origin:
        """Where a line of the program (from 1) comes from."""
        return self.origins[min(max(line, 1), len(self.origins)) - 1] if self.origins else _NOWHERE

    def program_line(self, cell: int, line: int) -> int:
        """The last line of the program that comes from a line of a cell; 0 when none does."""
        return self._lines.get((cell, line), 0)

    @cached_property
    def _lines(self) -> dict[tuple[int, int], int]:
        return {(o.cell, o.line): number for number, o in enumerate(self.origins, 1)}

    def at(self, line: int, column: int) -> tuple[int, int, int]:
        """Cell, line and column of a spot in the program."""
        origin = self.origin(line)
        return origin.cell, origin.line, column + origin.shift

    def is_timed(self, line: int) -> bool:
        """Whether a magic repeats a line of the program for its duration alone."""
        return self.origin(line).timed


_NOWHERE = Origin(0, 1)


def is_percent_script(text: str) -> bool:
    """Whether a Python file marks cells with ``# %%``, as jupytext and editors do."""
    return MARKER[2:] in text and _PERCENT.search(text) is not None


def is_kept_as_notebook(text: str) -> bool:
    """Whether jupytext keeps a notebook the same as a script: its header lists both formats."""
    return _PAIRED.search(text) is not None


def is_light_script(text: str) -> bool:
    """Whether jupytext marks cells with ``# +`` in a script: its header names that format."""
    return _LIGHT.search(text) is not None


def read_percent_script(text: str) -> Cells | None:
    """A percent script whose magics matter, commented (jupytext) or not; else None.

    Lines keep their numbers: those of the file.
    """
    if not is_percent_script(text):
        return None
    lines = text.split("\n")
    uncommented = _COMMENTED.sub("", text).split("\n")
    inside = lines_inside(text)
    if lines == uncommented and not any(
        _is_magic(line) for number, line in enumerate(lines) if number not in inside
    ):
        return None
    writer = _Writer()
    writer.originals = {(0, at): line for at, line in enumerate(lines, 1)}
    for number, (line, bare) in enumerate(zip(lines, uncommented, strict=True), 1):
        if number - 1 in inside:
            writer.add(line, Origin(0, number))
        else:
            writer.line(bare, Origin(0, number, len(line) - len(bare)))
    writer.end()
    return writer.cells()


def read_notebook(data: str) -> Cells:
    """The code cells of a notebook (format 3 or 4) as one program.

    A notebook in another language, or without code, is an empty program, as is an empty file, and
    the pointer that Git LFS leaves where it has not fetched a file.

    Raises:
        NotebookError: it is no JSON, or no notebook.
    """
    if not data.strip() or data.startswith(_POINTER):
        return Cells()
    try:
        # Its numbers mean nothing here, and one of many digits would be refused.
        notebook = json.loads(data, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        reason = f"not a notebook: {error.msg}"
        raise NotebookError(reason, error.lineno, error.colno - 1) from error
    except RecursionError as error:
        raise NotebookError("not a notebook: nested too deeply") from error
    listed = _cells_in(notebook)
    if not _is_python(notebook):
        return Cells()
    cells = list(_code_in(listed))
    program = cells_to_program(
        [(number, code) for number, code, _ in cells],
        frozenset(number for number, _, raises in cells if raises),
    )
    return replace(program, stored=stored_with(listed))


def cells_to_program(cells: list[tuple[int, str]], raising: frozenset[int] = frozenset()) -> Cells:
    """Code cells, numbered, as one program. A cell that is not Python is left out.

    ``raising``: cells that are meant to raise.
    """
    writer = _Writer()
    for number, code in cells:
        writer.cell(number, code, number in raising)
    return writer.cells()


def _cells_in(notebook: Any) -> list[Any]:
    """The cells of a notebook, of whatever kind."""
    if not isinstance(notebook, dict):
        raise NotebookError("not a notebook: the JSON is no object")
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):
        sheets = [sheet for sheet in notebook["worksheets"] if isinstance(sheet, dict)]
        lists = [sheet["cells"] for sheet in sheets if isinstance(sheet.get("cells"), list)]
        cells = [cell for cells in lists for cell in cells]
    if not isinstance(cells, list):
        raise NotebookError("not a notebook: it has no list of cells")
    return cells


def _code_in(cells: list[Any]) -> Iterator[tuple[int, str, bool]]:
    """Number and code of each code cell, and whether it raises on purpose."""
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        code = cell.get("source", cell.get("input", ""))
        if isinstance(code, list):
            code = "".join(part for part in code if isinstance(part, str))
        if isinstance(code, str):
            yield number, code, _raises(cell)


def _raises(cell: dict[str, Any]) -> bool:
    """Whether a cell shows an exception on purpose: by its tag, or by what is stored with it."""
    metadata = cell.get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    if isinstance(tags, list) and RAISES in tags:
        return True
    outputs = cell.get("outputs")
    return isinstance(outputs, list) and any(
        isinstance(output, dict)
        and output.get("output_type") in ("error", "pyerr")
        and output.get("ename") not in _ACCIDENTS
        for output in outputs
    )


def _is_python(notebook: dict[str, Any]) -> bool:
    metadata = notebook.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        entry = metadata.get(key)
        if isinstance(entry, dict) and isinstance(entry.get(name), str):
            return "python" in entry[name].lower()
    return True


class _Writer:
    """Writes the program line by line."""

    def __init__(self) -> None:
        self.origins: list[Origin] = []
        self.lines: list[str] = []
        self.bad: list[BadCell] = []
        self.originals: dict[tuple[int, int], str] = {}
        self.stops: list[tuple[str, Origin]] = []

    def add(self, text: str, origin: Origin) -> None:
        """One line of the program."""
        self.lines.append(text)
        self.origins.append(origin)

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    def cells(self) -> Cells:
        """What has been written."""
        return Cells(self.text, self.origins, self.bad, self.originals)

    def cell(self, number: int, code: str, raises: bool) -> None:
        """One code cell; when it is not Python it is noted and left out."""
        lines = code.replace("\r\n", "\n").split("\n")
        self.originals |= {(number, at): line for at, line in enumerate(lines, 1)}
        timer, first = "", _first_of_code(lines)
        while (magic := _CELL_MAGIC.match(lines[first])) is not None:
            if magic["name"] not in _PYTHON_CELLS:
                return
            timer = magic["name"] if magic["name"] in _TIMERS else timer
            lines[first] = ""
            further = _first_of_code(lines)
            if further <= first or _CELL_MAGIC.match(lines[further]) is None:
                break
            first = further
        part = _Writer()
        part.add(f"{MARKER} cell {number} {RAISES if raises else ''}".rstrip(), Origin(number, 1))
        lines, cut = _dedented(lines)
        if timer:
            part.add(_START.format(name=timer), Origin(number, first + 1))
        inside, continuing = _continuations(lines)
        for index, line in enumerate(lines):
            origin = Origin(number, index + 1, cut[index], bool(timer))
            if index in continuing:
                part.add(f"# {line.strip()}", origin)
            elif index in inside:
                part.add(line, origin)
            else:
                part.line(line, origin)
        part.end()
        if timer:
            part.add(_STOP.format(name=timer), Origin(number, first + 1))
        problem = _syntax_problem(part.text)
        if problem is not None and _is_automagic(lines):
            return
        if problem is None or newer_syntax(_line_of(part, problem), problem.msg):
            self.lines += part.lines
            self.origins += part.origins
        else:
            where = part.cells().origin(problem.lineno or 1)
            column = max((problem.offset or 1) - 1, 0) + where.shift
            reason = f"syntax error: {problem.msg}"
            self.bad.append(BadCell(number, where.line, column, reason))

    def end(self) -> None:
        """The statement before has ended: the clock stops that was started for it."""
        for line, origin in self.stops:
            self.add(line, origin)
        self.stops = []

    def line(self, line: str, origin: Origin) -> None:
        """A line on which a statement may begin: Python or a magic."""
        self.end()
        timed = _TIMED.match(line)
        if timed is not None and _times_python(line[timed.end() :]):
            indent = line[: len(line) - len(line.lstrip())]
            start = origin._replace(timed=False)
            self.add(indent + _START.format(name=timed["name"]), start)
            shift = origin.shift + timed.end() - len(indent)
            self.add(indent + line[timed.end() :], Origin(origin.cell, origin.line, shift, True))
            self.stops = [(indent + _STOP.format(name=timed["name"]), start)]
        else:
            self.add(_without_magic(line) if _is_magic(line) else line, origin)


def _first_of_code(lines: list[str]) -> int:
    """The first line that says something: Colab puts ``#@title`` above a cell magic."""
    return next((i for i, line in enumerate(lines) if _says_something(line)), 0)


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _dedented(lines: list[str]) -> tuple[list[str], list[int]]:
    """A cell without the indentation of its first line, which IPython takes off.

    Returns:
        the lines, and how many columns each has lost.
    """
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    cut = [len(indent) if indent and line.startswith(indent) else 0 for line in lines]
    return [line[width:] for line, width in zip(lines, cut, strict=True)], cut


def _is_automagic(lines: list[str]) -> bool:
    """Whether a cell is one command of IPython's, written without ``%``."""
    said = list(filter(_says_something, lines))
    return len(said) == 1 and said[0].split()[0] in _AUTOMAGIC


def _line_of(part: _Writer, problem: SyntaxError) -> str:
    line = problem.lineno or 1
    return part.lines[line - 1] if line <= len(part.lines) else ""


def _times_python(rest: str) -> bool:
    """Whether what a magic times is Python, and no command of the shell."""
    return bool(rest.strip()) and not _is_magic(rest)


def _is_magic(line: str) -> bool:
    return any(sign in line for sign in "%!?") and (
        _MAGIC.match(line) is not None and not line.lstrip().startswith("#")
    )


def _without_magic(line: str) -> str:
    """Python that runs in a magic's place; what it said stays as a comment."""
    match = _MAGIC.match(line)
    assert match is not None
    if match["target"]:
        return f"{match['indent']}{match['target'].lstrip()}get_ipython()  # {line.strip()}"
    indent = match["indent"] or line[: len(line) - len(line.lstrip())]
    return f"{indent}pass  # {line.strip()}"


def _continuations(lines: list[str]) -> tuple[set[int], set[int]]:
    """Lines (from 0) that begin inside of something: of Python's, and of a command of IPython.

    What stands in a command, such as a lone bracket, opens nothing in Python.
    """
    python_alone = list(lines)
    inside = lines_inside("\n".join(lines))
    continuing: set[int] = set()
    for _ in range(_MOST_PASSES):
        commands = _commands(python_alone, inside)
        if not commands:
            break
        for first, last in commands:
            python_alone[first : last + 1] = [""] * (last + 1 - first)
            continuing.update(range(first + 1, last + 1))
        inside = lines_inside("\n".join(python_alone))
    return inside, continuing


_MOST_PASSES = 20
"""Commands with a lone bracket, one after another, that are told from Python."""


def _commands(lines: list[str], inside: set[int]) -> list[tuple[int, int]]:
    """First and last line of each command that takes several lines, or might confuse Python's."""
    found: list[tuple[int, int]] = []
    last = -1
    for number, line in enumerate(lines):
        if number <= last or number in inside or not _is_magic(line) or _TIMED.match(line):
            continue
        last = number
        while lines[last].endswith("\\") and last + 1 < len(lines):
            last += 1
        found.append((number, last))
    return found


def lines_inside(text: str) -> set[int]:
    """Lines (from 0) that begin inside of a string, brackets or a joined line."""
    found: set[int] = set()
    line = depth = position = 0
    while True:
        match = _TOKEN.search(text, position)
        if match is None:
            return found
        position = match.end()
        if match["triple"]:
            end = text.find(match["triple"], position)
            end = len(text) if end < 0 else end + 3
            count = text.count("\n", position, end)
            found.update(range(line + 1, line + count + 1))
            line += count
            position = end
        elif match["open"]:
            depth += 1
        elif match["close"]:
            depth = max(depth - 1, 0)
        elif match["end"] or match["joined"]:
            line += 1
            if depth or match["joined"]:
                found.add(line)


def _syntax_problem(text: str) -> SyntaxError | None:
    try:
        compile(text, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError as error:
        return error
    except (RecursionError, MemoryError, ValueError) as error:
        return SyntaxError(f"Python cannot parse it: {error}")
    return None
