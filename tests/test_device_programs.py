"""Programs after reports about meshes, kernels, numbers, indices: what is found is what is marked.

They are written as fixtures are, and real JAX has run each trigger: those with a mark raise on it,
or return what the rule says; what stands in ``missed_programs.py`` goes wrong and is not found.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint import Options, check_source
from jaxlint.confirm.fixtures.find import read_marks

PROGRAMS = sorted((Path(__file__).parent / "device_programs").glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_findings_are_the_marks(path: Path) -> None:
    text = path.read_text("utf-8")
    findings = check_source(text, path.name, Options(select=("JXL1", "JXL3", "JXL7", "JXL9")))
    found = {line for finding in findings for _, line in finding.places}
    assert found == set(read_marks(text))
