"""What the rules for shapes and dtypes say for certain, against real JAX."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

jax = pytest.importorskip("jax")
jnp = jax.numpy

import numpy as np  # noqa: E402
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from jaxlint.knowledge import promotion  # noqa: E402
from jaxlint.tracer.values import avals, shapes  # noqa: E402
from jaxlint.tracer.values.avals import Aval, Size, describe  # noqa: E402
from jaxlint.tracer.values.dtypes import DType, promote  # noqa: E402
from jaxlint.tracer.values.shapes import UNKNOWN, ArrayIndex, Inferred  # noqa: E402
from tools.measure import promotion as measuring  # noqa: E402

QUICK = settings(max_examples=150, deadline=None)
SIZES = st.sampled_from((0, 1, 1, 2, 3, 4))
CONCRETE = st.lists(SIZES, max_size=4).map(tuple)


class Hidden:
    """Shapes of which parts are hidden, and what the hidden parts really are."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self.draw = draw
        self.tokens = {size: Size(f"n{size}") for size in range(200)}

    def __call__(self, shape: tuple[int, ...]) -> shapes.Shape:
        if self.draw(st.integers(0, 9)) == 0:
            return None
        return tuple(self.size(size) for size in shape)

    def size(self, size: int) -> shapes.Dim:
        how = self.draw(st.integers(0, 3))
        return None if how == 0 else self.tokens[size] if how == 1 else size

    def check(self, found: Inferred, really: Callable[[], Any]) -> None:
        try:
            shape = jax.eval_shape(really).shape
        except (TypeError, ValueError, IndexError):
            return
        assert not found.contradiction
        if found.shape is None:
            return
        assert len(found.shape) == len(shape), found
        known = [s if not isinstance(s, Size) else int(s.name[1:]) for s in found.shape]
        for size, one in zip(shape, known, strict=True):
            assert one is None or one == size, (found, shape)


@st.composite
def hidden(draw: Any) -> Hidden:
    return Hidden(draw)


def zeros(shape: tuple[int, ...]) -> Any:
    return jnp.zeros(shape)


AXES = st.one_of(st.none(), st.integers(-3, 3), st.lists(st.integers(-3, 3), max_size=3).map(tuple))


@QUICK
@given(hidden(), st.lists(CONCRETE, min_size=1, max_size=3))
def test_broadcasting(hide: Hidden, given_shapes: list[Any]) -> None:
    found = shapes.broadcast(*map(hide, given_shapes))
    hide.check(found, lambda: jnp.broadcast_arrays(*map(zeros, given_shapes))[0])


@QUICK
@given(hidden(), CONCRETE, AXES, st.booleans(), st.integers(0, 5))
def test_reductions(hide: Hidden, shape: Any, axis: Any, keepdims: bool, less: int) -> None:
    found = shapes.reduce(
        hide(shape), UNKNOWN if less == 0 else axis, None if less == 1 else keepdims
    )
    hide.check(found, lambda: zeros(shape).sum(axis, keepdims=keepdims))


@QUICK
@given(hidden(), CONCRETE, st.lists(st.sampled_from((-1, 1, 2, 3, 4, 6)), max_size=3))
def test_reshaping(hide: Hidden, shape: Any, new: Any) -> None:
    hidden_new = [size if size == -1 else hide.size(size) for size in new]
    found = shapes.reshape(hide(shape), hidden_new)
    hide.check(found, lambda: zeros(shape).reshape(new))


@QUICK
@given(hidden(), CONCRETE, AXES, AXES)
def test_moving_axes(hide: Hidden, shape: Any, axis: Any, other: Any) -> None:
    array = lambda: zeros(shape)  # noqa: E731
    if axis is None or isinstance(axis, tuple):
        hide.check(shapes.transpose(hide(shape), axis), lambda: array().transpose(axis))
    if axis is not None:
        hide.check(shapes.expand_dims(hide(shape), axis), lambda: jnp.expand_dims(array(), axis))
    hide.check(shapes.squeeze(hide(shape), axis), lambda: array().squeeze(axis))
    if isinstance(axis, int) and isinstance(other, int):
        hide.check(shapes.swapaxes(hide(shape), axis, other), lambda: array().swapaxes(axis, other))
    if axis is not None and other is not None:
        found = shapes.moveaxis(hide(shape), axis, other)
        hide.check(found, lambda: jnp.moveaxis(array(), axis, other))


@QUICK
@given(hidden(), st.lists(CONCRETE, min_size=1, max_size=3), st.integers(-3, 3), st.booleans())
def test_joining(hide: Hidden, given_shapes: list[Any], axis: int, same: bool) -> None:
    several = [given_shapes[0]] * 2 if same else given_shapes
    arrays = lambda: list(map(zeros, several))  # noqa: E731
    found = shapes.concatenate(list(map(hide, several)), axis)
    hide.check(found, lambda: jnp.concatenate(arrays(), axis))
    hide.check(shapes.stack(list(map(hide, several)), axis), lambda: jnp.stack(arrays(), axis))


@QUICK
@given(hidden(), CONCRETE, CONCRETE, st.integers(0, 2))
def test_products(hide: Hidden, first: Any, second: Any, axes: int) -> None:
    one, two = hide(first), hide(second)
    hide.check(shapes.matmul(one, two), lambda: jnp.matmul(zeros(first), zeros(second)))
    hide.check(shapes.dot(one, two), lambda: jnp.dot(zeros(first), zeros(second)))
    hide.check(
        shapes.tensordot(one, two, axes), lambda: jnp.tensordot(zeros(first), zeros(second), axes)
    )


SUBSCRIPTS = st.sampled_from(
    ("ij,jk->ik", "ij,jk", "i,i->", "i,j->ij", "...i,...i->...", "bij,bjk->bik", "ii->i",
     "ij->ji", "i...->...", "...ij,jk->...ik", "ij,ij->i", "abc,cd->abd", "ba")
)  # fmt: skip


@QUICK
@given(hidden(), SUBSCRIPTS, CONCRETE, CONCRETE, st.integers(0, 3))
def test_einsum(hide: Hidden, subscripts: str, first: Any, second: Any, size: int) -> None:
    several = [first, second][: subscripts.count(",") + 1]
    if size:
        # Shapes that fit more often than drawn ones do.
        terms = subscripts.partition("->")[0].split(",")
        several = [(size,) * len(term.replace("...", "d")) for term in terms]
    found = shapes.einsum(subscripts, list(map(hide, several)))
    hide.check(found, lambda: jnp.einsum(subscripts, *map(zeros, several)))


ITEMS = st.one_of(
    st.integers(-2, 2),
    st.builds(slice, *[st.sampled_from((None, 0, 1, -1, 2))] * 2, st.sampled_from((None, 1, -1))),
    st.none(),
    st.just(...),
    CONCRETE.filter(lambda shape: len(shape) < 3).map(ArrayIndex),
    CONCRETE.filter(lambda shape: 0 < len(shape) < 3).map(lambda s: ArrayIndex(s, mask=True)),
)


@settings(max_examples=400, deadline=None)
@given(hidden(), CONCRETE, st.lists(ITEMS, max_size=4))
def test_indexing(hide: Hidden, shape: Any, items: Any) -> None:
    key = tuple(
        ArrayIndex(hide(i.shape), i.mask) if isinstance(i, ArrayIndex) else i for i in items
    )
    found = shapes.index(hide(shape), key)
    really = tuple(
        np.zeros(i.shape, bool if i.mask else int) if isinstance(i, ArrayIndex) else i
        for i in items
    )
    hide.check(found, lambda: zeros(shape)[really])


NAMES = sorted(promotion.available(False))


@QUICK
@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4), st.data())
def test_promotion(names: list[str], data: Any) -> None:
    try:
        result = jax.eval_shape(_promoted, *map(measuring.struct, names))
    except (TypeError, ValueError):
        return
    known = [DType(name.lstrip("~"), name.startswith("~")) for name in names]
    if data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(known) - 1))
        name = known[place].name
        known[place] = DType(promotion.kinds().get(name, name), known[place].weak)
    for x64 in (False, None):
        found = promote(tuple(known), x64)
        exact = measuring.shown(result)
        assert found.weak in (None, exact.startswith("~"))
        plain = exact.lstrip("~")
        assert found.name in (None, plain, promotion.kinds().get(plain))
    if all(dtype.name not in promotion.KIND_NAMES for dtype in known):
        assert promote(tuple(known), False).name == plain


def _promoted(*arrays: Any) -> Any:
    """All arrays in one promotion, not pair by pair."""
    return jnp.select([True] * len(arrays), list(arrays), arrays[0])


def test_an_ellipsis_for_no_axis_keeps_arrays_apart() -> None:
    key = (None, 0, ..., ArrayIndex((2,)))
    really = jax.eval_shape(lambda x: x[None, 0, ..., np.array([0, 1])], np.zeros((2, 3)))
    assert shapes.index((2, 3), key).shape == really.shape == (2, 1)


def test_the_table_is_what_jax_does() -> None:
    path = Path(promotion.__file__).with_name("promotion.json")
    stored = json.loads(path.read_text("utf-8"))
    if stored["jax"] != jax.__version__:
        pytest.skip(f"measured on {stored['jax']}")
    assert stored == measuring.table()


def test_promotion_of_kinds() -> None:
    weak, strong = DType("float", True), DType("float32", False)
    assert promote((weak, strong)) == strong
    assert promote((DType("int", True), DType("uint8", False))) == DType("uint8", False)
    assert promote((DType("uint32", False), DType("int32", False)), False).name == "int32"
    assert promote((DType("uint32", False), DType("int32", False)), None).name == "int"
    assert promote((DType("int", False), DType("float16", False))).name == "float16"
    # Whatever the other is: with a strong float nothing is weak.
    assert promote((DType(None), strong)) == DType(None, False)
    # An unsigned and a signed integer may make a float, and that is weak.
    assert promote((DType(None, False), DType("int16", False)), False) == DType(None, False)
    assert promote((DType(None, False), DType("int16", False)), True) == DType(None, None)


@pytest.mark.parametrize(
    ("aval", "text"),
    [
        (Aval((3, Size("n")), "float32", False), "f32[3,n]"),
        (Aval((), "int32", True), "weak i32[]"),
        (Aval((None,), "float32"), "f32[?]"),
        (Aval(None, "bfloat16"), "bf16[*]"),
        (Aval((2, Size())), "?[2,?]"),
        (Aval((), "float"), "float[]"),
        (Aval((2,), "key"), "key[2]"),
        (Aval((4,), "bool", False), "bool[4]"),
    ],
)
def test_the_short_form(aval: Aval, text: str) -> None:
    assert describe(aval) == text


def test_equal_sizes_cancel() -> None:
    n, m = Size("n"), Size("m")
    assert shapes.reshape((n, 3, m), (-1, m)) == Inferred((None, m))
    assert shapes.reshape((n, 3), (-1, 3)) == Inferred((n, 3))
    assert shapes.reshape((n, 4), (n, 2, -1)) == Inferred((n, 2, 2))
    assert shapes.broadcast((n, 1), (n, 4)) == Inferred((n, 4))
    assert shapes.broadcast((n,), (m,)) == Inferred((None,))


def test_whole_arrays() -> None:
    x, y = Aval((3, 4), "float32", False), Aval((4,), "int32", False)
    assert avals.elementwise(x, y) == (Aval((3, 4), "float32", False), False)
    assert avals.elementwise(x, avals.python_number(2.0)).aval == x
    assert avals.matmul(x, y).aval == Aval((3,), "float32", False)
    assert avals.matmul(y, x).contradiction
    assert avals.index(x, (0, None)).aval.shape == (1, 4)
    assert avals.einsum("ij,j->i", x, y).aval == Aval((3,), "float32", False)
    assert avals.stack([y, y]).aval.shape == (2, 4)
    assert avals.join(x, Aval((3, 5), "float32", True)) == Aval((3, None), "float32", None)
