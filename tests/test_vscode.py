"""The extension for VS Code: its settings are the server's, and the server understands it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import jaxlint
from jaxlint.workspace.keys import KEYS

EXTENSION = Path(__file__).parent.parent / "editors" / "vscode"
PACKAGE = json.loads((EXTENSION / "package.json").read_text("utf-8"))
SETTINGS = PACKAGE["contributes"]["configuration"]["properties"]

BAD = """\
import jax


@jax.jit
def f(x):
    print(x)
    y = x + 1
    return y if y > 0 else x
"""


def test_settings_are_the_keys_of_the_server() -> None:
    table = SETTINGS["jaxlint.settings"]["properties"]
    assert {name: each["description"] for name, each in table.items()} == {
        name: key.brief for name, key in KEYS.items()
    }
    types = {"flag": "boolean", "number": "integer", "table of codes": "object"}
    types |= dict.fromkeys(("version", "text", "address"), "string")
    assert {name: each["type"] for name, each in table.items()} == {
        name: types.get(key.kind, "array") for name, key in KEYS.items()
    }


def test_what_is_shown_besides_is_off_by_default() -> None:
    for name in ("inlayHints", "codeLens", "fixAllOnSave"):
        assert SETTINGS[f"jaxlint.{name}"]["default"] is False


def test_every_setting_is_read_and_explained() -> None:
    sources = "".join(path.read_text("utf-8") for path in (EXTENSION / "src").glob("*.js"))
    readme = (EXTENSION / "README.md").read_text("utf-8")
    for name in SETTINGS:
        short = name.removeprefix("jaxlint.")
        if short == "trace.server":
            continue  # The client library reads it.
        assert f'setting("{short}")' in sources, name
        assert f"| `{name}` |" in readme, name


def test_version_is_that_of_jaxlint() -> None:
    assert PACKAGE["version"] == jaxlint.__version__


def test_the_server_understands_it(tmp_path: Path) -> None:
    """What the extension says at the start and later, said by node to the real server."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here")
    (tmp_path / "bad.py").write_text(BAD)
    program = tmp_path / "jaxlint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m jaxlint "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        [node, "test/drive.js", str(program), str(tmp_path)],
        cwd=EXTENSION, env=os.environ, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "codes": ["JXL101"],
        "fixes": [],
        "hints": [": tracer"],
        "lenses": ["traced by jax.jit"],
        "afterwards": ["JXL301", "JXL101"],
    }
