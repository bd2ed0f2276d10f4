"""The real flake8, as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jaxlint.check import check
from jaxlint.config import Options
from jaxlint.source import Source

BAD = "import jax\n\n\n@jax.jit\ndef f(x):\n    if x > 0:\n        return x\n    return -x\n"


def flake8(folder: Path, *arguments: str) -> list[str]:
    command = [sys.executable, "-m", "flake8", "--select", "JXL", "--isolated", *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not result.stderr, result.stderr
    return result.stdout.splitlines()


def lint(folder: Path, content: str | bytes, name: str = "a.py") -> list[str]:
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    return flake8(folder, name)


def test_finds(tmp_path: Path) -> None:
    (line,) = lint(tmp_path, BAD)
    assert line.startswith("a.py:6:8: JXL101 `if` needs the value of `x > 0`")
    assert "`x` is a parameter of `f`, which jax.jit traces (line 4)" in line


@pytest.mark.parametrize(
    "comment", ["# noqa", "# noqa: JXL101", "# NOQA:JXL1", "# noqa: E501,JXL101"]
)
def test_noqa(tmp_path: Path, comment: str) -> None:
    assert lint(tmp_path, BAD.replace("x > 0:", f"x > 0:  {comment}")) == []


def test_other_noqa_does_not_silence(tmp_path: Path) -> None:
    assert len(lint(tmp_path, BAD.replace("x > 0:", "x > 0:  # noqa: E501"))) == 1


COMMENTS = [
    "# noqa", "#noqa", "#  noqa", "# NOQA", "# NoQA:JXL101", "# noqa: jxl101", "# noqa:Jxl1",
    "# noqa:JXL101", "# noqa : JXL101", "# noqa: JXL101 E501", "# noqa: E501 JXL101",
    "# noqa:E501,JXL1", "# noqa: JXL", "# noqa: E501 reason", "# noqa:E501reason", "#:noqa",
    "# noqa:JXL101 reason", "# noqa: E501,,JXL101", "# noqa:  E501", "# noqa: E501 , JXL101",
    "# noqa: E501, JXL101, ", "# x # noqa: JXL101", "# noqaJXL", "# noqa:JXL101:E501",
    "# noqa:\tJXL101", "# type: ignore # noqa", "# noqa: E501 # noqa: JXL101", "# noqa: E501;JXL1",
]  # fmt: skip


def test_without_flake8_noqa_means_the_same(tmp_path: Path) -> None:
    functions = [f"@jax.jit\ndef f(x):\n    if x > 0:  {c}\n        return x\n" for c in COMMENTS]
    text = "import jax\n" + "".join(functions)
    lines = {int(line.split(":")[1]) for line in lint(tmp_path, text)}
    assert lines
    assert lines == {finding.line for finding in check(Source(text), Options())}


def test_noqa_on_a_statement_of_several_lines(tmp_path: Path) -> None:
    text = (
        "import jax\n\n\n@jax.jit\ndef f(x):\n    return max(\n        x,\n        0.0,\n"
        "    )  # noqa: JXL104\n"
    )
    # flake8 wants the comment on the line that it reports, or at the end of a string
    # or continuation that goes over several.
    assert len(lint(tmp_path, text)) == 1
    assert lint(tmp_path, text.replace("max(\n", "max(  # noqa: JXL104\n")) == []
    joined = text.replace("max(\n        x,", "max(\\\n        x,  # noqa: JXL104")
    assert lint(tmp_path, joined) == []


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        (BAD.replace("\n", "\r\n").encode(), 6, 8),
        (b"\xef\xbb\xbf" + BAD.encode(), 6, 8),
        (BAD.replace("    ", "\t").encode(), 6, 5),
        (
            ("# coding: latin-1\n" + BAD.replace("x > 0", '"\u00e9" and x > 0')).encode("latin-1"),
            7,
            16,
        ),
        (("\f\n" + BAD).encode(), 7, 8),
        (BAD.replace("if x", "if '\u65e5\u672c' and x").encode(), 6, 17),
    ],
    ids=["crlf", "bom", "tabs", "latin-1", "form feed", "wide characters"],
)
def test_positions(tmp_path: Path, content: bytes, line: int, column: int) -> None:
    (found,) = lint(tmp_path, content)
    assert found.startswith(f"a.py:{line}:{column}: JXL101")


def test_syntax_error_is_not_ours(tmp_path: Path) -> None:
    assert lint(tmp_path, BAD + "def g(:\n") == []


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"import jax", b"import jax\nx = \xff\n", b"\x00import jax\n", BAD.encode()[:-1]],
    ids=["empty", "newline", "no newline", "not utf-8", "null byte", "cut"],
)
def test_odd_files_do_not_crash(tmp_path: Path, content: bytes) -> None:
    assert all("JXL000" not in line for line in lint(tmp_path, content))


def test_deep_nesting_is_survived(tmp_path: Path) -> None:
    text = (
        "import jax\nx = " + "(" * 80 + "1" + ")" * 80 + "\ny = " + " + ".join(["x"] * 400) + "\n"
    )
    assert lint(tmp_path, text + BAD[11:]) != []


def test_an_internal_error_names_the_file_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BAD)
    (tmp_path / "b.py").write_text(BAD)
    script = (
        "import sys, jaxlint.tracer.run as run\n"
        "real = run.trace\n"
        "calls = []\n"
        "def trace(module, *more):\n"
        "    calls.append(1)\n"
        "    if len(calls) == 1:\n"
        "        raise ValueError('boom')\n"
        "    return real(module, *more)\n"
        "run.trace = trace\n"
        "from flake8.main.cli import main\n"
        "sys.exit(main(['--isolated', '-j1', '--select=JXL', 'a.py', 'b.py']))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    first, second = result.stdout.splitlines()
    assert "JXL000 jaxlint failed on this file (ValueError: boom)" in first
    assert "b.py:6:8: JXL101" in second


def test_linting_needs_no_jax_and_loads_libcst_late(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "sys.modules['jax'] = None\n"
        "from jaxlint.frontends.flake8_plugin import Plugin\n"
        "list(Plugin(None, 'a.py', ['import os\\n']).run())\n"
        "assert 'libcst' not in sys.modules\n"
        "import jaxlint\n"
        f"assert [f.code for f in jaxlint.check_source({BAD!r})] == ['JXL101']\n"
        "assert 'libcst' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)


def test_a_file_that_was_not_followed_to_its_end_is_said(tmp_path: Path) -> None:
    few = "import jaxlint.tracer.tracer as t\nt._LEAST_STEPS = t._STEPS_PER_NODE = 0\n"
    (tmp_path / "sitecustomize.py").write_text(few)
    (tmp_path / "a.py").write_text(BAD)
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])])
    for jobs in ("1", "2"):
        result = subprocess.run(
            [sys.executable, "-m", "flake8", "--isolated", "--select", "JXL", "-j", jobs, "a.py"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
        assert (result.returncode, result.stdout) == (0, "")
        assert result.stderr.startswith("jaxlint: a.py:1:8: JXL002 jaxlint followed the file")
