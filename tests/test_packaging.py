"""What is published: built from a copy, installed where nothing else is, and used there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

import jaxlint
from tests.test_command import BAD, write

ROOT = Path(__file__).parent.parent
SHIPPED = ("jaxlint", "fixtures", "setup.py", "pyproject.toml", "README.md", "LICENSE")


def run(*command: str | Path, cwd: Path, fails: bool = False) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) is fails, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the source archive, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("source")
    for name in SHIPPED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    tools = tmp_path_factory.mktemp("tools")
    venv.create(tools, with_pip=True)
    run(tools / "bin" / "python", "-m", "pip", "install", "-q", "build", "twine", cwd=tools)
    run(tools / "bin" / "python", "-m", "build", cwd=folder)
    archives = sorted(map(str, (folder / "dist").iterdir()))
    run(tools / "bin" / "python", "-m", "twine", "check", "--strict", *archives, cwd=folder)
    return folder / "dist"


def shipped_files() -> set[str]:
    """Every file of the package, as the wheel has to hold it."""
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "jaxlint").rglob("*")
        if path.suffix in (".py", ".pyi", ".json", ".css", ".js") or path.name == "py.typed"
    }
    fixtures = (ROOT / "fixtures").rglob("*.py")
    return found | {f"jaxlint/{path.relative_to(ROOT).as_posix()}" for path in fixtures}


def test_the_wheel_holds_every_file(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        text = archive.read(metadata).decode()
    assert names == shipped_files()
    assert f"\nVersion: {jaxlint.__version__}\n" in text
    assert "\nLicense-Expression: MIT\n" in text
    assert "\nProvides-Extra: confirm\n" in text
    assert re.search(r"^Requires-Dist: tomli>=2; python_version < ['\"]3.11['\"]$", text, re.M)


def test_the_source_archive_builds_the_same(built: Path) -> None:
    """The wheel was built from it; here is what a packager looks for."""
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml", "setup.py"} <= names
    assert "jaxlint/py.typed" in names


def test_it_works_where_nothing_else_is_installed(built: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "empty", with_pip=True)
    binaries = tmp_path / "empty" / "bin"
    (wheel,) = built.glob("*.whl")
    run(binaries / "python", "-m", "pip", "install", "-q", str(wheel), cwd=tmp_path)
    write(tmp_path, {"code/a.py": BAD})
    code = tmp_path / "code"
    assert run(binaries / "jaxlint", "--version", cwd=code) == f"jaxlint {jaxlint.__version__}\n"
    assert "JXL101" in run(binaries / "jaxlint", "a.py", cwd=code, fails=True)
    assert "JXL101" in run(binaries / "flake8", "--select", "JXL", cwd=code, fails=True)
    assert "JXL304" in run(binaries / "jaxlint", "rule", "--all", cwd=code)
    script = (
        "from importlib.util import find_spec\n"
        "from jaxlint.confirm.fixtures.find import default_folder, find_fixtures\n"
        "assert find_spec('jax') is None\n"
        "print(len(find_fixtures(default_folder())))\n"
    )
    fixtures = len([*(ROOT / "fixtures").glob("JXL*/*.py")])
    assert int(run(binaries / "python", "-c", script, cwd=code)) == fixtures
    said = subprocess.run(
        [binaries / "jaxlint", "server"], cwd=code, capture_output=True, text=True, check=False
    )
    assert "pip install 'flake8-jaxlint[server]'" in said.stderr


def test_nothing_is_said_twice() -> None:
    """setup.cfg holds what flake8 reads; the rest is in pyproject.toml."""
    text = (ROOT / "setup.cfg").read_text("utf-8")
    assert re.findall(r"^\[(.*)\]$", text, re.MULTILINE) == ["flake8"]


def test_the_release_is_published_without_a_token() -> None:
    yaml = pytest.importorskip("yaml")
    flow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))
    build, publish = flow["jobs"]["build"], flow["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == "pypi"
    assert "permissions" not in build
    assert flow["permissions"] == {"contents": "read"}
    assert not [key for step in publish["steps"] for key in step.get("with", {}) if "pass" in key]


def test_the_tests_run_on_the_sources() -> None:
    assert Path(jaxlint.__file__).is_relative_to(ROOT), sys.path
