"""The matrix of rules and releases of JAX: complete, told on the pages and in messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jaxlint import Options, check_source
from jaxlint.knowledge.releases import asked, not_confirmed, releases
from jaxlint.rules.registry import all_rules, find_rule
from jaxlint.rules.rule import Rule
from tools.versions import DATA, TABLE, numbers, table

SUPPORTED_FROM = (0, 4, 30)
"""As the extra ``confirm`` in pyproject.toml."""

FIXTURES = Path(__file__).parent.parent / "fixtures"
PROGRAM = "import jax\n\nf = jax.jit(lambda x: x, static_argnames='axis')\nprint(f(1.0))\n"


def test_the_table_is_that_of_the_data() -> None:
    assert TABLE.read_text("utf-8") == table(json.loads(DATA.read_text("utf-8")))


@pytest.mark.parametrize("release", releases())
def test_every_rule_was_asked_or_is_said_not_to_have_been(release: str) -> None:
    lines = TABLE.read_text("utf-8").splitlines()
    rows = [[part.strip() for part in line.strip("|").split("|")] for line in lines if "|" in line]
    column = rows[0].index(release)
    said = {row[0]: row[column] for row in rows if row[0].startswith("JXL")}
    assert set(said) == {rule.code for rule in all_rules()}
    for code, cell in said.items():
        assert (cell == "not run") == (asked(code, release) == 0)
    assert any(asked(code, release) for code in said)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_what_differs_is_said_on_the_page(rule: Rule) -> None:
    page = rule.page()
    for release in releases():
        differing = {name for name in not_confirmed(rule.code, release) if "bad_" in name}
        if differing and numbers(release) >= SUPPORTED_FROM:
            told = [
                each for each in rule.evidence.differs if numbers(each.before) > numbers(release)
            ]
            ended = rule.evidence.ended
            is_over = ended is not None and numbers(release) >= numbers(ended.since)
            assert told or is_over, f"{release}: {differing}"
    for difference in rule.evidence.differs:
        older = [r for r in releases() if numbers(r) < numbers(difference.before)]
        assert any(not_confirmed(rule.code, release) for release in older), difference
        assert f"Before jax {difference.before} {difference.what}." in page


def test_a_rule_is_silent_where_every_release_has_mended_it() -> None:
    (fixture,) = (FIXTURES / "JXL907_jax_in_callback").glob("bad_*.py")
    text = fixture.read_text("utf-8")
    spoken = {"": True, ">=0.11": True, "<0.13": True, ">=0.12": False, "==0.12.0.1": False}
    for range_, speaks in spoken.items():
        found = check_source(text, "program.py", Options(jax=range_))
        assert ("JXL907" in {each.code for each in found}) == speaks, range_
    rule = find_rule("JXL907")
    assert rule is not None
    assert "From jax 0.12 on such a loop comes to its end" in rule.page()


def test_a_rule_is_silent_where_no_release_does_it_yet() -> None:
    text = (FIXTURES / "JXL910_explicit_axis" / "bad_meshes.py").read_text("utf-8")
    spoken = {"": True, ">=0.4.30": True, ">=0.9": True, "<0.9": False, "==0.8.2": False}
    for range_, speaks in spoken.items():
        found = check_source(text, "program.py", Options(jax=range_))
        assert ("JXL910" in {each.code for each in found}) == speaks, range_


@pytest.mark.parametrize(
    ("fixture", "range_", "told"),
    [
        ("JXL911_varying_axis/bad_devices.py", "", 8),
        ("JXL911_varying_axis/bad_devices.py", ">=0.5", 8),
        ("JXL911_varying_axis/bad_devices.py", "<0.8", 7),
        ("JXL911_varying_axis/bad_devices.py", "==0.5.3", 4),
        ("JXL119_list_for_array/bad_iterators.py", "==0.8.1", 2),
        ("JXL119_list_for_array/bad_iterators.py", ">=0.8.1", 4),
        ("JXL119_list_for_array/bad_inside.py", "==0.9.2", 2),
    ],
)
def test_a_rule_tells_what_some_release_minds(fixture: str, range_: str, told: int) -> None:
    text = (FIXTURES / fixture).read_text("utf-8")
    found = check_source(text, "program.py", Options(jax=range_))
    assert sum(each.code == fixture[:6] for each in found) == told


@pytest.mark.parametrize(
    ("range_", "told"),
    [("", False), (">=0.4.20", True), (">=0.4.27", False), ("<0.5", False), ("==0.4.25", True)],
)
def test_messages_say_where_nothing_is_raised(range_: str, told: bool) -> None:
    findings = check_source(PROGRAM, "program.py", Options(jax=range_))
    assert [finding.code for finding in findings] == ["JXL116"]
    assert ("(before jax 0.4.27 JAX only warns)" in findings[0].message) == told


def test_the_oldest_and_the_newest_release_are_there() -> None:
    assert numbers(releases()[0]) < SUPPORTED_FROM
    assert numbers(releases()[-1]) >= (0, 12)
    setup = Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8")
    assert f"jax>={'.'.join(map(str, SUPPORTED_FROM))}" in setup
