"""Arguments of a call, written for a function that takes them otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from jaxlint.edits import Edit
from jaxlint.fixes.code import Code
from jaxlint.knowledge.history import parameters_of
from jaxlint.knowledge.rewriting import Replacement, keywords_for


def adapted(
    code: Code, arguments: Sequence[cst.Arg], new: Replacement, first: int = 0
) -> list[Edit] | None:
    """Edits after which the arguments of an old function fit the new one; None: they cannot.

    Args:
        code: the file.
        arguments: of a call, or those that ``partial`` holds.
        new: what does the same, under one name.
        first: the place of the first of the arguments.
    """
    edits: list[Edit] = []
    for place, argument in enumerate(arguments, first):
        if argument.star:
            if not is_plain(new):
                return None
        elif argument.keyword is None:
            keyword = _keyword_at(place, new)
            if keyword is None:
                return None
            if keyword:
                edits.append(code.insert_at(argument.value, f"{keyword}="))
        else:
            keyword = new.keywords.get(argument.keyword.value, argument.keyword.value)
            if keyword is None or not _takes(new, keyword):
                return None
            if keyword != argument.keyword.value:
                edits.append(code.rename_keyword(argument, keyword))
    return edits


def is_plain(new: Replacement) -> bool:
    """Whether every way of calling the old function is one of calling the new one."""
    return not new.keywords and not new.named


def only_loses_keywords(new: Replacement) -> bool:
    """Whether every way of calling the old function, but with keywords that went, calls the new."""
    return not any(new.keywords.values()) and not any(new.named)


def _keyword_at(place: int, new: Replacement) -> str | None:
    """What an argument at a place needs in front of it; None when it cannot be passed."""
    name = new.named[place] if place < len(new.named) else ""
    if name:
        return name
    signature = parameters_of(new.write)
    return "" if signature is None or signature.fits(place + 1) else None


def _takes(new: Replacement, keyword: str) -> bool:
    signature = parameters_of(new.write)
    return signature is None or signature.takes(keyword)


def by_parameter(arguments: Sequence[cst.Arg], names: Sequence[str]) -> dict[str, cst.Arg] | None:
    """The arguments of a call by the names of parameters, which are given in their order.

    None when it is not certain which is which.
    """
    found: dict[str, cst.Arg] = {}
    for place, argument in enumerate(arguments):
        if argument.star:
            return None
        if argument.keyword is not None:
            found[argument.keyword.value] = argument
        elif place < len(names):
            found[names[place]] = argument
        else:
            return None
    return found


def with_keywords(code: Code, call: cst.Call, function: str) -> list[Edit] | None:
    """Edits that give keywords to what a function no longer takes by position."""
    given = [each for each in call.args if each.keyword is None]
    if any(each.star for each in call.args):
        return None
    names = keywords_for(function, len(given))
    pairs = zip(given, names, strict=False)
    edits = [code.insert_at(each.value, f"{name}=") for each, name in pairs if name]
    return edits or None
