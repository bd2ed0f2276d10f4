"""Asks the installed JAX and NumPy what each of their functions does with a tracer.

``python -m tests.knowledge.measure`` writes ``jaxlint/knowledge/measured.json``.
For every public function: find arguments with which it runs, then hand over each
argument as a tracer, and each array as a Python list, and write down what is
raised. Nothing in the table is typed by hand.
"""

from __future__ import annotations

import importlib
import inspect
import json
import multiprocessing
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

TARGET = Path(__file__).parents[2] / "jaxlint" / "knowledge" / "measured.json"

MODULES = (
    "jax.numpy", "jax.numpy.fft", "jax.numpy.linalg", "jax.lax", "jax.nn", "jax.nn.initializers",
    "jax.random", "jax.scipy.special", "jax.scipy.linalg", "jax.scipy.signal", "jax.scipy.ndimage",
    "jax.scipy.integrate", "jax.scipy.fft", "jax.scipy.cluster.vq", "jax.scipy.interpolate",
    *(f"jax.scipy.stats.{name}" for name in
      ("bernoulli", "beta", "betabinom", "binom", "cauchy", "chi2", "dirichlet", "expon", "gamma",
       "gennorm", "geom", "gumbel_l", "gumbel_r", "laplace", "logistic", "multinomial",
       "multivariate_normal", "nbinom", "norm", "pareto", "poisson", "t", "truncnorm", "uniform",
       "vonmises", "wrapcauchy")),
    "jax.scipy.stats", "jax.image", "jax.ops", "numpy", "numpy.fft", "numpy.linalg",
)  # fmt: skip
"""Modules whose public functions are asked."""

SKIPPED = frozenset(
    {"numpy.show_config", "numpy.show_runtime", "numpy.info", "numpy.test", "numpy.save",
     "numpy.savez", "numpy.savez_compressed", "numpy.savetxt", "numpy.load", "numpy.loadtxt",
     "numpy.genfromtxt", "numpy.fromfile", "numpy.memmap", "numpy.seterr", "numpy.setbufsize",
     "numpy.seterrcall", "numpy.set_printoptions", "jax.numpy.save", "jax.numpy.savez",
     "jax.numpy.load", "jax.numpy.set_printoptions", "jax.numpy.printoptions"}
)  # fmt: skip
"""Functions that write, read or change settings: not to be called by an experiment."""

VECTOR = np.arange(1.0, 5.0, dtype=np.float32)
MATRIX = np.eye(3, dtype=np.float32) * 2 + 1
WHOLE = np.array([1, 0, 2, 1], dtype=np.int32)
MASK = np.array([True, False, True, True])
IMAGE = np.ones((1, 1, 4, 4), np.float32)
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


class _Refused(Exception):
    """The function does not run with what was tried."""


def functions(module_name: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function of a module, by qualified name."""
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
        if inspect.isclass(function) and not _makes_arrays(function):
            continue
        yield name, function


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
    if getattr(function, "nin", None) and isinstance(function, np.ufunc):
        found = list(found)[: function.nin]
    return list(found)


def _value(wanted: Any, profile: Any, jaxy: bool) -> Any:
    if isinstance(wanted, str) and wanted in ("key", "keys"):
        key = jax.random.key(0)
        return key if wanted == "key" else jax.random.split(key, 2)
    if isinstance(wanted, str) and wanted == "pair":
        return [jnp.asarray(profile), jnp.asarray(profile)]
    if isinstance(wanted, str) and wanted == "array":
        wanted = profile
    if jaxy and isinstance(wanted, (np.ndarray, np.generic)) and not isinstance(wanted, type):
        return jnp.asarray(wanted)
    return wanted


def working_call(
    name: str,
    function: Callable[..., Any],
    parameters: list[inspect.Parameter],
    known: list[int] | None = None,
) -> tuple[dict[str, Any], list[int]]:
    """Arguments by parameter name with which the function runs, and which attempt it was.

    ``known`` is the attempt that ran last time, tried first.

    Raises:
        _Refused: none was found.
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
            values[parameter.name] = _value(tried[min(choice, len(tried) - 1)], profile, jaxy)
        if stars and not required:
            values[stars[0].name] = (_value("array", profile, jaxy),)
        try:
            call(function, parameters, values)
        except Exception:
            continue
        return values, attempt
    raise _Refused


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


def measure(
    name: str, function: Callable[..., Any], known: list[int] | None = None
) -> dict[str, Any] | None:
    """The row of one function; None when no call of it was found that runs.

    Keys: ``call``, the attempt that ran; ``parameters``, ``starred``, ``keyword_only``, its
    signature; ``refuses``, parameter -> what a tracer raises there; ``takes_arrays``, those
    of them that refuse numbers alone; ``always``, what any call
    raises while tracing; ``cures``, parameters that prevent it; ``refuses_lists``, parameters
    that refuse a Python list; ``result``, what comes back for a tracer; ``consumes``, whether
    it uses a PRNG key up.
    """
    parameters = parameters_of(function)
    if parameters is None:
        return None
    try:
        values, attempt = working_call(name, function, parameters, known)
    except _Refused:
        return None
    names = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    row: dict[str, Any] = {"call": attempt, "parameters": names}
    starred = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    if starred is not None:
        row["starred"] = starred
    only = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    if only:
        row["keyword_only"] = only
    always = raised_by(lambda t: call(function, parameters, values), 0.0)
    if always is not None:
        row["always"] = always
    refuses: dict[str, str] = {}
    lists: list[str] = []
    arrays: list[str] = []
    for parameter in parameters:
        for given in _given(parameter, values, name.startswith("jax.")):
            trial = {**values, parameter.name: given}
            try:
                call(function, parameters, trial)
            except Exception:
                continue
            error = _traced(function, parameters, trial, parameter)
            if error is not None and always is None:
                refuses[parameter.name] = error
                if not np.ndim(given) and _takes_array(function, parameters, values, parameter):
                    arrays.append(parameter.name)
            if _refuses_lists(function, parameters, trial, parameter):
                lists.append(parameter.name)
            break
    if refuses:
        row["refuses"] = refuses
    if refuses or always:
        cures = _cures(function, parameters, values, name.startswith("jax."))
        if cures:
            row["cures"] = cures
    if arrays:
        row["takes_arrays"] = arrays
    if lists and name.startswith("jax."):
        row["refuses_lists"] = lists
    row["result"] = _result(function, parameters, values)
    if name.startswith("jax.random."):
        row["consumes"] = consumes(function, parameters, values)
    return row


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
    return [_value(wanted, VECTOR, jaxy) for wanted in KNOWN.get(parameter.name, ())]


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
        again = {**values, wanted[0]: _value(wanted[0], VECTOR, True)}
        try:
            call(function, parameters, again)
            call(function, parameters, again)
        except jax.errors.KeyReuseError:
            return True
        except Exception:
            return False
    return False


def rows_of(module: str, known: dict[str, Any] | None = None) -> dict[str, Any]:
    """The rows of one module's functions; ``known`` are earlier ones, which save the search."""
    attempts = {name: row["call"] for name, row in (known or {}).items()}
    rows = {
        name: measure(name, function, attempts.get(name))
        for name, function in functions(module)
        if known is None or name in known
    }
    return {name: row for name, row in rows.items() if row is not None}


def quick_compiler() -> None:
    """Thousands of tiny programs are compiled once and run once: do not optimise them."""
    os.environ["XLA_FLAGS"] = (
        "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
    )


def table() -> dict[str, Any]:
    """The whole table, each module measured in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), context, quick_compiler) as pool:
        rows = {name: row for part in pool.map(rows_of, MODULES) for name, row in part.items()}
    return {"jax": jax.__version__, "numpy": np.__version__, "functions": rows}


def main() -> None:
    found = table()
    lines = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in found["functions"].items()]
    versions = f'"jax": {json.dumps(found["jax"])}, "numpy": {json.dumps(found["numpy"])}'
    text = "{" + versions + ', "functions": {\n' + ",\n".join(lines) + "\n}}\n"
    TARGET.write_text(text, "utf-8")
    print(f"{len(lines)} functions measured, jax {found['jax']}", file=sys.stderr)


if __name__ == "__main__":
    main()
