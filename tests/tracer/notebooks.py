"""Blocks that are notebooks: cells parted by ``# %%`` lines.

``# %% raises-exception`` tags the cell that follows, ``# %% error`` gives it a stored error,
``# %% shows TEXT`` a stored output, and ``# %% text TEXT`` puts a cell of text before it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from nbformat import NotebookNode, from_dict, v4, writes

from tests.tracer.chapters import Block

_MARKER = re.compile(r"# %% ?(\S*) ?(.*)")
_SHELL = re.compile(r"^([ \t]*)[!%](?:.*\\\n)*.*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Cell:
    """One code cell.

    Attributes:
        start: the line of the chapter on which it begins.
        word: what its marker says: ``raises-exception``, ``error``, ``shows``, ``text`` or nothing.
        about: what the marker says of it.
    """

    start: int
    text: str
    word: str
    about: str = ""

    @property
    def lines(self) -> range:
        """The lines of the chapter that it takes."""
        return range(self.start, self.start + self.text.count("\n") + 1)


def cells(block: Block) -> list[Cell]:
    """The cells of a block."""
    return list(_cells(block))


def _cells(block: Block) -> Iterator[Cell]:
    word, about, start = "", "", block.line
    lines: list[str] = []
    for number, line in enumerate(block.text.split("\n")[block.line - 1 :], block.line):
        marker = _MARKER.fullmatch(line)
        if marker is None:
            lines.append(line)
            continue
        yield Cell(start, "\n".join(lines), word, about)
        word, about, start, lines = marker[1], marker[2], number + 1, []
    yield Cell(start, "\n".join(lines), word, about)


def as_notebook(block: Block) -> str:
    """The notebook's JSON. Its first cell is number 1."""
    notebook: NotebookNode = v4.new_notebook()  # type: ignore[no-untyped-call]
    for cell in cells(block):
        made = v4.new_code_cell(cell.text)  # type: ignore[no-untyped-call]
        if cell.word == "error":
            error = {"output_type": "error", "ename": "TypeError", "evalue": "", "traceback": []}
            made.outputs.append(from_dict(error))  # type: ignore[no-untyped-call]
        elif cell.word == "shows":
            shown = {"output_type": "stream", "name": "stdout", "text": cell.about}
            made.outputs.append(from_dict(shown))  # type: ignore[no-untyped-call]
        elif cell.word == "text":
            notebook.cells.append(v4.new_markdown_cell(cell.about))  # type: ignore[no-untyped-call]
        elif cell.word:
            made.metadata["tags"] = [cell.word]
        notebook.cells.append(made)
    return str(writes(notebook))  # type: ignore[no-untyped-call]


def as_program(block: Block) -> str:
    """What Python can run of the cells, lines where they are: no commands, no newer syntax."""
    lines = [""] * (block.line - 1)
    for cell in cells(block):
        text = _SHELL.sub(_nothing, cell.text)
        try:
            ast.parse(text)
        except SyntaxError:
            text = "\n" * text.count("\n")
        lines += [""] * (cell.start - 1 - len(lines)) + text.split("\n")
    return block.with_hidden("\n".join(lines))


def _nothing(command: re.Match[str]) -> str:
    """A statement that does nothing, on as many lines."""
    return f"{command[1]}pass" + "\n" * command[0].count("\n")
