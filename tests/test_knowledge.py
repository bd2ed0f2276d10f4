"""Every row of the tables against the installed JAX."""

from __future__ import annotations

import collections
import math
import subprocess
import sys
from contextlib import suppress
from pkgutil import resolve_name
from typing import Any

import pytest

jax = pytest.importorskip("jax")
jnp = jax.numpy

import numpy as np  # noqa: E402

from jaxlint.knowledge import array_names, class_api, jax_api, numpy_api, python_api  # noqa: E402
from jaxlint.knowledge.annotations import ARRAY_ANNOTATIONS  # noqa: E402
from jaxlint.knowledge.measured import (  # noqa: E402
    is_measured,
    result_of,
    signature_of,
    signatures,
    usual_kind,
)
from jaxlint.knowledge.pallas import READS_NO_DATA  # noqa: E402
from jaxlint.knowledge.strict import SAME_DTYPE  # noqa: E402
from jaxlint.knowledge.transforms import TRANSFORMS  # noqa: E402
from jaxlint.tracer.values.avals import Aval  # noqa: E402
from jaxlint.tracer.values.results import evaluate  # noqa: E402
from tests.names import resolve  # noqa: E402

GONE_IN_SOME_VERSIONS = {
    "typing.override",
    # Kept for the versions that have them.
    "jax.tree_map", "jax.core.mutable_array", "jax.experimental.mutable_array", "jax.array_ref",
    "jax.new_ref", "jax.ref.new_ref", "jax.lax.axis_size", "jax.lax.cond_p", "jax.numpy.ptp",
    "jax.lax.dtype", "jax.pmap", "jax.ad_checkpoint.checkpoint", "jax.experimental.pjit.pjit",
    "jax.experimental.shard_map.shard_map", "jax.lax.linalg", "jax.core.ConcretizationTypeError",
    "jax.numpy.fft", "jax.dtypes.canonicalize_dtype",
}  # fmt: skip


def names_of(*tables: Any) -> list[str]:
    return sorted({name for table in tables for name in table})


@pytest.mark.parametrize(
    "name",
    names_of(
        TRANSFORMS,
        jax_api.ARRAY_MODULES,
        jax_api.LIBRARY_ARRAY_FUNCTIONS,
        jax_api.HOST_RESULTS,
        jax_api.UNKNOWN_RESULTS,
        jax_api.TUPLE_RESULTS,
        jax_api.KEY_RESULTS,
        jax_api.PURE_UPDATES,
        jax_api.CONSTANTS,
        ARRAY_ANNOTATIONS,
        jax_api.MUTABLE_REFS,
        jax_api.TREE_MAPS,
        numpy_api.HOST_RESULTS,
        python_api.OUTPUT,
        python_api.NEUTRAL_DECORATORS,
        python_api.CATCHES_TRACER_ERRORS,
        class_api.PYTREE_DECORATORS,
    ),
)
def test_the_name_exists(name: str) -> None:
    package = name.split(".")[0]
    if package not in (
        "builtins",
        "math",
        "typing",
        "functools",
        "abc",
        "sys",
        "logging",
        "pprint",
    ):
        pytest.importorskip(package)
    try:
        resolve(name)
    except (ImportError, AttributeError):
        if name in GONE_IN_SOME_VERSIONS:
            pytest.skip(f"not in this version: {name}")
        raise


def test_no_array_has_what_is_told_to_be_written_otherwise() -> None:
    assert not [name for name in array_names.INSTEAD if array_names.ever_on_arrays(name)]


def traced(function: Any) -> Any:
    """What a function of one vector gives on a tracer."""
    seen = []
    jax.make_jaxpr(lambda x: seen.append(function(x)) or 0)(jnp.ones(4))
    return seen[0]


SIMPLE = {"shape", "ndim", "size", "iscomplexobj", "isrealobj", "isscalar", "result_type"}


ON_ARRAYS = [f"jax.numpy.{short}" for short in sorted(SIMPLE)]
ON_ARRAYS += [name for name in numpy_api.HOST_RESULTS if name.rpartition(".")[2] in SIMPLE]


@pytest.mark.parametrize("name", ON_ARRAYS)
def test_host_results_are_no_tracers(name: str) -> None:
    assert name in numpy_api.HOST_RESULTS or usual_kind(name) == "host"
    value = traced(resolve(name))
    assert not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree_util.tree_leaves(value))


@pytest.mark.parametrize("name", sorted(jax_api.PROMOTES))
def test_integers_beside_arrays_are_made_arrays(name: str) -> None:
    function = resolve(name)
    operands = [jnp.arange(3), 0] if name.endswith("clip") else [jnp.arange(3)]
    operands = [jnp.arange(3) > 0, *operands] if name.endswith("where") else operands
    function(*operands, 2**31 - 1)
    with pytest.raises(OverflowError):
        function(*operands, 2**31)


REDUCTIONS = [
    "all", "any", "sum", "prod", "mean", "std", "var", "max", "min", "amax", "amin", "argmax",
    "argmin", "median", "nansum", "nanmean", "nanmax", "nanmin", "nanstd", "nanvar",
    "count_nonzero", "average", "linalg.norm",
]  # fmt: skip


@pytest.mark.parametrize("short", REDUCTIONS)
def test_reductions_give_traced_scalars(short: str) -> None:
    name = f"jax.numpy.{short}"
    value = traced(resolve(name))
    assert isinstance(value, jax.core.Tracer)
    signature = signature_of(name)
    assert signature is not None
    said = evaluate(name, {signature.parameters[0]: Aval((4,), "float32", False)})
    assert (said.kind, said.aval.shape) == ("array", value.shape)


HANDED_OVER = [
    name for name in signatures() if name.startswith("numpy.") and usual_kind(name) == "array"
]


@pytest.mark.parametrize("name", HANDED_OVER)
def test_numpy_hands_over_to_the_tracer(name: str) -> None:
    arguments = {
        "reshape": (4,), "repeat": (2,), "swapaxes": (0, 0), "moveaxis": (0, 0), "rollaxis": (0,),
        "searchsorted": (1.0,), "take_along_axis": (np.zeros(1, int), 0),
    }.get(name.split(".")[1], ())  # fmt: skip
    assert isinstance(traced(lambda x: resolve(name)(x, *arguments)), jax.core.Tracer)


GIVEN_FIRST = {
    "numpy.einsum": ("i,i->",), "numpy.einsum_path": ("i,i->",), "numpy.apply_over_axes": (np.sum,),
    "numpy.apply_along_axis": (np.sum, 0),
}  # fmt: skip
"""Arguments before those that are made ndarrays of, or beside them."""

MAKES_ARRAYS = sorted(numpy_api.MAKES_ARRAYS.keys() - numpy_api.SCALAR_TYPES - numpy_api.WRITES)


@pytest.mark.parametrize("name", MAKES_ARRAYS)
def test_numpy_makes_an_array_of_the_tracer(name: str) -> None:
    before = GIVEN_FIRST.get(name, ())
    assert numpy_api.MAKES_ARRAYS[name] <= len(before)
    others = (0,) if name == "numpy.apply_over_axes" else (np.ones(4, np.float32),)
    others = () if name == "numpy.apply_along_axis" else others
    with pytest.raises(jax.errors.TracerArrayConversionError):
        traced(lambda x: resolve(name)(*before, x, *others))


TYPED = {
    "jax_api.HOST_RESULTS": jax_api.HOST_RESULTS,
    "jax_api.UNKNOWN_RESULTS": jax_api.UNKNOWN_RESULTS,
    "jax_api.TUPLE_RESULTS": jax_api.TUPLE_RESULTS,
    "numpy_api.HOST_RESULTS": numpy_api.HOST_RESULTS,
}
"""The tables that say by hand what functions return."""


@pytest.mark.parametrize("table", TYPED)
def test_no_typed_row_names_what_is_measured(table: str) -> None:
    assert [name for name in TYPED[table] if is_measured(name)] == []


@pytest.mark.parametrize("name", sorted(jax_api.KEY_CONSUMERS))
def test_no_typed_consumer_is_measured(name: str) -> None:
    assert signature_of(name) is None


def test_each_function_has_one_typed_row() -> None:
    named = [name for table in TYPED.values() for name in table]
    assert len(named) == len(set(named))


def test_what_is_measured_is_what_the_tracer_says() -> None:
    """A call of which nothing is known has the kind of result that every call gave."""
    told = [name for name in signatures() if name.startswith("jax.") and is_measured(name)]
    assert len(told) > 700
    for name in told:
        kind = usual_kind(name)
        returns = result_of(name)
        if kind and returns is not None:
            kinds = {case.kind for case in returns.cases}
            several = {"tuple", "list", "namedtuple"}
            assert kinds <= (several if kind == "tuple" else {kind}) | {"unknown"}, name


@pytest.mark.parametrize("attribute", sorted(jax_api.ARRAY_HOST_ATTRIBUTES))
def test_host_attributes_are_no_tracers(attribute: str) -> None:
    assert not isinstance(traced(lambda x: getattr(x, attribute)), jax.core.Tracer)


@pytest.mark.parametrize("method", sorted(jax_api.ARRAY_EVIDENCE))
def test_array_methods_exist(method: str) -> None:
    if method == "block_until_ready":
        assert hasattr(jnp.ones(1), method)
    else:
        assert traced(lambda x: hasattr(x.reshape(2, 2), method))


WRAPPERS = sorted(
    name
    for name, row in TRANSFORMS.items()
    if name.startswith("jax.") and not row.callees
    and (row.traced in ("all", "argnums", "in_axes") or (row.stages and row.traced == "none"))
    and name not in GONE_IN_SOME_VERSIONS and "shard_map" not in name
)  # fmt: skip


@pytest.mark.parametrize("name", WRAPPERS)
def test_what_a_transform_traces(name: str) -> None:
    """The parameter, a constant made inside, and what ``bool`` of each does."""
    row = TRANSFORMS[name]
    seen: dict[str, bool] = {}

    def function(x: Any) -> Any:
        seen["parameter"] = isinstance(x, jax.core.Tracer)
        seen["constant"] = isinstance(jnp.zeros(()) + 1, jax.core.Tracer)
        try:
            bool(x > 0)
            seen["bool"] = True
        except jax.errors.TracerBoolConversionError:
            seen["bool"] = False
        return x * 1.0

    argument: Any = jnp.ones(2) if row.concreteness == "mapped" or name == "jax.pmap" else 1.0
    if name.startswith("jax.experimental.sparse."):  # It takes arrays alone.
        argument = jnp.asarray(argument)
    if row.result == "unknown" and row.callees:
        resolve(name)(function, argument)
    else:
        wrapped = resolve(name)(function)
        if hasattr(wrapped, "def_vmap"):  # It is not called without one.
            wrapped.def_vmap(lambda size, batched, x: (x, batched[0]))
        wrapped(argument)
    assert seen["parameter"] is (row.traced != "none")
    assert seen["constant"] is row.stages
    assert seen["bool"] is (row.concreteness == "differentiated" or row.traced == "none")


CONTROL_FLOW = {
    "jax.lax.scan": lambda f: jax.lax.scan(lambda c, x: (f(c), x), 1.0, jnp.ones(2)),
    "jax.lax.map": lambda f: jax.lax.map(f, jnp.ones(2)),
    "jax.lax.while_loop": lambda f: jax.lax.while_loop(lambda c: c < 2, lambda c: f(c) + 1, 0.0),
    "jax.lax.fori_loop": lambda f: jax.lax.fori_loop(0, 2, lambda i, c: f(c), 1.0),
    "jax.lax.cond": lambda f: jax.lax.cond(True, f, lambda x: x, 1.0),
    "jax.lax.switch": lambda f: jax.lax.switch(0, [f, f], 1.0),
}


@pytest.mark.parametrize("name", sorted(CONTROL_FLOW))
def test_control_flow_traces_fully(name: str) -> None:
    seen: list[bool] = []

    def function(x: Any) -> Any:
        seen.extend(
            [isinstance(x, jax.core.Tracer), isinstance(jnp.zeros(()) + 1, jax.core.Tracer)]
        )
        return x

    CONTROL_FLOW[name](function)
    assert TRANSFORMS[name].stages
    assert seen
    assert all(seen)


@pytest.mark.parametrize("name", SAME_DTYPE)
def test_operands_have_one_dtype(name: str) -> None:
    """The function takes two operands of one dtype, and refuses two of other dtypes."""
    first, *rest = SAME_DTYPE[name]
    before = (jnp.ones(3) > 0,) * first
    other = jnp.ones((), jnp.float16) if name.endswith("pad") else jnp.ones(3, jnp.float16)
    after = {"pad": ([(1, 1, 0)],), "dynamic_update_slice": ((0,),)}.get(
        name.rpartition(".")[2], ()
    )
    function = resolve(name)
    function(*before, jnp.ones(3), *[other.astype("float32")] * len(rest), *after)
    with pytest.raises(TypeError):
        function(*before, jnp.ones(3), *[other] * len(rest), *after)


@pytest.mark.parametrize("name", sorted(READS_NO_DATA))
def test_what_reads_no_data_captures_none(name: str) -> None:
    """An array from outside is no constant of the program that asks it for its shape."""
    square, more = jnp.ones((3, 3)), {"full_like": (1.0,), "array_equal": (jnp.ones(2),)}
    function = resolve(name)
    asked = jax.make_jaxpr(lambda: function(square, *more.get(name.rpartition(".")[2], ())))()
    assert not asked.consts
    assert jax.make_jaxpr(lambda: square + 1.0)().consts


GIVEN = {"math.isclose": (1.0, 2.0), "math.comb": (4, 2), "math.gcd": (4, 6), "math.lcm": (4, 6),
         "math.factorial": (3,), "math.isqrt": (9,), "math.perm": (3,), "random.randint": (1, 2),
         "random.randrange": (3,), "random.getrandbits": (3,),
         "time.strftime": ("%Y",)}  # fmt: skip


@pytest.mark.parametrize("name", sorted(python_api.HOST_RESULTS))
def test_functions_of_python_give_what_is_said(name: str) -> None:
    given = GIVEN.get(name, (2.5,) if name.startswith("math.") else ())
    assert type(resolve_name(name)(*given)).__name__ == python_api.HOST_RESULTS[name]


@pytest.mark.parametrize("name", [each for each in vars(math) if not each.startswith("_")])
def test_the_rest_of_math_gives_floats(name: str) -> None:
    """Each is in a table, or gives a float for floats."""
    function = getattr(math, name)
    listed = f"math.{name}" in python_api.HOST_RESULTS.keys() | python_api.NO_NUMBERS
    if listed or not callable(function) or f"math.{name}" in python_api.MATH_OF_SEQUENCES:
        return
    for given in ((0.5,), (1.0,), (0.5, 1.0), (0.5, 1), (0.5, 1.0, 2.0)):
        with suppress(TypeError, ValueError):
            assert type(function(*given)) is float
            return
    raise AssertionError(name)


@pytest.mark.parametrize("name", sorted(python_api.NEVER_RETURN))
def test_what_never_returns_does_not(name: str) -> None:
    module, _, function = name.rpartition(".")
    given = "" if name == "os.abort" else "1" if name == "os._exit" else "'why'"
    code = f"import {module}, site; {module}.{function}({given}); print('came back')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert "came back" not in run.stdout


def test_what_changes_a_container_is_a_method_of_one_that_changes() -> None:
    kinds = {"list": (list, collections.deque), "dict": (dict,), "set": (set,)}
    for kind, names in python_api.MUTATING_METHODS.items():
        methods = {name for each in kinds[kind] for name in dir(each)}
        assert names <= methods
        assert names.isdisjoint(dir(tuple if kind == "list" else frozenset))
