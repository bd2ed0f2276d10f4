"""The judged lists, and the benchmark that asks JAX which variables are tracers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
LISTS = ROOT / "tests" / "corpus"
PROGRAM = """
from functools import partial

import jax
import jax.numpy as jnp

from elsewhere import shift


@partial(jax.jit, static_argnames="times")
def repeat(x, times=2):
    shape = x.shape
    for i in range(times):
        x = x + i
    return shift(x)


print(repeat(jnp.ones(3)))
"""
ELSEWHERE = """
def shift(value):
    moved = value + 1
    return moved
"""


def members(name: str) -> set[str]:
    lines = (LISTS / name).read_text("utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


@pytest.mark.parametrize("file", ["judged.toml", "judged_apps.toml"])
def test_every_judged_finding_says_why(file: str) -> None:
    entries: list[dict[str, Any]] = tomllib.loads((LISTS / file).read_text("utf-8"))["finding"]
    keys = [(each["file"], each.get("cell", 0), each["line"], each["code"]) for each in entries]
    assert len(keys) == len(set(keys))
    assert all(
        each["verdict"] in {"true", "noise", "wrong"} and each["why"].strip() for each in entries
    )


def test_judged_applications_are_in_the_corpus() -> None:
    entries = tomllib.loads((LISTS / "judged_apps.toml").read_text("utf-8"))["finding"]
    folders = {line.split()[0].replace("/", "__") for line in members("applications.txt")}
    assert {each["file"].split("/")[0] for each in entries} <= folders


def test_asking_jax_for_tracers(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.mkdir()
    (program / "program.py").write_text(PROGRAM, "utf-8")
    (program / "elsewhere.py").write_text(ELSEWHERE, "utf-8")
    out = str(tmp_path / "out")
    command = [sys.executable, str(ROOT / "benchmarks" / "tracers.py")]
    recorded = [*command, "record", out, "--root", str(program), "--", sys.executable]
    subprocess.run(
        [*recorded, str(program / "program.py")],
        env=os.environ | {"JAX_PLATFORMS": "cpu"}, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    done = subprocess.run(
        [*command, "probe", out], check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    # `x` is traced here; `times`, `shape` and `i` are concrete; `value`, `moved` are elsewhere.
    assert "traced by the same file: 1 tracers, known 100.0%; 3 concrete, wrong 0" in done
    assert "traced by another file: 2 tracers" in done
