"""Python imports this at startup: loads the observer, then the site's own sitecustomize."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _load_observer() -> None:
    folder = os.environ.get("JAXLINT_CONFIRM_RUN")
    if not folder or sys.version_info < (3, 10):
        return
    import importlib.util
    from importlib.machinery import FileFinder

    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    loading: dict[str, Any] = {"__name__": "_jaxlint_observer.nameless"}
    with open(os.path.join(package, "nameless.py"), encoding="utf-8") as stream:
        exec(compile(stream.read(), "<jaxlint: nameless>", "exec"), loading)
    loader = loading["Nameless"]
    sys.path_importer_cache[package] = FileFinder(package, (loader, [".py"]))
    path = os.path.join(package, "__init__.py")
    spec = importlib.util.spec_from_file_location(
        "_jaxlint_observer",
        path,
        loader=loader("_jaxlint_observer", path),
        submodule_search_locations=[package],
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.start(folder)


def _load_the_hidden_one() -> None:
    """This file hides the sitecustomize that the site may have: run that one too."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


try:
    _load_observer()
except Exception as error:
    # The program comes first: it runs as if nobody watched, and the report says so.
    try:
        with open(os.path.join(os.environ["JAXLINT_CONFIRM_RUN"], "trouble.txt"), "a") as note:
            note.write(f"{type(error).__name__}: {error}\n")
    except OSError:
        pass
_load_the_hidden_one()
