"""Settings that come too late: what the modules of a project do when they are imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint import Options, check_source
from jaxlint.confirm.fixtures.find import read_marks
from jaxlint.source import read_source
from jaxlint.workspace.lint import lint_source

LIBRARY = {
    "lab/__init__.py": "",
    "lab/plain.py": "def double(x):\n    return 2 * x\n",
    "lab/uses.py": "import jax\n\n\ndef zeros():\n    return jax.numpy.zeros(3)\n",
    "lab/through.py": "from .uses import zeros\n",
    "lab/table.py": "import jax.numpy as jnp\n\nTABLE = jnp.arange(8)\n",
    "lab/guarded.py": "try:\n    import jax\nexcept ImportError:\n    jax = None\n",
    "lab/cluster.py": (
        "import jax\n\ndef initialize(found):\n"
        "    if found():\n        jax.distributed.initialize()\n"
    ),
    "lab/later.py": "def zeros():\n    import jax\n\n    return jax.numpy.zeros(3)\n",
}
X64 = 'os.environ["JAX_ENABLE_X64"] = "1"'
FLAGS = 'os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"'


def found(folder: Path, *lines: str) -> list[tuple[int, str]]:
    """Where the rules speak in a program that has these lines after ``import os``."""
    for name, text in LIBRARY.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    program = folder / "program.py"
    program.write_text("\n".join(["import os", *lines, ""]))
    findings = lint_source(read_source(program), Options()).findings
    return [(finding.line, finding.code) for finding in findings]


@pytest.mark.parametrize(
    ("before", "setting", "code"),
    [
        ("from lab import uses", X64, "JXL901"),
        ("from lab.uses import zeros", X64, "JXL901"),
        ("import lab.through as through", X64, "JXL901"),
        ("from lab.table import TABLE", FLAGS, "JXL905"),
        ("from lab.uses import zeros; x = zeros()", FLAGS, "JXL905"),
        ("from lab import plain", X64, ""),
        ("from lab import later", X64, ""),
        ("from lab import guarded", X64, ""),
        ("from lab.uses import zeros", FLAGS, ""),
        ("from lab.later import zeros", FLAGS, ""),
    ],
)
def test_what_an_import_does_comes_first(
    tmp_path: Path, before: str, setting: str, code: str
) -> None:
    assert found(tmp_path, before, setting) == ([(3, code)] if code else [])


def test_a_line_that_comes_first_is_in_time(tmp_path: Path) -> None:
    assert found(tmp_path, X64, FLAGS, "from lab.table import TABLE") == []


def test_another_module_may_know_when_to(tmp_path: Path) -> None:
    start = ("import sys, jax", "from lab.cluster import initialize", "print(jax.devices())")
    assert found(tmp_path, *start, "initialize(lambda: len(sys.argv) > 1)") == []
    assert found(tmp_path, *start, "initialize(lambda: True)") == [(5, "JXL905")]


@pytest.mark.parametrize(
    "lines",
    [
        ("import jax", "import subprocess", X64, "subprocess.run(['python', 'other.py'])"),
        ("import jax", "saved = os.environ['JAX_ENABLE_X64']", "def put_back():",
         "    os.environ['JAX_ENABLE_X64'] = saved"),
        ("import jax", X64, "jax.config.update('jax_enable_x64', True)"),
        (X64, "import jax", X64),
        ("import sys", "if sys.argv:", "    import jax", "else:", f"    {X64}"),
        ("import jax", "for device in []:", "    print(jax.devices())", FLAGS),
    ],
)  # fmt: skip
def test_what_may_be_meant_is_left_alone(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert found(tmp_path, *lines) == []


FORKS = sorted((Path(__file__).parent / "fork_programs").glob("*.py"))


@pytest.mark.parametrize("path", FORKS, ids=lambda path: path.stem)
def test_forks_are_found_where_they_are_marked(path: Path) -> None:
    """Real JAX has run them as fixtures of JXL908, as it can again."""
    text = path.read_text("utf-8")
    findings = check_source(text, path.name, Options(select=("JXL908",), group=False))
    assert [finding.line for finding in findings] == sorted(read_marks(text))


POOL = """import multiprocessing
import jax.numpy as jnp
{first}
def work():
    x = jnp.ones(3)
    with multiprocessing.Pool(2) as pool:
        return pool.map(abs, [x.size])
{last}
"""


@pytest.mark.parametrize(
    ("first", "last", "speaks"),
    [
        ("", "work()", True),
        ("", "if __name__ == '__main__':\n    work()", True),
        ("", "", False),
        ("multiprocessing.set_start_method('spawn')", "work()", False),
        ("multiprocessing.set_start_method('fork')", "work()", True),
        ("import sys\nmultiprocessing.set_start_method(sys.argv[1])", "work()", False),
    ],
)
def test_processes_fork_where_nobody_chooses_another_way(
    first: str, last: str, speaks: bool
) -> None:
    text = POOL.replace("{first}", first).replace("{last}", last)
    found = check_source(text, "x.py", Options(select=("JXL908",)))
    assert bool(found) == speaks


def test_numpy_starts_nothing(tmp_path: Path) -> None:
    lines = ["import jax", "import numpy as np", "print(np.cumsum(np.arange(3)))"]
    assert found(tmp_path, *lines, FLAGS) == []
    lines[1] = "import jax.numpy as np"
    assert found(tmp_path, *lines, FLAGS) == [(5, "JXL905")]
