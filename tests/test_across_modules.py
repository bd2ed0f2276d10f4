"""Findings that need several modules: told alike by every door, remembered as long as they hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent
from typing import Any

import jsonschema
import pytest

from jaxlint import Options
from jaxlint.source import Source
from jaxlint.workspace.lint import lint_source
from tests.test_command import concise, jaxlint, write

HERE = Path(__file__).parent
UTILS = """\
import jax.numpy as jnp


def clip(x, limit):
    if x > limit:
        return limit
    return x


def log(x):
    print(x)
    return jnp.sum(x)
"""
STEPS = """\
import jax

from .utils import clip
from . import config, utils


@jax.jit
def step(x):
    y = x * config.RATE
    return clip(y, 1.0) + utils.log(y)


def draw(key):
    return jax.random.normal(key, (3,))
"""
TRAIN = """\
import jax

from lab import config
from lab.steps import draw, step
from lab import utils


def main():
    key = jax.random.key(0)
    config.RATE = 0.1
    a = step(draw(key))
    b = draw(key)
    return a + b


shown = jax.jit(utils.log)
main()
config.RATE = 0.2
main()
"""
PROJECT = {
    "pyproject.toml": "[tool.jaxlint]\n",
    "lab/__init__.py": "",
    "lab/config.py": "RATE = 1.0\n",
    "lab/utils.py": UTILS,
    "lab/steps.py": STEPS,
    "train.py": TRAIN,
}
FOUND = {"lab/steps.py:10:12: JXL101", "lab/steps.py:10:27: JXL301", "train.py:16:9: JXL301"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, PROJECT)


def lines(folder: Path, *arguments: str) -> list[str]:
    result = jaxlint("check", "--output-format", "concise", *arguments, cwd=folder)
    assert not result.stderr, result.stderr
    return result.stdout.splitlines()


# ---------------------------------------------------------------------------- the same everywhere


def flake8(folder: Path, jobs: int) -> list[str]:
    command = [sys.executable, "-m", "flake8", "--isolated", "--select=JXL", f"-j{jobs}", "."]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not result.stderr, result.stderr
    return sorted(line.removeprefix("./") for line in result.stdout.splitlines())


def test_every_door_finds_the_same(project: Path) -> None:
    wanted = lines(project, "--no-cache", "--jobs", "1")
    assert {" ".join(line.split()[:2]) for line in wanted} >= FOUND
    assert lines(project, "--no-cache", "--jobs", "2") == wanted
    assert lines(project) == wanted, "a cold cache"
    assert lines(project) == wanted, "a warm one"
    assert lines(project, "--jobs", "2") == wanted
    named = [*lines(project, "train.py", "--no-cache"), *lines(project, "lab/steps.py")]
    assert sorted(named) == sorted(wanted), "as pre-commit does: files that changed, named"
    assert flake8(project, 1) == flake8(project, 2) == sorted(wanted)
    assert in_an_editor(project) == sorted(wanted)


def in_an_editor(folder: Path) -> list[str]:
    """What the language server says of the files, as lines of ``jaxlint check``."""
    pytest.importorskip("pygls")
    from tests.test_server import Client, drive

    names = [name for name in PROJECT if name.endswith(".py")]
    found: list[str] = []

    async def session(client: Client) -> None:
        for name in names:
            client.open((folder / name).as_uri(), PROJECT[name])
        await client.until(lambda: len(client.said) == len(names))
        for name in names:
            for each in client.said[(folder / name).as_uri()].diagnostics:
                at = each.range.start
                found.append(f"{name}:{at.line + 1}:{at.character + 1}: {each.code} {each.message}")

    drive(folder, session)
    return sorted(found)


# ------------------------------------------------------------------------------ what is one mistake

TRAINER = """\
import jax


def hard(x):
    return float(x)


def loud(x):
    if x > 0:
        return x
    return -x


LOSSES = {"hard": hard, "loud": loud}


class Trainer:
    def __init__(self, loss):
        self.step = jax.jit(LOSSES[loss])

    def fit(self, x):
        return self.step(x)
"""
TRAINED_TWICE = """\
from losses import Trainer


def run(loss):
    return Trainer(loss).fit(1.0)


def first():
    return run("hard")


def second():
    return run("loud")
"""


def test_each_run_raises_something_of_its_own(tmp_path: Path) -> None:
    folder = write(tmp_path, {"pyproject.toml": "", "losses.py": TRAINER, "runs.py": TRAINED_TWICE})
    found = [line.split(": `")[0] for line in lines(folder, "--no-cache")]
    assert found == [
        "runs.py:5:12: JXL101 in losses.py, line 9",
        "runs.py:5:12: JXL106 in losses.py, line 5",
    ]


def test_what_fails_on_the_host_is_told_where_the_values_are_known(tmp_path: Path) -> None:
    layers = """\
import jax.numpy as jnp


class Dense:
    def __init__(self, n, m):
        self.w = jnp.ones((n, m))

    def __call__(self, x):
        return x @ self.w
"""
    use = """\
import jax.numpy as jnp
from layers import Dense


def make(n):
    return Dense(3, 4)(jnp.ones((2, n)))


make(3)
make(5)
"""
    folder = write(tmp_path, {"pyproject.toml": "", "layers.py": layers, "use.py": use})
    assert [line.split(": `")[0] for line in lines(folder, "--no-cache")] == [
        "use.py:6:12: JXL126 in layers.py, line 9"
    ]


def test_how_long_another_module_takes_is_its_own_affair(tmp_path: Path) -> None:
    """A time that is put somewhere is the same at each call, and said."""
    parts = """\
import time
import jax.numpy as jnp


def build(x, verbose=False):
    start = time.perf_counter()
    y = jnp.sin(x)
    if verbose:
        print(time.perf_counter() - start)
    return y


def stamped(metrics):
    metrics["time"] = time.time()
    return metrics
"""
    steps = """\
import jax
from parts import build, stamped


@jax.jit
def step(x):
    return stamped({"y": build(x)})
"""
    folder = write(tmp_path, {"pyproject.toml": "", "parts.py": parts, "steps.py": steps})
    assert [line.split(": `")[0] for line in lines(folder, "--no-cache")] == [
        "steps.py:7:12: JXL306 in parts.py, line 14"
    ]


def test_what_is_remembered_of_one_process_is_not_said_of_all(tmp_path: Path) -> None:
    """The function was first called behind a test of the process."""
    logs = """\
import logging

import jax


def told(*args, stacklevel=2):
    if jax.process_index() == 0:
        logging.info(*args, stacklevel=stacklevel)


class Writer:
    def __init__(self, path, use=False):
        if jax.process_index() != 0:
            return
        if use:
            try:
                self.path = str(path)
            except ValueError as error:
                told(f"no path: {error}")
"""
    train = """\
import jax.experimental.multihost_utils as mu
from logs import Writer, told


def phase(*, config):
    told(f"[{config}] begins")


def start(config):
    return Writer(config, use=config.use)


def train(config, step, steps):
    assert not config.finetune
    if step < steps:
        phase(config=config)
        mu.sync_global_devices("begun")
"""
    folder = write(tmp_path, {"pyproject.toml": "", "logs.py": logs, "train.py": train})
    assert lines(folder, "--no-cache") == []


def test_what_only_other_modules_use_is_watched(tmp_path: Path) -> None:
    """Neither optax nor `shard_map` is named in the file that is linted."""
    losses = """\
import optax


def entropy(logits, y):
    return optax.softmax_cross_entropy(logits, y).mean()
"""
    pieces = """\
import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:2]), ("data",))


def in_pieces(f):
    return jax.shard_map(f, mesh=mesh, in_specs=P("data"), out_specs=P())
"""
    use = """\
import jax
import jax.numpy as jnp
from losses import entropy
from pieces import in_pieces


def loss(w, x, y):
    return entropy(jax.nn.softmax(x @ w), y)


def total():
    return in_pieces(lambda part: part.sum(0))(jnp.ones((4, 4)))
"""
    files = {"pyproject.toml": "", "losses.py": losses, "pieces.py": pieces, "use.py": use}
    found = lines(write(tmp_path, files), "--no-cache")
    assert [" ".join(line.split()[:2]) for line in found] == [
        "use.py:8:12: JXL315",
        "use.py:12:12: JXL911",
    ]


# ---------------------------------------------------------------------------- where it happens


def entry(folder: Path, line: int) -> dict[str, Any]:
    result = jaxlint("check", "--output-format", "json", "--no-cache", cwd=folder)
    return next(each for each in json.loads(result.stdout) if each["location"]["row"] == line)


def test_json_says_where_it_happens(project: Path) -> None:
    steps = entry(project, 10)
    assert steps["filename"] == "lab/steps.py"
    assert steps["happens_at"] == {
        "filename": "lab/utils.py",
        "location": {"row": 5, "column": 8},
        "end_location": {"row": 5, "column": 17},
    }
    assert {reason["filename"] for reason in steps["reasons"]} == {"lab/steps.py"}
    train = entry(project, 16)
    assert train["happens_at"]["filename"] == "lab/utils.py"
    write(project, {"lab/utils.py": UTILS + "\n\nimport jax\ng = jax.jit(clip)\n"})
    assert entry(project, 5)["happens_at"] is None


def test_a_frame_shows_both_places(project: Path) -> None:
    write(project, {"run.py": "import jax\nfrom lab import utils\ng = jax.jit(utils.clip)\n"})
    text = jaxlint("check", "--no-cache", "run.py", cwd=project).stdout
    assert text.startswith(
        """\
JXL101 in lab/utils.py, line 5: `if` needs the value of `x > limit` while tracing: \
`x` is a parameter of `clip`, which jax.jit traces (line 3)
 --> run.py:3:5
  |
2 | from lab import utils
3 | g = jax.jit(utils.clip)
  |     ^^^^^^^^^^^^^^^^^^^
  |
 --> happens at lab/utils.py:5:8
  |
4 | def clip(x, limit):
5 |     if x > limit:
  |        ^^^^^^^^^
6 |         return limit
  |
  1. lab/utils.py, line 4: `x` is a parameter of `clip`, which jax.jit traces
"""
    )


def test_sarif_relates_the_place_and_the_others_say_it(project: Path) -> None:
    schema = json.loads((HERE / "data" / "sarif-2.1.0.json").read_text("utf-8"))
    log = json.loads(jaxlint("check", "--output-format", "sarif", cwd=project).stdout)
    jsonschema.Draft7Validator(schema).validate(log)
    results = log["runs"][0]["results"]
    branch = next(each for each in results if each["ruleId"] == "JXL101")
    happens, *reasons = branch["relatedLocations"]
    assert happens["message"]["text"] == "happens here"
    place = happens["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "lab/utils.py"
    assert place["region"] == {"startLine": 5, "startColumn": 8, "endLine": 5, "endColumn": 17}
    assert reasons[0]["physicalLocation"]["artifactLocation"]["uri"] == "lab/steps.py"
    assert [each["id"] for each in branch["relatedLocations"]] == [*range(1, len(reasons) + 2)]
    github = jaxlint("check", "--output-format", "github", cwd=project).stdout
    assert "file=lab/steps.py,line=10,col=12" in github
    assert "JXL101 in utils.py, line 5: " in github
    junit = ET.fromstring(jaxlint("check", "--output-format", "junit", cwd=project).stdout)
    assert any("in utils.py, line 5" in each.attrib["message"] for each in junit.iter("failure"))


def test_a_comment_at_either_end_silences(project: Path) -> None:
    here = STEPS.replace("utils.log(y)", "utils.log(y)  # noqa: JXL101")
    there = UTILS.replace("if x > limit:", "if x > limit:  # noqa: JXL101")
    for files in ({"lab/steps.py": here}, {"lab/utils.py": there}):
        write(project, {**PROJECT, **files})
        assert "JXL101" not in " ".join(lines(project))
        assert "JXL101" not in " ".join(flake8(project, 1))


# ---------------------------------------------------------------------------- settings


ODD = {
    "sub/a.py": "import jax\nfrom tools import clip\ng = jax.jit(clip)\n",
    "odd/place/tools.py": UTILS,
}


def test_src_says_where_modules_lie(tmp_path: Path) -> None:
    write(tmp_path, ODD)
    assert concise(tmp_path) == []
    found = ["a.py:3:5: JXL101"]
    write(tmp_path, {"pyproject.toml": '[tool.jaxlint]\nsrc = ["odd/place"]\n'})
    assert concise(tmp_path / "sub") == found
    write(tmp_path, {"pyproject.toml": '[tool.jaxlint]\nsrc = [""]\n'})
    assert "src: '' is no folder" in jaxlint("check", cwd=tmp_path).stderr
    (tmp_path / "pyproject.toml").unlink()
    # From the folder of the configuration, and from the current one.
    write(tmp_path, {".flake8": "[flake8]\njaxlint-src = ./odd/place\n"})
    for options in ([], ["--isolated", "--jaxlint-src=../odd/place"]):
        result = subprocess.run(
            [sys.executable, "-m", "flake8", "--select=JXL", *options, "a.py"],
            cwd=tmp_path / "sub", capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert [" ".join(each.split()[:2]) for each in result.stdout.splitlines()] == found


def test_statistics_say_what_was_not_found(project: Path) -> None:
    more = "import numpy, pandas\nfrom .gone import f\nfrom lab.none import g\nimport lab.broken\n"
    text = STEPS + more + "from .utils import nothing\nh = lab.broken.h\n"
    write(project, {"lab/steps.py": text, "lab/broken.py": "def ("})
    for _ in range(2):
        told = jaxlint("check", "--statistics", "lab/steps.py", cwd=project).stdout.splitlines()
        where = project / "lab" / "broken.py"
        says = f"3 modules of the project could not be found or read: .gone, {where}, lab.none"
        assert told[-1] == says


# ---------------------------------------------------------------------------- cache


def cached(folder: Path) -> tuple[Path, dict[str, Any]]:
    (file,) = (folder / ".jaxlint_cache").glob("*.json")
    return file, json.loads(file.read_text("utf-8"))


def mark(folder: Path) -> None:
    """Have every remembered finding say that it was remembered."""
    file, data = cached(folder)
    for each in data["files"].values():
        for finding in each["findings"]:
            finding[1] = "remembered"
    file.write_text(json.dumps(data), "utf-8")


def remembered(folder: Path) -> set[str]:
    """The files whose findings come from the cache."""
    return {line.split(":")[0] for line in lines(folder) if line.endswith("remembered")}


def test_a_changed_leaf_is_looked_at_for_those_that_import_it_alone(project: Path) -> None:
    write(project, {"alone.py": "import jax\n\n\n@jax.jit\ndef f(x):\n    return float(x)\n"})
    lines(project)
    mark(project)
    every = {"alone.py", "lab/steps.py", "train.py"}
    assert remembered(project) == every, "not read from the cache"
    write(project, {"lab/unused.py": "import jax\n"})
    assert remembered(project) == every
    write(project, {"lab/utils.py": UTILS.replace("x > limit", "x >= limit")})
    assert remembered(project) == {"alone.py"}
    assert "`x >= limit`" in " ".join(lines(project))


def test_a_module_that_appears_or_goes_is_noticed(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "import jax\nfrom tools import clip\ng = jax.jit(clip)\n"})
    assert concise(tmp_path) == concise(tmp_path) == []
    write(tmp_path, {"tools.py": UTILS})
    assert concise(tmp_path) == ["a.py:3:5: JXL101"]
    # A package hides a module of the same name.
    write(tmp_path, {"tools/__init__.py": "def clip(x, limit):\n    return x\n"})
    assert concise(tmp_path) == []
    (tmp_path / "tools" / "__init__.py").unlink()
    assert concise(tmp_path) == ["a.py:3:5: JXL101"]
    (tmp_path / "tools.py").unlink()
    assert concise(tmp_path) == []


POISON: list[Any] = [
    None, [], 5, "x", {"x": 1}, {"x": []}, {"x": ["", {}]}, {"x": ["", {"a": 1}, True]},
    {"x": [1, {}, True]}, {"x": ["", [], True]}, {"x": ["", {}, "yes"]}, {"x": [None, None, None]},
]  # fmt: skip


@pytest.mark.parametrize("modules", POISON, ids=repr)
def test_a_poisoned_table_of_modules_changes_nothing(project: Path, modules: Any) -> None:
    wanted = lines(project)
    file, data = cached(project)
    if isinstance(modules, dict):
        modules = dict.fromkeys(data["modules"], modules["x"])
    file.write_text(json.dumps({**data, "modules": modules}), "utf-8")
    assert lines(project) == wanted
    for entry in data["files"].values():
        entry["modules"] = modules
    file.write_text(json.dumps(data), "utf-8")
    assert lines(project) == wanted


def test_a_poisoned_cache_runs_nothing(project: Path) -> None:
    marker = project / "ran"
    lines(project)
    file, _ = cached(project)
    code = f"import os; open({str(marker)!r}, 'w')"
    file.write_text(f"cos\nsystem\n(S'touch {marker}'\ntR.", "utf-8")
    wanted = lines(project)
    write(project, {"lab/config.py": f"{code}\nRATE = 1.0\n"})
    assert lines(project) == wanted
    assert not marker.exists()


def test_two_runs_beside_each_other(project: Path) -> None:
    wanted = lines(project, "--no-cache")
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: lines(project), range(6)):
            assert found == wanted
    assert lines(project) == wanted


def test_a_later_run_of_the_same_process_looks_again(project: Path) -> None:
    script = """\
        import sys
        from pathlib import Path
        from jaxlint.frontends.command_line import main
        for text in sys.argv[1:]:
            Path("lab/utils.py").write_text(text)
            main(["check", "--output-format", "concise", "--select", "JXL1"])
            print("--")
        """
    write(project, {"run_twice.py": script})
    mended = UTILS.replace("if x > limit", "if limit > 5")
    result = subprocess.run(
        [sys.executable, "run_twice.py", UTILS, mended, UTILS], cwd=project, capture_output=True,
        text=True, check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    first, second, third, _ = result.stdout.split("--\n")
    assert "JXL101" in first
    assert "JXL101" not in second
    assert third == first


def test_the_default_key_of_another_module_is_its_own_business(tmp_path: Path) -> None:
    own = "import jax\n\n\ndef start(shape, key=jax.random.key(3)):\n"
    own += "    return jax.random.normal(key, shape)\n"
    many = "\n\ndef many():\n    key = jax.random.key(1)\n"
    many += "    return [start((3,){}) for _ in range(3)], key\n"
    write(tmp_path, {"noise.py": own + many.format("")})
    for passed in ("", ", key"):
        text = "import jax\nfrom noise import start\n" + many.format(passed)
        write(tmp_path, {f"user{len(passed)}.py": text})
    assert sorted(concise(tmp_path)) == ["noise.py:10:13: JXL402", "user5.py:7:13: JXL402"]


SIZED = """\
import jax
import jax.numpy as jnp


@jax.jit
def tiles(x, size=4):
    if size < 2:
        raise ValueError(size)
    return x.reshape(-1, size), {size: jnp.zeros(size)}
"""
TILING = """\
import jax.numpy as jnp

from lab.sized import tiles

tiles(jnp.ones(8))
tiles(jnp.ones(8), 2)
"""


def test_what_jax_raises_on_the_way_in_one_traced_function_is_one_finding(tmp_path: Path) -> None:
    write(tmp_path, {"lab/__init__.py": "", "lab/sized.py": SIZED, "tiling.py": TILING})
    (found,) = lines(tmp_path, "tiling.py")
    assert found.startswith("tiling.py:6:1: JXL101 in lab/sized.py, line 7: ")


REGISTERED = """\
LOSSES = {}


def loss(function):
    LOSSES[function.__name__] = function
    return function


@loss
def clipped(x):
    if x.max() > 1:
        return 1.0
    return x.sum()


@loss
def squared(x):
    return (x**2).sum()
"""
TRAINING = """\
import jax

from lab.losses import LOSSES


class Training:
    def __init__(self, config):
        loss = LOSSES[config["loss"]]
        self.step = jax.jit(jax.grad(lambda x: loss(x)))

    def fit(self, x):
        return x - self.step(x)
"""
SCRIPT = """\
import jax.numpy as jnp

from lab.training import Training

Training({"loss": "squared"}).fit(jnp.ones(3))
Training({"loss": "clipped"}).fit(jnp.ones(3))
"""


EQUATIONS = "class {name}({base}):\n    def rhs(self, u):\n        return {result}\n\n\n"
GUARDED = "u if u > 0 else -u"
HEARING = """\
{registry}

class Equation:
    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        KNOWN[cls.__name__] = cls


"""
CALLING = """\
import jax
import lab.equations, lab.more
from lab.known import KNOWN


@jax.jit
def heat(u):
    return KNOWN["Heat"]().rhs(u)


@jax.jit
def waves(u):
    return KNOWN["Waves"]().rhs(u)
"""
DECORATING = """\
from lab import known


def equation(name):
    def put(cls):
        known.KNOWN[name] = cls
        return cls

    return put
"""


def test_a_registry_is_filled_by_the_base_of_what_it_holds(tmp_path: Path) -> None:
    heat = EQUATIONS.format(name="Heat", base="Equation", result="-u")
    waves = EQUATIONS.format(name="Waves", base="Heat", result=GUARDED)
    there = "from lab.known import KNOWN\n\n"
    files = {
        "lab/__init__.py": "",
        "lab/known.py": HEARING.format(registry="KNOWN = {}\n"),
        "lab/equations.py": "from lab.known import Equation\n\n\n" + heat,
        "lab/more.py": "from lab.equations import Heat\n\n\n" + waves,
        "run.py": CALLING,
    }
    write(tmp_path, files)
    assert concise(tmp_path) == ["run.py:13:12: JXL101"]
    base = HEARING.format(registry=there)
    apart = "from lab.base import Equation\n\n\n" + heat
    more = {"lab/known.py": "KNOWN = {}\n", "lab/base.py": base, "lab/equations.py": apart}
    write(tmp_path, more)
    assert concise(tmp_path) == ["run.py:13:12: JXL101"]


def test_a_decorator_puts_into_the_registry_of_another_module(tmp_path: Path) -> None:
    heat = EQUATIONS.format(name="Steady", base="", result="-u").replace("()", "")
    waves = EQUATIONS.format(name="Guarded", base="", result=GUARDED).replace("()", "")
    using = "from lab.put import equation\n\n\n@equation({name!r})\n{cls}"
    files = {
        "lab/__init__.py": "",
        "lab/known.py": "KNOWN = {}\n",
        "lab/put.py": DECORATING,
        "lab/equations.py": using.format(name="Heat", cls=heat),
        "lab/more.py": using.format(name="Waves", cls=waves),
        "run.py": CALLING,
    }
    write(tmp_path, files)
    assert concise(tmp_path) == ["run.py:13:12: JXL101"]


def test_a_script_says_which_function_another_module_traces(tmp_path: Path) -> None:
    files = {"lab/losses.py": REGISTERED, "lab/training.py": TRAINING, "script.py": SCRIPT}
    write(tmp_path, {"lab/__init__.py": "", **files})
    (found,) = lines(tmp_path)
    assert found.startswith("script.py:6:1: JXL101 in lab/losses.py, line 11: ")
    squared = SCRIPT.replace("clipped", "squared")
    write(tmp_path, {"script.py": squared})
    assert lines(tmp_path) == []


BY_NAME = """\
import jax
import jax.numpy as jnp

from lab.losses import LOSSES


class Config:
    def __init__(self, loss, size):
        self.loss = loss
        self.size = size


def prepare(size):
    table = []
    for row in range(8):
        for column in range(8):
            table.append(row * size + column)
    return table


def train(config, steps=3):
    x = jnp.asarray(prepare(config.size)) / 1.0
    loss = LOSSES[config.loss]

    def step(x, _):
        return x - jax.grad(loss)(x), None

    return jax.lax.scan(step, x, None, length=steps)[0]
"""
RUNS = """\
from lab.training import Config, train

train(Config("squared", 4))
train(Config("squared", 5))
train(Config("clipped", 4))
"""


def test_what_a_script_trains_by_name_is_followed(tmp_path: Path) -> None:
    files = {"lab/losses.py": REGISTERED, "lab/training.py": BY_NAME, "script.py": RUNS}
    write(tmp_path, {"lab/__init__.py": "", **files})
    (found,) = lines(tmp_path)
    assert found.startswith("script.py:5:1: JXL101 in lab/losses.py, line 11: ")


KEEPS = """\
import jax


class Stepper:
    def __init__(self):
        self._compiled = {}

    def integrate(self, system, steps):
        rollout = self._rollout(system, steps)
        return rollout(system.state())

    def _rollout(self, system, steps):
        key = (id(system), steps)
        if key in self._compiled:
            return self._compiled[key]

        @jax.jit
        def rollout(state):
            return jax.lax.fori_loop(0, steps, lambda _, state: system.step(state), state)

        self._compiled[key] = rollout
        return rollout
"""
SYSTEM = """\
import jax.numpy as jnp

from lab.stepping import Stepper


class System:
    def state(self):
        return jnp.ones(())

    def step(self, state):
        if state > 1:
            return -state
        return state * 2


Stepper().integrate(System(), 10)
"""


def test_what_another_module_compiles_once_and_keeps_is_followed(tmp_path: Path) -> None:
    files = {"lab/__init__.py": "", "lab/stepping.py": KEEPS, "script.py": SYSTEM}
    write(tmp_path, files)
    (found,) = lines(tmp_path)
    assert found.startswith("script.py:11:12: JXL101 ")


def test_a_key_that_a_module_reuses_is_its_own_business_whoever_compiles_it(tmp_path: Path) -> None:
    draws = (
        "    a, b = jax.random.split(key)\n    return jax.random.normal(a), jax.random.normal({})\n"
    )
    own = "import jax\n\n\ndef reset(key):\n" + draws.format("a")
    own += "\n\ndef step(state):\n    return jax.random.normal(state['key'])\n"
    used = "import jax\nimport own\n\n\ndef run(key):\n    x = jax.jit(own.reset)(key)\n"
    used += "    return x, jax.jit(own.step)({'key': key})\n"
    write(tmp_path, {"own.py": own, "run.py": used})
    assert sorted(concise(tmp_path)) == ["own.py:6:34: JXL401", "run.py:7:15: JXL401"]


def test_what_jax_refuses_is_the_business_of_the_module_whoever_compiles_it(tmp_path: Path) -> None:
    own = "import jax.numpy as jnp\n\n\ndef total(x):\n    return jnp.sum([x, 2 * x])\n"
    own += "\n\ndef sizes(x):\n    return x + jnp.arange(stop=3)\n"
    own += "\n\ndef joined(x, y):\n    return x @ y\n"
    used = "import jax\nimport jax.numpy as jnp\nimport own\n\njax.jit(own.total)(jnp.ones(3))\n"
    used += "jax.jit(own.sizes)(jnp.ones(3))\njax.jit(own.joined)(jnp.ones(3), jnp.ones(4))\n"
    write(tmp_path, {"own.py": own, "run.py": used})
    refused = ["own.py:5:12: JXL119", "own.py:9:16: JXL125"]
    assert sorted(concise(tmp_path)) == [*refused, "run.py:7:1: JXL126"]


# ---------------------------------------------------------------------------- what runs tests

TESTED = {
    "pyproject.toml": "",
    "lab/steps.py": """\
def clip(x):
    if x > 1:
        return x
    return -x


def keep(x):
    return x
""",
    "tests/conftest.py": """\
import pytest
from lab.steps import clip, keep


@pytest.fixture
def step():
    return keep
""",
    "tests/below/test_steps.py": """\
import jax


def test_step(step):
    jax.jit(step)(1.0)
""",
}


def test_fixtures_of_the_folders_above(tmp_path: Path) -> None:
    folder = write(tmp_path, TESTED)
    shared = folder / "tests" / "conftest.py"
    assert lines(folder, "tests/below") == [], "a cold cache"
    shared.write_text(shared.read_text("utf-8").replace("return keep", "return clip"), "utf-8")
    (line,) = lines(folder, "tests/below")
    assert line.startswith("tests/below/test_steps.py:5:5: JXL101 in ../../lab/steps.py, line 2")
    nearer = folder / "tests" / "below" / "conftest.py"
    nearer.write_text(TESTED["tests/conftest.py"], "utf-8")
    assert lines(folder, "tests/below") == [], "the nearest one counts"
    nearer.unlink()
    assert lines(folder, "tests/below") == [line]


REPLACES = (
    "monkeypatch.setattr(train, 'step', lambda *given: None)\n",
    "monkeypatch.setattr('train.step', lambda *given: None)\n",
    "with mock.patch('train.step'):\n    ",
    "with mock.patch.object(train, 'step'):\n    ",
    "with mock.patch.multiple('train', step=None):\n    ",
    "monkeypatch.delattr(train, 'step')\n",
    "mocker.patch.object(train, 'step')\n",
)


@pytest.mark.parametrize("replaces", REPLACES)
def test_what_a_test_replaces_is_something_else(tmp_path: Path, replaces: str) -> None:
    train = (
        "import jax\n\n\n@jax.jit\ndef step(metrics, x):\n    return x\n\n\n"
        "def run(metrics, x):\n    return step(metrics, x)\n"
    )
    tests = (
        "from unittest import mock\n\nimport jax.numpy as jnp\nimport train\n\n\n"
        "class Metrics:\n    pass\n\n\ndef test_run(monkeypatch):\n"
        f"    {replaces}    train.run(Metrics(), jnp.ones(3))\n\n\n"
        "def test_run_as_it_is():\n    train.run(Metrics(), jnp.ones(3))\n"
    )
    write(tmp_path, {"train.py": train, "test_train.py": tests})
    assert concise(tmp_path) == ["test_train.py:17:5: JXL113"]


@pytest.mark.parametrize(
    "replaces",
    [
        "@mock.patch.object(model, 'WIDTH', 4)",
        "@mock.patch('model.WIDTH', 4)",
        "@mock.patch.multiple(model, WIDTH=4)",
        "@mock.patch.object(model.Net, 'width', 4)",
        "@mock.patch.dict(model.CONFIG, {'width': 4})",
        "@mock.patch(__name__ + '.OWN', 4)",
    ],
)
def test_what_a_decorator_replaces_is_unknown(tmp_path: Path, replaces: str) -> None:
    model = (
        "import jax.numpy as jnp\n\nWIDTH = 2\nCONFIG = {'width': 2}\n\n\n"
        "class Net:\n    width = 2\n\n\n"
        "def make(own):\n"
        "    return jnp.zeros((own, WIDTH, Net.width, CONFIG['width']))\n"
    )
    tests = (
        "from unittest import mock\n\nimport jax.numpy as jnp\nimport model\n\nOWN = 2\n\n\n"
        f"{replaces}\n"
        "def test_make():\n    sizes = model.make(OWN).reshape(32)\n"
    )
    write(tmp_path, {"model.py": model, "test_model.py": tests})
    assert concise(tmp_path) == []
    (tmp_path / "test_model.py").write_text(tests.replace(replaces, ""), "utf-8")
    assert concise(tmp_path) == ["test_model.py:11:13: JXL126"]


MIXTURE = """\
import jax
import jax.numpy as jnp


class Mixture:
    def call(self, tokens, scored=None):
        @jax.jit
        def sparse(tokens):
            scores = tokens if scored is None else scored(tokens)
            count = jnp.sum(scores > 0)
            return jax.lax.dynamic_slice_in_dim(tokens, 0, count)

        return sparse(tokens)
"""
EXPERTS = """\
import jax.numpy as jnp

from mixture import Mixture


class Experts(Mixture):
    def __call__(self, tokens):
        def scored(tokens):
            centered = tokens - jnp.mean(tokens)
            return centered

        return self.call(tokens, scored)
"""


def test_what_another_module_traces_wrongly_by_itself_is_mended_there(tmp_path: Path) -> None:
    """Though values come through functions that this file hands over."""
    write(tmp_path, {"mixture.py": MIXTURE, "experts.py": EXPERTS})
    assert [line.split(": ")[0] for line in lines(tmp_path)] == ["mixture.py:11:20"]


def test_what_another_module_does_is_watched_though_the_file_has_no_word_of_it(
    tmp_path: Path,
) -> None:
    write(
        tmp_path,
        {
            "helper.py": """
                import jax.numpy as jnp


                def pick(values, index):
                    return jnp.take_along_axis(values, index, axis=0)
            """,
            "main.py": """
                import jax.numpy as jnp

                from helper import pick

                pick(jnp.zeros(5), jnp.array([9]))
            """,
        },
    )
    assert concise(tmp_path, ".") == ["main.py:6:1: JXL316"]


# ------------------------------------------------------------------ what a class inherits from afar

ENVIRONMENT = """\
import functools

import jax


class Environment:
    @functools.partial(jax.jit, static_argnums=(0,))
    def step(self, state, action):
        return self.step_env(state, action)
"""
ONE_OF_MANY = """\
from lab.base import Environment


class {name}(Environment):
    def step_env(self, state, action):
        if action > 0:
            return state
        return -state
"""


def test_each_of_many_classes_runs_what_it_inherits(tmp_path: Path) -> None:
    """A package that imports all its environments does not hide one behind the others."""
    names = [f"Env{number}" for number in range(12)]
    modules = {f"lab/{name.lower()}.py": ONE_OF_MANY.format(name=name) for name in names}
    imports = "".join(f"from lab import {name.lower()}\n" for name in names)
    folder = write(tmp_path, {"lab/__init__.py": imports, "lab/base.py": ENVIRONMENT, **modules})
    found = {line.split(": ")[0] for line in lines(folder, "--no-cache")}
    assert found == {f"{module}:6:12" for module in modules}


def test_what_an_unfollowed_constructor_may_have_computed_is_not_computed_in_a_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A constructor that asks for a cached property keeps it from being computed there."""
    space = """\
        from functools import cached_property
        import jax.numpy as jnp


        class Space:
            def __init__(self):
                self.limits

            @cached_property
            def limits(self):
                low = jnp.zeros(2)
                if jnp.any(low > 1):
                    raise ValueError(low)
                return low
        """
    main = """\
        import jax
        from space import Space

        space = Space()
        jax.jit(lambda x: x + space.limits)(1.0)
        """
    write(tmp_path, {"space.py": dedent(space)})
    source = Source(dedent(main), str(tmp_path / "main.py"))
    assert lint_source(source, Options()).findings == []
    monkeypatch.setattr("jaxlint.tracer.calls.is_followed", lambda _, what, new: what == "traced")
    assert lint_source(source, Options()).findings == []


def test_what_another_module_reads_of_a_state_in_passing_is_not_stale(tmp_path: Path) -> None:
    """The function in a training state is the same in all of them, wherever it is asked for."""
    (tmp_path / "agent.py").write_text(
        dedent(
            """\
            import jax
            import jax.numpy as jnp
            import optax
            from flax.training.train_state import TrainState


            class Agent:
                def __init__(self, net, key):
                    params = net.init(key, jnp.ones((1, 2)))["params"]
                    self.state = TrainState.create(
                        apply_fn=net.apply, params=params, tx=optax.sgd(0.1)
                    )

                def update(self, grads):
                    self.state = self.state.apply_gradients(grads=grads)

                def policy(self, params, x):
                    return self.state.apply_fn({"params": params}, x)


            def make_rollout(policy):
                @jax.jit
                def rollout(params, x):
                    return jax.lax.scan(lambda c, _: (policy(params, c), c), x, None, length=3)

                return rollout
            """
        )
    )
    text = dedent(
        """\
        import flax.linen as nn
        import jax
        import jax.numpy as jnp
        from agent import Agent, make_rollout


        def train(net):
            agent = Agent(net, jax.random.key(0))
            rollout = make_rollout(agent.policy)
            for _ in range(3):
                y, tr = rollout(agent.state.params, jnp.ones((4, 2)))
                agent.update(agent.state.params)
                print(y[0])


        train(nn.Dense(2))
        """
    )
    source = Source(text, str(tmp_path / "main.py"))
    assert lint_source(source, Options()).findings == []


def test_what_raises_is_told_whatever_object_a_module_is_handed(tmp_path: Path) -> None:
    """A loader of a third module makes the call another module's matter, but not what raises."""
    write(
        tmp_path,
        {
            "data.py": "class Loader:\n    def order(self):\n        return 1\n",
            "trainer.py": "def fit(x, loader):\n    x[0] = 1.0\n    return x\n",
        },
    )
    text = """\
        import jax.numpy as jnp
        from data import Loader
        from trainer import fit

        fit(jnp.ones(2), Loader())
        """
    source = Source(dedent(text), str(tmp_path / "main.py"))
    found = lint_source(source, Options()).findings
    assert [(each.code, each.line) for each in found] == [("JXL112", 5)]


def test_arrays_from_before_a_module_that_donates_was_read_are_told_apart(tmp_path: Path) -> None:
    steps = "import jax\n\nupdate = jax.jit(lambda a, b: (a + b, b * 2), donate_argnums=(0, 1))\n"
    main = (
        "import jax.numpy as jnp\n\n\ndef init():\n    return jnp.ones(3)\n\n\n"
        "def main():\n    a, b = init(), init()\n    from steps import update\n"
        "    c, d = update(a, b)\n    e, f = update(init(), c)\n    return d + e + f\n\n\n"
        "def again():\n    from steps import update\n    a = init()\n    return update(a, a)\n\n\n"
        "main()\nagain()\n"
    )
    write(tmp_path, {"steps.py": steps, "main.py": main})
    assert concise(tmp_path) == ["main.py:19:12: JXL117"]


SETTINGS = """\
import dataclasses


@dataclasses.dataclass(frozen=True)
class Settings:
    rate: float = 0.1
    norm: str = "layer"


NAMES = {field.name for field in dataclasses.fields(Settings)}
OTHERS = {"name", "seed"}


def settings(given):
    return Settings(**{k: v for k, v in given.items() if k in NAMES and k not in OTHERS})
"""
READING = """\
import functools

import jax

from lab.settings import settings


@functools.partial(jax.jit, static_argnums=1)
def normed(x, settings):
    if settings.norm == "batch":
        if x > 0:
            return x
    return -x


def plain():
    return normed(1.0, settings({"seed": 1, "norm": "layer"}))


def batched():
    return normed(1.0, settings({"seed": 1, "norm": "batch"}))
"""


def test_what_a_set_of_another_module_holds_is_known_where_nobody_changes_it(
    tmp_path: Path,
) -> None:
    files = {"lab/__init__.py": "", "lab/settings.py": SETTINGS, "run.py": READING}
    write(tmp_path, files)
    assert concise(tmp_path) == ["run.py:11:12: JXL101"]
    layered = READING.replace('"batch"}', '"layer"}')
    write(tmp_path, {"run.py": layered})
    assert concise(tmp_path) == []
    changes = "\n\ndef known(name):\n    NAMES.discard(name)\n"
    write(tmp_path, {"lab/settings.py": SETTINGS + changes})
    assert concise(tmp_path) == ["run.py:11:12: JXL101"]


FINDING = """\
import importlib


def model(name):
    return importlib.import_module(f"{__name__}.{name}").Model()
"""
MODEL = """\
class Model:
    def density(self, x, tau):
        return x[:tau].sum()
"""
FITTING = """\
import jax
import jax.numpy as jnp

from laboratory.densities import model

jax.jit(model("{name}").density)(jnp.ones(3), 2)
"""


@pytest.mark.parametrize("name", ["gauss", "piecewise_constant_change_points"])
def test_a_module_is_found_by_a_name_that_is_put_together(tmp_path: Path, name: str) -> None:
    files = {
        "laboratory/__init__.py": "",
        "laboratory/densities/__init__.py": FINDING,
        f"laboratory/densities/{name}.py": MODEL,
        "fit.py": FITTING.format(name=name),
    }
    write(tmp_path, files)
    assert concise(tmp_path) == ["fit.py:6:1: JXL108"]
