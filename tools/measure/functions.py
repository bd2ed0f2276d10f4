"""Which functions are asked, and how each takes its arguments."""

from __future__ import annotations

import importlib
import inspect
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

MODULES = (
    "jax.numpy", "jax.numpy.fft", "jax.numpy.linalg", "jax.lax", "jax.lax.linalg", "jax.nn",
    "jax.nn.initializers", "jax.random", "jax.scipy.special", "jax.scipy.linalg",
    "jax.scipy.signal", "jax.scipy.ndimage",
    "jax.scipy.integrate", "jax.scipy.fft", "jax.scipy.cluster.vq", "jax.scipy.interpolate",
    *(f"jax.scipy.stats.{name}" for name in
      ("bernoulli", "beta", "betabinom", "binom", "cauchy", "chi2", "dirichlet", "expon", "gamma",
       "gennorm", "geom", "gumbel_l", "gumbel_r", "laplace", "logistic", "multinomial",
       "multivariate_normal", "nbinom", "norm", "pareto", "poisson", "t", "truncnorm", "uniform",
       "vonmises", "wrapcauchy")),
    "jax.scipy.stats", "jax.image", "jax.ops", "jax.dtypes", "jax.tree", "jax.tree_util", "jax",
    "jax.Array", "numpy", "numpy.fft", "numpy.linalg",
)  # fmt: skip
"""Modules whose public functions are asked."""

ASKED_OF_JAX = frozenset(
    {"block_until_ready", "default_backend", "device_count", "device_get", "device_put", "devices",
     "host_count", "host_id", "local_device_count", "local_devices", "process_count",
     "process_index", "process_indices", "typeof"}
)  # fmt: skip
"""Of ``jax`` itself: the others transform functions, or set what the next experiments see."""

SKIPPED = frozenset(
    {"numpy.show_config", "numpy.show_runtime", "numpy.info", "numpy.test", "numpy.save",
     "numpy.savez", "numpy.savez_compressed", "numpy.savetxt", "numpy.load", "numpy.loadtxt",
     "numpy.genfromtxt", "numpy.fromfile", "numpy.memmap", "numpy.seterr", "numpy.setbufsize",
     "numpy.seterrcall", "numpy.set_printoptions", "jax.numpy.save", "jax.numpy.savez",
     "jax.numpy.load", "jax.numpy.set_printoptions", "jax.numpy.printoptions",
     "jax.clear_caches", "jax.Array.copy_to_host_async", "jax.Array.to_device",
     "jax.effects_barrier", "jax.print_environment_info", "jax.make_mesh", "jax.set_mesh"}
)  # fmt: skip
"""Functions that write, read or change settings: not to be called by an experiment."""


def module_of(name: str) -> str:
    """The module of a function, of which an array's update is a part too."""
    return name.rpartition(".")[0].removesuffix(".at")


def functions(module_name: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function of a module, by qualified name."""
    if module_name == ARRAY:
        yield from methods()
        return
    module = importlib.import_module(module_name)
    for short in sorted(set(dir(module))):
        name = f"{module_name}.{short}"
        if short.startswith("_") or short == "test" or name in SKIPPED:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function = getattr(module, short, None)
        if function is None or not callable(function) or inspect.ismodule(function):
            continue
        if inspect.isclass(function) and not _makes_arrays(function) and not _is_scalar(function):
            continue
        if module_name == "jax" and short not in ASKED_OF_JAX:
            continue
        yield name, function
        if module_name == "jax.nn.initializers":
            yield from _made(name, function)


def _made(name: str, factory: Callable[..., Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    """What a factory returns, by its name and brackets: ``jax.nn.initializers.normal()``."""
    try:
        made = factory()
    except TypeError:
        return
    if callable(made):
        yield f"{name}()", made


ARRAY = "jax.Array"
"""The class whose methods, attributes and operators are asked like functions of ``self``."""

OPERATORS = (
    "abs", "add", "and", "divmod", "eq", "floordiv", "ge", "gt", "invert", "le", "lshift", "lt",
    "matmul", "mod", "mul", "ne", "neg", "or", "pos", "pow", "rshift", "sub", "truediv", "xor",
)  # fmt: skip

MORE_METHODS = ("aval", "block_until_ready", "devices", "is_deleted", "is_ready", "tolist",
                "weak_type")  # fmt: skip
"""What every array has besides the names that ``jax.Array`` declares."""

UPDATES = ("add", "divide", "get", "max", "min", "multiply", "power", "set", "subtract")


def methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Methods, attributes, operators and ``x.at[i]`` updates of an array, as functions."""
    concrete = type(jnp.zeros(()))
    for short in (*dir(jax.Array), *MORE_METHODS):
        if short.startswith("_") or f"{ARRAY}.{short}" in SKIPPED:
            continue
        if not callable(getattr(concrete, short, None)):
            yield f"{ARRAY}.{short}", _attribute(short)
        else:
            yield f"{ARRAY}.{short}", _method(short, concrete)
    for short in OPERATORS:
        unary = short in ("abs", "invert", "neg", "pos")
        yield f"{ARRAY}.__{short}__", _operator(f"__{short}__", unary)
    for short in UPDATES:
        yield f"{ARRAY}.at.{short}", _update(short)


def _attribute(short: str) -> Callable[..., Any]:
    def read(self: Any) -> Any:
        return getattr(self, short)

    read.attribute = True  # type: ignore[attr-defined]
    return read


def _method(short: str, concrete: type) -> Callable[..., Any]:
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, short)(*args, **kwargs)

    def alone(self: Any) -> Any:
        return getattr(self, short)()

    try:
        signature = inspect.signature(getattr(jax.Array, short, getattr(concrete, short)))
    except ValueError:
        # Of compiled code, none of which takes an argument.
        return alone
    run.__signature__ = signature  # type: ignore[attr-defined]
    return run


def _operator(name: str, unary: bool) -> Callable[..., Any]:
    function: Callable[..., Any] = divmod if name == "__divmod__" else getattr(operator, name)

    def of_one(self: Any) -> Any:
        return function(self)

    def of_two(self: Any, other: Any) -> Any:
        return function(self, other)

    return of_one if unary else of_two


def _update(short: str) -> Callable[..., Any]:
    def run(self: Any, index: Any, values: Any) -> Any:
        return getattr(self.at[index], short)(values)

    def get(self: Any, index: Any) -> Any:
        return self.at[index].get()

    return get if short == "get" else run


def _is_scalar(cls: type) -> bool:
    """Whether this is a type of ``jax.numpy``, whose call makes an array: ``jnp.float32``.

    Those of fewer than eight bits end the process when XLA computes with them on the CPU.
    """
    if type(cls) is not type(jnp.float32):
        return False
    dtype = np.dtype(cls)
    return dtype.kind in "biufc" or dtype.name == "bfloat16"


def _makes_arrays(cls: type) -> bool:
    return issubclass(cls, np.generic) and cls.__module__ == "numpy" and cls is not np.generic


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """The parameters that can be given a value; None when nobody can see them."""
    count = getattr(function, "nin", None)
    if isinstance(count, int) and not isinstance(function, np.ufunc):
        kind = inspect.Parameter.POSITIONAL_ONLY
        return [inspect.Parameter(name, kind) for name in ("x", "y", "z")[:count]]
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        count = getattr(function, "nin", None)
        if not isinstance(count, int):
            return None
        names = ["x1", "x2", "x3"] if count > 1 else ["x"]
        kind = inspect.Parameter.POSITIONAL_ONLY
        return [inspect.Parameter(name, kind) for name in names[:count]]
    if isinstance(function, np.ufunc):
        return list(found)[: function.nin]
    return list(found)
