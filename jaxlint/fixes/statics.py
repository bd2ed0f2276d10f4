"""Parameters of a jitted function made static, where the ``jit`` of it is written."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from jaxlint.edits import Edit
from jaxlint.fixes.code import Code
from jaxlint.knowledge import jax_api

_NAMES, _POSITIONS = "static_argnames", "static_argnums"


def as_static(made: cst.CSTNode | None, parameter: str, code: Code) -> list[Edit] | None:
    """The edits that make a parameter static.

    Args:
        made: what wraps the function: a decorator, a call of ``jax.jit`` or of ``partial``.
        parameter: its name.
        code: the file.

    Returns:
        None where the options are given in another way than as literals.
    """
    if isinstance(made, cst.Decorator):
        made = made.decorator
    if isinstance(made, cst.Call):
        return _in_call(made, parameter, code) if _is_jit(made, code) else None
    if made is None or not isinstance(code.parent(made), cst.Decorator):
        return None
    partial = code.name("functools.partial", made)
    if partial is None or code.qualified(made) not in jax_api.JIT:
        return None
    option = f"{_NAMES}=({_quoted(parameter)},)"
    new = f"{partial[0]}({code.text(made)}, {option})"
    return [code.replace(made, new), *partial[1]]


def _is_jit(call: cst.Call, code: Code) -> bool:
    """Whether a call is ``jax.jit(...)`` or ``partial(jax.jit, ...)``."""
    name = code.qualified(call.func)
    if name == "functools.partial" and call.args:
        name = code.qualified(call.args[0].value)
    return name in jax_api.JIT and not any(each.star for each in call.args)


def _in_call(call: cst.Call, parameter: str, code: Code) -> list[Edit] | None:
    given = {each.keyword.value: each.value for each in call.args if each.keyword is not None}
    if _NAMES in given:
        return _longer(given[_NAMES], _quoted(parameter), code)
    if _POSITIONS in given:
        function = _decorated(call, code)
        if function is None:
            return None
        if parameter in _names(function.params.params):
            position = len(function.params.posonly_params)
            position += _names(function.params.params).index(parameter)
            return _longer(given[_POSITIONS], str(position), code)
        if parameter not in _names(function.params.kwonly_params):
            return None  # Only where positions say nothing of it, a name may stand beside them.
    option = f"{_NAMES}=({_quoted(parameter)},)"
    if not call.args:
        line, column = code.span(call)[2:]
        return [Edit(line, column - 1, line, column - 1, option)]
    line, column = code.whole(call.args[-1].value)[2:]
    return [Edit(line, column, line, column, f", {option}")]


def _longer(options: cst.BaseExpression, new: str, code: Code) -> list[Edit] | None:
    """One more entry in a tuple or list of options, or a tuple instead of a single one."""
    if isinstance(options, (cst.SimpleString, cst.Integer)):
        return [code.replace(options, f"({code.bare(options)}, {new})")]
    if not isinstance(options, (cst.Tuple, cst.List)) or not options.elements:
        return None
    last = options.elements[-1].value
    if len(options.elements) == 1 and isinstance(options, cst.Tuple) and not code.comments(options):
        return [code.replace(options, f"{code.text(last)}, {new}")]
    line, column = code.whole(last)[2:]
    return [Edit(line, column, line, column, f", {new}")]


def _decorated(call: cst.Call, code: Code) -> cst.FunctionDef | None:
    """The function that a call decorates."""
    above = code.parent(call)
    function = code.parent(above) if isinstance(above, cst.Decorator) else None
    return function if isinstance(function, cst.FunctionDef) else None


def _names(parameters: Sequence[cst.Param]) -> list[str]:
    return [each.name.value for each in parameters]


def _quoted(name: str) -> str:
    return f'"{name}"'
