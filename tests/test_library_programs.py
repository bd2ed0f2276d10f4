"""Programs after reports of state that JAX does not see: what is found is exactly what is marked.

They are written as fixtures are, and real JAX has run them with the libraries as it runs those:
copy one into the folder of the fixtures of its rule and ``jaxlint confirm --rule`` does so again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxlint import Options, check_source
from jaxlint.confirm.fixtures.find import read_marks

PROGRAMS = sorted((Path(__file__).parent / "library_programs").glob("*.py"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_findings_are_the_marks(path: Path) -> None:
    text = path.read_text("utf-8")
    findings = check_source(text, path.name, Options(select=("JXL8",)))
    found = {line for finding in findings for _, line in finding.places}
    assert found == set(read_marks(text))


LISTED = """
from flax import nnx

class Model(nnx.Module):
    def __init__(self, rngs):
        self.layers = [nnx.Linear(2, 2, rngs=rngs)]
"""


@pytest.mark.parametrize(
    ("asked", "speaks"), [("flax", True), ("flax>=0.10", True), ("flax<0.12", False)]
)
def test_lists_are_refused_from_flax_0_12_on(asked: str, speaks: bool, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(f"jax\n{asked}\n")
    found = check_source(LISTED, str(tmp_path / "model.py"), Options(select=("JXL807",)))
    assert bool(found) == speaks
