"""Mends arguments that a function no longer takes under their name."""

from __future__ import annotations

import re
from dataclasses import replace

import libcst as cst

from jaxlint.edits import Edit, Fix
from jaxlint.events import RemovedApi
from jaxlint.fixes.code import Code
from jaxlint.knowledge.rewriting import (
    Argument,
    argument_for,
    argument_works_from,
    last_that_took,
    places_of,
)

_WORD = re.compile(r"\w+")


def mended_argument(event: RemovedApi, code: Code) -> Fix | None:
    """The fix for a keyword that went; None when a person has to decide."""
    node = code.node(event.site)
    argument = code.enclosing(node, cst.Arg) if node is not None else None
    call = code.parent(argument) if argument is not None else None
    new = argument_for(event.name, event.keyword)
    if new is None or argument is None or not isinstance(call, cst.Call):
        return None
    if argument.keyword is None or argument.keyword.value != event.keyword:
        return None
    if not _works(event.name, replace(new, by_position=False), code):
        if not new.by_position:
            return None
        new = replace(new, keyword="")  # By its place older releases take it too.
    return _instead(code, call, argument, event.name, new)


def _works(function: str, argument: Argument, code: Code) -> bool:
    """Whether every release that the project allows takes an argument in its new way."""
    since = argument_works_from(function, argument)
    return since != "never" and not (since and code.releases.allow_before(since))


def _instead(
    code: Code, call: cst.Call, argument: cst.Arg, function: str, new: Argument
) -> Fix | None:
    assert argument.keyword is not None
    old = argument.keyword.value
    value = code.text(argument.value)
    if new.about & set(_WORD.findall(value)):
        return None
    if value in new.values:
        text = new.values[value]
        if not text:
            return code.fix(f"Leave `{old}=` out", _without(code, call, argument), safe=True)
        line, column, *_ = code.span(argument.keyword)
        *_, end_line, end_column = code.whole(argument.value)
        return code.fix(
            f"Write `{text}`", Edit(line, column, end_line, end_column, text), safe=True
        )
    if new.keyword:
        edit = code.rename_keyword(argument, new.keyword)
        return code.fix(f"Write `{new.keyword}=`", edit, safe=True)
    if new.by_position and _is_next(call, argument, function):
        edit = code.rename_keyword(argument, "")
        return code.fix(f"Pass `{old}` by position", edit, safe=True)
    if new.dropped:
        return code.fix(f"Leave `{old}=` out", _without(code, call, argument), safe=True)
    return None


def _without(code: Code, call: cst.Call, argument: cst.Arg) -> Edit | None:
    if len(call.args) == 1:
        line, column, *_ = code.span(argument)
        *_, end_line, end_column = code.whole(argument.value)
        return Edit(line, column, end_line, end_column, "")
    return code.without_item(call.args, argument)


def _is_next(call: cst.Call, argument: cst.Arg, function: str) -> bool:
    """Whether an argument stands where it would stand by position."""
    assert argument.keyword is not None
    before = last_that_took(function, argument.keyword.value)
    place = next(at for at, each in enumerate(call.args) if each is argument)
    if before is None or any(each.keyword is not None or each.star for each in call.args[:place]):
        return False
    return places_of(before)[place : place + 1] == [argument.keyword.value]
