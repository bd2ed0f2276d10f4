"""The command as people use it who come from other linters."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

from jaxlint.frontends.check_options import FORMATS, make_parser
from jaxlint.frontends.commands import COMMANDS
from jaxlint.rules.codes import rule_codes
from jaxlint.rules.registry import all_rules
from jaxlint.workspace.keys import KEYS
from jaxlint.workspace.settings import read_settings
from tests.test_command import BAD, GOOD, write

TWO = BAD.replace("    if x", "    print(x)\n    if x")
PRINT, BRANCH = "a.py:6:5: JXL301", "a.py:7:8: JXL101"


def jaxlint(
    *arguments: str, cwd: Path, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command, run in this process: starting one takes longer than most of what it does."""
    from jaxlint.frontends.command_line import main
    from jaxlint.project import forget_declared
    from jaxlint.workspace.settings import forget

    forget()
    forget_declared()
    out, err = io.StringIO(), io.StringIO()
    typed = io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        patch.setattr(sys, "stdin", typed)
        for name, value in environment.items():
            patch.setenv(name, value)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(arguments)
            except SystemExit as ended:
                code = int(ended.code or 0)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def concise(cwd: Path, *arguments: str) -> list[str]:
    result = jaxlint("check", "--output-format", "concise", *arguments, cwd=cwd)
    assert "failed" not in result.stderr, result.stderr
    return [" ".join(line.split()[:2]) for line in result.stdout.splitlines()]


def flake8(cwd: Path, *arguments: str) -> list[str]:
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "JXL", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return [" ".join(line.removeprefix("./").split()[:2]) for line in done.stdout.splitlines()]


# ------------------------------------------------------------------ which rules, which files


@pytest.mark.parametrize(
    ("settings", "arguments", "found"),
    [
        ('ignore = ["JXL3"]', [], [BRANCH]),
        ('ignore = ["JXL3"]', ["--select", "JXL3"], [PRINT]),
        ('ignore = ["JXL301"]', ["--extend-select", "JXL3"], [PRINT, BRANCH]),
        ('ignore = ["JXL3"]', ["--ignore", "JXL1"], [PRINT]),
        ('ignore = ["JXL3"]', ["--extend-ignore", "JXL1"], []),
        ('select = ["JXL3"]', ["--extend-select", "JXL1"], [PRINT, BRANCH]),
        ('select = ["JXL3"]', ["--ignore", "JXL301"], []),
        ("select = []", [], []),
        ("select = []", ["--select", "JXL101"], [BRANCH]),
        ('select = ["ALL"]', [], [PRINT, BRANCH, "a.py:10:8: JXL603"]),
        ("", ["--select", "all"], [PRINT, BRANCH, "a.py:10:8: JXL603"]),
        ("", ["--ignore", "ALL"], []),
        ("", ["--select", "JXL3", "--ignore", "ALL"], [PRINT]),
        ("", ["--select", "branch-on-traced-value,numpy-alias"], [BRANCH, "a.py:10:8: JXL603"]),
        ('ignore = ["output-while-tracing"]', [], [BRANCH]),
        ("", ["--select", "jxl101"], [BRANCH]),
        ("", ["--per-file-ignores", "a.py:JXL3"], [BRANCH]),
        ("", ["--per-file-ignores", "./a*:ALL"], []),
        ('per-file-ignores = { "a.py" = ["JXL1"] }', ["--per-file-ignores", "b.py:JXL1"],
         [PRINT, BRANCH]),
        ('enable = ["JXL6"]', ["--select", "JXL1"], [BRANCH]),
    ],
)  # fmt: skip
def test_the_command_line_wins(
    tmp_path: Path, settings: str, arguments: list[str], found: list[str]
) -> None:
    text = TWO + "import jax.numpy as np\n"
    write(tmp_path, {"a.py": text, "pyproject.toml": f"[tool.jaxlint]\n{settings}\n"})
    assert concise(tmp_path, "--no-cache", *arguments) == found


def test_what_is_left_out_when_it_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD, "gen/a.py": BAD, "gen/sub/b.py": BAD, "other/gen/c.py": BAD})
    write(tmp_path, {"pyproject.toml": '[tool.jaxlint]\nexclude = ["/gen/"]\n'})
    line = ":6:8: JXL101"
    kept = [f"a.py{line}", f"other/gen/c.py{line}"]
    assert concise(tmp_path) == kept
    assert concise(tmp_path / "other", "..") == [f"../{each}" for each in kept]
    assert concise(tmp_path, "gen/a.py") == [f"gen/a.py{line}"]
    assert concise(tmp_path, "gen") == [f"gen/a.py{line}", f"gen/sub/b.py{line}"]
    for named in ("gen/a.py", "gen", "gen/sub", "gen/sub/b.py"):
        assert concise(tmp_path, "--force-exclude", named) == [], named
    typed = jaxlint("check", "--force-exclude", "--stdin-filename", "gen/x.py",
                    cwd=tmp_path, stdin=BAD)  # fmt: skip
    assert typed.returncode == 0
    assert concise(tmp_path, "--exclude", "a.py") == [
        f"gen/sub/b.py{line}", f"other/gen/c.py{line}"
    ]  # fmt: skip
    assert concise(tmp_path, "--extend-exclude", "a.py") == [f"other/gen/c.py{line}"]
    inner = {"gen/sub/pyproject.toml": "[tool.jaxlint]\n"}
    assert concise(write(tmp_path, inner), "--force-exclude", "gen/sub/b.py") == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("jaxlint.toml", 'ignore = ["JXL3"]\n', [BRANCH]),
        ("jaxlint.toml", '[tool.jaxlint]\nignore = ["JXL3"]\n', [BRANCH]),
        ("jaxlint.toml", 'ignor = ["JXL3"]\n', "jaxlint.toml:1: ignor: unknown key; did you mean"),
        ("pyproject.toml", '[project]\nname = "x"\n', "pyproject.toml: has no [tool.jaxlint]"),
    ],
)
def test_a_configuration_that_is_named(
    tmp_path: Path, name: str, text: str, found: list[str] | str
) -> None:
    write(tmp_path, {"a.py": TWO, f"c/{name}": text})
    if isinstance(found, list):
        assert concise(tmp_path, "--config", f"c/{name}") == found
    else:
        result = jaxlint("check", "--config", f"c/{name}", cwd=tmp_path)
        assert result.returncode == 2
        assert found in result.stderr


def test_every_folder_that_is_skipped_is_written_down() -> None:
    from jaxlint.project import SKIPPED_FOLDERS

    for name in SKIPPED_FOLDERS:
        assert name in KEYS["exclude"].means
        assert name in make_parser().format_help()


# -------------------------------------------------------------------------------- comments

COMMENTS = {
    "# flake8: noqa\n": [],
    "# FLAKE8: NOQA\n": [],
    "# jaxlint: noqa\n": [],
    "#jaxlint: noqa\n": [],
    "# jaxlint: noqa: JXL101\n": ["JXL301"],
    "# jaxlint: noqa:JXL101, JXL301\n": [],
    "# jaxlint: noqa: JXL4\n": ["JXL301", "JXL101"],
}


@pytest.mark.parametrize(("comment", "found"), COMMENTS.items())
def test_a_comment_for_the_file_in_every_door(
    tmp_path: Path, comment: str, found: list[str]
) -> None:
    write(tmp_path, {"a.py": TWO + comment})
    assert [line.split()[1] for line in concise(tmp_path)] == found
    assert [line.split()[1] for line in flake8(tmp_path, "a.py")] == found


def test_codes_behind_flake8_silence_these_alone(tmp_path: Path) -> None:
    """Some releases of flake8 silence the whole file then, before any plugin is asked."""
    write(tmp_path, {"a.py": "# flake8: noqa: JXL101\n" + TWO})
    assert concise(tmp_path) == ["a.py:7:5: JXL301"]
    assert "a.py:8:8: JXL101" not in flake8(tmp_path, "a.py")


@pytest.mark.parametrize(
    ("comment", "silences"),
    [("# NOQA:JXL301", True), ("# NoQA: JXL301,JXL4", True), ("# noqa : JXL4", True),
     ("# noqa: jxl301", False), ("#noqa: JXL301", False)],
)  # fmt: skip
def test_every_door_reads_a_comment_as_flake8_does(
    tmp_path: Path, comment: str, silences: bool
) -> None:
    write(tmp_path, {"a.py": TWO.replace("print(x)", f"print(x)  {comment}")})
    found = [line for line in concise(tmp_path) if not line.endswith("JXL001")]
    assert found == ([] if silences else [PRINT]) + [BRANCH]
    assert concise(tmp_path) == flake8(tmp_path, "a.py")


def test_comments_can_be_ignored(tmp_path: Path) -> None:
    helper = "def choose(y):\n    if y > 0:  # noqa: JXL101\n        return y\n    return -y\n"
    caller = "import jax\nimport helper\n\n\n@jax.jit\ndef f(x):\n    return helper.choose(x)\n"
    silenced = TWO.replace("> 0:", "> 0:  # noqa").replace("print(x)", "print(x)  # noqa: JXL301")
    write(tmp_path, {"a.py": "# jaxlint: noqa\n" + silenced, "b.py": caller, "helper.py": helper})
    assert concise(tmp_path) == []
    found = ["a.py:7:5: JXL301", "a.py:8:8: JXL101", "b.py:7:12: JXL101"]
    assert concise(tmp_path, "--ignore-noqa") == found
    assert flake8(tmp_path, "--disable-noqa", ".") == found


def test_codes_that_there_are_not_are_said(tmp_path: Path) -> None:
    text = TWO.replace("> 0:", "> 0:  # noqa: JXL1O1") + "y = 1  # noqa: JXL999, E501\n"
    write(
        tmp_path,
        {"a.py": TWO.replace("> 0:", "> 0:  # noqa: JXL199"), "b.py": "x = 1  # noqa: JXL99\n"},
    )
    assert "JXL1O1" in text
    assert concise(tmp_path) == [PRINT, BRANCH, "a.py:7:16: JXL001", "b.py:1:8: JXL001"]
    assert concise(tmp_path, "--ignore", "JXL001") == [PRINT, BRANCH]
    assert "a.py:7:16: JXL001" in flake8(tmp_path, ".")
    result = jaxlint("check", "--output-format", "concise", cwd=tmp_path)
    assert "there is no JXL199, did you mean JXL101 to JXL132?" in result.stdout


def test_ruff_leaves_our_comments_as_the_page_says(tmp_path: Path) -> None:
    page = (Path(__file__).parent.parent / "docs" / "suppression.md").read_text("utf-8")
    (settings,) = re.findall(r"```toml\n(\[tool.ruff.lint\].*?)```", page, re.DOTALL)
    text = "x = 1  # noqa: JXL101\n"
    for lines, left in (("[tool.ruff.lint]\n", "x = 1\n"), (settings, text)):
        write(tmp_path, {"a.py": text, "pyproject.toml": lines})
        rules = ["--preview", "--select", "RUF100,RUF102", "--fix", "a.py"]
        command = [sys.executable, "-m", "ruff", "check", "-q", *rules]
        subprocess.run(command, cwd=tmp_path, check=True)
        assert (tmp_path / "a.py").read_text() == left


def test_comments_are_added(tmp_path: Path) -> None:
    text = TWO.replace("print(x)", "print(x)   ").replace("> 0:", "> 0:  # noqa: E501")
    several = 'import jax\n\n\n@jax.jit\ndef g(x):\n    print("""a\nb""", x)\n'
    several += "    return max(x, 0), min(x, 0)\n"
    write(tmp_path, {"a.py": text, "b.py": several, "clean.py": GOOD})
    (tmp_path / "crlf.py").write_bytes(BAD.replace("\n", "\r\n").encode())
    before = (tmp_path / "clean.py").stat().st_mtime_ns
    assert len(concise(tmp_path)) == 6
    result = jaxlint("check", "--add-noqa", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == "jaxlint: 6 findings silenced by a noqa comment\n"
    lines = (tmp_path / "a.py").read_text().splitlines()
    assert lines[5:7] == ["    print(x)  # noqa: JXL301", "    if x > 0:  # noqa: E501, JXL101"]
    assert (tmp_path / "b.py").read_text().count("noqa: JXL104") == 1
    assert b"if x > 0:  # noqa: JXL101\r\n" in (tmp_path / "crlf.py").read_bytes()
    assert (tmp_path / "clean.py").stat().st_mtime_ns == before
    assert concise(tmp_path) == []


# ------------------------------------------------------------------------- files of any kind


def test_a_syntax_error_is_one_with_or_without_jax(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "def f(:\n", "b.py": "import jax\ndef f(:\n", "c.py": BAD})
    write(tmp_path, {"d.py": "x = 1\n", "n.ipynb": json.dumps(
        {"cells": [{"cell_type": "code", "source": "def f(:"},
                   {"cell_type": "code", "source": "x = await y"}]})})  # fmt: skip
    assert concise(tmp_path) == [
        "a.py:1:7: JXL000", "b.py:2:7: JXL000", "c.py:6:8: JXL101", "n.ipynb:cell 1:1:7:"
    ]  # fmt: skip
    assert "c.py:6:8: JXL101" in flake8(tmp_path, ".")


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("delay", [0, 0.2, 0.6, 1.5])
def test_an_interrupt_ends_within_a_second_always(tmp_path: Path, jobs: str, delay: float) -> None:
    write(tmp_path, {f"a{number}.py": BAD * 50 for number in range(200)})
    script = (
        "import sys; from jaxlint.frontends.command_line import main; print('begun', flush=True);"
        f"sys.exit(main(['check', '--no-cache', '--jobs', '{jobs}']))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    time.sleep(delay + 0.02)
    start = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - start < 1
    assert (out, err) == ("", "jaxlint: interrupted\n")
    assert process.returncode in (130, -signal.SIGINT)


def test_an_interrupt_that_python_ignores_is_not_shown(tmp_path: Path) -> None:
    """As in what a weak reference calls, of the locks of imports among others."""
    script = """\
        import os, signal, time, weakref
        from jaxlint.frontends.interrupts import ended_soon

        class Referred:
            pass

        def gone(reference):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)

        with ended_soon():
            referred = Referred()
            reference = weakref.ref(referred, gone)
            del referred
            time.sleep(20)
        """
    done = subprocess.run(
        [sys.executable, "-c", dedent(script)], cwd=tmp_path, capture_output=True,
        text=True, timeout=15,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, "jaxlint: interrupted\n")


def test_an_interrupt_that_somebody_swallows_ends_all_the_same(tmp_path: Path) -> None:
    """As libcst's parser did: the run went on for half a minute."""
    script = """\
        import sys, time
        import jaxlint.workspace.lint as lint
        def examine(*more):
            print("begun", flush=True)
            while True:
                try:
                    time.sleep(60)
                except KeyboardInterrupt:
                    pass
        lint.examine = examine
        from jaxlint.frontends.command_line import main
        sys.exit(main(["check", "--no-cache", "a.py"]))
        """
    write(tmp_path, {"a.py": BAD, "run.py": script})
    process = subprocess.Popen(
        [sys.executable, "run.py"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert time.monotonic() - start < 1
    assert (process.returncode, err) == (130, "jaxlint: interrupted\n")


# ---------------------------------------------------------------------------- wrong guesses


def test_a_path_is_checked_without_saying_so(tmp_path: Path) -> None:
    write(tmp_path, {"bad.py": BAD, "src/bad.py": BAD})
    for arguments in (["bad.py"], ["src"], ["--select", "JXL1", "bad.py"], ["./src"]):
        result = jaxlint(*arguments, "--output-format", "concise", cwd=tmp_path)
        assert result.returncode == 1, result.stderr
        assert result.stdout.count("JXL101") == 1
    result = jaxlint("none.py", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (2, "jaxlint: none.py: no such file or folder\n")
    assert jaxlint("-", cwd=tmp_path, stdin=BAD).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "says", "usage"),
    [
        (["chek", "a.py"], "no command, file or folder 'chek'; did you mean check?", "COMMAND"),
        (["check", "--selct", "JXL1"], "no option --selct; did you mean --select?",
         "usage: jaxlint check [OPTIONS] [PATH ...]"),
        (["check", "--stat"], "no option --stat; did you mean --", "jaxlint check"),
        (["rule", "--al"], "no option --al; did you mean --all?", "usage: jaxlint rule"),
        (["rule", "JXL101", "JXL102"], "unexpected argument 'JXL102'", "usage: jaxlint rule"),
        (["--select", "JXL1", "check"], "write the command first: jaxlint check --select", ""),
        (["config", "selct"], "no setting 'selct'; did you mean select?", ""),
        (["rule", "JXL1O1"], "no rule 'JXL1O1'; did you mean JXL101?", ""),
        (["completion", "tcsh"], "no such choice: 'tcsh'", ""),
    ],
)  # fmt: skip
def test_a_typo_gets_a_suggestion_and_the_usage(
    tmp_path: Path, arguments: list[str], says: str, usage: str
) -> None:
    result = jaxlint(*arguments, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    first, *rest = result.stderr.splitlines()
    assert first.startswith(f"jaxlint: {says}") or f": {says}" in first
    assert usage in "\n".join(rest)
    assert len(rest) <= 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(tmp_path: Path, name: str) -> None:
    result = jaxlint(name, "--help", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert f"usage: jaxlint {name}" in result.stdout
    assert name in jaxlint("--help", cwd=tmp_path).stdout


# ------------------------------------------------------------------------- what is explained


def test_settings_are_shown_as_they_can_be_written(tmp_path: Path) -> None:
    text = dedent("""\
        [tool.jaxlint]
        select = ["JXL1", "numpy-alias"]
        per-file-ignores = { "old/*" = ["JXL101"] }
        unroll = 7
        jax = ">=0.5"
        """)
    write(tmp_path, {"a.py": BAD, "pyproject.toml": text})
    shown = jaxlint("check", "--show-settings", "--extend-ignore", "JXL102", cwd=tmp_path).stdout
    assert f"# for a.py, from {tmp_path}/pyproject.toml" in shown
    assert '# ignore = ["JXL102"]' in shown
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "pyproject.toml").write_text(shown)
    first, again = read_settings(tmp_path / "pyproject.toml"), None
    again = read_settings(tmp_path / "shown" / "pyproject.toml")
    assert first is not None
    assert again is not None
    assert again.options.select == first.options.select == ("JXL1", "JXL603")
    assert again.options.per_file_ignores == first.options.per_file_ignores
    assert (again.options.unroll, again.options.jax) == (7, ">=0.5")
    speaking = shown.partition("# rules that speak: ")[2].strip().split(", ")
    wanted = [code for code in rule_codes() if code < "JXL2" and code != "JXL102"]
    assert speaking == [*wanted, "JXL603"]


def test_files_are_shown_and_not_linted(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD, "b/c.py": "def f(:\n", "b/d.txt": "", "n.ipynb": "{}"})
    result = jaxlint("check", "--show-files", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (0, "a.py\nn.ipynb\nb/c.py\n")
    assert jaxlint("check", "--show-files", "none", cwd=tmp_path).returncode == 2


def test_verbose_says_what_was_done(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": GOOD, "b.py": GOOD, "pyproject.toml": "[tool.jaxlint]\n"})
    for known in (0, 2):
        result = jaxlint("check", "-v", cwd=tmp_path)
        assert f"settings: {tmp_path}/pyproject.toml" in result.stderr
        assert f", {known} of them known from {tmp_path}/.jaxlint_cache" in result.stderr
        assert result.stdout == "No findings in 2 files.\n"


def test_what_is_remembered_is_cleaned_away(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": GOOD, "sub/b.py": GOOD, "sub/pyproject.toml": "[tool.jaxlint]\n"})
    write(tmp_path, {"mine/.jaxlint_cache/notes.txt": "not made by jaxlint"})
    jaxlint("check", "a.py", cwd=tmp_path)
    jaxlint("check", cwd=tmp_path / "sub")
    assert len([*tmp_path.rglob("CACHEDIR.TAG")]) == 2
    result = jaxlint("clean", cwd=tmp_path)
    assert result.returncode == 0
    assert result.stderr.count(".jaxlint_cache") == 2
    assert not [*tmp_path.rglob("CACHEDIR.TAG")]
    assert (tmp_path / "mine" / ".jaxlint_cache" / "notes.txt").exists()
    assert jaxlint("clean", cwd=tmp_path).stderr == "jaxlint: nothing to delete\n"


def test_every_setting_is_explained(tmp_path: Path) -> None:
    for name, key in KEYS.items():
        text = jaxlint("config", name, cwd=tmp_path).stdout if name == "exclude" else ""
        assert key.brief
        assert key.means.endswith(".")
        # The example is one that is accepted.
        (tmp_path / "pyproject.toml").write_text(f"[tool.jaxlint]\n{key.example}\n")
        assert read_settings(tmp_path / "pyproject.toml") is not None
        assert key.example.startswith(f"{name} = ")
        assert not text or key.example in text
    listed = jaxlint("config", cwd=tmp_path).stdout
    assert all(name in listed for name in KEYS)
    data = json.loads(jaxlint("config", "--output-format", "json", cwd=tmp_path).stdout)
    assert data["unroll"]["default"] == "100"
    assert list(data) == list(KEYS)


def test_a_setting_without_a_value_is_its_default(tmp_path: Path) -> None:
    for name, key in KEYS.items():
        if key.default[:1] in '[{"' or key.default[0].isdigit() or key.default in ("true", "false"):
            (tmp_path / "pyproject.toml").write_text(f"[tool.jaxlint]\n{name} = {key.default}\n")
            said = read_settings(tmp_path / "pyproject.toml")
            (tmp_path / "pyproject.toml").write_text("[tool.jaxlint]\n")
            assert said == read_settings(tmp_path / "pyproject.toml"), name


def test_rules_for_programs_and_for_terminals(tmp_path: Path) -> None:
    data = json.loads(jaxlint("rule", "--all", "--output-format", "json", cwd=tmp_path).stdout)
    assert [each["code"] for each in data] == [rule.code for rule in all_rules()]
    (one,) = [each for each in data if each["code"] == "JXL502"]
    assert (one["default"], one["severity"]) == (False, "warning")
    assert one == json.loads(
        jaxlint("rule", "JXL502", "--output-format", "json", cwd=tmp_path).stdout
    )
    listed = jaxlint("rule", "--all", cwd=tmp_path).stdout.splitlines()
    marked = {line[:6] for line in listed if "off by default" in line}
    assert marked == {rule.code for rule in all_rules() if not rule.default}
    plain = jaxlint("rule", "JXL304", cwd=tmp_path).stdout
    assert plain.startswith("# JXL304 stale-value\n")
    drawn = jaxlint("rule", "JXL304", "--color", "always", cwd=tmp_path).stdout
    assert "\x1b[" in drawn
    assert "## What it does" not in drawn
    assert "What it does" in drawn


# --------------------------------------------------------------------------- shell completion


def completed(tmp_path: Path, line: str) -> list[str]:
    """What bash offers at the end of a line."""
    script = f"""\
        eval "$({sys.executable} -m jaxlint completion bash)"
        COMP_WORDS=({line.rstrip()}{" ''" if line.endswith(" ") else ""})
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _jaxlint
        printf '%s\\n' "${{COMPREPLY[@]}}"
        """
    done = subprocess.run(
        ["bash", "-c", dedent(script)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes(tmp_path: Path) -> None:
    write(tmp_path, {"model.py": GOOD})
    assert completed(tmp_path, "jaxlint co") == ["confirm", "config", "completion"]
    assert completed(tmp_path, "jaxlint mod") == ["model.py"]
    assert completed(tmp_path, "jaxlint check --ext") == [
        "--extend-select", "--extend-ignore", "--extend-exclude"
    ]  # fmt: skip
    assert set(completed(tmp_path, "jaxlint check --output-format ")) >= set(FORMATS)
    assert "model.py" in completed(tmp_path, "jaxlint check m")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_the_script(tmp_path: Path, shell: str) -> None:
    script = jaxlint("completion", shell, cwd=tmp_path).stdout
    assert "--output-format" in script or "-l output-format" in script
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    subprocess.run([shell, "-n"], input=script, text=True, check=True)


# ------------------------------------------------------------------------------------ formats


def test_statistics_have_totals_and_are_json_too(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": TWO, "b.py": BAD, "c.py": GOOD})
    lines = jaxlint("check", "--statistics", cwd=tmp_path).stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [["2", "JXL101"], ["1", "JXL301"], ["3", "in"]]
    assert lines[-1] == "3  in all: 2 errors, 1 warning; in 2 files of 3"
    result = jaxlint("check", "--statistics", "--output-format", "json", cwd=tmp_path)
    data = json.loads(result.stdout)
    assert (data["total"], data["files"], data["files_with_findings"]) == (3, 3, 2)
    first = {"code": "JXL101", "name": "branch-on-traced-value", "count": 2}
    assert data["codes"][0] == first


def test_formats_of_services_name_files_from_the_repository(tmp_path: Path) -> None:
    write(tmp_path, {"sub/a;b.py": TWO, ".git/HEAD": ""})
    out = {
        form: jaxlint("check", "--no-cache", "--output-format", form, cwd=tmp_path / "sub").stdout
        for form in ("github", "gitlab", "azure", "rdjson", "sarif", "pylint", "json-lines")
    }
    assert "file=sub/a;b.py,line=6," in out["github"]
    assert ";sourcepath=sub/a%3Bb.py;linenumber=6;columnnumber=5;code=JXL301;]" in out["azure"]
    assert out["azure"].startswith("##vso[task.logissue type=warning;")
    first, second = json.loads(out["gitlab"])
    assert first["location"] == {"path": "sub/a;b.py", "lines": {"begin": 6, "end": 6}}
    assert (first["severity"], second["severity"]) == ("minor", "major")
    assert first["fingerprint"] != second["fingerprint"]
    start = json.loads(out["rdjson"])["diagnostics"][0]["location"]
    assert start["path"] == "sub/a;b.py"
    assert start["range"]["start"] == {"line": 6, "column": 5}
    (run,) = json.loads(out["sarif"])["runs"]
    at = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert at == {"uri": "sub/a%3Bb.py", "uriBaseId": "SRCROOT"}
    assert run["originalUriBaseIds"]["SRCROOT"]["uri"] == f"{tmp_path.as_uri()}/"
    assert re.match(r"a;b\.py:6: \[JXL301\] `print`", out["pylint"])
    assert [json.loads(line)["code"] for line in out["json-lines"].splitlines()] == [
        "JXL301", "JXL101"
    ]  # fmt: skip


def test_fingerprints_stay_when_lines_move(tmp_path: Path) -> None:
    def prints(text: str) -> list[str]:
        write(tmp_path, {"a.py": text})
        out = jaxlint("check", "--output-format", "gitlab", cwd=tmp_path).stdout
        return [each["fingerprint"] for each in json.loads(out)]

    again = TWO + TWO.replace("import jax\n", "")
    assert prints(TWO) == prints("\n\n" + TWO) == prints(again)[:2]
    assert len(set(prints(again))) == 4


def test_reviewdog_counts_columns_in_bytes(tmp_path: Path) -> None:
    text = BAD.replace("x > 0", "'ä' and x > 0")
    write(tmp_path, {"a.py": text})
    out = jaxlint("check", "--output-format", "rdjson", cwd=tmp_path).stdout
    columns = [
        each["location"]["range"]["start"]["column"] for each in json.loads(out)["diagnostics"]
    ]
    line = text.splitlines()[5].encode()
    assert all(line[column - 1 :].startswith((b"'", b"x")) for column in columns)
    assert line.index(b"x > 0") + 1 in columns


def test_grouped_has_each_file_once(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": TWO, "b.py": BAD, "c.py": GOOD})
    lines = jaxlint("check", "--output-format", "grouped", cwd=tmp_path).stdout.splitlines()
    assert [line for line in lines if line.endswith(".py")] == ["a.py", "b.py"]
    assert lines[1].startswith("  6:5  JXL301 `print`")
    assert lines[-1].startswith("Found 3 findings (2 errors, 1 warning) in 2 of 3 files.")
    assert jaxlint("check", "--output-format", "grouped", "c.py", cwd=tmp_path).stdout == (
        "No findings in 1 file.\n"
    )


@pytest.mark.parametrize(
    ("environment", "arguments", "coloured"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": ""}, [], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
    ],
)
def test_colours_as_the_environment_says(
    tmp_path: Path, environment: dict[str, str], arguments: list[str], coloured: bool
) -> None:
    write(tmp_path, {"a.py": BAD})
    for form in ("text", "grouped"):
        out = jaxlint(
            "check", "--output-format", form, *arguments, cwd=tmp_path,
            **{"NO_COLOR": "", "FORCE_COLOR": "", **environment},
        ).stdout  # fmt: skip
        assert ("\x1b[1;31mJXL101\x1b[0m" in out) is coloured


# -------------------------------------------------------------------------------------- watch


def test_watching_lints_again_when_something_changes(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": GOOD})
    process = subprocess.Popen(
        [sys.executable, "-m", "jaxlint", "check", "--watch", "--output-format", "concise"],
        cwd=tmp_path, stdout=(tmp_path / "out.txt").open("w"), stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None

    def after(files: dict[str, str]) -> str:
        """What is printed until it waits again."""
        begun = len((tmp_path / "out.txt").read_text())
        write(tmp_path, files)
        while "watching" not in (line := process.stderr.readline()):  # type: ignore[union-attr]
            assert line, "it has ended"
        return (tmp_path / "out.txt").read_text()[begun:]

    try:
        assert after({}) == ""
        assert "a.py:6:8: JXL101" in after({"a.py": BAD})
        assert after({"pyproject.toml": '[tool.jaxlint]\nignore = ["JXL1"]\n'}) == ""
        assert "b.py:1:7: JXL000" in after({"b.py": "def f(:\n"})
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=10)
    assert err.endswith("jaxlint: interrupted\n")
    assert process.returncode in (130, -signal.SIGINT)


# ----------------------------------------------------------------------------------- start-up


def test_starting_takes_little_beyond_libcst(tmp_path: Path) -> None:
    """Seconds of the processor, the best of some: a busy machine only ever adds.

    Where other tests run beside this one, the first few may all have been disturbed.
    """
    write(tmp_path, {"a.py": BAD})
    program = (
        "import resource, sys; {}; "
        "print(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]), file=sys.stderr)"
    )

    def seconds(code: str) -> float:
        environment = {**os.environ}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-c", program.format(code)]
        run = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=True, env=environment
        )
        return float(run.stderr.split()[-1])

    main = "from jaxlint.frontends.command_line import main; main({})"
    bare = min(seconds("pass") for _ in range(5))
    write(tmp_path, {"clean/b.py": "x = 1\n"})
    for arguments in ("['--version']", "['check', '--no-cache', 'clean']"):
        took = (seconds(main.format(arguments)) - bare for _ in range(25))
        assert any(each < 0.15 for each in took), arguments
