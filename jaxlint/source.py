"""Text of a file, and the questions that can be answered without parsing it.

Needs only the standard library. Guarantees that :attr:`Source.text` has no byte
order mark and that :attr:`Source.uses_jax` is False only for files in which no
import could bring in JAX.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from functools import cached_property
from pathlib import Path

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
_NOQA = re.compile(
    # What flake8 accepts: "# noqa", and after a colon codes with commas or blanks between.
    r"#\s*noqa(?::\s?(?P<codes>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*))?",
    re.IGNORECASE,
)


class SourceError(Exception):
    """A file that cannot be linted: unreadable, undecodable or not Python.

    Attributes:
        filename, line, column: where; line counts from 1, column from 0.
        reason: one line for the user.
    """

    def __init__(self, filename: str, line: int, column: int, reason: str) -> None:
        super().__init__(f"{filename}:{line}:{column + 1}: {reason}")
        self.filename = filename
        self.line = line
        self.column = column
        self.reason = reason


class Source:
    """One file: its text, its name, its suppression comments."""

    def __init__(self, text: str, filename: str = "<string>") -> None:
        self.text = text[1:] if text.startswith("\ufeff") else text
        self.filename = filename

    @cached_property
    def uses_jax(self) -> bool:
        """Whether an import in the text could bring in JAX."""
        return _IMPORTS_JAX.search(self.text) is not None

    @cached_property
    def _noqa_lines(self) -> dict[int, frozenset[str]]:
        """Line -> codes silenced there; the empty set silences every code.

        As in flake8, a comment speaks for its physical line, and for all lines of
        a string or backslash continuation that ends on it.
        """
        if "noqa" not in self.text.lower():
            return {}
        silenced: dict[int, frozenset[str]] = {}
        first: int | None = None
        found: frozenset[str] | None = None
        try:
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
                if token.type in (tokenize.INDENT, tokenize.DEDENT):
                    continue
                first = token.start[0] if first is None else first
                match = _NOQA.search(token.string) if token.type == tokenize.COMMENT else None
                if match is not None:
                    found = _codes(match["codes"])
                if token.type in (tokenize.NL, tokenize.NEWLINE):
                    if found is not None:
                        silenced.update(dict.fromkeys(range(first, token.end[0] + 1), found))
                    first, found = None, None
        except (tokenize.TokenError, IndentationError, SyntaxError):
            pass
        return silenced

    def is_silenced(self, code: str, line: int) -> bool:
        """Whether a ``# noqa`` comment silences this code on this line (from 1)."""
        codes = self._noqa_lines.get(line)
        return codes is not None and (not codes or code.startswith(tuple(codes)))


def _codes(listed: str | None) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Z]+[0-9]+", (listed or "").upper()))


def refuse_bad_syntax(source: Source) -> None:
    """Stop at what Python itself does not accept, nesting without end included.

    Raises:
        SourceError: Python cannot parse the text.
    """
    try:
        ast.parse(source.text)
    except SyntaxError as error:
        line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
        raise SourceError(source.filename, line, column, f"syntax error: {error.msg}") from error
    except (RecursionError, MemoryError, ValueError) as error:
        raise SourceError(source.filename, 1, 0, f"Python cannot parse it: {error}") from error


def read_source(path: Path) -> Source:
    """Read a Python file as the interpreter would.

    Honours a ``# coding`` comment and a byte order mark; line ends become ``\\n``.

    Raises:
        SourceError: the file cannot be read or decoded.
    """
    name = str(path)
    try:
        with tokenize.open(path) as stream:
            return Source(stream.read(), name)
    except OSError as error:
        raise SourceError(name, 1, 0, f"cannot read the file: {error.strerror}") from error
    except UnicodeDecodeError as error:
        reason = f"cannot decode the file as {error.encoding}: {error.reason}"
        raise SourceError(name, 1, 0, reason) from error
    except SyntaxError as error:
        raise SourceError(
            name, error.lineno or 1, 0, f"cannot decode the file: {error.msg}"
        ) from error
