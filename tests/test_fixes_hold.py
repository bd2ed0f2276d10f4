"""What holds of all fixes, of whatever program: generated ones are mended and looked at."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxlint.config import Options
from jaxlint.edits import Edit
from jaxlint.source import decode
from jaxlint.workspace.fixing import Fixed, fix_bytes, that_fit, wanted
from jaxlint.workspace.lint import lint
from jaxlint.workspace.written import edited

pytest.importorskip("jax")

from tests.differential import keys, retraces
from tests.differential.generate import Writer
from tests.differential.matrix.compose import Composer

NAME = "program.py"
ALL = Options(extend_select=("JXL603",), unsafe_fixes=True, unused_noqa=True)
BOM = b"\xef\xbb\xbf"


def by_hand(seed: int) -> str:
    return Writer(random.Random(seed).choice).program()


def matrix(seed: int) -> str:
    return Composer(random.Random(seed)).program().text


def of_keys(seed: int) -> str:
    return keys.HEADER + keys.KeyWriter(random.Random(seed).choice).function(0)


def of_loops(seed: int) -> str:
    return retraces.program(random.Random(seed).choice)


MAKERS = (by_hand, matrix, of_keys, of_loops)
programs = st.builds(
    lambda maker, seed: maker(seed), st.sampled_from(MAKERS), st.integers(0, 10**6)
)
drawn = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)


def fixed(data: bytes) -> Fixed:
    found = fix_bytes(NAME, data, ALL)
    assert not found.problem
    return found


@drawn
@given(programs)
def test_what_is_mended_stays_python_and_is_mended(text: str) -> None:
    found = fixed(text.encode())
    ast.parse(found.after)
    again = lint(NAME, lambda: decode(found.after, NAME), ALL)
    assert not again.failed
    assert [str(each) for each in again.findings if each.fix is not None] == []
    assert [str(each) for each in again.findings] == [str(each) for each in found.findings]
    assert fixed(found.after).after == found.after


@pytest.mark.parametrize("maker", [by_hand, of_keys, of_loops])
def test_generated_programs_have_something_to_mend(maker: Callable[[int], str]) -> None:
    assert any(fixed(maker(seed).encode()).applied for seed in range(40))


def untouched(lines: list[bytes], edits: list[Edit]) -> list[list[bytes]]:
    """The stretches of lines between edits."""
    touched = {n for edit in edits for n in range(edit.line, edit.end_line + 1)}
    stretches: list[list[bytes]] = [[]]
    for number, line in enumerate(lines, 1):
        if number in touched:
            stretches.append([])
        else:
            stretches[-1].append(line)
    return stretches


@drawn
@given(programs)
def test_lines_without_an_edit_stay(text: str) -> None:
    data = text.encode()
    linted = lint(NAME, lambda: decode(data, NAME), ALL)
    chosen = that_fit([each for each in linted.findings if wanted(each, ALL)])
    edits = [edit for each in chosen if each.fix is not None for edit in each.fix.edits]
    edits = list(dict.fromkeys(edits))
    first, *between = untouched(data.splitlines(keepends=True), edits)
    after = edited(data, NAME, edits).splitlines(keepends=True)
    assert after[: len(first)] == first
    at = len(first)
    for stretch in between:
        places = range(at, len(after) - len(stretch) + 1)
        at = next(place for place in places if after[place:][: len(stretch)] == stretch)
        at += len(stretch)
    if between and between[-1]:
        assert after[-len(between[-1]) :] == between[-1]


def tabbed(text: str) -> str:
    """A text with a tab in place of four blanks of indentation."""
    return re.sub(r"(?m)^(?:    )+", lambda blanks: "\t" * (len(blanks[0]) // 4), text)


WRITTEN: dict[str, Callable[[str], bytes]] = {
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "CR": lambda text: text.replace("\n", "\r").encode(),
    "byte order mark": lambda text: BOM + text.encode(),
    "byte order mark, CRLF": lambda text: BOM + text.replace("\n", "\r\n").encode(),
    "latin-1": lambda text: f"# coding: latin-1\n# é\n{text}# ü".encode("latin-1"),
    "not ASCII": lambda text: f"# é 🙂\n{text}# 漢字\n".encode(),
    "tabs": lambda text: tabbed(text).encode(),
    "form feed": lambda text: f"# one page\n\f\n# another\n{text}\f\n".encode(),
    "separators of Unicode": lambda text: f'"""a\u2028b\x0c\x85c"""\n{text}'.encode(),
}
"""Ways to write the same program; what comes out of a fix is written the same way."""


@pytest.mark.parametrize("way", WRITTEN)
@settings(drawn, max_examples=12)
@given(text=programs)
def test_a_fix_knows_no_bytes(way: str, text: str) -> None:
    write = WRITTEN[way]
    assert fixed(write(text)).after == write(fixed(text.encode()).after.decode())


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"\n  ", b"\n# the end"])
def test_the_end_of_a_file_stays(end: bytes) -> None:
    text = b"import jax\nkey = jax.random.key(0)\na = jax.random.normal(key)\n"
    found = fixed(text + b"b = jax.random.normal(key)" + end)
    assert found.applied
    assert found.after.endswith(b"b = jax.random.normal(key)" + end)
