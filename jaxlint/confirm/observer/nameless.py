"""Loads the observer as code without a file.

Coverage measures code by the name of its file, wherever jaxlint is installed, and leaves out
what has none. This file is loaded by ``bootstrap/sitecustomize.py``, the same way.
"""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from types import CodeType


class Nameless(SourceFileLoader):
    """The code of a module, by a name that is no file's."""

    def get_code(self, fullname: str) -> CodeType | None:
        """The code to run, compiled or kept from earlier."""
        code = super().get_code(fullname)
        return renamed(code, f"<jaxlint: {fullname}>") if code is not None else None


def renamed(code: CodeType, name: str) -> CodeType:
    """The same code, with that of the functions in it, by another name."""
    inner = (renamed(each, name) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=name, co_consts=tuple(inner))
