"""What each function does with a tracer, and with a Python list, in place of each argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tools.measure.arguments import KNOWN, MASK, VECTOR, WHOLE, call, made


def raised_by(run: Callable[[Any], Any], value: Any) -> str | None:
    """Name of what is raised when a value is handed over as a tracer; None when it works."""
    try:
        jax.make_jaxpr(lambda t: (run(t), 0)[1])(value)
    except Exception as error:
        return type(error).__name__
    return None


CURES = ("size", "length", "num_segments", "total_repeat_length", "bins", "mode",
         "assume_unique_indices")  # fmt: skip
"""Parameters that, given a Python value, may make a refused tracer acceptable."""


def refusals(
    name: str,
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    values: dict[str, Any],
) -> dict[str, Any]:
    """What one function refuses, given arguments with which it runs.

    Keys: ``refuses``, parameter -> what a tracer raises there; ``takes_arrays``, those of
    them that refuse numbers alone; ``hands_on``, those that are taken where the first argument
    is a JAX array, whose method NumPy calls; ``always``, what any call raises while tracing;
    ``cures``, parameters that prevent it; ``refuses_lists``, parameters that refuse a Python list;
    ``result``, what comes back for a tracer; ``consumes``, whether it uses a PRNG key up.
    """
    row: dict[str, Any] = {}
    always = raised_by(lambda t: call(function, parameters, values), 0.0)
    if always is not None:
        row["always"] = always
    row.update(_by_parameter(name, function, parameters, values, always))
    if "refuses" in row or always:
        cures = _cures(function, parameters, values, name.startswith("jax."))
        if cures:
            row["cures"] = cures
    row["result"] = _result(function, parameters, values)
    if name.startswith("jax.random."):
        row["consumes"] = consumes(function, parameters, values)
    return row


def _by_parameter(
    name: str,
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    values: dict[str, Any],
    always: str | None,
) -> dict[str, Any]:
    """The parameters that refuse tracers, numbers alone, and lists."""
    jaxy = name.startswith("jax.")
    refuses: dict[str, str] = {}
    lists: list[str] = []
    arrays: list[str] = []
    handed: list[str] = []
    for parameter in parameters:
        trial = _trial(function, parameters, values, parameter, jaxy)
        if jaxy and _refuses_listed_masks(function, parameters, values, parameter):
            lists.append(parameter.name)
        if trial is None:
            continue
        error = _traced(function, parameters, trial, parameter)
        if error is not None and always is None:
            refuses[parameter.name] = error
            number = not np.ndim(trial[parameter.name])
            if number and _takes_array(function, parameters, values, parameter):
                arrays.append(parameter.name)
            if not jaxy and _hands_on(function, parameters, trial, parameter):
                handed.append(parameter.name)
        if jaxy and _refuses_lists(function, parameters, trial, parameter):
            lists.append(parameter.name)
    found = {
        "refuses": refuses,
        "takes_arrays": arrays,
        "hands_on": handed,
        "refuses_lists": lists,
    }
    return {key: value for key, value in found.items() if value}


def _trial(
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    values: dict[str, Any],
    parameter: inspect.Parameter,
    jaxy: bool,
) -> dict[str, Any] | None:
    """Arguments with one for this parameter too; None when none of those tried runs."""
    for given in _given(parameter, values, jaxy):
        trial = {**values, parameter.name: given}
        try:
            call(function, parameters, trial)
        except Exception:
            continue
        return trial
    return None


def _cures(
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    values: dict[str, Any],
    jaxy: bool,
) -> list[str]:
    """Parameters with which every array may be a tracer."""
    dynamic = {k: v for k, v in values.items() if isinstance(v, (jax.Array, int))}

    def fails(extra: dict[str, Any]) -> bool:
        def run(traced: dict[str, Any]) -> Any:
            return call(function, parameters, {**values, **traced, **extra})

        return raised_by(run, dynamic) is not None

    found = [p for p in parameters if p.name in CURES and p.name not in values]
    if not found or not fails({}):
        return []
    return [
        p.name
        for p in found
        if not all(fails({p.name: value}) for value in _given(p, values, jaxy))
    ]


def _given(parameter: inspect.Parameter, values: dict[str, Any], jaxy: bool) -> list[Any]:
    """What to hand over as a tracer for one parameter."""
    if parameter.name in values:
        return [values[parameter.name]]
    return [made(wanted, VECTOR, jaxy) for wanted in KNOWN.get(parameter.name, ())]


def _traced(
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    values: dict[str, Any],
    parameter: inspect.Parameter,
) -> str | None:
    """What is raised when one argument is a tracer."""
    given = values[parameter.name]
    if given is None or isinstance(given, (str, type)):
        return None
    if isinstance(given, tuple) and any(isinstance(item, str) or item is None for item in given):
        return None
    return raised_by(lambda t: call(function, parameters, {**values, parameter.name: t}), given)


def _takes_array(
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    values: dict[str, Any],
    parameter: inspect.Parameter,
) -> bool:
    """Whether a parameter that refuses a traced number takes a traced array with axes."""

    def run(traced: Any) -> Any:
        return call(function, parameters, {**values, parameter.name: traced})

    return raised_by(run, VECTOR) is None or raised_by(run, WHOLE) is None


def _hands_on(
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    values: dict[str, Any],
    parameter: inspect.Parameter,
) -> bool:
    """Whether a parameter that refuses a tracer takes it where the first argument is one too."""
    first = parameters[0].name
    if parameter.name == first or not isinstance(values.get(first), np.ndarray):
        return False

    def run(traced: dict[str, Any]) -> Any:
        return call(function, parameters, {**values, **traced})

    return raised_by(run, {name: values[name] for name in (first, parameter.name)}) is None


def _refuses_lists(
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    values: dict[str, Any],
    parameter: inspect.Parameter,
) -> bool:
    given = values[parameter.name]
    if not isinstance(given, jax.Array) or not given.ndim:
        return False
    if jnp.issubdtype(given.dtype, jax.dtypes.prng_key):
        return False
    # Rows as arrays first: what joins arrays takes a list of them.
    for listed in (list(given), np.asarray(given).tolist()):
        try:
            call(function, parameters, {**values, parameter.name: listed})
        except TypeError:
            continue
        except Exception:
            return False
        return False
    return True


def _refuses_listed_masks(
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    values: dict[str, Any],
    parameter: inspect.Parameter,
) -> bool:
    """Whether it wants an array for the mask that says of which elements a result is made."""
    if parameter.name != _MASK_BY_NAME:
        return False
    given = {**values, parameters[0].name: jnp.asarray(VECTOR)}
    needed = {"initial": 0.0} if any(each.name == "initial" for each in parameters) else {}
    whole = [
        {**given, **needed, _MASK_BY_NAME: mask} for mask in (jnp.asarray(MASK), MASK.tolist())
    ]
    try:
        call(function, parameters, whole[0])
    except Exception:
        return False
    try:
        call(function, parameters, whole[1])
    except TypeError:
        return True
    except Exception:
        return False
    return False


_MASK_BY_NAME = "where"


def _result(
    function: Callable[..., Any], parameters: list[inspect.Parameter], values: dict[str, Any]
) -> str:
    """What comes back while the first array is a tracer: ``array``, ``tuple``, ``host``, ..."""
    seen: list[str] = []
    dynamic = {k: v for k, v in values.items() if isinstance(v, (jax.Array, np.ndarray))}

    def run(traced: dict[str, Any]) -> int:
        seen.append(_kind(call(function, parameters, {**values, **traced})))
        return 0

    try:
        jax.make_jaxpr(run)(dynamic)
    except Exception:
        return "unknown"
    return seen[0]


def _kind(value: Any) -> str:
    if isinstance(value, jax.core.Tracer):
        return "array"
    if isinstance(value, (tuple, list)):
        kinds = {_kind(item) for item in value}
        return "tuple" if kinds == {"array"} else "host" if "array" not in kinds else "mixed"
    if isinstance(value, jax.Array):
        return "constant"
    return "host"


def consumes(
    function: Callable[..., Any], parameters: list[inspect.Parameter], values: dict[str, Any]
) -> bool:
    """Whether JAX's own key reuse checker minds a second call with the same key."""
    wanted = [name for name in ("key", "keys") if name in values]
    if not wanted:
        return False
    with jax.debug_key_reuse(True):
        again = {**values, wanted[0]: made(wanted[0], VECTOR, True)}
        try:
            call(function, parameters, again)
            call(function, parameters, again)
        except jax.errors.KeyReuseError:
            return True
        except Exception:
            return False
    return False
