"""Runs the triggers of fixtures, twice each, and lets their exceptions go.

    python tests/run_fixtures.py FILE ...

For ``jaxlint confirm FILE ... -- python tests/run_fixtures.py FILE ...``.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from types import ModuleType


def load(path: str) -> ModuleType:
    name = path.replace("/", "_").replace(".", "_")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    for path in sys.argv[1:]:
        with contextlib.suppress(Exception):
            module = load(path)
            for name, trigger in list(vars(module).items()):
                for _ in range(2 if name.startswith("trigger") else 0):
                    with contextlib.suppress(Exception):
                        trigger()


if __name__ == "__main__":  # Processes that a fixture spawns import this file.
    main()
