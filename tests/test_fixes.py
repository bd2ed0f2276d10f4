"""The fix engine: edits, names and imports, files as they are written, the command's options."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import libcst as cst
import nbformat
import pytest

from jaxlint.config import Options
from jaxlint.edits import Edit, Fix, applied, overlapping, together
from jaxlint.fixes.bindings import _OF_JAX
from jaxlint.fixes.code import Code
from jaxlint.program.lower import lower
from jaxlint.project import Releases
from jaxlint.source import Source
from jaxlint.syntax.parse import parse
from jaxlint.workspace.fixing import fix_bytes
from jaxlint.workspace.written import CannotWrite, edited, write_over
from tests.test_command import jaxlint, write

WRONG = "import jax.numpy as jnp\n\nx = jnp.zeros(3)\nx[0] = 1.0\ny = x + 1\n"
RIGHT = WRONG.replace("x[0] = 1.0", "x = x.at[0].set(1.0)")
OWN = (
    "import jax.numpy as jnp\n\n\nclass Store:\n    def __init__(self):\n"
    "        self.x = jnp.zeros(3)\n        self.x[0] = 1.0\n"
)
"""What only an unsafe fix mends."""


# ------------------------------------------------------------------------------- edits


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_edits_keep_the_line_ends(end: str) -> None:
    text = end.join(["a = 1", "b = 2", "c = 3", ""])
    edits = [Edit(1, 4, 1, 5, "10"), Edit(2, 0, 2, 0, "new\n"), Edit(3, 0, 4, 0, "")]
    assert applied(text, edits) == end.join(["a = 10", "new", "b = 2", ""])


def test_edits_of_mixed_line_ends_take_that_of_their_line() -> None:
    text = "a\r\nb\nc"
    edits = [Edit(1, 1, 1, 1, "\nx"), Edit(2, 1, 2, 1, "\ny"), Edit(3, 1, 3, 1, "\nz")]
    assert applied(text, edits) == "a\r\nx\r\nb\ny\nc\r\nz"


def test_a_form_feed_ends_no_line() -> None:
    assert applied("a\f\u2028b\nc\n", [Edit(2, 0, 2, 1, "d")]) == "a\f\u2028b\nd\n"


@pytest.mark.parametrize("edit", [Edit(9, 0, 9, 0, ""), Edit(1, 5, 1, 6, ""), Edit(0, 0, 1, 0, "")])
def test_an_edit_out_of_the_text_is_refused(edit: Edit) -> None:
    with pytest.raises(ValueError, match="no column"):
        applied("a = 1\n", [edit])


def test_what_overlaps() -> None:
    one, two = Edit(1, 0, 1, 5, ""), Edit(1, 4, 1, 6, "")
    beside, inside = Edit(1, 5, 1, 7, ""), Edit(1, 2, 1, 2, "x")
    assert overlapping([one, two])
    assert overlapping([one, inside])
    assert not overlapping([one, beside])
    assert overlapping([inside, Edit(1, 2, 1, 2, "y")])


def test_fixes_of_several_places_are_one() -> None:
    one, two = Fix("a", (Edit(1, 0, 1, 1, ""),), True), Fix("b", (Edit(2, 0, 2, 1, ""),), False)
    both = together([one, two, one])
    assert both is not None
    assert (both.title, len(both.edits), both.safe) == ("a", 2, False)
    assert together([one, None]) == one
    assert together([]) is None


# -------------------------------------------------------------------- names and imports


def code_of(text: str) -> tuple[Code, cst.Module]:
    source = Source(dedent(text))
    tree = parse(source)
    return Code(source, tree, lower(tree), lambda _: Releases()), tree


def named(text: str, qualified: str) -> str:
    """How a name is written at the last ``here`` of a text, and the text with its imports."""
    code, tree = code_of(text)

    class Find(cst.CSTVisitor):
        found: cst.Name | None = None

        def visit_Name(self, node: cst.Name) -> None:
            self.found = node if node.value == "here" else self.found

    find = Find()
    tree.visit(find)
    assert find.found is not None
    name = code.name(qualified, find.found)
    if name is None:
        return "none"
    return applied(code.source.text, [*name[1], code.replace(find.found, name[0])])


WHERE = "jax.numpy.where"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import jax.numpy as jnp\nhere\n", "import jax.numpy as jnp\njnp.where\n"),
        ("import jax.numpy as np\nhere\n", "import jax.numpy as np\nnp.where\n"),
        ("from jax import numpy\nhere\n", "from jax import numpy\nnumpy.where\n"),
        ("from jax.numpy import where as w\nhere\n", "from jax.numpy import where as w\nw\n"),
        ("import jax\nhere\n", "import jax\njax.numpy.where\n"),
        ("import jax.numpy\nhere\n", "import jax.numpy\njax.numpy.where\n"),
        # Something else has the name here.
        (
            "import jax.numpy as jnp\ndef f(jnp):\n    here\n",
            "import jax\nimport jax.numpy as jnp\ndef f(jnp):\n    jax.numpy.where\n",
        ),
        (
            "import jax.numpy as jnp\njnp = fake\nhere\n",
            "import jax\nimport jax.numpy as jnp\njnp = fake\njax.numpy.where\n",
        ),
        ("def f(jnp, jax, where):\n    here\n", "none"),
        # An import of a function holds there alone, and from there on.
        (
            "def f():\n    import jax.numpy as jnp\n    here\n",
            "def f():\n    import jax.numpy as jnp\n    jnp.where\n",
        ),
        # A decorator is outside of what it decorates.
        (
            "import jax.numpy as jnp\n@here\ndef f(jnp): ...\n",
            "import jax.numpy as jnp\n@jnp.where\ndef f(jnp): ...\n",
        ),
        # A class's own names are no names of its methods.
        (
            "import jax.numpy as jnp\nclass A:\n    jnp = 1\n    def f(self):\n        here\n",
            "import jax.numpy as jnp\nclass A:\n    jnp = 1\n    def f(self):\n        jnp.where\n",
        ),
        # Another function rebinds it for all.
        (
            "import jax.numpy as jnp\ndef g():\n    global jnp\n    jnp = 1\nhere\n",
            "import jax\nimport jax.numpy as jnp\ndef g():\n    global jnp\n    jnp = 1\n"
            "jax.numpy.where\n",
        ),
        # The import goes where sorting would put it.
        (
            '"""Doc."""\nfrom __future__ import annotations\n\nimport os\n\n'
            "import numpy as np\nhere\n",
            '"""Doc."""\nfrom __future__ import annotations\n\nimport os\n\n'
            "import jax.numpy as jnp\nimport numpy as np\njnp.where\n",
        ),
        ('"""Doc."""  # why\nhere\n', '"""Doc."""  # why\n\nimport jax.numpy as jnp\njnp.where\n'),
        ("# Comment.\nhere\n", "# Comment.\nimport jax.numpy as jnp\n\njnp.where\n"),
        (
            "import flax  # lib\nfrom . import z\nhere\n",
            "import flax  # lib\nimport jax.numpy as jnp\nfrom . import z\njnp.where\n",
        ),
    ],
)
def test_a_name_is_what_the_file_calls_it(text: str, wanted: str) -> None:
    assert named(text, WHERE) == wanted
    if wanted != "none":
        compile(wanted, "a.py", "exec")


def test_partial_comes_by_its_name() -> None:
    assert named("import jax\nhere\n", "functools.partial") == (
        "from functools import partial\n\nimport jax\npartial\n"
    )
    assert named("import functools\nhere\n", "functools.partial") == (
        "import functools\nfunctools.partial\n"
    )


def test_what_import_jax_brings_in_is_not_believed_of_the_rest() -> None:
    text = "import jax\nhere\n"
    assert named(text, "jax.experimental.io_callback") == (
        "import jax\nfrom jax.experimental import io_callback\nio_callback\n"
    )
    assert named(text, "jax.random.split") == "import jax\njax.random.split\n"


def test_modules_of_jax_come_with_jax() -> None:
    program = "import jax, sys; print(*(n for n in sys.argv[1:] if not hasattr(jax, n)))"
    command = [sys.executable, "-c", program, *sorted(_OF_JAX)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


# ------------------------------------------------------------------- files as written


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: ("# coding: latin-1\n# é\n" + text).encode("latin-1"),
        lambda text: ("# -*- coding: utf-8 -*-\n\f\n" + text).encode(),
        lambda text: text.replace("\ny", "\n\n\t\n# Ünïcode \u2028\ny").encode(),
        lambda text: text.removesuffix("\n").encode(),
    ],
)
def test_the_rest_of_a_file_stays_byte_for_byte(encode: object) -> None:
    assert callable(encode)
    fixed = fix_bytes("a.py", encode(WRONG), Options())
    assert fixed.after == encode(RIGHT)
    assert not fixed.findings


def notebook(*cells: str, **metadata: object) -> nbformat.NotebookNode:
    made = [nbformat.v4.new_code_cell(cell, id=f"c{n}") for n, cell in enumerate(cells)]
    made.insert(1, nbformat.v4.new_markdown_cell("# Titel é", id="m"))
    return nbformat.v4.new_notebook(cells=made, metadata=metadata)


@pytest.mark.parametrize("indent", [None, 1, 4, "\t"])
@pytest.mark.parametrize("split", [True, False])
def test_the_rest_of_a_notebook_stays_byte_for_byte(indent: int | str | None, split: bool) -> None:
    def dump(*cells: str) -> bytes:
        data = json.loads(nbformat.writes(notebook(*cells)))
        for cell in data["cells"]:
            lines = "".join(cell["source"])
            cell["source"] = lines.splitlines(keepends=True) if split else lines
        return json.dumps(data, indent=indent, ensure_ascii=False).encode()

    one = "import jax.numpy as jnp\n%matplotlib inline\nx = jnp.zeros(3)"
    before = dump(one, "print('é')\nx[0] = 1.0  # why", "%timeit x[1] = 2")
    fixed = fix_bytes("a.ipynb", before, Options())
    assert fixed.after == dump(one, "print('é')\nx = x.at[0].set(1.0)  # why", "%timeit x[1] = 2")
    assert [each.code for each in fixed.applied] == ["JXL112"]


def test_an_old_notebook_is_left_alone() -> None:
    cells = [{"cell_type": "code", "input": WRONG}]
    data = json.dumps({"worksheets": [{"cells": cells}]}).encode()
    fixed = fix_bytes("a.ipynb", data, Options())
    assert fixed.after == data
    assert "old notebook format" in fixed.problem


def test_percent_scripts_are_mended() -> None:
    text = "# %%\nimport jax.numpy as jnp\n%matplotlib inline\nx = jnp.zeros(3)\n# %%\nx[0] = 1.0\n"
    fixed = fix_bytes("a.py", text.encode(), Options())
    assert fixed.after.decode() == text.replace("x[0] = 1.0", "x = x.at[0].set(1.0)")


def test_a_line_that_is_silenced_is_not_touched() -> None:
    text = WRONG.replace("1.0", "1.0  # noqa: JXL112")
    assert fix_bytes("a.py", text.encode(), Options()).after == text.encode()


def test_codes_that_may_not_be_mended() -> None:
    for options in (Options(unfixable=("JXL1",)), Options(fixable=("JXL6",))):
        assert fix_bytes("a.py", WRONG.encode(), options).after == WRONG.encode()
    options = Options(fixable=("JXL112",), unfixable=("JXL1",))
    assert fix_bytes("a.py", WRONG.encode(), options).after == RIGHT.encode()


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("x = 1  # noqa: JXL101", "x = 1"),
        ("x = 1  # noqa: JXL101, E501", "x = 1  # noqa: E501"),
        ("x = 1  # noqa: E501,W1 JXL102", "x = 1  # noqa: E501, W1"),
        ("x = 1  # noqa: JXL101  # why", "x = 1  # why"),
    ],
)
def test_codes_leave_a_comment(line: str, wanted: str) -> None:
    data = f"import jax\n{line}\n".encode()
    fixed = fix_bytes("a.py", data, Options(unused_noqa=True))
    assert fixed.after.decode() == f"import jax\n{wanted}\n"


def test_what_cannot_be_encoded_is_refused() -> None:
    data = b"# coding: ascii\nx = 1\n"
    with pytest.raises(CannotWrite, match="ascii"):
        edited(data, "a.py", [Edit(2, 4, 2, 5, "'é'")])


def test_writing_keeps_permissions_and_links(tmp_path: Path) -> None:
    target, link = tmp_path / "real.py", tmp_path / "link.py"
    target.write_bytes(b"a")
    target.chmod(0o754)
    link.symlink_to(target)
    write_over(link, b"a", b"b")
    assert link.is_symlink()
    assert target.read_bytes() == b"b"
    assert stat.S_IMODE(target.stat().st_mode) == 0o754
    assert sorted(os.listdir(tmp_path)) == ["link.py", "real.py"]


def test_a_file_that_changed_or_may_not_be_written_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"new")
    with pytest.raises(CannotWrite, match="changed while"):
        write_over(path, b"old", b"x")
    path.chmod(0o444)
    with pytest.raises(CannotWrite, match="read-only"):
        write_over(path, b"new", b"x")
    with pytest.raises(CannotWrite, match="No such file"):
        write_over(tmp_path / "b.py", b"", b"x")
    assert path.read_bytes() == b"new"


# ---------------------------------------------------------------------------- command


def test_fix_mends_and_reports_what_is_left(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": WRONG, "b.py": OWN, "c.py": "import jax\n"})
    result = jaxlint("check", "--fix", "--show-fixes", cwd=tmp_path)
    assert result.returncode == 1
    assert (tmp_path / "a.py").read_text() == RIGHT
    assert (tmp_path / "b.py").read_text() == OWN
    assert "; 1 fixed. Can be fixed: 1 with --fix --unsafe-fixes." in result.stdout
    assert result.stderr == "a.py:\n    1 x JXL112: Write `x = x.at[...].set(...)`\n"
    result = jaxlint("check", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "No findings in 3 files; 1 fixed.\n")
    assert "self.x = self.x.at[0].set(1.0)" in (tmp_path / "b.py").read_text()
    assert jaxlint("check", "--fix", cwd=tmp_path).returncode == 0


def test_diff_writes_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": WRONG, "b.py": OWN})
    result = jaxlint("check", "--diff", cwd=tmp_path)
    assert result.returncode == 1
    assert "-x[0] = 1.0\n+x = x.at[0].set(1.0)\n" in result.stdout
    assert "b.py" not in result.stdout
    assert result.stderr == "1 finding would be fixed in 1 file.\n"
    assert (tmp_path / "a.py").read_text() == WRONG
    applied_by_patch = subprocess.run(
        ["patch", "-p0"], input=result.stdout, cwd=tmp_path, text=True, capture_output=True,
        check=False,
    )  # fmt: skip
    assert applied_by_patch.returncode == 0, applied_by_patch.stdout
    assert (tmp_path / "a.py").read_text() == RIGHT
    assert jaxlint("check", "--diff", cwd=tmp_path).returncode == 0


def test_fix_only_and_the_exit_code(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": WRONG, "b.py": OWN})
    result = jaxlint("check", "--fix-only", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == "1 finding fixed in 1 file.\n"
    write(tmp_path, {"a.py": WRONG})
    result = jaxlint("check", "--fix-only", "--exit-non-zero-on-fix", cwd=tmp_path)
    assert result.returncode == 1


def test_standard_input_comes_out_mended(tmp_path: Path) -> None:
    result = jaxlint("check", "--fix", "-", cwd=tmp_path, stdin=WRONG)
    assert result.returncode == 0
    assert result.stdout == RIGHT
    result = jaxlint("check", "--diff", "-", cwd=tmp_path, stdin=WRONG)
    assert result.returncode == 1
    assert "+x = x.at[0].set(1.0)" in result.stdout


def test_a_file_that_cannot_be_mended_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": WRONG, "b.py": WRONG})
    (tmp_path / "a.py").chmod(0o444)
    result = jaxlint("check", "--fix", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stderr == "jaxlint: a.py: not mended: it is read-only\n"
    assert (tmp_path / "a.py").read_text() == WRONG
    assert (tmp_path / "b.py").read_text() == RIGHT


def test_a_file_that_is_no_python_stops_no_other(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "import jax\ndef (\n", "b.py": WRONG})
    result = jaxlint("check", "--fix", cwd=tmp_path)
    assert "JXL000" in result.stdout
    assert (tmp_path / "b.py").read_text() == RIGHT


def test_the_cache_holds_fixes(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": WRONG})
    first = jaxlint("check", "--output-format", "json", cwd=tmp_path)
    again = jaxlint("check", "--output-format", "json", cwd=tmp_path)
    assert first.stdout == again.stdout
    (finding,) = json.loads(again.stdout)
    assert finding["fix"] == {
        "message": "Write `x = x.at[...].set(...)`",
        "applicability": "safe",
        "edits": [
            {
                "content": "x = x.at[0].set(1.0)",
                "cell": None,
                "location": {"row": 4, "column": 1},
                "end_location": {"row": 4, "column": 11},
            }
        ],
    }
    assert jaxlint("check", "--fix", cwd=tmp_path).returncode == 0
    assert (tmp_path / "a.py").read_text() == RIGHT


def test_what_imports_a_module_is_looked_at_after_that_is_mended(tmp_path: Path) -> None:
    helper = "y = jnp.ones(2)\ny[0] = 2.0\n\n\ndef helper(x):\n    if x > 0:\n        return x\n"
    main = "import jax\nfrom helpers import helper\n\nstep = jax.jit(helper)\nstep(1.0)\n"
    write(tmp_path, {"helpers.py": f"import jax.numpy as jnp\n{helper}", "main.py": main})
    result = jaxlint("check", "--fix", "--output-format", "concise", cwd=tmp_path)
    assert "y = y.at[0].set(2.0)" in (tmp_path / "helpers.py").read_text()
    assert "in helpers.py, line 7:" in result.stdout
