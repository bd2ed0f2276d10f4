"""What ``evaluate`` says for certain of a call, against real JAX."""

from __future__ import annotations

from typing import Any

import pytest

jax = pytest.importorskip("jax")
jnp = jax.numpy

import numpy as np  # noqa: E402
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from jaxlint.knowledge.measured import measured_on  # noqa: E402
from jaxlint.tracer.values.avals import Aval, Size, describe  # noqa: E402
from jaxlint.tracer.values.given import Constant, Dimension, Items, OfDType  # noqa: E402
from jaxlint.tracer.values.results import Outcome, evaluate  # noqa: E402
from jaxlint.tracer.values.shapes import UNKNOWN  # noqa: E402
from tests.differential.results import every_function, wrong_about  # noqa: E402

SAME_VERSIONS = measured_on() == {"jax": jax.__version__, "numpy": np.__version__}
F32 = Aval((3, 4), "float32", False)
I32 = Aval((4,), "int32", False)


# The same calls every time: a hunt for new ones is a command with a seed,
# ``python -m tests.differential.results``.
@pytest.mark.skipif(not SAME_VERSIONS, reason=f"measured on {measured_on()}")
@settings(
    max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.sampled_from(sorted(every_function())), st.integers(0, 10**9))
def test_what_is_certain_is_what_jax_does(name: str, seed: int) -> None:
    assert not wrong_about(name, seed)


N = Size("n")
KEY = Aval((), "key", False)
MASK = Aval((3, 4), "bool", False)
CALLS = [
    ("jax.numpy.sum", {"a": F32}, "f32[]"),
    ("jax.numpy.sum", {"a": F32, "axis": Constant(0)}, "f32[4]"),
    ("jax.numpy.sum", {"a": F32, "axis": Constant(0), "keepdims": Constant(True)}, "f32[1,4]"),
    ("jax.numpy.sum", {"a": F32, "axis": UNKNOWN}, "f32[*]"),
    ("jax.numpy.sum", {"a": MASK}, "i32[]"),
    ("jax.numpy.argmax", {"a": F32, "axis": Constant(-1)}, "i32[3]"),
    ("jax.numpy.sin", {"x": I32}, "f32[4]"),
    ("jax.numpy.sin", {"x": Constant(1.0)}, "weak f32[]"),
    ("jax.numpy.add", {"x": F32, "y": Constant(1)}, "f32[3,4]"),
    ("jax.numpy.greater", {"x": F32, "y": I32}, "bool[3,4]"),
    ("jax.numpy.where", {"condition": MASK, "x": F32, "y": Constant(0.0)}, "f32[3,4]"),
    ("jax.numpy.matmul", {"a": F32, "b": I32}, "f32[3]"),
    ("jax.numpy.zeros", {"shape": Items((Dimension(N), Constant(3)))}, "f32[n,3]"),
    ("jax.numpy.zeros", {"shape": Dimension(N), "dtype": OfDType("bool")}, "bool[n]"),
    ("jax.numpy.zeros_like", {"a": Aval((N,), "bfloat16", False)}, "bf16[n]"),
    ("jax.random.normal", {"key": KEY, "shape": Items((Constant(2),))}, "f32[2]"),
    ("jax.random.split", {"key": KEY, "num": Constant(4)}, "key[4]"),
    ("jax.nn.one_hot", {"x": I32, "num_classes": Constant(7)}, "f32[4,7]"),
    ("jax.nn.softmax", {"x": F32}, "f32[3,4]"),
    ("jax.numpy.linalg.svd", {"a": F32, "compute_uv": Constant(False)}, "f32[?]"),
    ("jax.Array.T", {"self": F32}, "f32[4,3]"),
    ("jax.Array.astype", {"self": F32, "dtype": OfDType("int8")}, "i8[3,4]"),
    ("jax.Array.reshape", {"self": Aval((N, 3), "int32", False), "args": Items((Constant(-1),))},
     "i32[?]"),
    ("jax.Array.__truediv__", {"self": I32, "other": Constant(2)}, "f32[4]"),
    ("jax.Array.at.set", {"self": F32, "index": UNKNOWN, "values": UNKNOWN}, "f32[3,4]"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given_", "text"), CALLS)
def test_calls(name: str, given_: Any, text: str) -> None:
    assert describe(evaluate(name, given_, x64=False).aval) == text


def test_other_results() -> None:
    pair = evaluate("jax.numpy.where", {"condition": MASK})
    assert (pair.kind, pair.count) == ("tuple", 2)
    parts = evaluate("jax.lax.split", {"operand": F32, "sizes": Items((Constant(1), Constant(2)))})
    assert (parts.kind, parts.count) == ("list", 2)
    assert evaluate("jax.numpy.iterable", {"y": F32}) == Outcome("host", type="bool")
    assert evaluate("jax.numpy.shape", {"a": F32}).type == "shape"
    several = evaluate("jax.numpy.linalg.svd", {"a": F32})
    assert (several.kind, several.type, several.count) == ("namedtuple", "SVDResult", 3)
    assert evaluate("jax.numpy.linalg.svd", {"a": F32, "compute_uv": UNKNOWN}).kind == "unknown"
    assert evaluate("jax.lax.psum", {"x": UNKNOWN, "axis_name": Constant("i")}).kind == "like"
    assert evaluate("jax.lax.psum", {"x": Constant(1), "axis_name": Constant("i")}).kind == "host"
    assert evaluate("no.such.name", {}).kind == "unknown"


def test_the_setting_of_x64_decides() -> None:
    shape = {"shape": Constant(3)}
    assert evaluate("jax.numpy.zeros", shape, x64=True).aval.dtype == "float64"
    assert evaluate("jax.numpy.zeros", shape, x64=None).aval.dtype == "float"


def test_a_contradiction_is_certain() -> None:
    other = Aval((5,), "float32", False)
    assert evaluate("jax.numpy.add", {"x": F32, "y": other}).contradiction
    assert evaluate("jax.numpy.matmul", {"a": F32, "b": other}).contradiction
    assert not evaluate("jax.numpy.add", {"x": F32, "y": Aval((N,), "float32")}).contradiction
