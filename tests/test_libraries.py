"""What is known of flax, equinox and other libraries was checked, every row of it."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest

pytest.importorskip("jax")

from jaxlint.knowledge import annotations as annotation_rows
from jaxlint.knowledge import (
    chains,
    class_api,
    discarded,
    jax_api,
    layers,
    libraries,
    numpy_api,
    optax_api,
    probabilities,
    python_api,
    schedules,
    transforms,
)
from tools.libraries.__main__ import TARGET, checked
from tools.libraries.tables import PACKAGES, rows

RESULT: dict[str, Any] = json.loads(TARGET.read_text("utf-8"))


def installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


INSTALLED = {name: installed(name) for name in RESULT["versions"]}


def test_every_row_was_checked() -> None:
    assert {table: sorted(names) for table, names in RESULT["rows"].items()} == rows()
    assert sum(map(len, RESULT["rows"].values())) > 100
    assert {name.split(".")[0] for names in RESULT["rows"].values() for name in names} == PACKAGES


_TABLES = (
    annotation_rows, chains, class_api, discarded, jax_api, layers, libraries, numpy_api,
    optax_api, probabilities, python_api, schedules, transforms,
)  # fmt: skip


def test_no_table_names_a_library_unchecked() -> None:
    rows_of = [
        name if isinstance(name, str) else ".".join(name)
        for module in _TABLES
        for title, table in vars(module).items()
        if title.isupper() and not title.startswith("_")
        if isinstance(table, (dict, frozenset, tuple))
        for name in table
    ]
    named = {name for name in rows_of if name.split(".")[0] in PACKAGES}
    assert named == {name for names in RESULT["rows"].values() for name in names}


@pytest.mark.parametrize("table", RESULT["rows"])
def test_every_row_holds(table: str) -> None:
    assert set(RESULT["rows"][table].values()) == {"holds"}


@pytest.mark.skipif(RESULT["versions"] != INSTALLED, reason=f"installed: {INSTALLED}")
def test_the_installed_libraries_say_the_same() -> None:
    assert checked() == RESULT
