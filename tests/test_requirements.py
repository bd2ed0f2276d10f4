"""Every format in which a project says which JAX it runs on, one by one and together."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from jaxlint.project import Releases, forget_declared, releases_for
from jaxlint.reading import MOST_BYTES_BESIDE
from jaxlint.requirements import conda_requirement, pip_requirement

FILES = [
    # PEP 621, and tables of other tools in the same file.
    ("pyproject.toml", '[project]\ndependencies = ["jax (>=0.4,<0.5)"]\n', ">=0.4,<0.5"),
    ("pyproject.toml", '[project]\ndependencies = [\n  # "jax<0.4",\n  "jax>=0.5",\n]\n', ">=0.5"),
    ("pyproject.toml", '[project.optional-dependencies]\ngpu = ["jax[cuda12]>=0.5"]\n', ">=0.5"),
    ("pyproject.toml", '[dependency-groups]\ntest = ["jax<0.7"]\n', "<0.7"),
    ("pyproject.toml", '[tool.poetry.dependencies]\njax = {version = "^0.4.20"}\n', "^0.4.20"),
    ("pyproject.toml", '[tool.poetry.group.dev.dependencies]\njax = "~0.4.20"\n', "~0.4.20"),
    ("pyproject.toml", '[tool.poetry.dependencies]\njax = "*"\n', ""),
    ("pyproject.toml", '[tool.uv]\nconstraint-dependencies = ["jax<0.6"]\n', "<0.6"),
    ("pyproject.toml", '[project]\nname = "jax"\nversion = "1.0"\n', ""),
    ("pyproject.toml", "this is = = no toml, jax<0.4\n", ""),
    ("pixi.toml", '[dependencies]\njax = ">=0.4.30,<0.5"\n', ">=0.4.30,<0.5"),
    ("Pipfile", '[packages]\njax = "==0.4.30"\nnumpy = "*"\n', "==0.4.30"),
    # setuptools
    ("setup.cfg", "[options.extras_require]\ngpu =\n    jax[cuda]>=0.4.9\n", ">=0.4.9"),
    ("setup.cfg", "[options]\ninstall_requires =\n    # jax<0.4\n    jax>=0.5\n", ">=0.5"),
    ("setup.py", "# jax==0.3.0\nREQUIRED = ['jax>=0.4.9']\nsetup(install_requires=REQUIRED)\n",
     ">=0.4.9"),
    ("setup.py", "setup(install_requires='''\njax<0.5\nnumpy\n''')\n", "<0.5"),
    ("setup.py", "_JAX = '>=0.2.13'\nsetup(install_requires=[f'jax{_JAX}', f'jaxlib{_JAX}'],\n"
     "extras_require={'tpu': f'jax[tpu]{_JAX}'})\n", ">=0.2.13"),
    ("setup.py", "MIN = '0.4.30'\nsetup(install_requires=['jax>=' + MIN + ',<0.6'])\n",
     ">=0.4.30,<0.6"),
    ("setup.py", "V = '0.4'\nV = '0.5'\nsetup(install_requires=[f'jax>={V}', f'jax=={v}'])\n", ""),
    # pip
    ("requirements.txt", "#jax==0.3.25\njax==0.4.25  # not jax==0.4.26\n", "==0.4.25"),
    ("requirements.txt", "jax==0.4.30 \\\n    --hash=sha256:0a1b \\\n    --hash=sha256:2c\n",
     "==0.4.30"),
    ("requirements.txt", "jax[cuda12_pip]==0.4.23 --find-links https://example.org\n", "==0.4.23"),
    ("requirements.txt", 'jax>=0.4.9; python_version >= "3.9"\n', ">=0.4.9"),
    ("requirements.txt", "jax @ git+https://github.com/jax-ml/jax\n", ""),
    ("requirements.txt", "-e .\n-r other.txt\njax\n", ""),
    ("requirements-dev.txt", "jax~=0.4.30\n", "~=0.4.30"),
    ("requirements_gpu.txt", "jax<0.5\n", "<0.5"),
    ("requirements.in", "jax>0.4\n", ">0.4"),
    ("requirements/base.txt", "jax!=0.4.24,>=0.4.20\n", "!=0.4.24,>=0.4.20"),
    ("constraints.txt", "jax<0.6\n", "<0.6"),
    ("constraints/ci.txt", "jax<0.6\n", "<0.6"),
    # conda
    ("environment.yml", "dependencies:\n  - python=3.11\n  - jax=0.4.30\n", "==0.4.30.*"),
    ("environment.yml", "dependencies:\n  # - jax=0.3\n  - jax>=0.4.30,<0.5\n", ">=0.4.30,<0.5"),
    ("environment.yaml", "dependencies:\n  - conda-forge::jax=0.4.*\n", "==0.4.*"),
    ("environment-gpu.yml", "dependencies:\n  - jax=0.4.30=py310_0\n", "==0.4.30.*"),
    ("env.yml", "dependencies:\n  - pip:\n    - jax[cuda]==0.4.30\n    - flax\n", "==0.4.30"),
    ("env.yml", "dependencies:\n  - jaxlib=0.4\n  - jax\n", ""),
    ("conda-lock.yml", "package:\n- name: jax\n  version: 0.4.30\n  manager: conda\n", "==0.4.30"),
    ("envs/environment_gpu.yml", "dependencies:\n  - jax=0.4.30\n", "==0.4.30.*"),
    ("scripts/gpu_environment.yml", "dependencies:\n  - pip:\n    - jax[cuda12]==0.4.28\n",
     "==0.4.28"),
    # lock files
    ("uv.lock", '[[package]]\nname = "jax"\nversion = "0.4.31"\n', "==0.4.31"),
    ("poetry.lock", '[[package]]\nname = "jax"\nversion = "0.4.31"\ndescription = ""\n',
     "==0.4.31"),
    ("uv.lock", '[[package]]\nname = "jax"\nversion = "0.10.2"\n\n[[package]]\nname = "jax"\n'
     'version = "0.11.0"\n', ">=0.10.2,<=0.11.0"),
    ("pylock.toml", '[[packages]]\nname = "jax"\nversion = "0.4.31"\n', "==0.4.31"),
    ("requirements-dev.lock", "jax==0.4.31\n    # via flax\n", "==0.4.31"),
    ("pixi.lock", "- conda: https://conda.anaconda.org/conda-forge/noarch/jax-0.4.31-pyhd8_1.conda\n"
     "- conda: https://conda.anaconda.org/conda-forge/noarch/jaxlib-0.4.30-cpu_1.conda\n",
     "==0.4.31"),
    ("pixi.lock", "- pypi: https://a.org/jax.whl\n  name: jax\n  version: 0.4.31\n", "==0.4.31"),
    ("pdm.lock", '[[package]]\nname = "jax"\nversion = "0.4.31"\n', "==0.4.31"),
    ("Pipfile.lock", '{"default": {"jax": {"hashes": [], "version": "==0.4.31"}}}', "==0.4.31"),
    # containers
    ("Dockerfile", "FROM python\nRUN pip install --no-cache 'jax[cpu]>=0.4,<0.5' && echo jax>=9\n",
     ">=0.4,<0.5"),
    ("Dockerfile", "RUN pip install \\\n    # jax==0.3 \\\n    numpy \\\n    jax==0.4.30\n",
     "==0.4.30"),
    ("Dockerfile.gpu", "RUN python -m pip install -U jax==0.4.30 flax==0.8\n", "==0.4.30"),
    ("Dockerfile", "# RUN pip install jax==0.4.30\nRUN uv pip install flax\n", ""),
    ("docker/Dockerfile", "RUN conda install -y jax=0.4\n", "==0.4.*"),
]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    forget_declared()
    return tmp_path


def declared(project: Path) -> Releases:
    return releases_for(str(project / "model.py"))


@pytest.mark.parametrize(("name", "text", "expected"), FILES)
def test_formats(project: Path, name: str, text: str, expected: str) -> None:
    path = project / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    found = declared(project)
    assert found.text == expected
    assert [each.file for each in found.declared] == ([name] if expected else [])


@pytest.mark.parametrize("name", sorted({name for name, _, _ in FILES}))
@pytest.mark.parametrize("content", [b"", b"\xff\xfe jax<0.5", b"jax" * 1000, b"\x00jax>=0.4\n"])
def test_bad_files_say_nothing_wrong(project: Path, name: str, content: bytes) -> None:
    path = project / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    assert declared(project).satisfiable


def test_what_is_no_ordinary_file_is_not_read(project: Path) -> None:
    os.mkfifo(project / "requirements.txt")
    (project / "setup.cfg").mkdir()
    (project / "pyproject.toml").symlink_to(project / "missing")
    with (project / "uv.lock").open("wb") as large:
        large.write(b'name = "jax"\nversion = "0.4.31"\n')
        large.truncate(MOST_BYTES_BESIDE + 1)
    assert declared(project) == Releases()


def test_thousands_of_lines_take_time_in_proportion(project: Path) -> None:
    def calls(lines: int) -> int:
        text = "".join(f"package{number}>=1.{number}  # jax\n" for number in range(lines))
        (project / "requirements.txt").write_text(f"{text}jax>=0.5\n", "utf-8")
        forget_declared()
        count = 0

        def note(frame: object, event: str, argument: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(note)
        try:
            assert not declared(project).allow_before("0.5")
        finally:
            sys.setprofile(None)
        return count

    assert calls(20_000) < 2.5 * calls(10_000)


def test_all_files_count_and_each_decides_what_it_decides(project: Path) -> None:
    (project / "pyproject.toml").write_text('[project]\ndependencies = ["jax>=0.4.20"]\n')
    (project / "environment.yml").write_text("dependencies:\n  - jax>=0.4.26\n")
    (project / "requirements").mkdir()
    (project / "requirements" / "test.txt").write_text("jax<0.6\n")
    found = declared(project)
    assert found.text == ">=0.4.20,<0.6,>=0.4.26"
    assert found.lowest == "0.4.26"
    assert found.lower_from is not None
    assert found.lower_from.file == "environment.yml"
    barring = found.barred_from("0.6.0")
    assert barring is not None
    assert (barring.file, barring.text) == ("requirements/test.txt", "<0.6")
    assert found.barred_from("0.5.0") is None


def test_other_packages_have_releases_of_their_own(project: Path) -> None:
    (project / "pyproject.toml").write_text('[project]\ndependencies = ["jax>=0.5", "flax<0.11"]\n')
    (project / "uv.lock").write_text(
        '[[package]]\nname = "flax"\nversion = "0.10.6"\n\n[[package]]\nname = "jax"\n'
        'version = "0.6.2"\n'
    )
    (project / "environment.yml").write_text("dependencies:\n  - flax=0.10\n  - jax-md=0.2\n")
    assert releases_for(str(project / "a.py")).text == ">=0.5,==0.6.2"
    assert releases_for(str(project / "a.py"), package="flax").text == "<0.11,==0.10.*,==0.10.6"


def test_a_file_of_another_environment_is_left_out(project: Path) -> None:
    (project / "pyproject.toml").write_text('[project]\ndependencies = ["jax>=0.5"]\n')
    (project / "Dockerfile").write_text("RUN pip install jax==0.4.30\n")
    assert declared(project).text == ">=0.5"


def test_what_one_environment_has_is_not_later_than_all(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.poetry.dependencies]\njax = '*'\n")
    (project / "requirements.txt").write_text("jax==0.2.18\n")
    (project / "poetry.lock").write_text('[[package]]\nname = "jax"\nversion = "0.4.6"\n')
    found = declared(project)
    assert found.text == "==0.2.18"
    assert found.allow_from("0.4.6")
    assert not found.allow_from("0.4.7")


def test_the_nearest_folder_that_asks_for_jax_decides(project: Path) -> None:
    (project / "requirements.txt").write_text("jax<0.5\n")
    inner = project / "package"
    inner.mkdir()
    (inner / "requirements.txt").write_text("numpy\n")
    assert releases_for(str(inner / "model.py")).text == "<0.5"
    forget_declared()
    (inner / "requirements.txt").write_text("jax>=0.6\n")
    assert releases_for(str(inner / "model.py")).text == ">=0.6"


@pytest.mark.parametrize(
    ("text", "satisfiable"),
    [("", True), (">=0.5,<0.5", False), (">=0.4,<0.5", True), ("==0.4.30,>=0.5", False),
     ("==0.4.30,<=0.4.30", True), ("^0.4.1,>=0.5", False), ("<0.5", True)],
)  # fmt: skip
def test_satisfiable(text: str, satisfiable: bool) -> None:
    assert Releases(text).satisfiable is satisfiable


@pytest.mark.parametrize(
    "text", ["jaxlib==0.4.30", "jaxtyping>=0.2", "jax-md==0.2", "jax_cuda==0.4", "", "jax", "-jax"]
)
def test_other_packages_are_not_jax(text: str) -> None:
    assert pip_requirement(text) == conda_requirement(text) == ""
