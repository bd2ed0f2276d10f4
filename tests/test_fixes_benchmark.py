"""The benchmark that mends whole code bases counts what it says it counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.fixes import code_base, new, parses
from jaxlint.findings import Finding
from jaxlint.workspace.fixing import Fixed
from jaxlint.workspace.lint import Linted

PROGRAM = """\
import jax
import jax.numpy as jnp

x = jnp.zeros(3)
x.at[0].set(1.0)
key = jax.random.key(0)
a, b = jax.random.normal(key), jax.random.uniform(key)
"""


def test_a_code_base_is_mended_in_a_copy(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "a.py").write_text(PROGRAM, "utf-8")
    safe, unsafe = code_base(folder, tmp_path / "copy", everything=False, jobs=1)
    assert safe[2].applied == {"JXL308": 1}
    assert unsafe[2].applied == {"JXL401": 1}
    for _, _, outcome in (safe, unsafe):
        assert outcome.wrong == []
        assert str(outcome) == ("1 fixed in 1 files: 0 unparsable, 0 new, 0 remaining, 0 unsteady")
    assert (folder / "a.py").read_text("utf-8") == PROGRAM
    assert "x = x.at[0].set(1.0)" in (tmp_path / "copy" / "a.py").read_text("utf-8")


def test_what_should_not_be_is_seen() -> None:
    finding = Finding("JXL101", "`if` on `x`, traced since line 3", "a.py", 5, 0, 5, 1)
    moved = replace(finding, message="`if` on `y`, traced since line 4", line=6)
    before = [Linted("a.py", [finding])]
    assert list(new(before, [Linted("a.py", [moved])])) == []
    assert list(new(before, [Linted("a.py", [moved, finding])])) == [str(finding)]
    assert list(new(before, [Linted("a.py", [replace(finding, code="JXL102")])]))
    assert parses(Fixed("a.py", before=b"x = 1\n", after=b"x = 2\n"))
    assert not parses(Fixed("a.py", before=b"x = 1\n", after=b"x = \n"))
