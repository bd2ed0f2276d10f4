"""Every release of JAX in an environment in which it can be imported."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.pythons import installed

NAMES = "0.2.0"
"""The first release whose names are of interest: omnistaging, of September 2020."""

WITHDRAWN = ("0.2.23", "0.3.18", "0.4.32")
"""Releases that the index still has and no longer lists: the changelog dates by them."""

ERAS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("0.4.14", "3.8", ("numpy==1.21.6", "scipy==1.7.3", "ml_dtypes==0.2.0")),
    ("0.4.26", "3.11", ("numpy<2", "scipy<1.13", "ml_dtypes")),
    ("0.11", "3.11", ("numpy", "scipy")),
    ("9999", "3.12", ("numpy", "scipy")),
)
"""Before which release: the Python, and what old releases do not say that they need."""

IMPORTED = (
    "absl-py", "etils[epath]<1.4", "flatbuffers", "importlib_metadata", "opt_einsum", "six",
    "typing_extensions",
)  # fmt: skip
"""What some release imports besides jaxlib."""

JAXLIB_FROM = "0.4.13"
"""The package index keeps no older jaxlib, and not every newer one."""

OPTIONAL = ("tensorflow", "tensorstore", "cloudpickle", "torch", "pytest", "portpicker")
"""What only modules at JAX's border import: stood in for, so that those can be read too."""


@dataclass(frozen=True, slots=True)
class Environment:
    """How to run one release.

    Attributes:
        python: the interpreter.
        paths: folders to import from.
        stand_in: the version that a stand-in for jaxlib must have; empty when a real one is there.
    """

    python: str
    paths: tuple[Path, ...]
    stand_in: str


def version_key(version: str) -> tuple[int, ...]:
    """``"0.4.30"`` as numbers, which sort as releases do."""
    return tuple(int(part) for part in version.split("."))


def released() -> list[str]:
    """Every release that the package index has, the oldest first."""
    listed = _pip(installed()[ERAS[-1][1]], "index", "versions", "jax")
    versions = {*re.findall(r"(?<![\w.])\d+(?:\.\d+)+(?=,|$)", listed, re.MULTILINE), *WITHDRAWN}
    return sorted((v for v in versions if version_key(v) >= version_key(NAMES)), key=version_key)


def environment(folder: Path, release: str) -> Environment:
    """A release, installed in ``folder``; with the jaxlib that it asks for where that is left.

    A folder of that name that is there already, from an archive of the release's tag say, is used.
    """
    version, needs = _era(release)
    python = installed()[version]
    home = folder / release
    if not home.exists() and version_key(release) >= version_key(JAXLIB_FROM):
        try:
            _pip(python, "install", "--target", str(home), f"jax[cpu]=={release}", *needs)
        except subprocess.CalledProcessError:
            shutil.rmtree(home, ignore_errors=True)
    if not home.exists():
        _pip(python, "install", "--target", str(home), "--no-deps", f"jax=={release}")
    base = folder / f"base-{version}"
    if not base.exists():
        _pip(python, "install", "--target", str(base), *IMPORTED, *needs)
    jaxlib = "" if (home / "jaxlib").exists() else _minimal_jaxlib(home / "jax")
    return Environment(python, (home, base), jaxlib)


def _era(release: str) -> tuple[str, tuple[str, ...]]:
    for before, python, needs in ERAS:
        if version_key(release) < version_key(before):
            return python, needs
    raise ValueError(release)


def _minimal_jaxlib(package: Path) -> str:
    """The oldest jaxlib that a release of JAX accepts."""
    for path in (package / "version.py", package / "lib" / "__init__.py"):
        found = re.search(r"_minimum_jaxlib_version = [(\"']([\d., ]+)", path.read_text("utf-8"))
        if found:
            return ".".join(re.findall(r"\d+", found[1]))
    return package.parent.name


def _pip(python: str, *arguments: str) -> str:
    command = [python, "-m", "pip", *arguments, "--disable-pip-version-check"]
    if arguments[0] == "install":
        command += ["--quiet", "--no-compile"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout


def run(where: Environment, module: str, *arguments: str) -> None:
    """Run a module of this folder with the packages of an environment, and none of the
    interpreter's own.
    """
    paths = [*where.paths, Path(__file__).parents[2]]
    variables = {"PYTHONPATH": os.pathsep.join(map(str, paths)), "JAX_PLATFORMS": "cpu"}
    command = [where.python, "-S", "-W", "ignore", "-m", module, *arguments]
    subprocess.run(command, env=variables, check=True, stdout=sys.stderr)
