"""Stands in for packages that cannot be had, so that a release of JAX can be imported.

Above all for ``jaxlib``, whose old releases the package index no longer has. Importing JAX
computes nothing: it only looks names up in ``jaxlib``, calls them and inherits from them. Every
attribute of every module here is a class that takes all of that. What is asked of such a JAX
afterwards, its names and signatures, is defined in its own Python source.

Runs on every Python that JAX did.
"""

from __future__ import annotations

import abc
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Iterable
from typing import Any

import ml_dtypes


class _Meta(abc.ABCMeta):
    """Makes the attributes of a class classes of the same kind."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _make(name)

    def __iter__(cls) -> Any:
        return iter(())

    def __getitem__(cls, key: Any) -> Any:
        return cls

    def __len__(cls) -> int:
        return 0

    def __or__(cls, other: Any) -> Any:
        return cls

    __ror__ = __or__


class _Base(metaclass=_Meta):
    """Anything: constructed from, called with and asked for anything."""

    __slots__: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return StandIn()

    def __getattr__(self, name: str) -> Any:
        # A stand-in that wraps a function must not seem to have a signature of its own.
        if name.startswith("__"):
            raise AttributeError(name)
        return _make(name)

    def __iter__(self) -> Any:
        return iter(())

    def __getitem__(self, key: Any) -> Any:
        return StandIn()

    def __int__(self) -> int:
        return 0

    __index__ = __int__
    __len__ = __int__


class StandIn(_Base):
    """A stand-in that takes attributes, as what wraps a function must."""


def _make(name: str) -> Any:
    # The version of the compiler's interface: JAX uses what it has when it is high enough.
    if name.endswith("_version"):
        return 10**6
    if name == "flatten":
        return lambda *arguments: ([], StandIn())
    if hasattr(ml_dtypes, name):
        return getattr(ml_dtypes, name)
    if "DeviceArray" in name or name == "Buffer":  # Inherited from with slots.
        return _Meta(name, (_Base,), {"__slots__": ()})
    return _Meta(name, (StandIn,), {})


class _Module(types.ModuleType):
    def __init__(self, name: str, version: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__version__ = version
        self.__version_info__ = tuple(int(part) for part in version.split("."))
        self.__file__ = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "version":
            raise AttributeError(name)
        return _make(name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, packages: Iterable[str], version: str) -> None:
        self.packages = frozenset(packages)
        self.version = version

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.split(".")[0] in self.packages:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        return _Module(spec.name, self.version)

    def exec_module(self, module: Any) -> None:
        pass


def install(packages: Iterable[str], version: str = "9999") -> None:
    """Answer every import of these packages with a stand-in of that version."""
    sys.meta_path.insert(0, _Finder(packages, version))
