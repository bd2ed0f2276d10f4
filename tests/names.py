"""From the qualified name of something in JAX, NumPy or Python to the thing itself."""

from __future__ import annotations

import importlib
import warnings
from typing import Any


def resolve(name: str) -> Any:
    """The module, class or function; deprecated names do not warn.

    Raises:
        ImportError: no part of the name is a module.
        AttributeError: the module does not have it.
    """
    parts = name.split(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for count in range(len(parts), 0, -1):
            try:
                value: Any = importlib.import_module(".".join(parts[:count]))
            except ImportError:
                continue
            for part in parts[count:]:
                value = getattr(value, part)
            return value
    raise ImportError(name)
