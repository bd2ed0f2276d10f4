"""Of which functions JAX refuses what their rules call impossible, against the installed JAX."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

from jaxlint.knowledge import measured, mismatches, overrides  # noqa: E402
from tools.measure.mismatches import believed  # noqa: E402

FILE = Path(mismatches.__file__).with_name("mismatches.json")
FUNCTIONS: list[str] = json.loads(FILE.read_text("utf-8"))["functions"]
SAME_VERSION = mismatches.measured_on() == jax.__version__


@pytest.mark.skipif(not SAME_VERSION, reason=f"measured on {mismatches.measured_on()}")
def test_sampled_functions_refuse_what_is_impossible() -> None:
    sample = frozenset(name for name in FUNCTIONS if zlib.crc32(name.encode()) % 20 == 0)
    sample |= {"jax.numpy.add", "jax.numpy.matmul", "jax.numpy.stack", "jax.Array.reshape"}
    found, wrong = believed(sample)
    assert sorted(found) == sorted(sample)
    assert not wrong


def test_a_rule_that_is_wrong_of_them_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """``cholesky`` adds its matrix to its transpose: what is one row is made square."""
    name = "jax.numpy.linalg.cholesky"
    monkeypatch.setitem(overrides.SHAPES, name, "square a")
    measured.result_of.cache_clear()
    try:
        found, wrong = believed(frozenset({name}))
    finally:
        measured.result_of.cache_clear()
    assert not found
    assert list(wrong) == [name]


def test_what_was_not_asked_is_not_believed() -> None:
    assert mismatches.refuses_impossible("jax.numpy.add")
    assert not mismatches.refuses_impossible("jax.random.choice")
    assert not mismatches.refuses_impossible("no.such.name")
