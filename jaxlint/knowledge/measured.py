"""The table that experiments on real JAX filled: what each function does with a tracer.

``measured.json`` is written by ``python -m tools.measure``; nothing in it is typed by hand.
What an experiment cannot show stands in ``overrides.py``, each row with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jaxlint.knowledge import overrides
from jaxlint.knowledge.tables import table


@dataclass(frozen=True, slots=True)
class Signature:
    """One function as it was measured.

    Attributes:
        parameters: names in order; those in ``keyword_only`` have no position.
        starred: the ``*args`` parameter, or empty.
        refuses: parameter -> exception raised when it is given a tracer.
        takes_arrays: parameters that refuse a traced number, and take a traced array.
        hands_on: those that are taken where the first argument is a JAX array: NumPy leaves the
            work to its method.
        always: exception raised by any call while tracing, or empty.
        cures: parameters that, given a Python value, prevent the exception.
        refuses_lists: parameters that raise TypeError for a Python list or tuple.
        result: ``array``, ``tuple``, ``host``, ``mixed``, ``constant`` or ``unknown``.
        consumes: whether it uses up the PRNG key it is given.
    """

    parameters: tuple[str, ...]
    keyword_only: frozenset[str]
    starred: str
    refuses: dict[str, str]
    takes_arrays: frozenset[str]
    hands_on: frozenset[str]
    always: str
    cures: frozenset[str]
    refuses_lists: frozenset[str]
    result: str
    consumes: bool

    def name_of(self, position: int) -> str:
        """The parameter that a positional argument belongs to."""
        if position < len(self.parameters):
            name = self.parameters[position]
            if name not in self.keyword_only:
                return name
        return self.starred


@cache
def signature_of(name: str) -> Signature | None:
    """The measured row of a function by qualified name; None when it was not measured."""
    row = table("measured")["functions"].get(name)
    if row is None:
        return None
    return Signature(
        tuple(row["parameters"]),
        frozenset(row.get("keyword_only", ())),
        row.get("starred", ""),
        row.get("refuses", {}),
        frozenset(row.get("takes_arrays", ())),
        frozenset(row.get("hands_on", ())),
        row.get("always", ""),
        frozenset(row.get("cures", ())),
        frozenset(row.get("refuses_lists", ())),
        row["result"],
        row.get("consumes", False),
    )


def signatures() -> list[str]:
    """The qualified names of all functions that were measured."""
    return list(table("measured")["functions"])


@dataclass(frozen=True, slots=True)
class Item:
    """One array that a function returns, in the words of ``tracer/values/rules.py``.

    Attributes:
        shape: the rule for its shape; ``unknown`` when none was found.
        dtype: the rule for its dtype and weakness.
        host: the type of a Python value in its place, or empty.
    """

    shape: str
    dtype: str
    host: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What one function returns.

    Attributes:
        guard: when this holds: ``name=value``, ``given name``, ``several name`` or empty.
        kind: ``array``, ``tuple``, ``list``, ``namedtuple``, ``host``, ``none`` or ``unknown``.
        items: the arrays; one for all when ``count`` is a rule.
        count: how many there are: a number, or a rule (``axis a axis``); empty for one array.
        type: name of the named tuple, or of the Python value (``int``, ``shape``, ``dtype``).
        fields: of a named tuple.
    """

    guard: str
    kind: str
    items: tuple[Item, ...] = ()
    count: str = ""
    type: str = ""
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Returns:
    """All that was measured of a function's results.

    Attributes:
        cases: the first whose guard holds says what is returned.
        defaults: of parameters that the rules read, where they are not None.
        tested: parameters that were given in experiments; others may change the result.
        no_arrays: those of them that were never given an array with axes.
        no_tracers: those that were never given an array at all.
        numbers: the type of the Python value that comes of Python numbers alone, or empty.
        pytree: a parameter that may be a pytree, and then the result is one of its structure.
    """

    cases: tuple[Result, ...]
    defaults: Mapping[str, object]
    tested: frozenset[str]
    no_arrays: frozenset[str]
    no_tracers: frozenset[str]
    numbers: str
    pytree: str


@cache
def result_of(name: str) -> Returns | None:
    """What a function returns, by qualified name; None when it was not measured."""
    row = table("measured")["functions"].get(name, {}).get("returns")
    if row is None:
        return None
    return returns_of(row, overrides.SHAPES.get(name), overrides.DTYPES.get(name))


def returns_of(
    row: Mapping[str, Any], shape: str | None = None, dtype: str | None = None
) -> Returns:
    """A row of the file, with other rules for shapes and dtypes where those are given."""
    return Returns(
        tuple(_case(case, shape, dtype) for case in row["cases"]),
        row.get("defaults", {}),
        frozenset(row.get("tested", ())),
        frozenset(row.get("no_arrays", ())),
        frozenset(row.get("no_tracers", ())),
        row.get("numbers", ""),
        row.get("pytree", ""),
    )


@cache
def usual_kind(name: str) -> str:
    """What every call of a function gave, whatever its arguments.

    ``array``, ``tuple`` (a list or a named tuple too), ``host`` or ``none``; empty where that
    depends on the arguments, or was not measured.
    """
    row, returns = signature_of(name), result_of(name)
    if returns is not None and returns.pytree:
        return ""
    kinds = {_KINDS.get(case.kind, case.kind) for case in returns.cases} if returns else set()
    if kinds - {"unknown"}:
        return kinds.pop() if len(kinds) == 1 else ""
    return row.result if row is not None and row.result in ("array", "tuple") else ""


_KINDS = {"list": "tuple", "namedtuple": "tuple"}


@cache
def host_type(name: str) -> str | None:
    """The type of the Python value that a function makes even of a tracer; None where it does not.

    What is an ``object`` may be an array too, and of a function that refuses its first argument
    the experiments saw odd values alone.
    """
    row, returns = signature_of(name), result_of(name)
    if row is None or returns is None or set(row.parameters[:1]) & row.refuses.keys():
        return None
    types = {case.type if case.kind == "host" else "object" for case in returns.cases}
    return None if len(types) > 1 or "object" in types else types.pop()


def is_measured(name: str) -> bool:
    """Whether experiments showed what a function returns."""
    returns = result_of(name)
    seen = returns is not None and any(case.kind != "unknown" for case in returns.cases)
    return seen or bool(usual_kind(name))


def _case(row: dict[str, Any], shape: str | None, dtype: str | None) -> Result:
    items = tuple(
        Item(shape or one.get("shape", ""), dtype or one.get("dtype", ""), one.get("host", ""))
        for one in row.get("items", ())
    )
    return Result(
        row.get("if", ""), row["kind"], items, str(row.get("count", "")), row.get("type", ""),
        tuple(row.get("fields", ())),
    )  # fmt: skip


@cache
def dtype_map(name: str, x64: bool) -> Mapping[str, str]:
    """A measured map from the dtype of the arguments to that of the result; ``~`` is weak."""
    found: dict[str, str] = table("measured")["dtypes"][name]["on" if x64 else "off"]
    return found


@cache
def is_boolean(name: str) -> bool:
    """Whether a function gives boolean arrays whatever it is given."""
    returns = result_of(name)
    items = [item for case in returns.cases for item in case.items] if returns else []
    return bool(items) and all(_always_boolean(item.dtype) for item in items)


@cache
def is_elementwise(name: str) -> bool:
    """Whether a function gives an array of the shape of what it is given."""
    returns = result_of(name)
    items = [item for case in returns.cases for item in case.items] if returns else []
    return bool(items) and all(item.shape.startswith(("same ", "broadcast ")) for item in items)


def _always_boolean(rule: str) -> bool:
    words = rule.split()
    if words[:1] == ["as"]:
        return set(dtype_map(words[1], False).values()) == {"bool"}
    return words == ["const", "bool"]


def measured_on() -> dict[str, str]:
    """The versions of JAX and NumPy that were asked."""
    return {package: str(table("measured")[package]) for package in ("jax", "numpy")}


SIZES = frozenset(
    {"shape", "newshape", "new_sizes", "sizes", "slice_sizes", "slice_size", "num", "N", "M", "n",
     "m", "repeats", "reps", "times", "pad_width", "indices_or_sections", "sections", "nperseg",
     "num_classes", "num_segments", "size", "length", "minlength", "bins", "start", "stop", "step",
     "start_index", "limit_index", "start_indices", "limit_indices", "total_repeat_length", "s",
     "num_rows", "padding_config", "new_shape", "fft_lengths"}
)  # fmt: skip
"""Parameters that set the size of the result, where a refusal means: a size must be static."""


@cache
def consumers() -> frozenset[str]:
    """Functions of ``jax.random`` that use up the PRNG key they are given, by their own name."""
    prefix = "jax.random."
    return frozenset(
        name.removeprefix(prefix)
        for name, row in table("measured")["functions"].items()
        if name.startswith(prefix) and row.get("consumes")
    )


ARRAY = "jax.Array."
"""Before the names of an array's methods, attributes and operators, whose array is ``self``."""


@cache
def array_attributes() -> frozenset[str]:
    """What an array has that is read without a call."""
    rows = table("measured")["functions"]
    return frozenset(
        name.removeprefix(ARRAY)
        for name, row in rows.items()
        if name.startswith(ARRAY) and row.get("attribute")
    )


@cache
def array_methods() -> frozenset[str]:
    """What an array has that is called."""
    names = {
        name.removeprefix(ARRAY)
        for name in table("measured")["functions"]
        if name.startswith(ARRAY)
    }
    dunders = {name for name in names if name.startswith("__")}
    return frozenset({n for n in names if "." not in n} - dunders - array_attributes())
