"""Notebooks and percent scripts: cells in order as one program, magics, places."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

import jaxlint
from jaxlint.source import Source, SourceError
from jaxlint.workspace.discovery import find

SETUP = """\
%matplotlib inline
!pip install jax
import jax, time
import jax.numpy as jnp
files = !ls
jnp.dot?
?jax
x = jnp.zeros(3)
f = jax.jit(lambda v: v @ v)"""


def notebook(*cells: str, version: int = 4, **tags: list[str]) -> str:
    """A notebook's JSON, written by Jupyter's own library. Cell 1 is Markdown, cell 2 SETUP."""
    made = nbformat.v4.new_notebook()
    made.cells.append(nbformat.v4.new_markdown_cell("# Title\nif x > 0:"))
    for number, code in enumerate((SETUP, *cells), 2):
        cell = nbformat.v4.new_code_cell(code)
        cell.metadata["tags"] = tags.get(f"cell{number}", [])
        made.cells.append(cell)
    nbformat.validate(made)
    return nbformat.writes(made, version=version)


def places(text: str) -> list[str]:
    found = jaxlint.check_source(text, "n.ipynb")
    return [f"{f.cell}:{f.line}:{f.column + 1} {f.code}" for f in found]


def test_cells_are_one_program_in_order() -> None:
    traced = "@jax.jit\ndef g(v):\n    if v > 0:\n        return v\n    return x"
    assert places(notebook("x[0] = 1", traced)) == ["3:1:1 JXL112", "4:3:8 JXL101"]
    assert places(notebook("x = [1]", "x[0] = 1")) == []
    (finding,) = jaxlint.check_source(notebook(traced), "n.ipynb")
    assert "(line 1 of cell 3)" in finding.message
    assert str(finding).startswith("n.ipynb:cell 3:3:8: JXL101")
    assert [(note.cell, note.line) for note in finding.notes] == [(3, 2)]


def test_the_old_format_is_read_too() -> None:
    assert places(notebook("x[0] = 1", version=3)) == ["3:1:1 JXL112"]


def test_what_a_cell_ends_with_is_shown_not_thrown_away() -> None:
    update = "x.at[0].set(1.0)"
    assert places(notebook(update)) == []
    assert places(notebook(f"{update};")) == ["3:1:1 JXL308"]
    assert places(notebook(f"{update}\ny = 1")) == ["3:1:1 JXL308"]
    script = (
        f"import jax.numpy as jnp\nx = jnp.zeros(3)\n# %%\n{update}\n# %% more\n{update}\ny = 2\n"
    )
    assert [f.line for f in jaxlint.check_source(script)] == [6]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("%timeit f(x)", ["3:1:1 JXL501"]),
        ("%timeit -n 100 -r3 f(x)", ["3:1:1 JXL501"]),
        ("%timeit f(x).block_until_ready()", []),
        ("%time y = f(x)", ["3:1:1 JXL501"]),
        ("%time y = jax.block_until_ready(f(x))", []),
        ("%%time\ny = f(x)", ["3:1:1 JXL501"]),
        ("%%timeit\nf(x).block_until_ready()", []),
        ("\n%%timeit -n 3\nf(x)", ["3:2:1 JXL501"]),
        ("for _ in range(2):\n    %time f(x)", ["3:2:5 JXL501"]),
        ("%timeit sorted([1, 2])", []),
        ("%time x[0] = 1", ["3:1:7 JXL112"]),
        ("%timeit -o -n $loops -r {2 * 3} f(x)", ["3:1:1 JXL501"]),
        ("  %time f(x)\n  x[0] = 1", ["3:1:3 JXL501", "3:2:3 JXL112"]),
        ("%time y = f(\\\n    x)\nx[0] = 1", ["3:1:1 JXL501", "3:3:1 JXL112"]),
        ("%%capture\n\n%%time\ny = f(x)", ["3:3:1 JXL501"]),
        ("%%capture\n%%bash\nmkdir -p $x", []),
        ('print(f"{"M\'":>4}")', []),
    ],
)
def test_magics_that_time(cell: str, expected: list[str]) -> None:
    assert places(notebook(cell)) == expected


def test_a_key_that_is_used_to_time_is_not_used_up() -> None:
    key = "key = jax.random.key(0)\n%timeit jax.random.normal(key, (3,)).block_until_ready()"
    assert places(notebook(key)) == []


@pytest.mark.parametrize(
    "cell",
    [
        "%%bash\nif x then",
        "%%html\n<b>",
        "if True:\n    !ls\n    %cd ..",
        's = """\n%timeit inside\n!text\n"""',
        "y = (7\n% 2)",
        "out = %env HOME\nnames: list = []",
        "x.shape?\nx??",
        "# %timeit f(x)",
        "await coroutine()",
        "#@title Set up\n\n%%bash\nif x then",
        "cd ..",
        "run train.py --fast",
        "# What it needs\npip install -q jax",
        "  y = 1\n  z = [\n2]",
    ],
)
def test_what_is_not_python_is_no_error(cell: str) -> None:
    assert Source(*_program(notebook(cell, "x[0] = 1"))).bad_cells == []
    assert places(notebook(cell, "x[0] = 1")) == ["4:1:1 JXL112"]


def test_an_empty_file_is_an_empty_notebook() -> None:
    assert places("") == places("\n") == []


def test_what_git_lfs_has_not_fetched_holds_no_code() -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:2e53\nsize 4770\n"
    assert places(pointer) == []
    with pytest.raises(SourceError):
        places(pointer.replace("git-lfs", "other"))


def _program(text: str) -> tuple[str, str, object]:
    from jaxlint.source import source_from

    source = source_from(text, "n.ipynb")
    return source.text, source.filename, source.cells


def test_a_broken_cell_does_not_take_the_others_along(tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text(notebook("def broken(:\n    pass", "x[0] = 1"), "utf-8")
    result = command("jaxlint", "check", "--output-format", "concise", cwd=tmp_path)
    assert result.returncode == 1
    assert [line.split(" `")[0] for line in result.stdout.splitlines()] == [
        "n.ipynb:cell 3:1:12: JXL000 syntax error: invalid syntax; the cell was not checked",
        "n.ipynb:cell 4:1:1: JXL112",
    ]


def test_a_cell_that_is_tagged_as_raising_is_deliberate() -> None:
    text = notebook("x[0] = 1", "x[1] = 1", cell3=["raises-exception"])
    assert places(text) == ["4:1:1 JXL112"]


def test_a_cell_that_runs_a_program_shows_no_mistake_on_purpose() -> None:
    """Whatever it prints of an exception."""
    shows = "try:\n    {}\nexcept Exception as error:\n    print(error)"
    assert places(notebook(shows.format("x[0] = 1"))) == []
    assert places(notebook("def main():\n    x[0] = 1", shows.format("main()"))) == ["3:2:5 JXL112"]


def test_noqa_and_other_languages() -> None:
    assert places(notebook("x[0] = 1  # noqa: JXL112", "x[1] = 1  # noqa")) == []
    language = '"kernelspec": {"name": "ir", "language": "R", "display_name": "R"}'
    other = notebook("x[0] = 1").replace(
        '"metadata": {},\n "nbf', f'"metadata": {{{language}}},\n "nbf'
    )
    assert '"R"' in other
    assert places(other) == []


def test_the_source_is_shown_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text(notebook("%timeit f(x)"), "utf-8")
    out = command("jaxlint", "check", cwd=tmp_path).stdout
    assert " --> n.ipynb:cell 3:1:1\n  |\n1 | %timeit f(x)\n  | ^^^^^^^^^^^^\n" in out


def test_percent_scripts_keep_their_lines() -> None:
    script = (
        "# %%\nimport jax\nimport jax.numpy as jnp\nf = jax.jit(lambda v: v @ v)\nx = jnp.ones(3)\n"
        "# %% [markdown]\n# text %timeit f(x)\n# %%\n"
        "# %timeit f(x)\n# %time f(x).block_until_ready()\nx[0] = 1\n"
    )
    assert [(f.code, f.line) for f in jaxlint.check_source(script)] == [
        ("JXL501", 9),
        ("JXL112", 11),
    ]
    raw = script.replace("# %timeit f(x)\n# %time", "%timeit f(x)\n%time")
    assert [(f.code, f.line) for f in jaxlint.check_source(raw)] == [("JXL501", 9), ("JXL112", 11)]


LIGHT = """\
# A license.

# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: {}
# ---

# + [markdown] id="a"
# The shapes of the state:

# + id="b"
import jax
import jax.numpy as jnp

x = {{"w": jnp.ones((2, 3))}}
jax.tree.map(lambda leaf: leaf * 2, x)
jax.tree.map(lambda leaf: leaf + 1, x)

# +
jax.tree.map(lambda leaf: leaf - 1, x)
# -
"""


@pytest.mark.parametrize(
    ("form", "lines"), [("light", [18]), ("'light'", [18]), ("percent", [18, 19, 22])]
)
def test_the_last_expression_of_a_cell_in_a_light_script_is_shown(
    form: str, lines: list[int]
) -> None:
    found = jaxlint.check_source(LIGHT.format(form))
    assert [(f.code, f.line) for f in found] == [("JXL308", line) for line in lines]


def test_flake8_under_nbqa(tmp_path: Path) -> None:
    cells = ("x.at[0].set(1.0)", "x[0] = 1", "!ls\nx[1] = 2")
    (tmp_path / "n.ipynb").write_text(notebook(*cells), "utf-8")
    result = command("nbqa", "flake8", "n.ipynb", "--isolated", "--select", "JXL", cwd=tmp_path)
    assert [line.split(" `")[0] for line in result.stdout.splitlines()] == [
        "n.ipynb:cell_3:1:1: JXL112",
        "n.ipynb:cell_4:2:1: JXL112",
    ], result.stderr


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "cell",
    [
        "!pip install \\\n    jax[cuda12] (\n%matplotlib inline",
        "files = !ls \\\n  -l\n!ls",
        "if x is None:\n    !echo \\\n  'a [\n    !ls",
        "!echo [ \\\n a\ny = 1\n%matplotlib inline",
    ],
)
def test_a_command_may_go_on_in_the_next_line(cell: str) -> None:
    """As IPython's own transformer has it."""
    from IPython.core.inputtransformer2 import TransformerManager

    compile(TransformerManager().transform_cell(cell), "cell", "exec")
    assert places(notebook(cell, "x[0] = 1")) == ["4:1:1 JXL112"]


NEWER = {
    "type": ("type Pair = tuple[int, int]", (3, 12)),
    "quotes": ("z = f'{d['a']} {'\\n'.join('ab')}'", (3, 12)),
    "parameter": ("def g[T](v: T) -> T:\n    return v", (3, 12)),
    "star": ("z = x[*(0,)]", (3, 11)),
    "group": ("try:\n    pass\nexcept* ValueError:\n    pass", (3, 11)),
}


@pytest.mark.parametrize("cell", [cell for cell, _ in NEWER.values()], ids=NEWER)
def test_syntax_of_later_pythons_is_read(cell: str) -> None:
    """By libcst, whichever Python runs jaxlint."""
    assert places(notebook(cell, "x[0] = 1")) == ["4:1:1 JXL112"]
    script = f"import jax.numpy as jnp\nx = jnp.zeros(3)\n{cell}\nx[0] = 1  # \N{SNAKE}\n"
    (finding,) = jaxlint.check_source(script)
    line = script.count("\n")
    place = (finding.line, finding.column, finding.end_line, finding.end_column)
    assert (finding.code, place) == ("JXL112", (line, 0, line, 4))


def test_a_cell_that_nobody_reads_is_left_out_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_text(notebook("type Pair = tuple[int, (int]", "x[0] = 1"), "utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "jaxlint", "check", "--output-format", "concise"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    first, second = result.stdout.splitlines()
    assert first.startswith("n.ipynb:cell 3:1:")
    assert "JXL000 syntax error: " in first
    assert first.endswith("; the cell was not checked")
    assert second.startswith("n.ipynb:cell 4:1:1: JXL112")
    if sys.version_info < (3, 12):
        running = f"3.{sys.version_info.minor}"
        wanted = f"(a `type` statement needs Python 3.12, and jaxlint runs on {running})"
        assert wanted in first


def test_a_notebook_that_is_kept_as_a_script_is_linted_once(tmp_path: Path) -> None:
    header = "# ---\n# jupyter:\n#   jupytext:\n#     formats: {}\n# ---\n\nimport jax\n"
    for name, formats in (("both", "ipynb,md:myst,py"), ("text", "py:percent"), ("none", "")):
        script = header.format(formats) if formats else "import jax  # formats: ipynb\n"
        (tmp_path / f"{name}.py").write_text("# A license.\n\n" + script)
        (tmp_path / f"{name}.ipynb").write_text(notebook())
    found = {path.name for path in find([tmp_path]).files}
    assert found == {"both.py", "text.py", "text.ipynb", "none.py", "none.ipynb"}
    named = tmp_path / "both.ipynb"
    assert find([named]).files == [named]
