"""Arguments of a call, written for a function that takes them otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from jaxlint.edits import Edit
from jaxlint.fixes.code import Code
from jaxlint.knowledge.successors import Renaming


def adapted(
    code: Code, arguments: Sequence[cst.Arg], renaming: Renaming, first: int = 0
) -> list[Edit] | None:
    """Edits after which the arguments of an old function fit the new one; None: they cannot.

    Args:
        code: the file.
        arguments: of a call, or those that ``partial`` holds.
        renaming: the functions.
        first: the place of the first one.
    """
    edits: list[Edit] = []
    for place, argument in enumerate(arguments, first):
        if argument.star:
            if not renaming.is_plain:
                return None
        elif argument.keyword is None:
            keyword = renaming.by_position(place)
            if keyword is None:
                return None
            if keyword:
                edits.append(code.insert_at(argument.value, f"{keyword}="))
        else:
            keyword = renaming.keyword(argument.keyword.value)
            if keyword is None or (not keyword and place != first):
                return None
            if keyword != argument.keyword.value:
                edits.append(code.rename_keyword(argument, keyword))
    return edits
