"""``jaxlint confirm`` says the same of a file whatever other paths it is given."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.test_command import write

pytest.importorskip("jax")

MODEL = """\
from functools import partial

import jax

from lib import settings

HANDLERS = {}


class Model:
    @jax.jit
    def step(self, x):
        return x


@partial(jax.jit, static_argnames="axes")
def reduce(x, axes):
    return x


@jax.jit
def scaled(x):
    return x * settings.SCALE


def note(x):
    print("tracing", x)
    return x


@jax.jit
def noisy(x):
    return HANDLERS["note"](x)


@partial(jax.jit, static_argnames=("temperature",))
def sample(x, temperature=None):
    return x


def predict(x):
    return jax.jit(lambda v: v)(x)


def make():
    return jax.jit(lambda v: v)


def reduce_as(x, config):
    return reduce(x, axes=config["axes"])
"""
TESTS = """\
import json, numpy as np
import pytest

from lib import model, settings


def test_errors():
    with pytest.raises(TypeError):
        model.Model().step(1.0)
    with pytest.raises(ValueError):
        model.reduce(1.0, [0])
    try:
        model.reduce_as(1.0, json.loads('{"axes": [0]}'))
    except ValueError:
        pass


def test_effects():
    model.HANDLERS["note"] = model.note
    model.noisy(1.0)
    model.scaled(1.0)
    settings.SCALE = 3.0


def test_traces():
    model.sample(1.0)
    for t in range(4):
        model.sample(1.0, temperature=t)
        model.predict(1.0)
        model.make()(1.0)
        model.noisy(np.frombuffer(bytes(8 * t + 8)))
"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What is said of the same run with different paths."""
    folder = tmp_path_factory.mktemp("project")
    files = {"src/lib/__init__.py": "", "src/lib/model.py": MODEL, "tests/test_model.py": TESTS}
    write(folder, {**files, "src/lib/settings.py": "SCALE = 2.0\n"})
    write(folder, {"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n'})
    found = {}
    for paths in ("src", "src tests"):
        command = [sys.executable, "-m", "jaxlint", "confirm", *paths.split(), "--retraces", "2"]
        command += ["--json", "out.json", "--", sys.executable, "-m", "pytest", "-q", "tests"]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False,
            env={**os.environ, "JAX_PLATFORMS": "cpu"},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        found[paths] = json.loads((folder / "out.json").read_text())
    return found


def verdicts(report: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {each["code"]: (each["verdict"], each["evidence"]) for each in report["findings"]}


def surprises(report: dict[str, Any]) -> dict[str, str]:
    """Text of what nobody predicted in the library -> why that was to be expected."""
    return {
        each["text"]: each["expected_because"]
        for each in report["missed"] + report["expected"]
        if each["file"].startswith("src")
    }


def test_verdicts_do_not_depend_on_the_paths(reports: dict[str, dict[str, Any]]) -> None:
    first, second = reports.values()
    assert verdicts(first) == verdicts(second)
    where = "TypeError at the call in tests/test_model.py, line 9, once"
    assert verdicts(first)["JXL114"] == ("confirmed", where)
    assert surprises(first) == surprises(second)
    assert [each["file"] for each in first["missed"] + first["expected"]] == [
        each["file"] for each in first["missed"] + first["expected"] if each["file"][:3] == "src"
    ]


def test_who_is_to_blame(reports: dict[str, dict[str, Any]]) -> None:
    only_tests = "only tests call it in this way"
    said = {text.split(" was traced")[0]: why for text, why in surprises(reports["src"]).items()
            if " was traced" in text}  # fmt: skip
    # It makes a new function each time and calls it: whoever calls it pays. What `make` gives
    # may be kept, and shapes and static values are the caller's.
    assert said == {
        "predict.<lambda>": "",
        "make.<lambda>": only_tests,
        "sample": only_tests,
        "noisy": only_tests,
    }


def test_what_jax_does_not_tell(reports: dict[str, dict[str, Any]]) -> None:
    said = surprises(reports["src"])
    assert said["ValueError: an argument that is static cannot be hashed"] == ""
    stale = "compiled code keeps settings.SCALE as it was while tracing: it was 2.0 then and is 3.0"
    assert said[f"{stale} now"] == ""
    (printed,) = (text for text in said if text.startswith("print ran while JAX was tracing"))
    assert printed.endswith("and not when the compiled code ran")
    in_tests = [
        each["expected_because"]
        for each in reports["src tests"]["expected"]
        if each["file"].startswith("tests") and each["text"].startswith("ValueError")
    ]
    assert in_tests == ["the code around it expects it"]


def test_every_text_is_a_sentence(reports: dict[str, dict[str, Any]]) -> None:
    text = next(text for text in surprises(reports["src"]) if text.startswith("sample "))
    assert text.startswith("sample was traced again 4 times: 4 times for a new static value; ")
    assert "nothing" not in "".join(surprises(reports["src tests"]))
    examples = [
        example for each in reports["src"]["functions"] for example in each["examples"].values()
    ]
    assert "temperature is 0, and was not passed before" in examples
