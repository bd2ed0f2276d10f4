"""What is known of gradients and of numbers, against the installed JAX."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

from jaxlint.knowledge import gradients  # noqa: E402
from jaxlint.knowledge.transforms import TRANSFORMS  # noqa: E402
from tests.names import resolve  # noqa: E402
from tools.measure.gradients import CLASSES, OPERATORS, table  # noqa: E402

FILE = Path(gradients.__file__).with_name("gradients.json")
ROWS: dict[str, Any] = json.loads(FILE.read_text("utf-8"))["functions"]
SAME_VERSION = gradients.measured_on() == jax.__version__


@pytest.mark.skipif(not SAME_VERSION, reason=f"measured on {gradients.measured_on()}")
def test_sampled_rows_are_what_jax_does() -> None:
    """``python -m tools.measure.gradients --check`` asks for all."""
    sample = frozenset(name for name in ROWS if zlib.crc32(name.encode()) % 40 == 0)
    sample |= {"/", "jax.numpy.sqrt", "jax.numpy.linalg.norm", "jax.nn.relu"}
    assert table(sample) == {name: ROWS[name] for name in sample}


def test_each_number_is_of_its_class() -> None:
    for place, numbers in enumerate(CLASSES.values()):
        assert {gradients.class_of(number) for number in numbers} == {place}


OFTEN_MASKED = ("/", "**", "jax.numpy.sqrt", "jax.numpy.log", "jax.numpy.arccos",
                "jax.numpy.arctan2", "jax.numpy.log1p", "jax.scipy.special.logit",
                "jax.scipy.special.ndtri")  # fmt: skip


@pytest.mark.parametrize("name", OFTEN_MASKED)
def test_harmless_numbers_are_finite_there_and_send_nothing_back(name: str) -> None:
    """What the fix of JXL701 writes in the place of what is masked."""
    row, function = gradients.row_of(name), _function(name)
    assert row is not None
    assert function is not None
    unknown = [None] * len(row.back)
    found = {place: row.harmless(place, unknown) for place in range(len(unknown))}
    assert any(number is not None for number in found.values())
    for place, number in found.items():
        if number is not None:
            operands = [jnp.array(SAMPLES)] * len(unknown)
            operands[place] = jnp.full(len(SAMPLES), number)
            value, back = jax.vjp(function, *operands)
            assert np.isfinite(value).all()
            assert all((sent == 0).all() for sent in back(jnp.zeros_like(value)))


def evaluable() -> list[str]:
    """Functions whose numbers are known, and that this JAX has."""
    names = [name for name in gradients.scalar_names() if gradients.scalar(name) is not None]
    return [name for name in [*OPERATORS, *names] if _function(name) is not None]


def _function(name: str) -> Callable[..., Any] | None:
    if name in OPERATORS:
        return OPERATORS[name]
    if name.startswith("jax.Array."):
        return None  # Methods are those of `jax.numpy`.
    try:
        found: Callable[..., Any] = resolve(name)
    except (AttributeError, ImportError):
        return None
    return found if callable(found) else None


SAMPLES = (-2.5, -1.0, -0.5, 0.0, 0.25, 1.0, 2.0)


@pytest.mark.parametrize("name", evaluable())
def test_numbers_are_those_of_jax(name: str) -> None:
    function, scalar = _function(name), gradients.scalar(name)
    if name == "//":
        return
    assert function is not None
    assert scalar is not None
    compared = 0
    for operands in [(one,) for one in SAMPLES] + [(a, b) for a in SAMPLES for b in SAMPLES]:
        try:
            given = float(function(*map(jnp.float32, operands)))
        except (TypeError, ValueError):
            continue  # It takes another number of operands, or no floats.
        try:
            known = float(scalar(*operands))
        except TypeError:
            continue  # Clip is known with both bounds alone.
        compared += 1
        assert np.allclose(given, known, rtol=1e-4, atol=1e-6, equal_nan=True), operands
    takes_no_floats = gradients.plain_name(name) in ("&", "|", "unary ~")
    assert compared or takes_no_floats or gradients.plain_name(name) == "clip"


@pytest.mark.parametrize("name", sorted(gradients.SAME_NUMBERS))
def test_numbers_stay_and_so_does_their_order(name: str) -> None:
    x = jnp.array([[3.0, 1.0, 2.0]])
    if name.startswith("jax.Array."):
        function = lambda v, *more: getattr(v, name.rpartition(".")[2])(*more)  # noqa: E731
    else:
        function = resolve(name)
    for more in ((), (0,), ((3,),), ((0,),), ((1, 3),), (jnp.float32,)):
        try:
            found = np.asarray(function(x, *more))
        except (TypeError, ValueError, AttributeError):
            continue
        assert found.ravel().tolist() == [3.0, 1.0, 2.0]
        return
    pytest.fail("it takes none of these")


def masked_root(x: Any) -> Any:
    """A gradient of NaN at zero, in reverse mode alone."""
    return jnp.where(x > 0, jnp.sqrt(x), 0.0)


DIFFERENTIATE: dict[str, Callable[[], Any]] = {
    "jax.grad": lambda: jax.grad(masked_root)(0.0),
    "jax.value_and_grad": lambda: jax.value_and_grad(masked_root)(0.0)[1],
    "jax.vjp": lambda: jax.vjp(masked_root, 0.0)[1](1.0)[0],
    "jax.jvp": lambda: jax.jvp(masked_root, (0.0,), (1.0,))[1],
    "jax.linearize": lambda: jax.linearize(masked_root, 0.0)[1](1.0),
    "jax.jacfwd": lambda: jax.jacfwd(masked_root)(0.0),
    "jax.jacrev": lambda: jax.jacrev(masked_root)(0.0),
    "jax.jacobian": lambda: jax.jacobian(masked_root)(0.0),
    "jax.hessian": lambda: jax.hessian(masked_root)(0.0),
}


@pytest.mark.parametrize("name", DIFFERENTIATE)
def test_transforms_that_transpose_give_nan(name: str) -> None:
    assert math.isnan(DIFFERENTIATE[name]()) == bool(TRANSFORMS[name].transposes)


@pytest.mark.parametrize("name", sorted(gradients.SELECTS))
def test_selects_take_their_operands(name: str) -> None:
    select = gradients.SELECTS[name]
    for holds in (True, False):
        operands = [jnp.array(0.0)] * 3
        operands[select.mask[0]] = jnp.array(holds)
        operands[(select.where_true if holds else select.where_false)[0]] = jnp.array(1.0)
        assert float(resolve(name)(*operands)) == 1.0


@pytest.mark.parametrize("short", sorted(gradients.INCREASING | gradients.ZERO_OF_ZERO))
def test_words_about_functions_hold(short: str) -> None:
    function = gradients.scalar(short)
    assert function is not None
    if short in gradients.INCREASING:
        found = [function(number) for number in (0.0, 0.1, 1.0, 3.0)]
        assert found == sorted(found)
        assert found[0] >= 0
    if short in gradients.ZERO_OF_ZERO:
        zeros = (0.0, 2.0) if short == "**" else (0.0,) * (2 if short == "*" else 1)
        assert function(*zeros) == 0
