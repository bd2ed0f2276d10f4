"""Names that went from flax, optax and others: how they are read, and what is installed."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from pkgutil import resolve_name

import pytest

from jaxlint.knowledge.history import releases
from jaxlint.knowledge.library_history import (
    DATA,
    PACKAGES,
    came_in_library,
    change_above_in_library,
    change_in_library,
    parameter_change_in_library,
)
from jaxlint.knowledge.replacements import (
    PARAMETERS_IN_LIBRARIES,
    RENAMED_IN_LIBRARIES,
    SAYS_IN_LIBRARIES,
)
from jaxlint.knowledge.rewriting import REWRITES
from jaxlint.project import parse_version
from tests.test_command import write
from tools.history.libraries import came, gone, inventory

HISTORY = json.loads(DATA.read_text("utf-8"))
GONE = [(package, *row) for package in PACKAGES for row in HISTORY[package]["gone"].items()]


def test_what_changelogs_say() -> None:
    """Releases in which their authors say that they took these away."""
    known = {
        "flax.optim": "0.6.0",
        "flax.nn": "0.3.6",
        "chex.assert_tree_all_close": "0.1.83",
        "optax.additive_weight_decay": "0.1.8",
        "equinox.nn.MaxPool2D": "0.10.0",
    }
    found = {name: change_in_library(name) for name in known}
    assert {name: each.removed for name, each in found.items() if each} == known


def test_what_is_there_is_not_gone() -> None:
    for name in ("flax.linen.Dense", "optax.adam", "chex.Array", "equinox.filter_jit", "os.path"):
        assert change_in_library(name) is None
    assert change_above_in_library("flax.linen.Dense") is None
    above = change_above_in_library("flax.optim.Adam")
    assert above is not None
    assert above[0] == "flax.optim"


def test_every_release_says_which_jax_it_needs() -> None:
    change = change_in_library("flax.optim")
    assert change is not None
    assert change.package == "flax"
    known = [parse_version(each) for each in releases()]
    for package in PACKAGES:
        for needs in filter(None, HISTORY[package]["releases"].values()):
            assert parse_version(needs) <= known[-1]


def test_every_row_of_what_to_write_is_of_a_name_that_went() -> None:
    in_libraries = [name for name in REWRITES if not name.startswith("jax.")]
    for name in {*RENAMED_IN_LIBRARIES, *SAYS_IN_LIBRARIES, *in_libraries}:
        assert change_in_library(name) is not None, name


def test_what_is_written_instead_is_there() -> None:
    for new in RENAMED_IN_LIBRARIES.values():
        assert change_in_library(new) is None, new
        assert came_in_library(new)[1], new


@pytest.mark.parametrize("package", PACKAGES)
def test_against_what_is_installed(package: str) -> None:
    """In a process of its own: what one import brings in must not hide what another lacks."""
    pytest.importorskip(package)
    try:
        there = parse_version(version(PACKAGES[package]))
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed as {PACKAGES[package]}")
    names = [name for of, name, since in GONE if of == package and parse_version(since) <= there]
    new = [each for each in RENAMED_IN_LIBRARIES.values() if each.startswith(f"{package}.")]
    done = subprocess.run(
        [sys.executable, "-c", ASKS, json.dumps([names, new])],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == [[], []], "still there, and not there"


ASKS = """
import importlib, json, sys

def has(name):
    module, _, short = name.rpartition(".")
    try:
        loaded = importlib.import_module(module)
    except ImportError:
        return False
    try:
        return getattr(loaded, short, None) is not None
    except Exception:
        return False

gone, new = json.loads(sys.argv[1])
print(json.dumps([[n for n in gone if has(n)], [n for n in new if not has(n)]]))
"""


# ------------------------------------------------------------------------ how it is read


PACKAGE = """\
from lib._src import adam as adam
from lib import nn
import lib.core as core
LIMIT = 1
"""
LAYERS = """\
from typing import Any
from lib.core import *
try:
    class Dense: ...
except Exception:
    Dense = None
"""
LAZY = """\
def __getattr__(name):
    if name == "first": return 1
"""
OLD = {
    "lib/__init__.py": PACKAGE,
    "lib/_src.py": "def adam(): ...\ndef hidden(): ...\n",
    "lib/nn.py": LAYERS,
    "lib/core.py": "def init(): ...\ndef _private(): ...\n",
    "lib/optim.py": "class Adam: ...\n",
    "lib/late.py": "def first(): ...\ndef second(): ...\n",
}
NEW = {
    "lib/__init__.py": "from lib._src import adamw as adamw\nfrom . import nn\n",
    "lib/_src.py": "def adamw(): ...\n",
    "lib/nn.py": "from .core import *\n",
    "lib/core.py": "def init(): ...\n",
    "lib/late.py": LAZY,
}


def test_how_names_are_read(tmp_path: Path) -> None:
    write(tmp_path / "1.0", OLD)
    write(tmp_path / "2.0", NEW)
    both = [inventory(tmp_path / each / "lib", "lib") for each in ("1.0", "2.0")]
    assert both[0]["lib"].names >= {"adam", "nn", "core", "optim", "LIMIT"}
    assert both[0]["lib.nn"].names == {"init", "Dense"}, "what typing has is not the library's own"
    assert gone(["1.0", "2.0"], both) == {
        "lib.LIMIT": "2.0",
        "lib.adam": "2.0",
        "lib.late.second": "2.0",
        "lib.nn.Dense": "2.0",
        "lib.optim": "2.0",
    }


def test_when_what_is_written_instead_came(tmp_path: Path) -> None:
    write(tmp_path / "1.0", {"optax/__init__.py": "def adam(): ...\n"})
    write(tmp_path / "2.0", {"optax/__init__.py": "def add_decayed_weights(): ...\n"})
    both = [inventory(tmp_path / each / "optax", "optax") for each in ("1.0", "2.0")]
    found = came(["1.0", "2.0"], both)
    assert found["optax.add_decayed_weights"] == "2.0"


@pytest.mark.parametrize(("name", "keyword"), sorted(PARAMETERS_IN_LIBRARIES))
def test_a_parameter_that_went_is_not_there(name: str, keyword: str) -> None:
    pytest.importorskip(name.split(".")[0])
    change = parameter_change_in_library(name, keyword)
    assert change is not None
    installed = version(change.package)
    assert parse_version(installed) >= parse_version(change.removed)
    assert keyword not in inspect.signature(resolve_name(name)).parameters
