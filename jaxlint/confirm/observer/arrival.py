"""Waits for the program to import jax: before that there is nothing to watch."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .journal import Journal


def when_jax_arrives(activate: Callable[[], None], journal: Journal) -> None:
    """Call ``activate`` once, right after ``import jax`` has succeeded."""
    sys.meta_path.insert(0, _Finder(activate, journal))


class _Finder(MetaPathFinder):
    def __init__(self, activate: Callable[[], None], journal: Journal) -> None:
        self._activate = activate
        self._journal = journal

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != "jax":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            sys.meta_path.insert(0, self)
            return spec
        spec.loader = _Loader(spec.loader, self._activate, self._journal)
        return spec


class _Loader(Loader):
    """The module's own loader, and a word when it is done."""

    def __init__(self, inner: Loader, activate: Callable[[], None], journal: Journal) -> None:
        self._inner = inner
        self._activate = activate
        self._journal = journal

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._inner.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None:
            spec.loader = module.__loader__ = self._inner
        self._inner.exec_module(module)
        try:
            self._activate()
        except Exception as error:
            self._journal.trouble(error)
