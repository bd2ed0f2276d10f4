"""``jaxlint check`` as people call it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from textwrap import dedent

import jsonschema
import pytest

HERE = Path(__file__).parent
BAD = """\
import jax


@jax.jit
def f(x):
    if x > 0:
        return x
    return -x
"""
GOOD = "import jax\n\nf = jax.jit(lambda x: x)\n"


def jaxlint(
    *arguments: str, cwd: Path, stdin: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "200", **more}
    return subprocess.run(
        [sys.executable, "-m", "jaxlint", *arguments],
        cwd=cwd, input=stdin, capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), "utf-8")
    return folder


def concise(cwd: Path, *arguments: str) -> list[str]:
    result = jaxlint("check", "--output-format", "concise", *arguments, cwd=cwd)
    assert "Traceback" not in result.stderr, result.stderr
    return [" ".join(line.split()[:2]) for line in result.stdout.splitlines()]


def test_a_finding_is_drawn_with_its_reasons(tmp_path: Path) -> None:
    result = jaxlint("check", cwd=write(tmp_path, {"a.py": BAD}))
    assert result.returncode == 1
    assert result.stdout == dedent(
        """\
        JXL101 `if` needs the value of `x > 0` while tracing: {why}
         --> a.py:6:8
          |
        5 | def f(x):
        6 |     if x > 0:
          |        ^^^^^
        7 |         return x
          |
          1. line 5: `x` is a parameter of `f`, which jax.jit traces
          = help: use `jnp.where` or `jax.lax.cond`, or make `x` static (`static_argnames="x"`)

        Found 1 finding (1 error, 0 warnings) in 1 of 1 file. {fixable} What a code means: {rule}
        """
    ).format(
        why="`x` is a parameter of `f`, which jax.jit traces (line 4)",
        fixable="Can be fixed: 1 with --fix --unsafe-fixes.",
        rule="jaxlint rule CODE",
    )


def test_a_clean_project_exits_with_zero(tmp_path: Path) -> None:
    result = jaxlint("check", cwd=write(tmp_path, {"a.py": GOOD, "b.py": "x = 1\n"}))
    assert (result.returncode, result.stdout, result.stderr) == (0, "No findings in 2 files.\n", "")


def test_select_ignore_and_exit_zero(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD + "\n\nimport jax.numpy as np\n"})
    assert concise(tmp_path) == ["a.py:6:8: JXL101"]
    assert concise(tmp_path, "--select", "JXL3") == []
    assert concise(tmp_path, "--ignore", "JXL1") == []
    assert concise(tmp_path, "--select", "JXL101", "--ignore", "JXL1") == ["a.py:6:8: JXL101"]
    assert concise(tmp_path, "--select", "JXL1", "--ignore", "JXL101") == []
    assert len(concise(tmp_path, "--extend-select", "JXL603")) == 2
    assert jaxlint("check", "--exit-zero", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--select", "ABCDEF"], "--select: no rule 'ABCDEF'; see: jaxlint rule --all"),
        (["--select", "JXL199"], "--select: no rule 'JXL199'; did you mean JXL101 to JXL132?"),
        (["--select", "JXL1O1"], "did you mean JXL101?"),
        (["--select", "JAX304"], "did you mean JXL304?"),
        (["--ignore", "key-resued"], "did you mean key-reused (JXL401)?"),
        (["--per-file-ignores", "JXL1"], "--per-file-ignores: 'JXL1' is not written as PATTERN:"),
        (["--output-format", "jsno"], "--output-format: no such choice: 'jsno'"),
        (["--jax", "new"], "--jax: 'new' is no version range"),
        (["--jobs", "-1"], "--jobs must not be negative"),
        (["-", "a.py"], "- reads standard input alone"),
        (["--baseline", "none.json"], "none.json: cannot read the baseline"),
        (["--output-file", "no/where.txt"], "its folder does not exist"),
        (["--config", "none.toml"], "none.toml: cannot read the file"),
    ],
)
def test_wrong_use_is_told_in_one_line(tmp_path: Path, arguments: list[str], says: str) -> None:
    write(tmp_path, {"a.py": BAD})
    result = jaxlint("check", *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_nothing_is_lost_when_a_path_is_missing(tmp_path: Path) -> None:
    result = jaxlint("check", "none.py", "a.py", cwd=write(tmp_path, {"a.py": BAD}))
    assert result.returncode == 2
    assert result.stderr == "jaxlint: none.py: no such file or folder\n"
    assert "JXL101" in result.stdout


def test_no_files_is_a_warning(tmp_path: Path) -> None:
    result = jaxlint("check", cwd=tmp_path)
    assert result.returncode == 0
    assert result.stderr == "jaxlint: no Python files in .\n"


def test_bad_files_are_findings_and_the_rest_is_linted(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"a.py": BAD, "syntax.py": "import jax\ndef f(:\n", "broken.ipynb": '{"cells": [,'},
    )
    write(tmp_path, {"list.ipynb": "[]", "deep.py": "import jax\nx = " + "(" * 5000})
    (tmp_path / "binary.py").write_bytes(b"\x00\xff\xfe\x80" * 50)
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\nimport jax  # \xe9\n")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "dangling.py").symlink_to(tmp_path / "gone.py")
    result = jaxlint("check", "--output-format", "concise", cwd=tmp_path)
    assert result.returncode == 1, result.stderr
    lines = [line.split("; the file was")[0] for line in result.stdout.splitlines()]
    assert lines == [
        lines[0],
        "binary.py:1:1: JXL000 cannot decode the file: invalid or missing encoding declaration",
        "broken.ipynb:1:12: JXL000 not a notebook: Expecting value",
        "dangling.py:1:1: JXL000 cannot read the file: No such file or directory",
        lines[4],
        "list.ipynb:1:1: JXL000 not a notebook: the JSON is no object",
        "pipe.py:1:1: JXL000 cannot read the file: it is no ordinary file",
        lines[7],
    ]
    assert lines[0].startswith("a.py:6:8: JXL101")
    assert lines[4].startswith("deep.py:2:")
    assert "JXL000" in lines[4]
    assert lines[7].startswith("syntax.py:2:7: JXL000 syntax error")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD, "b.py": BAD})
    (tmp_path / "a.py").chmod(0)
    assert concise(tmp_path) == ["a.py:1:1: JXL000", "b.py:6:8: JXL101"]


def test_gitignore_is_respected(tmp_path: Path) -> None:
    write(
        tmp_path,
        dict.fromkeys(("a.py", "gen/b.py", "gen/keep.py", "out/c.py", "sub/d.py"), BAD),
    )
    write(tmp_path, {".gitignore": "/out\ngen/*\n!gen/keep.py\n", "sub/.gitignore": "d.py\n"})
    (tmp_path / ".git").mkdir()
    assert concise(tmp_path) == ["a.py:6:8: JXL101", "gen/keep.py:6:8: JXL101"]
    assert concise(tmp_path, "sub") == []
    assert concise(tmp_path, "sub/d.py") == ["sub/d.py:6:8: JXL101"]
    assert len(concise(tmp_path, "--no-respect-gitignore")) == 5
    assert concise(tmp_path, "--exclude", "gen/") == ["a.py:6:8: JXL101"]


def test_standard_input(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[tool.jaxlint.per-file-ignores]\n"old/*" = ["JXL1"]\n'})
    line = "JXL101"
    for arguments in (
        ["-"],
        ["--stdin-filename", "new/a.py"],
        ["--stdin-filename", "new/a.py", "-"],
    ):
        result = jaxlint("check", *arguments, cwd=tmp_path, stdin=BAD)
        assert result.returncode == 1
        assert line in result.stdout
        assert "6 |     if x > 0:" in result.stdout
    assert jaxlint("check", "--stdin-filename", "old/a.py", cwd=tmp_path, stdin=BAD).returncode == 0


def test_json_has_places_and_reasons(tmp_path: Path) -> None:
    result = jaxlint("check", "--output-format", "json", cwd=write(tmp_path, {"a.py": BAD}))
    (entry,) = json.loads(result.stdout)
    assert entry["code"] == "JXL101"
    assert entry["location"] == {"row": 6, "column": 8}
    assert entry["end_location"] == {"row": 6, "column": 13}
    assert [reason["location"]["row"] for reason in entry["reasons"]] == [5]


def test_github_annotations_are_escaped(tmp_path: Path) -> None:
    write(tmp_path, {"a,b.py": BAD.replace("x > 0", "x % 2 > 0")})
    result = jaxlint("check", "--output-format", "github", cwd=tmp_path)
    assert result.stdout.startswith(
        "::error title=jaxlint JXL101,file=a%2Cb.py,line=6,col=8,endLine=6,endColumn=17::"
        "a,b.py:6:8: JXL101 `if` needs the value of `x %25 2 > 0`"
    )
    assert result.stdout.count("\n") == 1


def test_junit_is_xml_with_a_failure_for_each_finding(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD, "b.py": GOOD, "c.py": "import jax\ndef f(:\n"})
    root = ET.fromstring(jaxlint("check", "--output-format", "junit", cwd=tmp_path).stdout)
    assert root.attrib == {"name": "jaxlint", "tests": "3", "failures": "1", "errors": "1"}
    assert [suite.attrib["name"] for suite in root] == ["a.py", "b.py", "c.py"]
    assert [len(suite.findall("testcase")) for suite in root] == [1, 1, 1]


def test_sarif_is_valid(tmp_path: Path) -> None:
    schema = json.loads((HERE / "data" / "sarif-2.1.0.json").read_text("utf-8"))
    write(
        tmp_path,
        {"a.py": BAD, "dir with space/b.py": BAD + "# noqa: JXL3\n", "c.py": "import jax\n)"},
    )
    result = jaxlint("check", "--output-format", "sarif", "--unused-noqa", cwd=tmp_path)
    log = json.loads(result.stdout)
    jsonschema.Draft7Validator(schema).validate(log)
    (run,) = log["runs"]
    assert [each["ruleId"] for each in run["results"]] == ["JXL101", "JXL101", "JXL001"]
    for each in run["results"]:
        assert run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] == each["ruleId"]
    assert run["results"][0]["relatedLocations"][0]["message"]["text"].startswith("`x` is a param")
    assert "dir%20with%20space" in result.stdout
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "syntax error" in note["message"]["text"]


def test_statistics(tmp_path: Path) -> None:
    result = jaxlint("check", "--statistics", cwd=write(tmp_path, {"a.py": BAD, "b.py": BAD}))
    assert result.stdout.split()[:3] == ["2", "JXL101", "branch-on-traced-value"]
    assert "JAX" not in result.stdout.splitlines()[-1]


def test_statistics_say_for_which_jax(tmp_path: Path) -> None:
    files = {"a.py": BAD, "pyproject.toml": '[project]\ndependencies = ["jax>=0.4.30"]\n'}
    write(tmp_path, {**files, "requirements.txt": "jax<0.6\n"})
    told = jaxlint("check", "--statistics", cwd=tmp_path).stdout.splitlines()
    files_say = "pyproject.toml (>=0.4.30) and requirements.txt (<0.6)"
    assert told[-1] == f"JAX >=0.4.30,<0.6, by {files_say}"
    told = jaxlint("check", "--statistics", "--jax", "<0.5", cwd=tmp_path).stdout.splitlines()
    assert told[-1] == "JAX <0.5, as the settings say"


def test_colours_on_a_terminal_alone(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD})
    assert "\x1b" not in jaxlint("check", cwd=tmp_path).stdout
    assert "\x1b" in jaxlint("check", "--color", "always", cwd=tmp_path).stdout
    assert "\x1b[" in on_terminal(tmp_path, {})
    assert "\x1b[3" not in on_terminal(tmp_path, {"NO_COLOR": "1"})


def on_terminal(cwd: Path, environment: dict[str, str]) -> str:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "jaxlint", "check"], cwd=cwd, stdout=theirs,
        env={**os.environ, "TERM": "xterm-256color", **environment},
    )  # fmt: skip
    os.close(theirs)
    out = b""
    try:
        while chunk := os.read(ours, 4096):
            out += chunk
    except OSError:
        pass
    process.wait()
    os.close(ours)
    return out.decode()


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    write(tmp_path, {f"a{number}.py": BAD * 20 for number in range(20)})
    command = f"{sys.executable} -m jaxlint check --output-format concise | head -1"
    result = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "JXL101" in result.stdout
    assert result.stderr == ""


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    write(tmp_path, {f"a{number}.py": BAD for number in range(30)})
    one = concise(tmp_path, "--no-cache", "--jobs", "1")
    assert len(one) == 30
    assert concise(tmp_path, "--no-cache", "--jobs", "3") == one


def test_a_file_that_kills_its_process_loses_no_other(tmp_path: Path) -> None:
    write(tmp_path, {f"a{number}.py": BAD for number in range(6)})
    write(tmp_path, {"b.py": "import jax\nkill = 1\n"})
    # Python imports this at the start of every process, the workers included.
    script = """\
        import os, jaxlint.workspace.lint as lint
        real = lint.examine
        def examine(source, *more):
            if "kill" in source.text:
                os.kill(os.getpid(), 11)
            return real(source, *more)
        lint.examine = examine
        """
    write(tmp_path / "site", {"sitecustomize.py": script})
    result = jaxlint(
        "check", "--no-cache", "--jobs", "2", "--output-format", "concise", "--exclude", "site",
        cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"),
    )  # fmt: skip
    assert result.returncode == 2
    assert result.stdout.count("JXL101") == 6
    assert "b.py:1:1: JXL000 linting this file brought the process down (SIGSEGV)" in result.stdout


def test_the_cache_holds_until_something_changes(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD, "pyproject.toml": "[tool.jaxlint]\n"})
    first = concise(tmp_path)
    (cached,) = (tmp_path / ".jaxlint_cache").glob("*.json")
    poisoned = cached.read_text("utf-8").replace("JXL101", "JXL104")
    cached.write_text(poisoned, "utf-8")
    assert concise(tmp_path) == ["a.py:6:8: JXL104"], "not read from the cache"
    assert concise(tmp_path, "--no-cache") == first
    assert concise(tmp_path, "--ignore", "JXL6") == first, "other options, other findings"
    (tmp_path / "a.py").write_text("\n" + BAD, "utf-8")
    assert concise(tmp_path) == ["a.py:7:8: JXL101"]
    cached.write_text("{broken", "utf-8")
    assert concise(tmp_path) == ["a.py:7:8: JXL101"]


def test_the_cache_knows_what_messages_depend_on(tmp_path: Path) -> None:
    text = "import jax\n\nx = jax.tree_map(abs, [1])\n"
    write(tmp_path, {"a.py": text, "requirements.txt": "jax<0.4.10\n"})
    before = concise(tmp_path)
    write(tmp_path, {"requirements.txt": "jax>=0.7\n"})
    assert concise(tmp_path) != before


def test_what_is_found_depends_on_the_file_alone(tmp_path: Path) -> None:
    """Not on the folder that one stands in, nor on what was found of a like-named file before."""
    effect = "import jax\nseen = []\n\n@jax.jit\ndef f(x):\n    seen.append(x)\n    return x\n"
    settings = '[tool.jaxlint.per-file-ignores]\n"scripts/*" = ["JXL3"]\n'
    for top in ("", "project"):
        files = {f"{folder}/a.py": effect for folder in ("scripts", "src", "tests", "tests/unit")}
        write(tmp_path / top, {**files, "pyproject.toml": settings} if top else files)
        for folder, codes in (
            ("scripts", [] if top else ["JXL302"]), ("src", ["JXL302"]), ("tests", []),
            ("tests/unit", [] if top else ["JXL302"]),
        ):  # fmt: skip
            inside = concise(tmp_path / top / folder, "a.py", "--cache-dir", str(tmp_path / "c"))
            above = concise(tmp_path / top, f"{folder}/a.py", "--cache-dir", str(tmp_path / "c"))
            uncached = concise(tmp_path / top / folder, "a.py", "--no-cache")
            assert [line.split()[-1] for line in inside] == codes, (top, folder)
            assert [line.removeprefix(f"{folder}/") for line in above] == inside == uncached


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_file_that_was_not_followed_to_its_end_is_said(tmp_path: Path, jobs: str) -> None:
    few = "import jaxlint.tracer.tracer as t\nt._LEAST_STEPS = t._STEPS_PER_NODE = 0\n"
    write(tmp_path, {"site/sitecustomize.py": few, "a.py": BAD, "b.py": BAD})
    path = os.pathsep.join(["site", str(Path(__file__).parents[1])])
    for form, says in (
        ("text", "No findings in 2 files; 2 files not followed to the end."),
        ("concise", "a.py:1:8: JXL002 jaxlint followed the file only to here"),
        ("json", '"code": "JXL002"'), ("sarif", "JXL002"), ("github", "JXL002"),
        ("junit", "JXL002"),
    ):  # fmt: skip
        arguments = ["--no-cache", "--jobs", jobs, "--output-format", form, "a.py", "b.py"]
        result = jaxlint("check", *arguments, cwd=tmp_path, PYTHONPATH=path)
        assert (result.returncode, result.stderr) == (0, "")
        assert says in result.stdout


def test_the_cache_stays_in_its_folder(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD, "other/x.txt": "theirs", "code/a.py": BAD})
    (tmp_path / ".jaxlint_cache").symlink_to("other")
    assert concise(tmp_path, "a.py") == ["a.py:6:8: JXL101"]
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["x.txt"]
    cache = tmp_path / "code" / ".jaxlint_cache"
    cache.mkdir()
    (cache / ".gitignore").symlink_to("../../written.txt")
    for number in range(20):
        (cache / f"{number}.{'tmp' if number % 2 else 'json'}").write_text("{}", "utf-8")
    assert concise(tmp_path / "code") == ["a.py:6:8: JXL101"]
    assert not (tmp_path / "written.txt").exists()
    assert len([*cache.glob("*.json"), *cache.glob("*.tmp")]) == 4
    assert concise(tmp_path / "code") == ["a.py:6:8: JXL101"]


def test_a_file_may_be_called_like_an_option(tmp_path: Path) -> None:
    write(tmp_path, {"-x.py": BAD, "a.py": GOOD})
    assert concise(tmp_path, "--", "-x.py", "a.py") == ["-x.py:6:8: JXL101"]


def test_what_python_warns_of_is_no_finding(tmp_path: Path) -> None:
    odd = 'import jax\nx = "\\d"\ny = 5if x else 3\n'
    cell = {"cell_type": "code", "source": odd}
    write(tmp_path, {"a.py": odd, "n.ipynb": json.dumps({"cells": [cell]})})
    for filters in ("error", "always"):
        result = jaxlint("check", "--no-cache", cwd=tmp_path, PYTHONWARNINGS=filters)
        assert (result.returncode, result.stderr) == (0, ""), result.stdout


def test_a_folder_that_cannot_be_written_needs_no_cache(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD, ".jaxlint_cache": "a file in the way"})
    assert concise(tmp_path) == ["a.py:6:8: JXL101"]


def test_a_baseline_hides_the_old_and_shows_the_new(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD})
    result = jaxlint("check", "--write-baseline", "old.json", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "")
    write(tmp_path, {"pyproject.toml": '[tool.jaxlint]\nbaseline = "old.json"\n'})
    assert concise(tmp_path) == []
    write(tmp_path, {"a.py": "# a line above\n" + BAD + BAD.replace("x > 0", "x > 1")})
    assert concise(tmp_path) == ["a.py:15:8: JXL101"]
    assert "1 in the baseline" in jaxlint("check", cwd=tmp_path).stdout
    write(tmp_path, {"a.py": GOOD})
    result = jaxlint("check", cwd=tmp_path)
    assert result.returncode == 0
    assert "1 of its findings are gone" in result.stderr
    write(tmp_path, {"old.json": "[]"})
    assert "not a baseline of jaxlint" in jaxlint("check", cwd=tmp_path).stderr


def test_unused_noqa_is_told_when_asked_for(tmp_path: Path) -> None:
    text = BAD.replace("if x > 0:", "if x > 0:  # noqa: JXL101") + "y = 1  # noqa: JXL401, E501\n"
    write(tmp_path, {"a.py": text, "b.py": "z = 1  # noqa: JXL3\nq = 2  # noqa\n"})
    small = jaxlint(
        "check", "-", "--unused-noqa", cwd=tmp_path, stdin="import jax  # noqa: jxl101\n"
    )
    assert "`# noqa: jxl101` silences nothing here" in small.stdout
    assert concise(tmp_path) == []
    assert concise(tmp_path, "--unused-noqa") == ["a.py:9:8: JXL001", "b.py:1:8: JXL001"]
    assert concise(tmp_path, "--unused-noqa", "--ignore", "JXL3,JXL4") == []


SETTINGS = [
    ('ignore = ["JXL1"]', []),
    ('select = ["JXL2"]', []),
    ('per-file-ignores = {"a.py" = ["JXL101"]}', []),
    ('per-file-ignores = {"other/*" = ["JXL101"]}', ["a.py:6:8: JXL101"]),
    ('exclude = ["a.py"]', []),
    ('test-patterns = ["a.py"]', ["a.py:6:8: JXL101"]),
]


@pytest.mark.parametrize(("line", "expected"), SETTINGS)
def test_settings_of_a_project(tmp_path: Path, line: str, expected: list[str]) -> None:
    write(tmp_path, {"a.py": BAD, "pyproject.toml": f"[tool.jaxlint]\n{line}\n"})
    assert concise(tmp_path) == expected
    assert concise(tmp_path, "--isolated") == ["a.py:6:8: JXL101"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "[tool.jaxlint]\nselct = []\n",
            "pyproject.toml:2: selct: unknown key; did you mean 'select'?",
        ),
        ('[tool.jaxlint]\n\nignore = ["JXL11l"]\n', "pyproject.toml:3: ignore: no rule 'JXL11l'"),
        (
            '[tool.jaxlint]\nselect = "JXL1"\n',
            "pyproject.toml:2: select: must be a list of strings",
        ),
        ("[tool.jaxlint]\nunroll = true\n", "pyproject.toml:2: unroll: must be a number above 0"),
        ('[tool.jaxlint]\njit-wrappers = ["my_jit"]\n', "'my_jit' is no full name of a function"),
        (
            '[tool.jaxlint.per-file-ignores]\n"a" = ["X"]\n',
            "pyproject.toml:1: per-file-ignores: no rule",
        ),
        ("[tool.jaxlint\n", "pyproject.toml: not TOML: "),
        ("[tool]\njaxlint = 1\n", "pyproject.toml: tool.jaxlint must be a table"),
    ],
)
def test_bad_settings_are_told_with_file_and_line(tmp_path: Path, text: str, says: str) -> None:
    write(tmp_path, {"a.py": BAD, "pyproject.toml": text})
    result = jaxlint("check", cwd=tmp_path)
    assert result.returncode == 2
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1


MERGING = """\
dependencies = [
<<<<<<< HEAD
    "jax==0.4.35",
=======
    "jax",
>>>>>>> main
]
"""


def test_a_file_of_the_project_that_is_no_toml_stops_a_run_where_it_may_hold_settings(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"a.py": BAD, "pyproject.toml": "[project]\n" + MERGING})
    assert concise(tmp_path) == ["a.py:6:8: JXL101"]
    write(tmp_path, {"pyproject.toml": "[project]\n" + MERGING + "[tool.jaxlint]\n"})
    result = jaxlint("check", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "pyproject.toml: not TOML: Invalid value (at line 3, column 1)" in result.stderr


def test_each_file_has_the_nearest_settings(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"a/x.py": BAD, "b/x.py": BAD, "b/pyproject.toml": '[tool.jaxlint]\nignore = ["JXL1"]\n'},
    )
    assert concise(tmp_path) == ["a/x.py:6:8: JXL101"]


OWN = """\
import jax.numpy as jnp
from mylib.compile import my_jit
from mylib.run import integrate


@my_jit(static_argnames="n")
def f(x, n):
    if n:
        return x
    if x > 0:
        return x
    return -x


def step(t, y):
    if jnp.sum(y) > t:
        return y
    for _ in range(20):
        y = jnp.sin(y) * y
    return t


integrate(step, 1.0)
"""


def test_functions_of_the_users_own(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": OWN})
    assert concise(tmp_path) == []
    settings = """\
        [tool.jaxlint]
        jit-wrappers = ["mylib.compile.my_jit"]
        traced-callables = ["mylib.run.integrate"]
        """
    write(tmp_path, {"pyproject.toml": settings})
    found = ["a.py:10:8: JXL101", "a.py:16:8: JXL101"]
    assert concise(tmp_path) == found
    write(tmp_path, {"pyproject.toml": settings + "        unroll = 20\n"})
    assert concise(tmp_path) == [*found, "a.py:18:5: JXL206"]
    (tmp_path / "pyproject.toml").unlink()
    options = ["--jaxlint-jit-wrappers=mylib.compile.my_jit", "--jaxlint-unroll=20"]
    options.append("--jaxlint-traced-callables=mylib.run.integrate")
    result = subprocess.run(
        [sys.executable, "-m", "flake8", "--isolated", "--select=JXL", *options, "a.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert [" ".join(line.split()[:2]) for line in result.stdout.splitlines()] == [
        *found, "a.py:18:5: JXL206"
    ]  # fmt: skip


@pytest.mark.parametrize(("end", "code"), [("leave(130)", 130), ("sys.exit(130)", -2)])
def test_an_interrupt_while_a_text_runs(end: str, code: int, tmp_path: Path) -> None:
    """Python itself would die of the signal, which ``jaxlint`` answers with its exit code."""
    lines = ["try:", "    exec('raise KeyboardInterrupt')", "except KeyboardInterrupt:", "    pass"]
    start = ["import sys", "from jaxlint.frontends.interrupts import leave"]
    write(tmp_path, {"ending.py": "\n".join([*start, *lines, end])})
    done = subprocess.run([sys.executable, "-m", "ending"], cwd=tmp_path, check=False)
    assert done.returncode == code


def test_an_interrupt_ends_at_once(tmp_path: Path) -> None:
    write(tmp_path, {f"a{number}.py": BAD * 200 for number in range(40)})
    process = subprocess.Popen(
        [sys.executable, "-m", "jaxlint", "check", "--no-cache", "--jobs", "1"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(1.5)
    process.send_signal(2)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert (out, err) == ("", "jaxlint: interrupted\n")
