"""What of JAX computes what a function of NumPy, SciPy or ``math`` does."""

from __future__ import annotations

import libcst as cst

from jaxlint.edits import Edit
from jaxlint.fixes.code import Code
from jaxlint.knowledge import history, jax_api, numpy_api, python_api, scipy_api


def as_jax(call: cst.Call, code: Code) -> list[Edit] | None:
    """The edits that make a call one of JAX; None where JAX does not take the same arguments."""
    name = _counterpart(code.qualified(call.func))
    positional = [each for each in call.args if each.keyword is None]
    keywords = [each.keyword.value for each in call.args if each.keyword is not None]
    if not name or any(each.star for each in call.args) or _is_wide(call, code):
        return None
    for release in {code.releases.lowest, ""}:
        if not history.accepts(name, release, len(positional), keywords):
            return None
    written = code.name(name, call)
    return None if written is None else [code.replace(call.func, written[0]), *written[1]]


def _counterpart(name: str) -> str:
    if name in numpy_api.WRITES | numpy_api.CHANGES_FIRST | numpy_api.ASSERTS:
        return ""
    if name.startswith("numpy."):
        return f"{jax_api.PACKAGE}.{name}"
    if name.startswith("scipy."):
        # Its minimizers take a method that JAX's lack, or the other way round.
        return "" if name.startswith("scipy.optimize.") else scipy_api.counterpart(name)
    return python_api.MATH_ON_ARRAYS.get(name, "")


def _is_wide(call: cst.Call, code: Code) -> bool:
    """Whether a call asks for a type of 64 bits, which JAX narrows: another finding."""
    strings = [each.value for each in call.args if isinstance(each.value, cst.SimpleString)]
    names = {each.value for each in code.names_in(call)}
    return not jax_api.WIDE_TYPES.isdisjoint(names | {each.evaluated_value for each in strings})
