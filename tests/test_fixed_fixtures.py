"""What the fixes make of the bad fixtures is what is written beside them, and real JAX has run."""

from __future__ import annotations

import pytest

from jaxlint.confirm.fixtures.find import Fixture, default_folder, find_fixtures
from jaxlint.rules.registry import all_rules
from jaxlint.rules.rule import Rule
from jaxlint.workspace.fixing import fix_bytes
from tools.fixed import OPTIONS, fixed

FIXTURES = [each for each in find_fixtures(default_folder()) if not each.is_fixed]


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_fixes_make_what_is_written(fixture: Fixture) -> None:
    """`python -m tools.fixed` writes them again: read the difference."""
    text = fixed(fixture) if fixture.path.name.startswith("bad_") else None
    written = fixture.fixed_path.read_text("utf-8") if fixture.fixed_path.exists() else None
    assert text == written


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_what_can_be_mended_is_gone(fixture: Fixture) -> None:
    """After its fix a finding is not found again: what is left has no fix."""
    done = fix_bytes(fixture.path.name, fixture.text.encode(), OPTIONS)
    assert not done.problem
    assert [each for each in done.findings if each.fix is not None] == []
    marked = {code for codes in fixture.marks.values() for code in codes}
    assert {each.code for each in done.findings} <= marked


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rule_that_mends_shows_it(rule: Rule) -> None:
    """A rule's page says what its fixes do, and a fixture shows it, or neither."""
    folder = {each.fixed_path for each in FIXTURES if each.code == rule.code}
    assert bool(rule.fixes) == any(path.exists() for path in folder)
