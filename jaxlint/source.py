"""Text of a file, and the questions that can be answered without parsing it.

Needs only the standard library. Guarantees that :attr:`Source.text` has no byte
order mark and that :attr:`Source.uses_jax` is False only for files in which no
import could bring in JAX.
"""

from __future__ import annotations

import ast
import io
import re
import symtable
import tokenize
import warnings
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from jaxlint.cells import BadCell, Cells, NotebookError, read_notebook, read_percent_script
from jaxlint.newer_syntax import newer_syntax
from jaxlint.reading import MOST_BYTES, read_ordinary

JAX_LIBRARIES = (
    "blackjax",
    "brax",
    "chex",
    "diffrax",
    "distrax",
    "dm_haiku",
    "e3nn_jax",
    "einshape",
    "equinox",
    "evosax",
    "flax",
    "flowjax",
    "gpjax",
    "gymnax",
    "haiku",
    "jax",
    "jaxlib",
    "jaxopt",
    "jaxtyping",
    "jraph",
    "keras",
    "lineax",
    "neural_tangents",
    "numpyro",
    "objax",
    "optax",
    "optimistix",
    "orbax",
    "penzai",
    "pennylane",
    "qax",
    "quax",
    "rlax",
    "tensorflow_probability",
    "trax",
)
"""Packages built on JAX: a file that imports one of them may hold traced code."""

_IMPORTS_JAX = re.compile(
    r"^[ \t\f]*(?:import|from)[ \t][^#\n]*\b(?:" + "|".join(JAX_LIBRARIES) + r")\b",
    re.MULTILINE,
)
_IMPORT = re.compile(
    r"^[ \t\f]*(?:from[ \t]+(?P<package>\.*[\w.]*)[ \t]*)?\bimport[ \t]*"
    r"(?P<names>\([^)]*\)|[^\n#;]*)",
    re.MULTILINE,
)
_NAME = re.compile(r"(?<!\bas )\b(?!as\b)[A-Za-z_][\w.]*")
_ONLY_AST = ast.PyCF_ONLY_AST
_CODES = r"[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*"
_NOQA = re.compile(
    # What flake8 accepts, and after a colon codes with commas or blanks between.
    rf"# noqa(?::\s?(?P<codes>{_CODES}))?",
    re.IGNORECASE,
)
_NOQA_FILE = re.compile(
    rf"#\s*(?:flake8[:=]|jaxlint:)\s*noqa(?::\s?(?P<codes>{_CODES}))?", re.IGNORECASE
)


_CODE = re.compile(r"[A-Za-z]+[0-9]+")


class SourceError(Exception):
    """A file that cannot be linted: unreadable, undecodable or not Python.

    Attributes:
        filename, line, column: where; line counts from 1, column from 0.
        reason: one line for the user.
        cell: of a notebook, from 1; else 0.
        newer: what there a later Python may read; else empty.
    """

    newer = ""

    def __init__(self, filename: str, line: int, column: int, reason: str, cell: int = 0) -> None:
        where = f"{filename}:cell {cell}" if cell else filename
        super().__init__(f"{where}:{line}:{column + 1}: {reason}")
        self.cell = cell
        self.filename = filename
        self.line = line
        self.column = column
        self.reason = reason


class Noqa(NamedTuple):
    """One ``# noqa`` comment.

    Attributes:
        line, column, width: where it stands in the text.
        codes: what it silences; everything when empty.
        lines: the lines it speaks for.
        of_file: whether that is every line of the file.
        listed: the codes as they are written, in that order.
    """

    line: int
    column: int
    width: int
    codes: frozenset[str]
    lines: range
    of_file: bool = False
    listed: tuple[str, ...] = ()


class Source:
    """One file: its text, its name, its suppression comments.

    Attributes:
        text: Python. Of a notebook, all its cells as one program.
        filename: as the user wrote it.
        cells: where the lines come from, when the text is not simply the file's.

    Args:
        tree: Python's own syntax tree of the text, when somebody has it already.
    """

    def __init__(
        self,
        text: str,
        filename: str = "<string>",
        cells: Cells | None = None,
        tree: ast.AST | None = None,
    ) -> None:
        text = text[1:] if text.startswith("\ufeff") else text
        self.cells = read_percent_script(text) if cells is None else cells
        self.text = text if self.cells is None else self.cells.text
        self.filename = filename
        self._given = tree if self.cells is None else None

    @cached_property
    def tree(self) -> ast.Module:
        """Python's own syntax tree.

        Raises:
            SourceError: Python does not accept the text, nesting without end included.
        """
        if isinstance(self._given, ast.Module):
            return self._given
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
                tree = compile(self.text, "<source>", "exec", flags if self.cells else _ONLY_AST)
        except SyntaxError as error:
            line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
            refused = self._error(line, column, f"syntax error: {error.msg}")
            refused.newer = newer_syntax(self.line(line), error.msg)
            if refused.newer:
                refused.reason += f" ({refused.newer})"
            raise refused from error
        except (RecursionError, MemoryError, ValueError) as error:
            raise self._error(1, 0, f"Python cannot parse it: {error}") from error
        assert isinstance(tree, ast.Module)
        return tree

    def forget_tree(self) -> None:
        """Let go of Python's tree, which is large."""
        self.__dict__.pop("tree", None)

    @property
    def tree_if_any(self) -> ast.Module | None:
        """Python's own syntax tree; None when the running Python does not accept the text."""
        try:
            return self.tree
        except SourceError:
            return None

    @property
    def is_python(self) -> bool:
        """Whether the running Python accepts the text; at half the price of a tree."""
        if self._given is not None or self.cells is not None:
            return self.tree_if_any is not None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                symtable.symtable(self.text, "<source>", "exec")
        except (SyntaxError, RecursionError, MemoryError, ValueError):
            return False
        return True

    def ignore_comments(self) -> None:
        """Let no ``# noqa`` comment silence anything."""
        self.noqa_comments = []

    def without(self, bad: BadCell) -> Source:
        """The notebook without one of its cells."""
        assert self.cells is not None
        cells = self.cells.without(bad)
        assert len(cells.origins) < len(self.cells.origins)
        return Source(cells.text, self.filename, cells)

    def _error(self, line: int, column: int, reason: str) -> SourceError:
        cell, line, column = self.at(line, column)
        return SourceError(self.filename, line, column, reason, cell)

    @property
    def bad_cells(self) -> list[BadCell]:
        """Cells of a notebook that were left out because they are not Python."""
        return self.cells.bad if self.cells is not None else []

    def at(self, line: int, column: int) -> tuple[int, int, int]:
        """Cell (0 outside of notebooks), line and column of a spot in the text."""
        return (0, line, column) if self.cells is None else self.cells.at(line, column)

    def imports(self, packages: frozenset[str]) -> bool:
        """Whether an import in the text names one of these packages."""
        named = "|".join(sorted(map(re.escape, packages)))
        pattern = rf"^[ \t\f]*(?:import|from)[ \t][^#\n]*\b(?:{named})\b"
        return bool(packages) and re.search(pattern, self.text, re.MULTILINE) is not None

    @cached_property
    def imported_names(self) -> list[str]:
        """Dotted names that the text may import: modules, and names from them."""
        if "import" not in self.text:
            return []
        found: dict[str, None] = {}
        for match in _IMPORT.finditer(self.text):
            package, names = match["package"], _NAME.findall(match["names"])
            if package:
                found[package] = None
                separator = "" if package.endswith(".") else "."
                names = [f"{package}{separator}{name}" for name in names]
            found.update(dict.fromkeys(names))
        return list(found)

    @cached_property
    def uses_jax(self) -> bool:
        """Whether an import in the text could bring in JAX."""
        return _IMPORTS_JAX.search(self.text) is not None

    @cached_property
    def noqa_comments(self) -> list[Noqa]:
        """The ``# noqa`` comments of the text, in order.

        As in flake8, a comment speaks for its physical line, and for all lines of a string or
        backslash continuation that ends on it; ``# flake8: noqa`` and ``# jaxlint: noqa`` on a
        line of their own speak for the file.
        """
        if "noqa" not in self.text.lower():
            return []
        found: list[Noqa] = []
        first: int | None = None
        comment: Noqa | None = None
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
                if token.type in (tokenize.INDENT, tokenize.DEDENT):
                    continue
                first = token.start[0] if first is None else first
                if token.type == tokenize.COMMENT:
                    comment = self._comment(token, first)
                if token.type in (tokenize.NL, tokenize.NEWLINE):
                    if comment is not None:
                        found.append(comment)
                    first, comment = None, None
        except (tokenize.TokenError, IndentationError, SyntaxError):
            pass
        return found

    def _comment(self, token: tokenize.TokenInfo, first: int) -> Noqa | None:
        """What a comment silences; ``first``: the line on which what it ends begins."""
        line, column = token.start
        of_file = None
        if not token.line[:column].strip():
            of_file = _NOQA_FILE.match(token.string)
        match = of_file or _NOQA.search(token.string)
        if match is None:
            return None
        lines = range(1, len(self._lines) + 1) if of_file else range(first, line + 1)
        width = match.end() - match.start()
        listed = tuple(_CODE.findall(match["codes"] or ""))
        # As flake8 has it: small letters are read as a code, and are the code of nothing.
        codes = frozenset(listed)
        return Noqa(line, column + match.start(), width, codes, lines, bool(of_file), listed)

    @cached_property
    def _noqa_lines(self) -> dict[int, frozenset[str]]:
        """Line -> codes silenced there; the empty set silences every code."""
        own = (comment for comment in self.noqa_comments if not comment.of_file)
        return {line: comment.codes for comment in own for line in comment.lines}

    @cached_property
    def _noqa_of_file(self) -> list[frozenset[str]]:
        return [comment.codes for comment in self.noqa_comments if comment.of_file]

    def program_line(self, cell: int, line: int) -> int:
        """The line of the text that a line of a cell, or of the file, is in."""
        return line if self.cells is None else self.cells.program_line(cell, line)

    def original(self, cell: int, line: int) -> str:
        """A line as its author wrote it; empty where there is none."""
        if self.cells is not None:
            return self.cells.originals.get((cell, line), "")
        return self.line(line)

    def line(self, line: int) -> str:
        """A line of the text, from 1; empty where there is none."""
        return self._lines[line - 1] if 0 < line <= len(self._lines) else ""

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def is_silenced(self, code: str, line: int, cell: int = 0) -> bool:
        """Whether a ``# noqa`` comment silences this code on this line (from 1)."""
        own = self._noqa_lines.get(self.program_line(cell, line))
        said = self._noqa_of_file if own is None else [own, *self._noqa_of_file]
        return any(not codes or code.startswith(tuple(codes)) for codes in said)


def read_source(path: Path, filename: str = "") -> Source:
    """Read a Python file as the interpreter would, or a notebook.

    Honours a ``# coding`` comment and a byte order mark; line ends become ``\\n``.

    Raises:
        SourceError: the file cannot be read or decoded, or is no notebook.
    """
    name = filename or str(path)
    return decode(read_bytes(path, name), name)


def read_bytes(path: Path, name: str) -> bytes:
    """The bytes of a file.

    Raises:
        SourceError: it cannot be read, or is no ordinary file.
    """
    try:
        return read_ordinary(path, MOST_BYTES)
    except OSError as error:
        raise SourceError(name, 1, 0, f"cannot read the file: {error.strerror}") from error


def decode(data: bytes, name: str) -> Source:
    """The source that some bytes are; ``name`` tells what kind.

    Raises:
        SourceError: they cannot be decoded, or are no notebook.
    """
    try:
        encoding = "utf-8-sig"
        if not is_notebook(name):
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        reason = f"cannot decode the file as {error.encoding}: {error.reason}"
        raise SourceError(name, data.count(b"\n", 0, error.start) + 1, 0, reason) from error
    except SyntaxError as error:
        reason = f"cannot decode the file: {error.msg}"
        raise SourceError(name, error.lineno or 1, 0, reason) from error
    except (LookupError, ValueError) as error:
        # A codec that is not for text (rot13), or that refuses in its own words (undefined).
        raise SourceError(name, 1, 0, f"cannot decode the file as {encoding}: {error}") from error
    return source_from(text.replace("\r\n", "\n").replace("\r", "\n"), name)


def source_from(text: str, name: str) -> Source:
    """The source that a text is; ``name`` tells whether it is a notebook's JSON.

    Raises:
        SourceError: it should be a notebook and is none.
    """
    if not is_notebook(name):
        return Source(text, name)
    try:
        cells = read_notebook(text)
    except NotebookError as error:
        raise SourceError(name, error.line, error.column, error.reason) from error
    return Source(cells.text, name, cells)


def is_notebook(name: str) -> bool:
    """Whether a file name is a notebook's."""
    return name.endswith(".ipynb")
