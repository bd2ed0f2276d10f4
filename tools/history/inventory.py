"""Asks one release of JAX which public names it has, and what its functions take.

Runs inside that release's own environment, on every Python that JAX supported::

    python -m tools.history.inventory RESULT KNOWN PACKAGES [JAXLIB]

``KNOWN`` is a JSON list of qualified names that earlier releases had: the release is asked
for each, since names that it deprecates or that it removed with a message are in no list.
``PACKAGES``, joined by commas, are stood in for, and with ``JAXLIB``, a version, ``jaxlib`` too.

``RESULT`` becomes a JSON object: ``modules`` (dotted name -> name -> :func:`ask`), ``gone``
(qualified name -> what JAX says of its removal), ``unread`` (module -> why it does not import).
"""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import sys
import types
import warnings
from pathlib import Path
from typing import Any

from tools.history import stand_in

NOT_API = frozenset({"tools", "collect_profile", "tests", "examples", "test_util", "conftest"})
"""Parts of a module's name that make it none of what users import."""


def modules_of(package: Path) -> dict[str, Path]:
    """Public modules of a release by dotted name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = list(path.relative_to(package.parent).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        private = any(part.startswith("_") for part in parts)
        if not private and NOT_API.isdisjoint(parts) and not parts[-1].endswith("_test"):
            found[".".join(parts)] = path
    return found


def signature(value: Any) -> str | None:
    """What a function takes: ``a,/,axis=,*,where=`` and ``old=~`` for a deprecated parameter.

    None when it is no function, or does not say.
    """
    if not callable(value) or isinstance(value, types.ModuleType):
        return None
    home = getattr(value, "__module__", None) or type(value).__module__
    if not str(home).startswith(("jax.", "jaxlib.")) and home != "jax":
        return None
    if _made_by(value) == stand_in.__name__ or isinstance(value, enum.EnumMeta):
        return None  # What an enumeration takes depends on Python, not on JAX.
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError, AttributeError):
        return None
    written = _written(parameters)
    # What typing.Generic takes, up to Python 3.8, in place of the class.
    own = not isinstance(value, type) or written != ["*args", "**kwds"]
    return ",".join(written) if own else None


def _made_by(value: Any) -> str:
    """The module that defines how a class is instantiated; empty for what is no class."""
    maker = getattr(value, "__init__", None) if isinstance(value, type) else None
    return str(getattr(maker, "__module__", ""))


def _written(parameters: list[inspect.Parameter]) -> list[str]:
    written: list[str] = []
    before: Any = None
    for parameter in parameters:
        kind = parameter.kind
        if before is parameter.POSITIONAL_ONLY and kind is not parameter.POSITIONAL_ONLY:
            written.append("/")
        first = before not in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        if kind is parameter.KEYWORD_ONLY and first:
            written.append("*")
        stars = "*" * (kind is parameter.VAR_POSITIONAL) + "**" * (kind is parameter.VAR_KEYWORD)
        written.append(stars + parameter.name + _default(parameter))
        before = kind
    if before is inspect.Parameter.POSITIONAL_ONLY:
        written.append("/")
    return written


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return ""
    # The marker that JAX itself gives to a parameter that it is about to remove.
    return "=~" if type(parameter.default).__name__ == "DeprecatedArg" else "="


def ask(module: types.ModuleType, name: str) -> dict[str, str]:
    """What there is by this name: ``kind``, ``takes`` (its signature), ``warns``.

    Only ``gone`` when there is nothing: what JAX says of that, or nothing.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = getattr(module, name)
        except AttributeError as error:
            text = " ".join(str(error).split())
            return {"gone": "" if "has no attribute" in text else text}
        except Exception:
            # A name that fails to load for want of something else is there.
            return {"kind": "unread"}
        if _refuses(value):
            return {"gone": ""}
        said = [w for w in caught if issubclass(w.category, (DeprecationWarning, FutureWarning))]
    found = {"kind": "module" if isinstance(value, types.ModuleType) else "name"}
    takes = signature(value)
    if takes is not None:
        found["takes"] = takes
    if said:
        found["warns"] = " ".join(str(said[0].message).split())
    return found


def _refuses(value: Any) -> bool:
    """Whether it only says that JAX does not implement this function of NumPy."""
    code = getattr(value, "__code__", None)
    if code is None or code.co_argcount or code.co_varnames[:1] != ("args",):
        return False
    return bool(code.co_names[:1] == ("NotImplementedError",))


def _listed(module: types.ModuleType) -> set[str]:
    names = set(dir(module)) | set(vars(module)) | set(getattr(module, "__all__", ()))
    deprecations = vars(module).get("_deprecations")
    if isinstance(deprecations, dict):
        names |= deprecations.keys()
    return {name for name in names if isinstance(name, str) and _public(name)}


def _public(name: str) -> bool:
    return not name.startswith("_") and name != "annotations"


def inventory(known: list[str]) -> dict[str, Any]:
    """What ``RESULT`` becomes."""
    import jax

    result: dict[str, Any] = {"modules": {}, "gone": {}, "unread": {}}
    candidates: dict[str, set[str]] = {}
    for name in known:
        module, _, short = name.rpartition(".")
        candidates.setdefault(module, set()).add(short)
    paths = modules_of(Path(jax.__file__).parent)
    for name in paths:
        try:
            importlib.import_module(name)
        except Exception as error:
            result["unread"][name] = repr(error)[:200]
    # Only now: importing a module adds its name to the one above it.
    for name in paths.keys() - result["unread"].keys():
        loaded = sys.modules[name]
        names = result["modules"][name] = {}
        for short in sorted(_listed(loaded) | candidates.get(name, set())):
            answer = ask(loaded, short)
            if "gone" not in answer:
                names[short] = answer
            elif answer["gone"]:
                result["gone"][f"{name}.{short}"] = answer["gone"]
    result["release"] = jax.__version__
    return result


def main() -> None:
    target, known, packages, *jaxlib = sys.argv[1:]
    stand_in.install(packages.split(","))
    if jaxlib:
        stand_in.install(["jaxlib"], jaxlib[0])
    warnings.simplefilter("ignore")
    found = inventory(json.loads(Path(known).read_text("utf-8")))
    Path(target).write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    main()
