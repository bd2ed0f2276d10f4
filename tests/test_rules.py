"""The fixtures: what is found is exactly what is marked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jaxlint import Options, check_source
from jaxlint.confirm.fixtures.find import Fixture, default_folder, find_fixtures

# Every rule, for every release of JAX; what the import of a module does, in its own fixtures alone.
OPTIONS = Options(enable=("JXL",), jax=">=0.4")
OTHERS = replace(OPTIONS, ignore=("JXL913",))
FIXTURES = find_fixtures(default_folder())


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)
def test_findings_are_the_marks(fixture: Fixture) -> None:
    # The name keeps a folder called fixtures or tests from counting as a test file.
    options = OPTIONS if fixture.name.startswith("JXL913") else OTHERS
    findings = check_source(fixture.path.read_text("utf-8"), fixture.path.name, options)
    found = sorted((line, finding.code) for finding in findings for _, line in finding.places)
    marked = sorted((line, code) for line, codes in fixture.marks.items() for code in codes)
    assert found == marked, "\n".join(map(str, findings))
