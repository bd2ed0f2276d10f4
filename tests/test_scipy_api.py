"""What SciPy does with tracers: each row is asked of JAX."""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxlint.knowledge import scipy_api
from jaxlint.rules.registry import find_rule
from tests.scipy_calls import CALLS


def exceptions() -> tuple[type[Exception], ...]:
    """What the rule says that JAX raises."""
    rule = find_rule("JXL107")
    assert rule is not None
    return tuple(getattr(jax.errors, name, ValueError) for name in rule.evidence.exceptions)


EXCEPTIONS = exceptions()


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def function(name: str) -> Callable[..., Any]:
    """What a dotted name means: SciPy imports its modules when they are asked for."""
    module, _, last = name.rpartition(".")
    try:
        found = importlib.import_module(module)
    except ImportError:
        found = function(module)
    return getattr(found, last)


def test_each_row_has_a_call_that_is_right() -> None:
    assert set(CALLS) == set(scipy_api.names())


@pytest.mark.parametrize("name", CALLS)
def test_a_row_says_what_scipy_does(name: str) -> None:
    row, call, given = scipy_api.row_of(name), function(name), CALLS[name]
    assert row is not None
    call(**given)
    asked = row.arrays | row.called.keys()
    assert asked
    for parameter in asked:

        def traced(x: Any, parameter: str = parameter) -> Any:
            usual = given[parameter]
            value = (lambda *numbers: usual(*numbers) + x) if callable(usual) else x
            call(**{**given, parameter: value})

        usual = given[parameter]
        x = 0.0 if callable(usual) else jax.tree.map(jnp.asarray, usual)
        with pytest.raises(EXCEPTIONS):
            jax.make_jaxpr(traced)(x)


@pytest.mark.parametrize("name", CALLS)
def test_the_parameters_stand_in_that_order(name: str) -> None:
    row = scipy_api.row_of(name)
    assert row is not None
    try:
        parameters = list(inspect.signature(function(name)).parameters)
    except ValueError:
        pytest.skip("it does not tell its parameters")
    known = [each for each in row.parameters if each != "args"]
    assert parameters[: len(known)] == known
    assert "args" not in row.parameters or "args" in parameters


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("norm.pdf", (1.0, 0.0, 1.0)),
        ("norm.logcdf", (1.0, 0.0, 1.0)),
        ("norm.ppf", (0.5, 0.0, 1.0)),
        ("gamma.logpdf", (1.0, 2.0)),
        ("poisson.pmf", (1.0, 2.0)),
        ("beta.sf", (0.5, 2.0, 2.0)),
    ],
)
def test_densities_make_ndarrays_of_everything(name: str, given: tuple[float, ...]) -> None:
    assert scipy_api.needs_arrays(f"scipy.stats.{name}")
    call = function(f"scipy.stats.{name}")
    call(*given)
    for position in range(len(given)):
        with pytest.raises(EXCEPTIONS):
            jax.make_jaxpr(lambda x, at=position: call(*given[:at], x, *given[at + 1 :]))(1.0)


@pytest.mark.parametrize("name", sorted(scipy_api.INTERPOLATORS))
def test_interpolators_make_ndarrays_of_what_they_are_called_with(name: str) -> None:
    found = function(name)(**CALLS[name])
    found([2.5])
    with pytest.raises(EXCEPTIONS):
        jax.make_jaxpr(found)(jnp.array([2.5]))


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("scipy.fft.fft", "jax.numpy.fft.fft"),
        ("scipy.fft.dct", "jax.scipy.fft.dct"),
        ("scipy.stats.norm.pdf", "jax.scipy.stats.norm.pdf"),
        ("scipy.special.gamma", "jax.scipy.special.gamma"),
        ("scipy.integrate.odeint", ""),
        ("scipy.special.jv", ""),
    ],
)
def test_the_function_of_jax_that_computes_the_same(name: str, same: str) -> None:
    assert scipy_api.counterpart(name) == same
