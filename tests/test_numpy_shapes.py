"""What is known of the shapes that NumPy gives: as JAX gives them, or as sizes say."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest

jnp = pytest.importorskip("jax.numpy")

from jaxlint.knowledge import numpy_api  # noqa: E402

X = np.arange(1.0, 7.0).reshape(2, 3) / 10
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((X,), {}), ((X, X), {}), ((X, X[0]), {}), ((X, 1), {}), ((X, 2.0), {}), ((X, 0, 1), {}),
    (((2, 3),), {}), ((2,), {}), ((2, 5), {}), ((0.0, 1.0, 5), {}), (((2, 3), 1.0), {}),
    ((X,), {"axis": 1}), ((X,), {"axis": 0, "keepdims": True}), ((X,), {"axis": -1}),
    ((X[:, None],), {}), ((X[:, None], 1), {}), ((X, -1), {}), ((X, (3, -1)), {}),
    ((X, (1, 0)), {}), (([X, X],), {}), (([X, X],), {"axis": 1}), (([X[0], X[1]],), {}),
    ((X > 0.2, X, 0.0), {}), ((X, 0.1, 0.2), {}), ((X, X.T), {}), ((X[0],), {}), ((X[0], X[1]), {}),
    ((0.5,), {}), (([1, 2, 3],), {}), (([[1.0], [2.0]],), {}), ((X, (2, 1)), {}), ((X, [1, 0]), {}),
]  # fmt: skip


def shape_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        return np.shape(function(*args, **kwargs))
    except Exception:  # What either of them refuses is of no account here.
        return None


@pytest.mark.parametrize("name", sorted(numpy_api.SHAPED_AS_JAX))
def test_numpy_gives_the_shape_that_jax_gives(name: str) -> None:
    ours, other = resolve_name(name), getattr(jnp, name.rpartition(".")[2])
    pairs = [(shape_of(ours, *call), shape_of(other, *call)) for call in CALLS]
    both = [(one, two) for one, two in pairs if one is not None and two is not None]
    assert both
    assert all(one == two for one, two in both)


SEVERAL: list[tuple[Any, ...]] = [(3,), (3, 1), (3, -1), (X[0], X[1]), (X[0], X), (X, 2), (X.T, 3)]


@pytest.mark.parametrize("name", sorted(numpy_api.SEVERAL_AS_JAX))
def test_numpy_gives_as_many_arrays_as_jax_gives(name: str) -> None:
    ours, other = resolve_name(name), getattr(jnp, name.rpartition(".")[2])
    pairs = [(shapes_of(ours, args), shapes_of(other, args)) for args in SEVERAL]
    both = [(one, two) for one, two in pairs if one is not None and two is not None]
    assert both
    assert all(one == two for one, two in both)


def shapes_of(function: Any, args: tuple[Any, ...]) -> Any:
    try:
        return [np.shape(each) for each in function(*args)]
    except Exception:
        return None


@pytest.mark.parametrize("name", sorted(numpy_api.METHODS_SHAPED_AS_JAX))
def test_methods_give_the_shape_that_those_of_jax_give(name: str) -> None:
    arrays = [each for (each, *_), _ in CALLS[:18] if isinstance(each, np.ndarray)]
    for x in arrays:
        for args in ((), (1,), (-1,), (0, 1), (x.T,), (float,), ((3, -1),), (0.0, 0.3)):
            one = shape_of(getattr(x, name), args, {})
            two = shape_of(getattr(jnp.asarray(x), name), args, {})
            assert one is None or two is None or one == two


RECEIVERS = {"Generator": np.random.default_rng(0), "RandomState": np.random.RandomState(0)}
FIRST = {"randint": (1, 9), "integers": (1, 9), "binomial": (2, 0.5)}


def drawer(name: str) -> Any:
    _, _, *owner, short = name.split(".")
    return getattr(RECEIVERS[owner[0]] if owner else np.random, short)


@pytest.mark.parametrize("name", sorted(numpy_api.SIZE_DRAWN))
def test_sizes_are_what_is_drawn(name: str) -> None:
    function, position = drawer(name), numpy_api.SIZE_DRAWN[name]
    if position is None:
        assert function(2, 3).shape == (2, 3)
        return
    first = FIRST.get(name.rpartition(".")[2], (1.0, 2.0) if "choice" not in name else (3,))
    assert function(*first[:position], (2, 3)).shape == (2, 3)
    assert function(*first[:position], size=4).shape == (4,)


@pytest.mark.parametrize("name", sorted(numpy_api.SHUFFLES))
def test_a_permutation_has_the_shape_of_what_it_is_given(name: str) -> None:
    permutation = drawer(name)
    assert permutation(5).shape == (5,)
    assert permutation(5).dtype.kind == "i"
    assert permutation(X).shape == X.shape
