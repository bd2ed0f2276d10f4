"""Parameters of a jitted function that are donated no more, where the ``jit`` of it is written."""

from __future__ import annotations

import libcst as cst

from jaxlint.edits import Edit
from jaxlint.fixes.code import Code

_OPTIONS = ("donate_argnums", "donate_argnames")


def not_donated(
    made: cst.CSTNode | None, position: int | None, parameter: str, code: Code
) -> list[Edit | None]:
    """The edits after which a parameter is not donated; none where literals do not name it.

    Args:
        made: what wraps the function: a decorator, a call of ``jax.jit`` or of ``partial``.
        position: of the parameter, if it has one.
        parameter: its name, empty where that is not in view.
        code: the file.
    """
    if isinstance(made, cst.Decorator):
        made = made.decorator
    if not isinstance(made, cst.Call):
        return []
    edits: list[Edit | None] = []
    for argument in made.args:
        if argument.keyword is not None and argument.keyword.value in _OPTIONS:
            edits += _without(made, argument, position, parameter, code)
    return edits


def _without(
    call: cst.Call, argument: cst.Arg, position: int | None, parameter: str, code: Code
) -> list[Edit | None]:
    """The edits that take a parameter out of one option."""
    options = argument.value
    if _names(options, position, parameter):
        return [_without_option(call, argument, code)]
    if not isinstance(options, (cst.Tuple, cst.List)):
        return []
    chosen = [each for each in options.elements if _names(each.value, position, parameter)]
    if len(chosen) != 1:
        return []
    rest = [each for each in options.elements if each is not chosen[0]]
    if not rest:
        return [_without_option(call, argument, code)]
    if len(rest) == 1 and isinstance(options, cst.Tuple) and not code.comments(options):
        return [code.replace(options, f"{code.text(rest[0].value)},")]
    return [code.without_item(options.elements, chosen[0])]


def _without_option(call: cst.Call, argument: cst.Arg, code: Code) -> Edit | None:
    """``partial(jax.jit, option)`` becomes ``jax.jit``, and so does ``jax.jit(option)``."""
    rest = [each for each in call.args if each is not argument]
    if not rest:
        return code.replace(call, code.text(call.func))
    if len(rest) == 1 and code.qualified(call.func) == "functools.partial":
        return code.replace(call, code.text(rest[0].value))
    return code.without_item(call.args, argument)


def _names(option: cst.BaseExpression, position: int | None, parameter: str) -> bool:
    """Whether an entry of an option stands for the parameter."""
    if isinstance(option, cst.Integer):
        return position is not None and option.evaluated_value == position
    return isinstance(option, cst.SimpleString) and option.evaluated_value == parameter
