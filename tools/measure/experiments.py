"""Experiments: calls of one function on tracers of many shapes and dtypes, and what comes back.

Every draw comes from a generator seeded with the function's name, so that a row can be
measured again.
"""

from __future__ import annotations

import inspect
import itertools
import random
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.given import Abstract
from tools.measure.abstracting import abstract, is_struct, returned, struct
from tools.measure.arguments import KNOWN, call
from tools.measure.functions import UPDATES

SHAPES: tuple[tuple[int, ...], ...] = (
    (), (1,), (3,), (4,), (2, 3), (3, 2), (3, 3), (1, 4), (5, 5), (2, 4, 3), (2, 3, 3), (4, 3, 2),
    (2, 1, 3, 4), (2, 3, 4, 4), (1, 2, 3, 5), (2, 2, 2),
)  # fmt: skip
"""Shapes that are tried for arrays, alone or all alike."""

PRODUCTS: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((), (3,)), ((2, 3), ()), ((3,), (3, 4)), ((2, 3), (3,)),
    ((2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((2, 3), (5, 3, 4)),
    ((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 4, 4), (2, 4, 3)), ((4,), (3,)), ((2, 3), (4,)),
    ((5, 2, 3), (3, 4)), ((2, 3, 4), (4,)), ((6, 1, 2, 3), (5, 3, 4)), ((3,), (2, 3)),
    ((4, 3), (2, 3)), ((4, 2, 3), (5, 3)), ((3, 2), (4,)), ((3,), (4,)), ((1,), (4,)),
    ((2, 3, 3), (3,)), ((2, 3, 3), (3, 2)), ((3, 3), (2, 3, 2)), ((1, 3), (2, 3)), ((2, 3), (1, 3)),
    ((2, 1), (2, 3)), ((2, 3), (2, 1)), ((1, 3), (2, 1)),
)  # fmt: skip
"""Pairs of shapes that products, solvers and lookups take."""

SCALARS = tuple(itertools.product((True, False), repeat=3))[1:-1]
"""Which of three arrays are scalars."""

NARROW = ("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "bfloat16",
          "float32", "complex64", "~int32", "~float32", "~complex64")  # fmt: skip
WIDE = (*NARROW, "int64", "uint64", "float64", "complex128", "~int64", "~float64", "~complex128")
"""Dtypes that are tried, weak ones with a ``~``, with x64 off and on: with each pair of them what
the two make together, so that what a function makes of it is known."""

FEW = ("bool", "int8", "int32", "bfloat16", "float16", "float32", "complex64", "~int32", "~float32")
FEW_WIDE = ("bool", "int32", "bfloat16", "float32", "complex64", "int64", "float64", "complex128",
            "~int64", "~float64")  # fmt: skip
"""Those that are tried with each value of an option."""

WHOLE_INDEX = jax.ShapeDtypeStruct((2,), np.int32)
ONE = jax.ShapeDtypeStruct((1,), np.float32)

OPTIONS: dict[str, tuple[Any, ...]] = {
    "axis": (0, -1, 1, (0, 1), None),
    "axes": (0, (0, 1), (1, 0), 1, ((1,), (0,)), None),
    "dtype": (np.float32, np.int32, np.dtype("bfloat16"), np.complex64, np.bool_),
    "shape": ((), (3,), (2, 3), 4, (2, 1, 3)),
    "keepdims": (True, False),
    "where": ("mask",),
    "initial": (0.0, 1),
    "weights": ("array",),
    "precision": ("highest",),
    "preferred_element_type": (np.float32, np.dtype("bfloat16"), np.complex64),
    "ddof": (1,),
    "correction": (1,),
    "mode": ("reduced", "r", "raw", "complete", "full", "same", "valid", "edge", "wrap", "clip",
             "fill", "constant", "reflect", "drop", "promise_in_bounds"),
    "method": ("linear", "nearest", "lower", "average", "dense", "direct", "fft", "sort"),
    "norm": ("ortho", "forward"),
    "indexing": ("ij", "xy"),
    "side": ("right",),
    "order": ("C", "F"),
    "kind": ("stable",),
    "n": (4, 2),
    "s": ((2, 2),),
    "k": (1, -1),
    "num": (3,),
    "size": (3, 5),
    "fill_value": (0, 1),
    "length": (3,),
    "num_segments": (4,),
    "total_repeat_length": (8,),
    "base": (10.0,),
    "b": ("array",),
    "prepend": ("array",),
    "append": ("array",),
    "ndmin": (0, 2, 3),
    "rowvar": (False,),
    "left": (0.0,),
    "right": (0.0,),
    "period": (3.0,),
    "loc": ("array", 0.0),
    "scale": ("array", 1.0),
    "axis_index_groups": (None,),
    "tiled": (True,),
    "is_leaf": (None,),
    "out_axes": (0,),
    "return_sign": (True,),
    "is_stable": (True,),
    "num_keys": (1,),
    "operand": (0,),
    "dimension": (0, 1),
    "M": (4,),
    "M_": (4,),
    "N": (4,),
    "rcond": (1e-3,),
    "hermitian": (True,),
    "UPLO": ("U", "L"),
    "symmetrize_input": (False,),
    "trans": (0, 1, 2, "T"),
    "type": (2,),
    "impl": ("threefry2x32",),
    "key_dtype": (None,),
    "nan": (0.0,),
    "posinf": (1.0,),
    "neginf": (-1.0,),
    "copy": (True, False),
    "decimals": (1,),
    "offset": (1,),
    "axis1": (0, 1),
    "axis2": (1, -1),
    "minlength": (4,),
    "range": ((0.0, 4.0),),
    "density": (True,),
    "rtol": (1e-3,),
    "atol": (1e-3,),
    "edge_order": (1,),
    "varargs": (1.0,),
    "source": (0, -1),
    "destination": (0, -1),
    "promote_integers": (False, True),
    "start": (0, 1.0, 2),
    "stop": (3.0, 5, 2.5),
    **{f"{module}.reshape.shape": ((-1,), (3, -1), -1, (1, -1), (2, 3), (3, 3), (-1, 2))
       for module in ("jax.numpy", "numpy")},
    "jax.Array.reshape.args": ((-1,), (1, -1), ((3, -1),), ((-1,),), (2, 3), ((),)),
    "jax.Array.transpose.args": ((), (1, 0), ((1, 0),), (0, 2, 1), (2, 0, 1), ((0, 3, 1, 2),)),
    "jax.Array.item.args": ((),),
    "jax.numpy.pad.pad_width": (0, 2, (1, 2), ((1, 2),), ((0, 1), (2, 0)),
                                ((1, 1), (0, 0), (2, 1))),
    **{f"jax.{where}.repeats": (1, 2, 3) for where in ("numpy.repeat", "Array.repeat")},
    **{f"jax.numpy.{split}.indices_or_sections": (1, 2, 3, 4, (1,), (1, 2))
       for split in ("split", "array_split")},
    "jax.lax.slice.start_indices": ((0,), (1,), (0, 0), (1, 0), (0, 0, 0)),
    "jax.lax.slice.limit_indices": ((2,), (3,), (2, 2), (2, 3), (1, 2, 1)),
    "jax.lax.slice.strides": (None, (1,), (2,), (1, 2), (2, 1), (1, 1, 1)),
    "jax.lax.dynamic_slice_in_dim.slice_size": (1, 2, 3),
    "jax.lax.top_k.k": (1, 2, 3),
    **{f"jax.Array.at.{short}.index": (0, -1, ..., None, slice(None), slice(0, 1), (..., 0), (),
                                       WHOLE_INDEX) for short in UPDATES},
    **{f"jax.Array.at.{short}.values": (1.0, 2, ONE, jax.ShapeDtypeStruct((), np.float32))
       for short in UPDATES},
}  # fmt: skip
"""What to try for an option of this name, besides :data:`arguments.KNOWN`."""

LEAF = jax.ShapeDtypeStruct((3,), np.float32)
TREES: tuple[Any, ...] = ({"a": LEAF, "b": (LEAF, jax.ShapeDtypeStruct((), np.int32))}, [LEAF],
                          (jax.ShapeDtypeStruct((2, 3), np.bool_), {"c": LEAF}))  # fmt: skip
"""Pytrees of arrays."""


@dataclass(frozen=True)
class Observation:
    """One call that worked.

    Attributes:
        given: its arguments as the rules see them.
        x64: the setting under which it ran.
        kind: of what came back, as in :class:`jaxlint.knowledge.measured.Result`.
        items: the arrays that came back; a string is the type of a Python value in its place.
    """

    given: Mapping[str, Abstract]
    x64: bool
    kind: str
    type: str = ""
    fields: tuple[str, ...] = ()
    items: tuple[Aval | str, ...] = ()


@dataclass
class Subject:
    """A function, how it takes its arguments, and arguments with which it runs."""

    name: str
    function: Callable[..., Any]
    parameters: list[inspect.Parameter]
    values: dict[str, Any]
    eager: bool = False
    arrays: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arrays = {name: _array_dtype(value) for name, value in self.values.items()}
        self.arrays = {name: dtype for name, dtype in self.arrays.items() if dtype}

    @property
    def stars(self) -> set[str]:
        """The parameter ``*args``."""
        return {p.name for p in self.parameters if p.kind is p.VAR_POSITIONAL}

    @property
    def several(self) -> set[str]:
        """The parameters that take a number of arrays."""
        return {name for name in self.arrays if isinstance(self.values[name], (list, tuple))}


def _array_dtype(value: Any) -> str:
    """The dtype of an array or of several, ``~`` before a weak one; empty for other values."""
    if isinstance(value, (list, tuple)) and value:
        found = {_array_dtype(item) for item in value}
        return found.pop() if len(found) == 1 else ""
    if isinstance(value, (jax.Array, np.ndarray, np.generic)):
        if jnp.issubdtype(value.dtype, jax.dtypes.prng_key):
            return "key"
        return str(jnp.asarray(value).dtype.name)
    return ""


def with_lists(subject: Subject) -> Iterator[Subject]:
    """A function, and the same with a list in place of its only array, if it takes that."""
    yield subject
    arrays = [name for name, dtype in subject.arrays.items() if dtype != "key"]
    if len(arrays) == 1 and arrays[0] not in subject.several:
        several = {**subject.values, arrays[0]: [subject.values[arrays[0]]] * 2}
        listed = Subject(subject.name, subject.function, subject.parameters, several)
        if observe(listed, next(drafts(listed, 0))) is not None:
            yield listed


# ------------------------------------------------------------------- observing


def observe(subject: Subject, values: Mapping[str, Any], x64: bool = False) -> Observation | None:
    """Call on tracers, or on arrays when it refuses tracers; None when it raises."""
    leaves, tree = jax.tree.flatten(dict(values))
    structs = [leaf for leaf in leaves if is_struct(leaf)]
    seen: list[Any] = []

    def run(*arrays: Any) -> int:
        stack = iter(arrays)
        full = [next(stack) if is_struct(x) else x for x in leaves]
        seen.append(call(subject.function, subject.parameters, tree.unflatten(full)))
        seen[-1] = returned(seen[-1])
        return 0

    given = {name: abstract(value) for name, value in values.items()}
    with jax.enable_x64(x64), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            jax.make_jaxpr(run, axis_env=[("i", 2)])(*structs)
            return Observation(given, x64, *seen[-1])
        except Exception:
            if not subject.eager:
                return None
        try:
            run(*map(_filled, structs))
        except Exception:
            return None
    return Observation(given, x64, *seen[-1])


def _filled(wanted: jax.ShapeDtypeStruct) -> Any:
    """An array of one shape and dtype, with data of which some repeat."""
    if jnp.issubdtype(wanted.dtype, jax.dtypes.prng_key):
        return jnp.broadcast_to(jax.random.key(0), wanted.shape)
    data = np.arange(int(np.prod(wanted.shape))).reshape(wanted.shape) % 3
    return jnp.asarray(data, wanted.dtype)


# --------------------------------------------------------------------- drawing


SCENARIOS: dict[str, tuple[dict[str, Any], ...]] = {
    "jax.numpy.einsum": tuple(
        {"subscripts": text, "operands": tuple(struct("float32", shape) for shape in shapes)}
        for text, *shapes in (
            ("ij,jk->ik", (2, 3), (3, 4)), ("ij,ij->i", (2, 3), (2, 3)), ("i,j->ij", (2,), (3,)),
            ("ij->ji", (2, 3)), ("ij->", (2, 3)), ("...i,...i->...", (5, 2, 3), (5, 2, 3)),
            ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)), ("ii->i", (3, 3)), ("ij,jk", (2, 3), (3, 4)),
            ("abc,cd,d->ab", (2, 3, 4), (4, 5), (5,)), ("ba", (2, 3)), ("i,i", (3,), (3,)),
        )
    ),
    "jax.numpy.where": tuple(
        {"condition": struct("bool", shape), "x": LEAF, "y": struct("float32", shape)}
        for shape in ((3,), (2, 3), ())
    ),
    "jax.random.bernoulli": tuple(
        {"key": struct("key", ()), "p": LEAF, "shape": shape} for shape in ((3,), (2, 3), (3, 2))
    ),
}  # fmt: skip
"""Arguments that fit together, for functions whose arguments rarely do by chance."""


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    lambda *args: args[0],
    lambda *args: (args[0], args[0]),
    lambda *args: jnp.sum(args[0]) > 0,
)
"""Functions to hand over: what comes back must not be told from one alone."""


def drafts(subject: Subject, count: int, start: int = 0) -> Iterator[dict[str, Any]]:
    """Arguments for the required parameters, of many shapes; other ones from another start."""
    yield {name: _as_struct(value) for name, value in subject.values.items()}
    yield from SCENARIOS.get(subject.name.partition(" ")[0], ()) if count else ()
    for number in range(start, start + count):
        rng = random.Random(f"{subject.name} {number}")
        names = [(name, _how_many(subject, name, rng)) for name in subject.arrays]
        count = sum(many for name, many in names if subject.arrays[name] != "key")
        shapes = iter(_shapes(subject, count, number, rng))
        draft = {name: _constant(subject, name, rng, number) for name in subject.values}
        for name, many in names:
            dtype = subject.arrays[name]
            # One key, mostly: its shape has nothing to do with those of other arrays.
            batch = (3,) * (number % 11 == 10)
            drawn = [struct(dtype, batch if dtype == "key" else next(shapes)) for _ in range(many)]
            listed = name in subject.several and (number % 8 != 6 or name in subject.stars)
            draft[name] = tuple(drawn) if listed else drawn[0]
        yield _with_number(subject, draft, number)


def _with_number(subject: Subject, draft: dict[str, Any], number: int) -> dict[str, Any]:
    """Sometimes a Python number where an array may stand: the first or the last one."""
    places = [name for name, dtype in subject.arrays.items()
              if dtype == "float32" and name not in subject.several]  # fmt: skip
    if len(places) < 2 or number % 7 not in (3, 5):
        return draft
    return {**draft, places[0 if number % 7 == 3 else -1]: 2.0 if number % 2 else 2}


def _as_struct(value: Any) -> Any:
    if isinstance(value, dict):
        return TREES[0]
    if isinstance(value, (list, tuple)) and _array_dtype(value):
        return tuple(_as_struct(item) for item in value)
    dtype = _array_dtype(value)
    return struct(dtype, np.shape(value)) if dtype else value


def _how_many(subject: Subject, name: str, rng: random.Random) -> int:
    return rng.choice((1, 2, 2, 3)) if name in subject.several else 1


def _constant(subject: Subject, name: str, rng: random.Random, number: int) -> Any:
    """A value for a parameter that takes no array."""
    working = subject.values[name]
    if isinstance(working, dict):
        return rng.choice(TREES)
    if callable(working) and not isinstance(working, type):
        return rng.choice(FUNCTIONS)
    own = OPTIONS.get(f"{subject.name.partition(' ')[0]}.{name}")
    if own is not None:
        return rng.choice(own)
    if name in subject.arrays or number % 3 == 0:
        return working
    if number % 5 == 4 and type(working) in (int, float):
        # Refused where the value must be static; elsewhere its dtype may matter.
        return struct("int32" if isinstance(working, int) else "float32", ())
    pool = [value for value in pool_of(name) if not isinstance(value, str) or value == working]
    wanted = (int, float) if isinstance(working, float) else type(working)
    alike = [value for value in pool if isinstance(value, wanted)] or [working]
    return rng.choice(alike)


def pool_of(name: str) -> list[Any]:
    """Values to try for a parameter, by its name."""
    tried = (*OPTIONS.get(name, ()), *KNOWN.get(name, ()))
    return [value for value in tried if not isinstance(value, (np.ndarray, np.generic))]


def _shapes(subject: Subject, count: int, number: int, rng: random.Random) -> list[tuple[int, ...]]:
    """Shapes for a number of arrays: alike, to be broadcast, of a product, or unrelated."""
    if number < len(SHAPES):
        return [SHAPES[number]] * count
    if count == 2 and number < len(SHAPES) + len(PRODUCTS):
        return list(PRODUCTS[number - len(SHAPES)])
    if count == 3 and number < len(SHAPES) + 2 * len(SCALARS):
        pattern = SCALARS[number % len(SCALARS)]
        return [() if scalar else SHAPES[number % 4 + 4] for scalar in pattern]
    working = [leaf.shape for leaf in jax.tree.leaves(_working(subject)) if hasattr(leaf, "shape")]
    if number % 3 == 0 and len(working) == count:
        other = {size: rng.randint(1, 6) for shape in working for size in shape}
        batch = (2,) * rng.randint(0, 1)
        return [batch + tuple(other[size] for size in shape) for shape in working]
    if number % 3 == 1:
        whole = rng.choice(SHAPES)
        return [_broadcastable(whole, rng) for _ in range(count)]
    return [rng.choice(SHAPES) for _ in range(count)]


def _working(subject: Subject) -> list[Any]:
    """What the function ran with, but for PRNG keys."""
    return [_as_struct(subject.values[n]) for n, dtype in subject.arrays.items() if dtype != "key"]


def _broadcastable(whole: tuple[int, ...], rng: random.Random) -> tuple[int, ...]:
    start = rng.randint(0, len(whole)) if rng.random() < 0.5 else 0
    return tuple(1 if rng.random() < 0.2 else size for size in whole[start:])


def with_dtypes(
    subject: Subject, draft: Mapping[str, Any], dtypes: Callable[[str], str]
) -> dict[str, Any]:
    """The same arguments with other dtypes; PRNG keys stay."""

    def changed(leaf: Any, name: str) -> Any:
        if not is_struct(leaf) or subject.arrays.get(name) == "key":
            return leaf
        mask = name not in subject.arrays and leaf.dtype == np.bool_
        return leaf if mask else struct(dtypes(name), leaf.shape)

    return {
        name: tuple(changed(item, name) for item in value)
        if isinstance(value, tuple)
        else changed(value, name)
        for name, value in draft.items()
    }


def options(subject: Subject) -> dict[str, list[Any]]:
    """Values to try for each parameter that has a default."""
    found: dict[str, list[Any]] = {}
    for parameter in subject.parameters:
        own = f"{subject.name.partition(' ')[0]}.{parameter.name}"
        if parameter.name in subject.values or parameter.kind is parameter.VAR_KEYWORD:
            continue
        pool = list(OPTIONS[own]) if own in OPTIONS else pool_of(parameter.name)
        if parameter.kind is parameter.VAR_POSITIONAL and own not in OPTIONS:
            continue
        if isinstance(parameter.default, bool):
            pool += [True, False]
        elif isinstance(parameter.default, (float, np.floating)):
            pool += [1.0, "array"]
        elif parameter.default is None and not pool:
            pool = ["array"]
        if pool:
            found[parameter.name] = _unique(pool)
    return found


def _unique(pool: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in pool:
        if not any(type(value) is type(other) and value == other for other in found):
            found.append(value)
    return found


def option_value(value: Any, draft: Mapping[str, Any], number: int) -> Any:
    """A value for an option; an array or a mask is shaped like the first argument, or
    with an axis less or more."""
    if not isinstance(value, str) or value not in ("array", "mask"):
        return value
    leaves = [leaf for leaf in jax.tree.leaves(dict(draft)) if is_struct(leaf)]
    shape = leaves[0].shape if leaves else (3,)
    if not shape and all(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) for leaf in leaves):
        shape = SHAPES[number % len(SHAPES)]
    elif number % 3:
        shape = shape[1:] if number % 3 == 2 else (2, *shape)
    return struct("bool" if value == "mask" else "float32", shape)
