"""Arguments with which a function runs: what to try for which parameter."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

VECTOR: Any = np.arange(1.0, 5.0, dtype=np.float32)
MATRIX: Any = np.eye(3, dtype=np.float32) * 2 + 1
WHOLE: Any = np.array([1, 0, 2, 1], dtype=np.int32)
MASK: Any = np.array([True, False, True, True])
IMAGE: Any = np.ones((1, 1, 4, 4), np.float32)
PROFILES: tuple[Any, ...] = (VECTOR, WHOLE, MATRIX, MASK, np.float32(0.5), IMAGE)

KNOWN: dict[str, tuple[Any, ...]] = {
    "key": ("key",),
    "keys": ("keys",),
    "axis": (0,),
    "axes": (0, (0,), (0, 0), (1, 0)),
    "axis1": (0,),
    "axis2": (0, 1),
    "dim": (0,),
    "dimension": (0,),
    "dimensions": ((0,), (0, 1)),
    "shape": ((4,), (3, 3), (2, 2), (4, 1)),
    "newshape": ((4,),),
    "new_sizes": ((4,), (3, 3)),
    "sizes": ((2,), (2, 2)),
    "slice_sizes": ((2,), (1, 1)),
    "num": (3,),
    "N": (3,),
    "M": (3,),
    "n": (2,),
    "m": ("array", 2),
    "k": (1, 2),
    "p": (0.5, 2, "array"),
    "c": ("array",),
    "new_shape": ((4,),),
    "arrays": ("array", "pair"),
    "a": ("array", 3),
    "repeats": (2,),
    "reps": (2,),
    "times": (2,),
    "total_repeat_length": (8,),
    "pad_width": (1,),
    "padding_config": (((0, 0, 0),),),
    "indices_or_sections": (2, 1),
    "sections": (2,),
    "num_classes": (4,),
    "num_segments": (4,),
    "num_spatial_dims": (1,),
    "size": (4,),
    "length": (4,),
    "minlength": (4,),
    "fill_value": (0.0, 0),
    "bins": (4, "array"),
    "range": ((0.0, 4.0),),
    "start": (0,),
    "stop": (3.0, 3),
    "step": (1,),
    "start_index": (0,),
    "limit_index": (2,),
    "start_indices": ((0,), (0, 0)),
    "limit_indices": ((2,), (2, 2)),
    "strides": (None, (1,)),
    "slice_size": (2,),
    "index": (0,),
    "indices": (WHOLE, 1),
    "condition": (MASK,),
    "subscripts": ("i->i", "ij->ij", "i,i->"),
    "num_rows": (2,),
    "rtol": (1e-3,),
    "atol": (1e-3,),
    "keepdims": (False,),
    "dtype": (np.float32, np.int32),
    "new_dtype": (np.float32,),
    "shift": (1,),
    "shifts": (1,),
    "offset": (0,),
    "decimals": (1,),
    "ord": (2,),
    "deg": (1,),
    "order": (1, 0),
    "q": (0.5,),
    "minval": (0,),
    "maxval": (5,),
    "d": (2,),
    "df": (3.0,),
    "seed": (0,),
    "data": (0,),
    "replace": (True,),
    "lower": (-1.0, True),
    "upper": (1.0,),
    "lo": (0,),
    "hi": (2,),
    "method": ("linear", "nearest"),
    "mode": ("edge", "clip"),
    "approximate": (True,),
    "permutation": ((0,), (1, 0)),
    "axis_name": ("i",),
    "perm": (((0, 1), (1, 0)),),
    "split_axis": (0,),
    "concat_axis": (0,),
    "scatter_dimension": (0,),
    "tree": ("tree",),
    "f": ("function",),
    "shapes": ((2, 3), (3,)),
    "output_shape": ((4,), (3, 3)),
    "source": (0,),
    "destination": (0,),
    "dx": (1.0,),
    "x_min": (-1.0,),
    "kth": (1,),
    "obj": (1,),
    "values": ("array", 1.0),
    "mean": (VECTOR,),
    "cov": (np.eye(4, dtype=np.float32),),
    "nperseg": (4,),
    "branching": (2,),
    "num_outputs": (2,),
    "accuracy": (None,),
    "unique_indices": (False,),
    "max_iterations": (3,),
    "dimension_numbers": (None,),
    "window_dimensions": ((2,),),
    "window_strides": ((1,),),
    "padding": ("VALID", ((0, 0),)),
    "operand_padding": (None,),
    "int_dtype": (np.int32,),
    "tol": (1e-3,),
    "negative_slope": (0.1,),
    "alpha": (1.0, "array"),
    "beta": (1.0,),
    "count": (2,),
    "precision": (None,),
    "assume_unique_indices": (True,),
    "nan": (0.0,),
}  # fmt: skip
"""What to try for a parameter of this name; any other gets an array."""


class Refused(Exception):
    """The function does not run with what was tried."""


def made(wanted: Any, profile: Any, jaxy: bool) -> Any:
    """What is handed over: ``array`` stands for the profile, ``key`` for a PRNG key, ..."""
    if isinstance(wanted, str) and wanted in ("key", "keys"):
        key = jax.random.key(0)
        return key if wanted == "key" else jax.random.split(key, 2)
    if isinstance(wanted, str) and wanted == "tree":
        return {"a": jnp.asarray(profile), "b": (jnp.asarray(profile), jnp.asarray(profile))}
    if isinstance(wanted, str) and wanted == "function":
        return _itself if jaxy else profile  # NumPy's `f` is of numbers.
    if isinstance(wanted, str) and wanted == "pair":
        return [jnp.asarray(profile), jnp.asarray(profile)]
    if isinstance(wanted, str) and wanted == "array":
        wanted = profile
    if jaxy and isinstance(wanted, (np.ndarray, np.generic)) and not isinstance(wanted, type):
        return jnp.asarray(wanted)
    return wanted


def _itself(x: Any) -> Any:
    return x


def working_call(
    name: str,
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    known: list[int] | None = None,
    traced: bool = False,
) -> tuple[dict[str, Any], list[int]]:
    """Arguments by parameter name with which the function runs, and which attempt it was.

    ``known`` is the attempt that ran last time, tried first. With ``traced`` it is enough
    that the function runs under a trace with an axis ``i``, as a collective does.

    Raises:
        Refused: none was found.
    """
    jaxy = name.startswith("jax.")
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    required = [p for p in named if p.default is p.empty]
    if not required and len(named) == len(parameters):
        required = named[:1]
    stars = [p for p in parameters if p.kind is p.VAR_POSITIONAL]
    attempts = [[number, choice] for number in range(len(PROFILES)) for choice in range(4)]
    for attempt in ([known] if known is not None else []) + attempts:
        profile, choice = PROFILES[attempt[0]], attempt[1]
        values = {}
        for parameter in required:
            tried = KNOWN.get(parameter.name, ("array",))
            values[parameter.name] = made(tried[min(choice, len(tried) - 1)], profile, jaxy)
        trials = [values] if required or not stars else []
        if not any(p.default is p.empty for p in named) and not stars:
            trials.append({})
        if stars:
            # Last, so that a function that runs without them is asked without them.
            tried = KNOWN.get(stars[0].name, ("array",))
            array = made(tried[min(choice, len(tried) - 1)], profile, jaxy)
            trials += [{**values, stars[0].name: (array,) * count} for count in (1, 2)]
        for trial in trials:
            if _runs(function, parameters, trial, traced):
                return trial, attempt
    raise Refused


def _runs(
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    values: dict[str, Any],
    traced: bool,
) -> bool:
    try:
        if traced:
            call_traced(function, parameters, values)
        else:
            call(function, parameters, values)
    except Exception:
        return False
    return True


def call(
    function: Callable[..., Any], parameters: list[inspect.Parameter], values: dict[str, Any]
) -> Any:
    """Call with arguments by parameter name, positional where that is possible."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    positional = True
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += values.get(parameter.name, ())
            positional = False
        elif parameter.name not in values:
            positional = False
        elif positional and parameter.kind is not parameter.KEYWORD_ONLY:
            args.append(values[parameter.name])
        else:
            kwargs[parameter.name] = values[parameter.name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


def call_traced(
    function: Callable[..., Any], parameters: list[inspect.Parameter], values: dict[str, Any]
) -> None:
    """Call under a trace in which the axis ``i`` has two places."""
    jax.make_jaxpr(lambda: (call(function, parameters, values), 0)[1], axis_env=[("i", 2)])()
