"""``make new-rule``: what it writes is whole, and refuses what is taken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jaxlint import Options, check_source
from jaxlint.confirm.fixtures.find import find_fixtures
from tools.new_rule import NotBegun, begin

REPOSITORY = Path(__file__).parent.parent


def test_a_rule_is_begun(tmp_path: Path) -> None:
    rule, *fixtures = begin("JXL999", "odd-branch", "BoolConversion", tmp_path)
    assert rule == tmp_path / "jaxlint" / "rules" / "jxl999.py"
    found = find_fixtures(tmp_path / "fixtures")
    assert [each.path for each in found] == fixtures
    assert [(each.code, each.is_bad, each.marked_lines) for each in found] == [
        ("JXL999", True, [8]),
        ("JXL999", False, []),
    ]
    for fixture in fixtures:
        assert check_source(fixture.read_text("utf-8"), fixture.name, Options()) == []
    for command in (["check"], ["format", "--check"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", "jaxlint/rules/jxl9.py"]
        subprocess.run([*ruff, "-"], input=rule.read_bytes(), cwd=REPOSITORY, check=True)


def test_what_it_writes_is_a_rule(tmp_path: Path) -> None:
    rule, *_ = begin("JXL999", "odd-branch", "BoolConversion", tmp_path)
    names: dict[str, object] = {"__name__": "jaxlint.rules.jxl999"}
    exec(compile(rule.read_text("utf-8"), str(rule), "exec"), names)
    made = names["OddBranch"]
    assert isinstance(made, type)
    page = made.page()  # type: ignore[attr-defined]
    assert page.startswith("# JXL999 odd-branch\n")
    for heading in ("## What it does", "## Why is this bad", "## Bad", "## Instead", "## Evidence"):
        assert heading in page
    assert [each.__name__ for each in made.listens_to] == ["BoolConversion"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("code", "name", "event", "said"),
    [
        ("JXL101", "odd-branch", "BoolConversion", "JXL101 is branch-on-traced-value already"),
        ("JXL999", "key-reused", "KeyReuse", "JXL401 is key-reused already"),
        ("JX1", "odd-branch", "BoolConversion", "no code such as"),
        ("JXL999", "Odd", "BoolConversion", "no name such as"),
        ("JXL999", "odd-branch", "Bool", "no event 'Bool'"),
    ],
)
def test_what_is_taken_or_unknown_is_refused(
    tmp_path: Path, code: str, name: str, event: str, said: str
) -> None:
    with pytest.raises(NotBegun, match=said):
        begin(code, name, event, tmp_path)
    assert list(tmp_path.iterdir()) == []
