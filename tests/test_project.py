"""Which releases of JAX a project runs on, and what that does to findings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jaxlint import Options, check_source
from jaxlint.project import Releases, forget_declared, is_specifier, may_use_x64, releases_for

OLD = "import jax\n\ny = jax.tree_map(abs, [1.0])\n"
DEPRECATED = "from jax.experimental.pjit import pjit\n"


def codes(text: str, filename: str, jax: str = "") -> list[str]:
    return [finding.code for finding in check_source(text, filename, Options(jax=jax))]


@pytest.mark.parametrize(
    ("specifier", "version", "reaches"),
    [
        ("", "0.6.0", True),
        (">=0.4.20", "0.6.0", True),
        ("<0.6", "0.6.0", False),
        ("<0.6.1", "0.6.0", True),
        ("<=0.5.3", "0.6.0", False),
        (">=0.4,<0.5", "0.4.25", True),
        ("==0.4.30", "0.6.0", False),
        ("==0.6.*", "0.6.0", True),
        ("==0.5.*", "0.6.0", False),
        ("~=0.4.30", "0.5.0", False),
        ("~=0.4.30", "0.4.38", True),
        ("^0.4.1", "0.5.0", False),
        ("!=0.5.0", "0.6.0", True),
    ],
)
def test_ranges(specifier: str, version: str, reaches: bool) -> None:
    assert Releases(specifier).allow_from(version) is reaches


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["numpy", "jax>=0.4.20,<0.5"]\n', "<0.5"),
        ("pyproject.toml", '[tool.poetry.dependencies]\njax = "^0.4.1"\n', "^0.4.1"),
        ("setup.cfg", "[options]\ninstall_requires =\n    jax<0.4.30\n    jaxlib\n", "<0.4.30"),
        ("setup.py", 'setup(install_requires=["jax[cuda] >= 0.4.1, < 0.6"])\n', "<0.6"),
        ("requirements.txt", "flax\njax==0.4.25\n", "==0.4.25"),
        ("uv.lock", '[[package]]\nname = "jax"\nversion = "0.4.31"\n', "0.4.31"),
        ("requirements.txt", "jaxlib==0.4.25\njaxtyping<3\n", ""),
    ],
)
def test_requirements_are_read(tmp_path: Path, name: str, text: str, found: str) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / name).write_text(text)
    (tmp_path / "src").mkdir()
    assert releases_for(str(tmp_path / "src" / "model.py")).text.endswith(found)


def test_nobody_is_told_of_what_their_release_still_has(tmp_path: Path) -> None:
    for folder, requirement in (("free", "numpy\n"), ("capped", "jax<0.6\n")):
        (tmp_path / folder / ".git").mkdir(parents=True)
        (tmp_path / folder / "requirements.txt").write_text(requirement)
    file = str(tmp_path / "free" / "model.py")
    assert codes(OLD, file) == ["JXL601"]
    # 0.4.26 to 0.5 warn of it.
    assert codes(OLD, str(tmp_path / "capped" / "model.py")) == ["JXL602"]
    assert codes(OLD, file, jax="==0.4.2") == []
    assert codes(DEPRECATED, file, jax="<0.8") == []
    assert codes(DEPRECATED, file, jax=">=0.8") == ["JXL602"]


def test_a_module_that_came_later_is_told_of_once(tmp_path: Path) -> None:
    text = "import jax\n\njax.tree.map(abs, [1])\n"
    assert codes(text, str(tmp_path / "model.py"), jax="<0.4.20") == ["JXL123"]
    assert codes(text, str(tmp_path / "model.py"), jax="<0.4.30") == []


def test_a_script_knows_whether_x64_is_on(tmp_path: Path) -> None:
    wide = "import jax.numpy as jnp\nimport settings\n\nx = jnp.zeros(3, dtype=jnp.float64)\n"
    script = tmp_path / "script.py"
    assert codes(wide, str(script)) == ["JXL503"]
    (tmp_path / "settings.py").write_text('import jax\njax.config.update("jax_enable_x64", True)\n')
    assert may_use_x64(str(script), wide)
    assert codes(wide, str(script)) == []
    (tmp_path / "settings.py").unlink()
    (tmp_path / "__init__.py").write_text("")
    assert codes(wide, str(script)) == []


def test_a_module_does_not_know_what_imports_it(tmp_path: Path) -> None:
    wide = "import jax.numpy as jnp\n\ndef zeros():\n    return jnp.zeros(3, dtype=jnp.float64)\n"
    module = tmp_path / "grid.py"
    assert codes(wide, str(module)) == ["JXL503"]
    (tmp_path / "main.py").write_text(
        'import grid\nimport jax\n\njax.config.update("jax_enable_x64", True)\n'
    )
    forget_declared()
    assert codes(wide, str(module)) == []
    assert codes(wide + '\nif __name__ == "__main__":\n    zeros()\n', str(module)) == ["JXL503"]


def test_a_script_imports_from_the_folders_above_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "examples").mkdir()
    script = str(tmp_path / "examples" / "run.py")
    wide = "import jax.numpy as jnp\nimport solver\n\nx = jnp.zeros(3, dtype=jnp.float64)\n"
    assert codes(wide, script) == ["JXL503"]
    (tmp_path / "solver").mkdir()
    (tmp_path / "solver" / "__init__.py").write_text("")
    assert codes(wide, script) == ["JXL503"]
    (tmp_path / "solver" / "steps.py").write_text("import jax\njax.config.jax_enable_x64 = True\n")
    forget_declared()
    assert codes(wide, script) == []


def test_a_script_imports_packages_of_any_layout(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    script = str(tmp_path / "examples" / "run.py")
    wide = "import jax.numpy as jnp\n{}\n\nx = jnp.zeros(3, dtype=jnp.float64)\n"
    inner = tmp_path / "src" / "solver" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").write_text("")
    (inner / "precision.py").write_text("import jax\njax.config.jax_enable_x64 = True\n")
    assert codes(wide.format("import solver"), script) == []
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "common.py").write_text("import jax\n# Turns on x64.\n")
    assert codes(wide.format("from examples.common import setup"), script) == []
    assert codes(wide.format("from examples.other import setup"), script) == ["JXL503"]


def test_what_imports_relative_to_itself_is_part_of_a_package(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    folder = tmp_path / "solver"
    folder.mkdir()
    wide = "import jax.numpy as jnp\n{}\n\nx = jnp.zeros(3, dtype=jnp.float64)\n{}"
    guard = '\nif __name__ == "__main__":\n    print(x)\n'
    module = str(folder / "grid.py")
    assert codes(wide.format("", ""), module) == ["JXL503"]
    assert codes(wide.format("from .steps import step", ""), module) == []
    assert codes(wide.format("from .steps import step", guard), module) == ["JXL503"]
    too_high = f"from {'.' * 60}steps import step"
    assert codes(wide.format(too_high, guard), module) == ["JXL503"]
    (folder / "steps.py").write_text("import jax\njax.config.jax_enable_x64 = True\n")
    forget_declared()
    assert codes(wide.format("from .steps import step", guard), module) == []


def test_a_script_of_no_project_imports_from_the_folders_above_it(tmp_path: Path) -> None:
    script = tmp_path / "app" / "examples" / "run.py"
    script.parent.mkdir(parents=True)
    wide = "import jax.numpy as jnp\nimport solver\n\nx = jnp.zeros(3, dtype=jnp.float64)\n"
    assert codes(wide, str(script)) == ["JXL503"]
    (tmp_path / "solver.py").write_text("import jax\njax.config.jax_enable_x64 = True\n")
    forget_declared()
    assert codes(wide, str(script)) == []


def test_a_folder_in_a_package_is_a_namespace_of_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    inner = tmp_path / "solver" / "tools"
    inner.mkdir(parents=True)
    wide = "import jax.numpy as jnp\n\nx = jnp.zeros(3, dtype=jnp.float64)\n"
    assert codes(wide, str(inner / "grid.py")) == ["JXL503"]
    (inner.parent / "__init__.py").write_text("")
    assert codes(wide, str(inner / "grid.py")) == []


def test_what_went_with_its_module_is_said_once(tmp_path: Path) -> None:
    """The name went before the module did: who mends it has mended both."""
    file = str(tmp_path / "model.py")
    assert codes("import jax\njax.util.safe_map(len, [[1]])\n", file) == ["JXL601"]
    assert codes("import jax\njax.util.cache(len)\n", file, jax=">=0.8") == ["JXL601"]


@pytest.mark.parametrize("text", [">=0.4", "==0.4.*, <2", "~=0.4.1"])
def test_specifiers(text: str) -> None:
    assert is_specifier(text)


def flake8(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "JXL", *arguments, "."]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_flake8_options(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("import jax.numpy as np\n\n" + OLD)
    result = flake8(tmp_path, "--jaxlint-jax", "<0.4.2", "--jaxlint-enable", "JXL603")
    assert "JXL603" in result.stdout
    assert "JXL601" not in result.stdout
    result = flake8(tmp_path)
    assert "JXL603" not in result.stdout
    assert "JXL601" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--jaxlint-enable", "JXL999"), "no rule 'JXL999'"),
        (("--jaxlint-jax", "newest"), "'newest' is no version range"),
    ],
)
def test_wrong_options_are_one_clear_error(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "model.py").write_text(OLD)
    result = flake8(tmp_path, *arguments)
    assert result.returncode != 0
    assert said in result.stdout + result.stderr
    assert "Traceback" not in result.stderr
