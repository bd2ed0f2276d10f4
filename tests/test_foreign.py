"""Which functions refuse what is no array, against the installed JAX."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

from jaxlint.knowledge import foreign  # noqa: E402
from tools.measure.foreign import measured  # noqa: E402

FILE = Path(foreign.__file__).with_name("foreign.json")
ROWS: dict[str, dict[str, str]] = json.loads(FILE.read_text("utf-8"))["functions"]


@pytest.mark.skipif(foreign.measured_on() != jax.__version__, reason=foreign.measured_on())
def test_sampled_functions_refuse_what_the_table_says() -> None:
    sample = frozenset(name for name in ROWS if zlib.crc32(name.encode()) % 20 == 0)
    sample |= {"jax.numpy.sum", "jax.numpy.array", "jax.numpy.stack"}
    found = measured(sample)
    expected = {
        name: {each: kinds.split() for each, kinds in ROWS[name].items()} for name in sample
    }
    assert found == expected


def test_what_takes_it_is_not_in_the_table() -> None:
    assert foreign.refuses("jax.numpy.mean", "a", "None")
    assert not foreign.refuses("jax.numpy.mean", "axis", "None")
    assert not foreign.refuses("jax.device_put", "x", "dict")
    assert not foreign.refuses("no.such.name", "x", "dict")
