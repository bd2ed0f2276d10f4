"""The measured table, row by row, against the installed JAX."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

jax = pytest.importorskip("jax")

import numpy as np  # noqa: E402

from jaxlint.knowledge import jax_api, measured, numpy_api, python_api  # noqa: E402
from jaxlint.knowledge.measured import measured_on, result_of, signature_of  # noqa: E402
from tests.names import resolve  # noqa: E402
from tools.measure.functions import functions, module_of  # noqa: E402
from tools.measure.rows import differing, measured_rows  # noqa: E402

FOLDER = Path(measured.__file__).parent
TABLE: dict[str, Any] = json.loads((FOLDER / "measured.json").read_text("utf-8"))
ROWS: dict[str, Any] = TABLE["functions"]
SAME_VERSIONS = measured_on() == {"jax": jax.__version__, "numpy": np.__version__}


def sampled(name: str) -> bool:
    """Whether a row is measured again here; ``python -m tools.measure --check`` does all."""
    return zlib.crc32(name.encode()) % 40 == 0 and "eager" not in ROWS[name].get("returns", {})


@pytest.mark.skipif(not SAME_VERSIONS, reason=f"measured on {measured_on()}")
def test_sampled_rows_are_what_jax_does() -> None:
    sample = frozenset(filter(sampled, ROWS))
    modules = sorted(set(map(module_of, sample)))
    rows, maps = measured_rows(modules, ROWS, sample)
    assert rows.keys() == sample
    assert differing(TABLE, rows, maps) == []


def test_there_are_rows_enough() -> None:
    public = {name for name, _ in functions("jax.numpy")}
    measured = public & ROWS.keys()
    assert len(measured) >= 0.9 * len(public)
    assert len(ROWS) > 1000


def kinds(name: str) -> set[str]:
    """The kinds of result that a function was seen to give."""
    found = result_of(name)
    return {case.kind for case in found.cases} if found is not None else set()


SEVERAL = frozenset({"tuple", "list", "namedtuple"})


def test_the_typed_tables_agree_with_the_measured_one() -> None:
    """What ``jax_api`` says a function returns, against what came back."""
    typed = [
        (SEVERAL, jax_api.TUPLE_RESULTS),
        (frozenset({"host"}), jax_api.HOST_RESULTS | numpy_api.HOST_RESULTS),
    ]
    wrong = {
        name
        for kind, names in typed
        for name in names
        if kinds(name) and not kinds(name) & {*kind, "unknown"}
    }
    assert wrong == set()


def is_there(name: str) -> bool:
    try:
        resolve(name)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("name", sorted(jax_api.KEY_CONSUMERS))
def test_typed_consumers_consume(name: str) -> None:
    pytest.importorskip(name.split(".")[0])
    function = resolve(name)
    one = jax.numpy.ones(2)
    extra: dict[str, tuple[Any, ...]] = {
        "dirichlet": (one,), "multinomial": (3, one / 2), "triangular": (0.0, 0.5, 1.0),
    }  # fmt: skip
    short = name.rpartition(".")[2]
    key = jax.random.key(0)
    with jax.debug_key_reuse(True):
        if name.startswith("jax."):
            function(key, *extra[short])
            with pytest.raises(jax.errors.KeyReuseError):
                function(key, *extra[short])
            return
        sizes: tuple[int, ...] = (2, 2)
        if short == "MLP":
            sizes = (2, 2, 2, 1)
        elif short.startswith("Conv"):
            dimensional = short in ("Conv", "ConvTranspose")
            sizes = (2, 2, 2, 1) if dimensional else (2, 2, 1)
        function(*sizes, key=key)
        with pytest.raises(jax.errors.KeyReuseError):
            function(*sizes, key=key)


@pytest.mark.parametrize("name", sorted(python_api.MATH_ON_TRACERS - {"math.sumprod"}))
def test_some_of_math_works_on_tracers(name: str) -> None:
    jax.make_jaxpr(lambda x: resolve(name)([x, x]))(2.0)


@pytest.mark.parametrize("name", sorted(python_api.MATH_OF_INTEGERS))
def test_some_of_math_wants_integers(name: str) -> None:
    arguments = (2,) if name in ("math.gcd", "math.lcm", "math.comb", "math.perm") else ()
    with pytest.raises(jax.errors.TracerIntegerConversionError):
        jax.make_jaxpr(lambda n: resolve(name)(n, *arguments))(2)


@pytest.mark.parametrize("name", sorted(jax_api.HEAVY | jax_api.SHUFFLES))
def test_named_functions_exist(name: str) -> None:
    assert is_there(name)


def test_key_makers_consume_nothing() -> None:
    for name in ("jax.random.fold_in", "jax.random.clone", "jax.random.key_data"):
        row = signature_of(name)
        assert row is not None
        assert not row.consumes
