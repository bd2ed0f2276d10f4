"""Which arrays functions of JAX take in no call, against the installed JAX."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

jax = pytest.importorskip("jax")

from jaxlint.knowledge import unfit  # noqa: E402
from tools.measure.unfit import measured  # noqa: E402

FILE = Path(unfit.__file__).with_name("unfit.json")
ROWS: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))["functions"]
SAME_VERSION = unfit.measured_on() == jax.__version__


@pytest.mark.skipif(not SAME_VERSION, reason=f"measured on {unfit.measured_on()}")
def test_sampled_functions_refuse_what_the_table_says() -> None:
    sample = frozenset(name for name in ROWS if zlib.crc32(name.encode()) % 40 == 0)
    sample |= {"jax.numpy.tril", "jax.numpy.stack", "jax.numpy.subtract", "jax.random.bernoulli"}
    assert measured(sample) == {name: ROWS[name] for name in sample}


def test_what_some_call_takes_is_not_in_the_table() -> None:
    """A traced number is no size for ``choice``; one with a value is."""
    choice = unfit.refused_by("jax.random.choice")
    assert choice is not None
    assert "a" not in choice.ranks
    assert unfit.refused_by("jax.numpy.add") is None
    assert unfit.refused_by("no.such.name") is None


def test_arrays_are_told_from_lists_of_arrays() -> None:
    stack = unfit.refused_by("jax.numpy.stack")
    assert stack is not None
    assert stack.ranks == {"arrays": {0}}
    assert stack.axes == {"axis": {"arrays": [0, 0], "arrays[]": [1, 0]}}
