"""The chapters: what they say is what the tracer knows, and what real JAX shows."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

pytest.importorskip("jax")

from jaxlint import Options, check_source
from jaxlint.confirm.fixtures.find import Fixture
from jaxlint.confirm.fixtures.prove import prove
from jaxlint.findings import CANNOT_CHECK, Finding
from jaxlint.rules.registry import find_rule
from tests.tracer.chapters import Block, blocks
from tests.tracer.grammar import alternatives, without_origins
from tests.tracer.notebooks import as_notebook, cells
from tests.tracer.real import absent, disagreements, program
from tests.tracer.reveals import reveals

# Every rule but the one for modules that others import, for every release of JAX.
OPTIONS = Options(enable=("JXL",), ignore=("JXL913",), jax=">=0.4")
BLOCKS = list(blocks())
_WORDS = re.compile(r"(# JXL\d+): .*")
HOST_TYPES = {"int", "float", "str", "bool"}


def _static_cases() -> list[object]:
    todo = pytest.mark.xfail(reason="todo", strict=False)
    return [
        pytest.param(block, id=block.name, marks=[todo] if block.todo else []) for block in BLOCKS
    ]


@pytest.mark.parametrize("block", _static_cases())
def test_the_tracer_knows(block: Block) -> None:
    assert _unexpected_reveals(block) == []
    findings = _findings(block)
    found = sorted((line, finding.code) for line, finding in findings)
    marked = sorted((line, code) for line, codes in block.marks.items() for code in codes)
    assert found == marked, "\n".join(str(finding) for _, finding in findings)
    for line, words in block.words.items():
        messages = [finding.message for at, finding in findings if at == line]
        assert any(words in message for message in messages), messages


def _findings(block: Block) -> list[tuple[int, Finding]]:
    """The findings, each with its line in the chapter.

    Where this Python cannot read a block, it may also be said that it cannot.
    """
    if block.notebook:
        starts = [at for cell in cells(block) for at in [cell.start] * (1 + (cell.word == "text"))]
        found = check_source(as_notebook(block), "chapter.ipynb", OPTIONS)
        placed = [(starts[each.cell - 1] + each.line - 1, each) for each in found]
    else:
        placed = [(each.line, each) for each in check_source(block.text, "chapter.py", OPTIONS)]
    return [each for each in placed if each[1].code != CANNOT_CHECK or _is_readable(block)]


def _is_readable(block: Block) -> bool:
    try:
        for text in [cell.text for cell in cells(block)] if block.notebook else [block.text]:
            ast.parse(text)
    except SyntaxError:
        return False
    return True


def _unexpected_reveals(block: Block) -> list[str]:
    """A line that runs several times shows its last value; ``a | b`` asks for all of them."""
    shown: dict[int, list[str]] = {}
    for line, text in reveals(block.text) if block.expected else []:
        shown.setdefault(line, []).append(text)
    problems = []
    for line, expected in block.expected.items():
        wanted = alternatives(expected)
        found = [_compared(text, expected) for text in shown.get(line, ["nothing: it never ran"])]
        if len(wanted) == 1:
            found = [_last(found)]
        if set(found) != set(wanted):
            problems.append(f"line {line}: expected {' | '.join(wanted)}, got {' | '.join(found)}")
    return problems


def _last(found: list[str]) -> str:
    """What a line shows in the end: of several Python constants of one type the type."""
    types = {text.partition(" ")[0] for text in found}
    several = len(set(found)) > 1 and len(types) == 1
    return types.pop() if several and types <= HOST_TYPES else found[-1]


def _compared(text: str, expected: str) -> str:
    """A description without what the expectation leaves out."""
    return text if " from " in expected else without_origins(text)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_jax_agrees(block: Block) -> None:
    try:
        ast.parse(program(block))
    except SyntaxError as error:
        pytest.skip(f"newer syntax than this Python's: {error.msg}")
    if block.hidden and not _is_readable(block):
        pytest.skip("what the hidden section calls may stand in a cell of newer syntax")
    library = absent(block)
    if library:
        pytest.skip(f"needs {library}")
    assert disagreements(block) == []


def _silent() -> dict[str, list[tuple[Block, str]]]:
    """Chapter -> blocks and the codes in them of mistakes that JAX says nothing about."""
    found: dict[str, list[tuple[Block, str]]] = {}
    for block in BLOCKS:
        for code in sorted({code for codes in block.marks.values() for code in codes}):
            rule = find_rule(code)
            if rule is not None and not rule.evidence.kind.startswith(("raises", "convention")):
                found.setdefault(block.chapter, []).append((block, code))
    return found


@pytest.mark.parametrize("chapter", _silent())
def test_what_is_silent_is_shown(chapter: str, tmp_path: Path) -> None:
    """A mistake that JAX says nothing about is shown by the hidden section of its block.

    By its ``trigger`` functions, as in the fixtures, or by asserts that `test_jax_agrees` runs.
    """
    fixtures = []
    problems = []
    for block, code in _silent()[chapter]:
        if not block.hidden:
            problems.append(f"{block.name}: {code}, and nothing shows it")
        elif "def trigger" in block.hidden and not absent(block):
            path = tmp_path / f"{code}_block" / f"bad_{block.line}.py"
            path.parent.mkdir(exist_ok=True)
            text = f"reveal = lambda value: value{program(block)}"
            text = _WORDS.sub(r"\1", text)  # A fixture's marks have no words.
            path.write_text(text, "utf-8")
            fixtures.append(Fixture(path, code, text))
    for verdict in prove(fixtures, jobs=1).verdicts if fixtures else []:
        if verdict.outcome != "confirmed":
            line = f"{chapter}:{Path(verdict.fixture).stem[4:]} {verdict.rule}"
            problems.append(f"{line}: {verdict.expected}; {verdict.observed}")
    assert problems == [], "\n".join(problems)
