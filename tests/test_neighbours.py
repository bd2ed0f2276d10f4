"""What files of a run have in common: what their neighbours say, what is kept of modules."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from jaxlint.check import Tools, check
from jaxlint.config import Options
from jaxlint.imports.modules import Library, Probed
from jaxlint.neighbours import Found, Neighbours
from jaxlint.source import read_source

PROJECTS = Path(__file__).parent / "projects"
MODES = "import os\n\n\ndef mode():\n    return os.environ['MODE']\n"
STEPS = "import jax\nimport modes\n\n\n@jax.jit\ndef step(x):\n    modes.mode()\n    return x\n"
TRAIN = "import steps\n\nsteps.step(1.0)\n"


def test_neighbours_are_asked_about_what_a_rule_says_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That another module reads the environment is none of its findings, its clock is."""
    for name, text in {"modes.py": MODES, "steps.py": STEPS, "train.py": TRAIN}.items():
        (tmp_path / name).write_text(text, "utf-8")
    followed: list[str] = []

    def follow(self: Neighbours, file: Path) -> tuple[Found | None, Probed]:
        followed.append(file.name)
        return real(self, file)

    real = Neighbours._follow
    monkeypatch.setattr(Neighbours, "_follow", follow)

    def findings(name: str) -> list[tuple[str, int]]:
        tools = Tools(library=Library())
        return [
            (each.code, each.line) for each in check(read_source(tmp_path / name), OPTIONS, tools)
        ]

    assert findings("train.py") == []
    assert followed == []
    (tmp_path / "modes.py").write_text("import time\n\n\ndef mode():\n    time.time()\n", "utf-8")
    assert findings("steps.py") == [("JXL306", 7)]
    assert findings("train.py") == []
    assert "steps.py" in followed


LAYERS = """import jax
import jax.numpy as jnp


def block(x):
    return jax.jit(jnp.tanh)(x)
"""
FORWARD = """import layers


def forward(x, depth):
    for _ in range(depth):
        x = layers.block(x)
    return x
"""
RUN = "import forward\n\nprint(forward.forward(1.0, 3))\n"


def test_what_one_module_tells_is_not_told_by_those_that_call_it(tmp_path: Path) -> None:
    """The loop lies in one module, what it makes again in another; a third calls both."""
    for name, text in {"layers.py": LAYERS, "forward.py": FORWARD, "run.py": RUN}.items():
        (tmp_path / name).write_text(text, "utf-8")
    found = {
        name: [
            (each.code, each.line)
            for each in check(read_source(tmp_path / name), OPTIONS, Tools(library=Library()))
        ]
        for name in ("layers.py", "forward.py", "run.py")
    }
    assert found == {"layers.py": [], "forward.py": [("JXL203", 6)], "run.py": []}


OPTIONS = Options(enable=("JXL",), jax=">=0.4")


@pytest.mark.parametrize("name", sorted(path.parent.name for path in PROJECTS.glob("*/verify.py")))
def test_a_file_has_the_findings_that_it_has_alone(name: str) -> None:
    """Whatever was linted before in the same process, and is kept of what it imports."""
    files = sorted((PROJECTS / name).rglob("*.py"))
    kept = Tools(library=Library())
    for path in chain(files, reversed(files)):
        alone = check(read_source(path), OPTIONS, Tools(library=Library()))
        assert check(read_source(path), OPTIONS, kept) == alone, path
