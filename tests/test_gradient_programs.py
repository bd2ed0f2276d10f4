"""Programs after reports of gradients that are NaN: what is found is exactly what is marked.

They are written as fixtures are, and real JAX has run them as it runs those: copy one into
``fixtures/JXL701_masked_gradient`` and ``jaxlint confirm --rule JXL701`` does so again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint import Options, check_source
from jaxlint.confirm.fixtures.find import read_marks

PROGRAMS = sorted((Path(__file__).parent / "gradient_programs").glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_findings_are_the_marks(path: Path) -> None:
    text = path.read_text("utf-8")
    findings = check_source(text, path.name, Options(select=("JXL7",)))
    found = {line for finding in findings for _, line in finding.places}
    assert found == set(read_marks(text))
