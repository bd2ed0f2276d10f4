"""What JAX compiles is kept for the processes that the tests of one worker start after another."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest

_KEPT = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    folder = config.stash[_KEPT] = tempfile.mkdtemp(prefix="compiled-")
    os.environ["JAX_COMPILATION_CACHE_DIR"] = folder
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_KEPT], ignore_errors=True)
