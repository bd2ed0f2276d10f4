"""Modules of the project: where they are found, what they mean, what nothing may do."""

from __future__ import annotations

import os
import sys
import time
from itertools import permutations
from pathlib import Path

import pytest

from jaxlint.check import Tools, check, examine
from jaxlint.config import Options
from jaxlint.findings import Finding
from jaxlint.imports.folders import Folders
from jaxlint.imports.modules import Library
from jaxlint.imports.resolution import Resolver
from jaxlint.source import Source, read_source
from tests.lowerings import differences

HERE = Path(__file__).parent
BRANCH = "import jax\n\n\ndef clip(x):\n    if x > 1.0:\n        return 1.0\n    return x\n"
STEP = "import jax\n{}\n\n\n@jax.jit\ndef step(x):\n    return {}(x)\n"


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def lint(path: Path, options: Options | None = None) -> list[Finding]:
    return check(read_source(path), options or Options(), Tools(library=Library()))


# ---------------------------------------------------------------------------- finding files


def found(folder: Path, name: str, importer: str, src: tuple[str, ...] = ()) -> str | None:
    top = folder.resolve()
    resolver = Resolver(Folders(), tuple(top / each for each in src))
    module = resolver.find(name, top / importer)
    return module.relative_to(top).as_posix() if module is not None else None


LAYOUT = {
    "pyproject.toml": "",
    "src/lab/__init__.py": "",
    "src/lab/steps.py": "",
    "src/lab/nets/__init__.py": "",
    "src/lab/nets/mlp.py": "",
    "scripts/train.py": "",
    "scripts/helper.py": "",
    "scripts/random.py": "",
    "scripts/jax/__init__.py": "",
    "tests/test_a.py": "",
    "python/other/__init__.py": "",
    "space/inner/deep.py": "",
    "both.py": "",
    "both/__init__.py": "",
}


@pytest.mark.parametrize(
    ("name", "importer", "expected"),
    [
        ("lab", "scripts/train.py", "src/lab/__init__.py"),
        ("lab.steps", "tests/test_a.py", "src/lab/steps.py"),
        ("lab.nets.mlp", "src/lab/steps.py", "src/lab/nets/mlp.py"),
        (".steps", "src/lab/__init__.py", "src/lab/steps.py"),
        (".", "src/lab/steps.py", "src/lab/__init__.py"),
        ("..steps", "src/lab/nets/mlp.py", "src/lab/steps.py"),
        ("..", "src/lab/nets/mlp.py", "src/lab/__init__.py"),
        (".mlp", "src/lab/nets/__init__.py", "src/lab/nets/mlp.py"),
        ("helper", "scripts/train.py", "scripts/helper.py"),
        ("helper", "tests/test_a.py", None),
        ("random", "scripts/train.py", "scripts/random.py"),
        ("random", "src/lab/steps.py", None),
        ("jax", "scripts/train.py", None),
        ("os.path", "scripts/train.py", None),
        ("other", "scripts/train.py", "python/other/__init__.py"),
        ("space.inner.deep", "scripts/train.py", "space/inner/deep.py"),
        ("both", "scripts/train.py", "both/__init__.py"),
        ("lab.missing", "scripts/train.py", None),
        ("lab.steps.inner", "scripts/train.py", None),
        ("......up", "src/lab/steps.py", None),
    ],
)
def test_the_nearest_module_wins(
    tmp_path: Path, name: str, importer: str, expected: str | None
) -> None:
    assert found(write(tmp_path, LAYOUT), name, importer) == expected


def test_folders_that_the_user_names_come_first(tmp_path: Path) -> None:
    write(tmp_path, LAYOUT)
    assert found(tmp_path, "inner.deep", "scripts/train.py", ("space",)) == "space/inner/deep.py"
    assert found(tmp_path, "lab", "scripts/train.py", ("space",)) is None


LIBRARY = {"pyproject.toml": "", "optax/__init__.py": "", "optax/_src/base.py": "",
           "jax/__init__.py": "", "jax/core.py": "", "train.py": ""}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "importer", "expected"),
    [
        ("optax._src.base", "optax/__init__.py", "optax/_src/base.py"),
        ("optax._src.base", "optax/_src/alias.py", "optax/_src/base.py"),
        ("optax._src.base", "train.py", None),
        ("jax.core", "jax/__init__.py", None),
    ],
)
def test_a_library_that_the_tables_know_is_followed_from_inside(
    tmp_path: Path, name: str, importer: str, expected: str | None
) -> None:
    assert found(write(tmp_path, LIBRARY), name, importer) == expected


WHOLE = {"pyproject.toml": "", "__init__.py": "", "main.py": "", "nets/__init__.py": "",
         "nets/mlp.py": "", "nets/wandb.py": "", "nets/gym/__init__.py": "", "nets/gym/env.py": "",
         "utils/fields.py": ""}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "importer", "expected"),
    [
        ("nets", "main.py", "nets/__init__.py"),
        ("utils.fields", "nets/mlp.py", "utils/fields.py"),
        ("nets.mlp", "nets/mlp.py", "nets/mlp.py"),
        ("gym", "nets/mlp.py", "nets/gym/__init__.py"),
        ("gym", "nets/gym/env.py", None),
        ("wandb", "nets/mlp.py", None),
        ("utils.missing", "nets/mlp.py", None),
    ],
)
def test_a_script_begins_in_the_package_that_it_is_in(
    tmp_path: Path, name: str, importer: str, expected: str | None
) -> None:
    assert found(write(tmp_path, WHOLE), name, importer) == expected


def test_without_a_project_the_search_stays_near(tmp_path: Path) -> None:
    write(tmp_path, {"a/b/c/train.py": "", "a/lab/__init__.py": "", "far/__init__.py": ""})
    assert found(tmp_path, "lab", "a/b/c/train.py") == "a/lab/__init__.py"
    assert found(tmp_path, "far", "a/b/c/train.py") is None


# -------------------------------------------------------------------------- what names mean


@pytest.mark.parametrize(
    ("files", "imported", "called"),
    [
        ({"utils.py": BRANCH}, "from utils import clip", "clip"),
        ({"utils.py": BRANCH}, "import utils", "utils.clip"),
        ({"utils.py": BRANCH}, "import utils as u", "u.clip"),
        ({"utils.py": BRANCH}, "import os, utils", "utils.clip"),
        ({"utils.py": BRANCH}, "import os as o, sys, utils as u, re", "u.clip"),
        ({"utils.py": BRANCH}, "from utils import *", "clip"),
        ({"lab/__init__.py": "", "lab/utils.py": BRANCH}, "import lab.utils", "lab.utils.clip"),
        ({"lab/__init__.py": "", "lab/utils.py": BRANCH}, "from lab import utils", "utils.clip"),
        ({"lab/utils.py": BRANCH}, "from lab.utils import clip as c", "c"),
        (
            {"lab/__init__.py": "from .utils import *\n", "lab/utils.py": BRANCH},
            "from lab import clip",
            "clip",
        ),
        (
            {"lab/__init__.py": "from .clip import clip\n", "lab/clip.py": BRANCH},
            "import lab",
            "lab.clip",
        ),
        (
            {"lab/__init__.py": "from .a import clip as _c\nclip = _c\n", "lab/a.py": BRANCH},
            "from lab import clip",
            "clip",
        ),
        (
            {"utils.py": BRANCH, "pre.py": "from jax import *\nfrom utils import *\n"},
            "from pre import *",
            "clip",
        ),
        ({"a.py": BRANCH}, "try:\n    from a import clip\nexcept ImportError:\n    pass", "clip"),
    ],
)  # fmt: skip
def test_a_mistake_is_found_through_an_import(
    tmp_path: Path, files: dict[str, str], imported: str, called: str
) -> None:
    write(tmp_path, {**files, "steps.py": STEP.format(imported, called)})
    (finding,) = lint(tmp_path / "steps.py")
    line = (tmp_path / "steps.py").read_text("utf-8").split("\n")[finding.line - 1]
    assert (finding.code, line.strip()) == ("JXL101", f"return {called}(x)")
    assert finding.happens_at is not None
    assert finding.happens_at.line == 5
    assert f"in {finding.happens_at.file}, line 5: `if` needs the value of" in finding.message


@pytest.mark.parametrize(
    ("files", "imported", "called"),
    [
        # A name of the package hides the module.
        ({"lab/__init__.py": "def clip(x):\n    return x\n", "lab/clip.py": BRANCH},
         "from lab import clip", "clip"),
        # A later star import hides an earlier one.
        ({"a.py": BRANCH, "b.py": "def clip(x):\n    return x\n"},
         "from a import *\nfrom b import *", "clip"),
        # Not in __all__.
        ({"a.py": "__all__ = []\n" + BRANCH, "b.py": "def clip(x):\n    return x\n"},
         "from b import *\nfrom a import *", "clip"),
        # Nobody knows what it is.
        ({"lab/__init__.py": "def __getattr__(name):\n    return len\n"},
         "from lab import clip", "clip"),
        ({"a.py": "import importlib\nclip = importlib.import_module('x').clip\n"},
         "from a import clip", "clip"),
        # An own jit that compiles nothing.
        ({"a.py": "def jit(f):\n    return f\n\n\ndef clip(x):\n    return x\n"},
         "from a import clip\nfrom a import jit", "clip"),
        # Concrete by a guard.
        ({"a.py": "def clip(x):\n    if isinstance(x, int):\n        x = int(x)\n    return x\n"},
         "from a import clip", "clip"),
        # Put there from outside, in some runs.
        ({"a.py": BRANCH}, "import a\nsetattr(a, 'clip', lambda x: x)", "a.clip"),
        # What does not parse is unknown.
        ({"a.py": "def clip(x:\n"}, "from a import clip", "clip"),
    ],
)  # fmt: skip
def test_what_is_fine_is_quiet(
    tmp_path: Path, files: dict[str, str], imported: str, called: str
) -> None:
    write(tmp_path, {**files, "steps.py": STEP.format(imported, called)})
    assert lint(tmp_path / "steps.py") == []


def test_what_another_module_does_by_itself_is_said_there(tmp_path: Path) -> None:
    library = BRANCH + "\n\n@jax.jit\ndef step(x):\n    return clip(x)\n"
    write(
        tmp_path, {"lib.py": library, "train.py": "import jax\nfrom lib import step\nstep(1.0)\n"}
    )
    assert [each.line for each in lint(tmp_path / "lib.py")] == [5]
    assert lint(tmp_path / "train.py") == []


def test_what_another_module_does_for_this_file_is_said_here(tmp_path: Path) -> None:
    """Only the call shows that `done` is a leaf."""
    kinds = "from typing import NamedTuple\nimport jax\nclass S(NamedTuple):\n    done: jax.Array\n"
    steps = "import jax\n@jax.jit\ndef step(s):\n    if s.done:\n        return 0\n    return 1\n"
    train = "import jax\nfrom kinds import S\nfrom steps import step\nstep(S(jax.numpy.ones(())))\n"
    write(tmp_path, {"kinds.py": kinds, "steps.py": steps, "train.py": train})
    assert lint(tmp_path / "steps.py") == []
    (finding,) = lint(tmp_path / "train.py")
    assert (finding.code, finding.line) == ("JXL101", 4)


LONG = "def spend(x):\n" + 2_000 * "    x = x + 1\n" + "    return x\n\n\n"
COUNTED = """\
class Model:
    def __init__(self, compiled):
        self.compiled = compiled
        self.calls = 0

    def count(self):
        self.calls += 1


def report(model):
    {}
    model.count()
"""
USES = """\
import jax
from lib import Model, report, spend

model = Model(True)
spend(0)
report(model)


@jax.jit
def step(x):
    if not model.compiled and x > 0:
        return x
    return -x
"""


@pytest.mark.parametrize(
    ("statement", "codes"),
    [
        ("print(model)", []),
        ("model.other = None", []),
        ("model.compiled = None", ["JXL101"]),
        ("setattr(model, 'compiled', None)", ["JXL101"]),
    ],
)
def test_a_call_that_is_not_followed_sets_what_its_module_sets(
    tmp_path: Path, statement: str, codes: list[str]
) -> None:
    """The share of steps is spent: what stays of the object is decided by the text."""
    files = {"lib.py": LONG + COUNTED.format(statement), "use.py": USES}
    folder = write(tmp_path, {"pyproject.toml": "", **files})
    assert [each.code for each in lint(folder / "use.py") if each.code == "JXL101"] == codes


def test_a_guard_is_asked_when_the_share_of_steps_is_spent(tmp_path: Path) -> None:
    guard = "from jax.core import Tracer\n\n\ndef is_concrete(x):\n"
    guard += "    return not isinstance(x, Tracer)\n"
    lib = LONG + "import numpy as np\nfrom guards import is_concrete\n\n\n"
    lib += "def tidy(x):\n" + "".join(f"    spend(np.ones({n}) * x[0])\n" for n in range(20))
    lib += "    return np.sort(x) if is_concrete(x) else x\n"
    use = "import jax\nimport jax.numpy as jnp\nfrom lib import tidy\n\n\n"
    use += "@jax.jit\ndef step(x):\n    return tidy(x)\n\n\nstep(jnp.ones(3))\n"
    write(tmp_path, {"pyproject.toml": "", "guards.py": guard, "lib.py": lib, "use.py": use})
    assert [each.code for each in lint(tmp_path / "use.py")] == []


def test_calls_like_dear_ones_leave_steps_for_what_is_new(tmp_path: Path) -> None:
    """The share of steps is not spent on the same again: another class is looked at after it."""
    models = "class Plain:\n    def loss(self, x):\n        return x * x\n\n\n"
    models += "class Kinked:\n    def loss(self, x):\n        return x if x > 0 else -x\n"
    trainer = "import jax\n\n\ndef fit(model, objective, x):\n" + 100 * "    x = x + 2 * x\n"
    trainer += "    return jax.jit(lambda v: objective(model, v))(x)\n"
    use = "import jax.numpy as jnp\nfrom models import Kinked, Plain\nfrom trainer import fit\n\n\n"
    use += "def objective(model, x):\n    return model.loss(x)\n\n\n"
    use += (
        40 * "fit(Plain(), objective, jnp.ones(()))\n" + "fit(Kinked(), objective, jnp.ones(()))\n"
    )
    write(tmp_path, {"models.py": models, "trainer.py": trainer, "use.py": use})
    assert [each.code for each in lint(tmp_path / "use.py")] == ["JXL101"]


def test_a_closure_of_another_function_is_new(tmp_path: Path) -> None:
    """What a closure was made with says as much of a call as what it is handed."""
    make = "import jax\n\n\ndef make(objective):\n    def step(key, x):\n"
    make += 100 * "        x = x + 2 * x\n" + "        return jax.jit(objective)(x)\n\n"
    make += "    return step\n"
    use = "import jax\nimport jax.numpy as jnp\nfrom make import make\n\n\n"
    use += "def plain(x):\n    return x * x\n\n\n"
    use += "def kinked(x):\n    return x if x > 0 else -x\n\n\n"
    step = "make({})(jax.random.key({}), jnp.ones(()))\n"
    use += "".join(step.format("plain", n) for n in range(20)) + step.format("kinked", 20)
    write(tmp_path, {"make.py": make, "use.py": use})
    assert "JXL101" in [each.code for each in lint(tmp_path / "use.py")]


@pytest.mark.parametrize("how", ["Kernel()", "Kernel(3.0)"])
def test_objects_made_alike_leave_steps_for_what_is_new(tmp_path: Path, how: str) -> None:
    """A constructor that takes many steps takes them once, if nobody changes what it makes."""
    kernels = "import equinox as eqx\nimport jax.numpy as jnp\n\n\nclass Kernel(eqx.Module):\n"
    kernels += "    scale: jnp.ndarray\n\n    def __init__(self, scale=1.0):\n"
    kernels += "        self.scale = None\n" + 100 * "        scale = scale + 2 * scale\n"
    kernels += "        self.scale = jnp.asarray(scale)\n\n\nclass Kinked(Kernel):\n"
    kernels += "    def loss(self, x):\n        return x if x > 0 else -x\n"
    fit = "import jax\n\n\ndef fit(kernel, objective, x):\n"
    fit += "    return jax.jit(lambda x: objective(kernel, x))(x)\n"
    use = "import jax.numpy as jnp\nfrom fit import fit\nfrom kernels import Kernel, Kinked\n\n\n"
    use += "def plain(kernel, x):\n    return kernel.scale * x\n\n\n"
    use += "def kinked(kernel, x):\n    return kernel.loss(x)\n\n\n"
    use += 40 * f"fit({how}, plain, jnp.ones(()))\n" + "fit(Kinked(), kinked, jnp.ones(()))\n"
    write(tmp_path, {"kernels.py": kernels, "fit.py": fit, "use.py": use})
    assert "JXL101" in [each.code for each in lint(tmp_path / "use.py")]


def test_what_other_modules_say_is_asked_again_after_an_edit(tmp_path: Path) -> None:
    """`steps` says it of its own call; once it does not, the file that calls `step` does."""
    kinds = "from typing import NamedTuple\nimport jax\nclass S(NamedTuple):\n    done: jax.Array\n"
    kinds += "FIRST = S(jax.numpy.ones(()))\n"
    steps = "import jax\nfrom kinds import FIRST\n@jax.jit\ndef step(s):\n"
    steps += "    if s.done:\n        return 0\n    return 1\nstep(FIRST)\n"
    train = "import jax\nfrom kinds import S\nfrom steps import step\nstep(S(jax.numpy.ones(())))\n"
    write(tmp_path, {"kinds.py": kinds, "steps.py": steps, "train.py": train})
    tools = Tools(library=Library())
    assert tools.library is not None
    source = read_source(tmp_path / "train.py")
    assert check(source, Options(), tools) == []
    tools.library.overlay(tmp_path / "kinds.py", kinds.replace("FIRST = S(", "FIRST = len("))
    assert [each.code for each in check(source, Options(), tools)] == ["JXL101"]


@pytest.mark.parametrize("end", ["here", "there"])
def test_a_comment_at_either_end_silences(tmp_path: Path, end: str) -> None:
    comment = "  # noqa: JXL101"
    helper = BRANCH.replace("1.0:", "1.0:" + comment * (end == "there"))
    step = STEP.format("from utils import clip", "clip").rstrip() + comment * (end == "here")
    write(tmp_path, {"utils.py": helper, "steps.py": step + "\n"})
    assert lint(tmp_path / "steps.py") == []


def test_a_file_without_jax_concerns_it_by_what_it_imports(tmp_path: Path) -> None:
    update = "import jax\n\n\n@jax.jit\ndef update(x, n):\n    return x\n"
    wrapper = "from update import update\n"
    train = "from wrapper import update\nfor i in range(9):\n    update([1.0] * i, [i])\n"
    files = {"update.py": update, "wrapper.py": wrapper, "train.py": train, "alone.py": "x = 1\n"}
    write(tmp_path, files)
    library = Library()
    for name, expected in (("train.py", True), ("alone.py", False), ("wrapper.py", True)):
        from jaxlint.check import concerns_jax
        from jaxlint.imports.modules import Modules

        source = read_source(tmp_path / name)
        assert concerns_jax(source, Options(), Modules(library)) is expected


def test_a_traced_method_of_a_base_elsewhere_calls_what_is_overridden_here(tmp_path: Path) -> None:
    base = (
        "from functools import partial\nimport jax\n\n\nclass Environment:\n"
        "    @partial(jax.jit, static_argnums=0)\n    def step(self, state):\n"
        "        return self.step_env(state)\n\n    def step_env(self, state):\n"
        "        raise NotImplementedError\n"
    )
    own = (
        "import jax\nfrom base import Environment\n\n\nclass Pole(Environment):\n"
        "    def step_env(self, state):\n        if state > 0:\n            return state\n"
        "        return -state\n"
    )
    write(tmp_path, {"base.py": base, "pole.py": own})
    assert [(each.code, each.line) for each in lint(tmp_path / "pole.py")] == [("JXL101", 7)]
    assert lint(tmp_path / "base.py") == []


STEPS = """\
import jax


def make_step(model):
    def loss(params):
        return model(params).sum()

    @jax.jit
    def step(params):
        return params - jax.grad(loss)(params)

    return step
"""
MIDDLE = """\
from dataclasses import dataclass
from collections.abc import Callable

import jax
from steps import make_step


@dataclass
class Config:
    step: Callable | None = None


class Trainer:
    def __init__(self, config, model):
        self.step = config.step or make_step(model)

    def fit(self, params):
        for _ in range(3):
            params = self.step(params)
        return params


class Method:
    def __init__(self, model):
        self.model = model
        self.step = jax.jit(self._step)

    def _step(self, params):
        return self.model(params)

    def fit(self, params):
        return self.step(params)
"""
MODEL = "def model(x):\n    if x.sum() > 0:\n        return x\n    return -x\n\n\n"


@pytest.mark.parametrize(
    "train",
    [
        "Trainer(Config(), model).fit(jnp.ones(3))",
        "Trainer(Config(make_step(model)), model).fit(jnp.ones(3))",
        "Method(model).fit(jnp.ones(3))",
    ],
)
def test_a_function_goes_through_modules_to_the_trace(tmp_path: Path, train: str) -> None:
    imports = (
        "import jax.numpy as jnp\nfrom middle import Config, Method, Trainer\n"
        "from steps import make_step\n\n\n"
    )
    text = f"{imports}{MODEL}{train}\n"
    write(tmp_path, {"steps.py": STEPS, "middle.py": MIDDLE, "train.py": text})
    assert [(each.code, each.line) for each in lint(tmp_path / "train.py")] == [("JXL101", 7)]
    assert lint(tmp_path / "steps.py") == lint(tmp_path / "middle.py") == []


RUNNERS = """\
import time
from functools import partial

import jax


@partial(jax.jit, static_argnames="function")
def compiled(x, function):
    return function(x)


def run(function, x):
    start = time.perf_counter()
    y = compiled(x, function)
    print(time.perf_counter() - start)
    return y


def wrap(function, x):
    return jax.jit(function)(x)


class Runner:
    def __init__(self, function):
        self.functions = [jax.jit(lambda x: function(x))]

    def run(self, x):
        return self.functions[0](x)
"""


@pytest.mark.parametrize(
    "train",
    [
        "Trainer(Config(), model).fit(1.0)",
        "Method(model).fit(1.0)",
        "run(model, 1.0)",
        "wrap(model, 1.0)",
        "Runner(model).run(1.0)",
        "Runner(good).run(1.0)",
        "Trainer(Config(), good).fit(1.0)",
    ],
)
def test_a_function_goes_from_one_module_through_another(tmp_path: Path, train: str) -> None:
    """What the other one does on the host for it, such as to measure time, is said there."""
    imports = "from middle import Config, Method, Trainer\nfrom models import good, model\n"
    imports += "from runners import Runner, run, wrap\n"
    files = {"steps.py": STEPS, "middle.py": MIDDLE, "runners.py": RUNNERS}
    models = MODEL + "def good(x):\n    return x * 2\n"
    write(tmp_path, {**files, "models.py": models, "train.py": f"{imports}{train}\n"})
    found = [
        (each.code, each.line, each.happens_at and (each.happens_at.file, each.happens_at.line))
        for each in lint(tmp_path / "train.py")
    ]
    there = ("models.py", 2)
    assert found == ([] if "good" in train else [("JXL101", 4, there)])
    assert lint(tmp_path / "models.py") == []


# ------------------------------------------------------------------------------- bad input


def test_imports_in_a_circle(tmp_path: Path) -> None:
    one = f"import jax\nfrom b import g\n{BRANCH}\n\nclip(g)\n"
    other = STEP.format("import a\ng = 1", "a.clip")
    write(tmp_path, {"a.py": one, "b.py": other})
    assert lint(tmp_path / "a.py") == []
    assert [(each.code, each.line) for each in lint(tmp_path / "b.py")] == [("JXL101", 8)]


def test_a_circle_says_the_same_whichever_file_is_first(tmp_path: Path) -> None:
    """`low` branches, `high` traces it, and each can be reached from the other."""
    low = f"import jax\nimport high\n{BRANCH}\n\ndef run(x):\n    return high.step(x)\n"
    high = STEP.format("import low", "low.clip")
    top = STEP.format("import high, low", "low.run")
    write(tmp_path, {"low.py": low, "high.py": high, "top.py": top})
    said = {}
    for order in permutations(("low.py", "high.py", "top.py")):
        library = Library()
        found = [
            (name, each.code, each.line)
            for name in order
            for each in check(read_source(tmp_path / name), Options(), Tools(library=library))
        ]
        said[order] = sorted(found)
    first, *others = said.values()
    assert first == [(name, "JXL101", 7) for name in ("high.py", "low.py", "top.py")]
    assert all(other == first for other in others)


def test_a_star_in_a_circle_binds_no_module_of_the_package(tmp_path: Path) -> None:
    """``lab`` takes all of a module that takes another module of ``lab`` by name."""
    files = {
        "pyproject.toml": "",
        "lab/__init__.py": "from lab.layers import *\nfrom lab.checks import *\n",
        "lab/layers.py": "from lab import checks\n\n\ndef apply(x):\n    return checks.clip(x)\n",
        "lab/checks.py": "def clip(x):\n    if x > 0:\n        return x\n    return -x\n",
        "main.py": "import jax\n\nimport lab\n\n\n@jax.jit\ndef run(x):\n    return lab.apply(x)\n",
    }
    write(tmp_path, files)
    assert [(each.code, each.line) for each in lint(tmp_path / "main.py")] == [("JXL101", 8)]


def test_names_that_stand_for_each_other(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "import jax\nfrom b import f\n", "b.py": "from a import f\n"})
    write(tmp_path, {"c.py": STEP.format("from a import f", "f")})
    assert lint(tmp_path / "c.py") == []


def test_modules_that_hide_libraries_run_nothing(tmp_path: Path) -> None:
    hostile = "open(__file__ + '.ran', 'w')\nraise SystemExit(3)\n"
    names = ("jax", "numpy", "random", "typing", "libcst", "ast", "helper")
    write(tmp_path, {f"{name}.py": hostile for name in names})
    imports = "\n".join(f"import {name}" for name in names)
    write(tmp_path, {"a.py": f"{imports}\nfrom helper import *\nhelper.f(jax.jit)\n"})
    assert lint(tmp_path / "a.py") == []
    assert not list(tmp_path.glob("*.ran"))


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes and links there")
def test_what_is_no_file_is_unknown(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere")
    (tmp_path / "binary.py").write_bytes(b"\x00\xff\xfe")
    (tmp_path / "locked").mkdir(mode=0)
    imports = "import jax, pipe, gone, binary, locked.a, loop.loop.loop.steps\n"
    write(tmp_path, {"steps.py": imports + "from loop.steps import f\n\n\njax.jit(pipe.f)(1.0)\n"})
    start = time.perf_counter()
    assert lint(tmp_path / "steps.py") == []
    assert time.perf_counter() - start < 10


AGENT = """\
import flax
import jax
import jax.numpy as jnp
from fields import static


class Agent(flax.struct.PyTreeNode):
    config: dict = {}

    @jax.jit
    def act(self, x):
        return jnp.reshape(x, (self.config["batch"], -1))
"""


@pytest.mark.parametrize(("default", "count"), [("static()", 0), ("flax.struct.field()", 1)])
def test_a_field_that_a_function_out_of_view_declares_may_be_static(
    tmp_path: Path, default: str, count: int
) -> None:
    write(tmp_path, {"agent.py": AGENT.format(default)})
    assert [each.code for each in lint(tmp_path / "agent.py")] == ["JXL108"] * count


def test_one_file_of_a_large_repository_looks_at_what_it_imports(tmp_path: Path) -> None:
    files = {f"m{n}.py": f"import jax\nfrom m{n + 1} import f\n" for n in range(2000)}
    write(tmp_path, {**files, "m2000.py": BRANCH.replace("clip", "f")})
    write(tmp_path, {"last.py": STEP.format("from m1990 import f", "f")})
    library = Library()
    (finding,) = check(read_source(tmp_path / "last.py"), Options(), Tools(library=library))
    assert finding.happens_at is not None
    assert finding.happens_at.file == "m2000.py"
    start = time.perf_counter()
    source = Source(STEP.format("from m0 import f", "f"), str(tmp_path / "first.py"))
    assert len(check(source, Options(), Tools(library=library))) < 2
    assert time.perf_counter() - start < 20


ORDER = """\
def plain(x):
    return x
def branch(x):
    if x > 0:
        return x
    return -x
chosen = branch
class Early:
    act = chosen
    other = plain
chosen = plain
class Late(Early):
    act = chosen
"""


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("lab.Early.act(x)", 4),
        ("lab.Early.other(x)", None),
        ("lab.Late.act(x)", None),
        ("lab.branch(x)", 4),
    ],
)
def test_what_waits_until_it_is_asked_for_is_what_it_was(
    call: str, line: int | None, tmp_path: Path
) -> None:
    write(tmp_path, {"lab.py": ORDER, "use.py": f"import jax, lab\njax.jit(lambda x: {call})(1)\n"})
    places = [each.happens_at for each in lint(tmp_path / "use.py")]
    assert [place.line for place in places if place is not None] == ([line] if line else [])


BELOW_TESTS = """\
import os
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from .never import Never
try:
    if not os.environ.get("FAST"):
        raise ValueError
except ValueError:
    from .slow import *
else:
    from .fast import clip
if os.environ.get("FAST"):
    from .fast import clip as either
else:
    from .slow import clip as either
with open("log") as log:
    from .slow import clip as logged
"""
CLIPS = {
    "pkg/fast.py": "def clip(x):\n    return x\n",
    "pkg/slow.py": BRANCH,
    "pkg/never.py": "Never = 1",
}


@pytest.mark.parametrize("name", ["clip", "either", "logged"])
def test_an_import_below_a_test_is_one_of_what_the_name_means(name: str, tmp_path: Path) -> None:
    write(tmp_path, {**CLIPS, "pkg/__init__.py": BELOW_TESTS})
    path = tmp_path / "use.py"
    path.write_text(STEP.format(f"from pkg import {name}", name), "utf-8")
    checked = examine(read_source(path), Options(), Tools(library=Library()))
    places = [each.happens_at for each in checked.findings]
    assert [place.line for place in places if place is not None] == [5]
    assert checked.probed is not None
    read = {file.name for file in checked.probed.files}
    assert "slow.py" in read
    assert "never.py" not in read


# -------------------------------------------------------------------------- two lowerings


@pytest.mark.parametrize("folder", ["fixtures", "jaxlint", "tests"])
def test_both_lowerings_give_one_program(folder: str) -> None:
    for path in sorted((HERE.parent / folder).rglob("*.py"))[::7]:
        source = read_source(path)
        if source.cells is None:
            assert not differences(source), path


PATTERNS = """\
def parts(x):
    match x:
        case [first, 1, *rest]:
            return first, rest
        case (key, {"k": [one, Pair(other, last=last)], **more}):
            return key, one, other, last, more
        case Node(targets=[Target(target=Name() as name)], value=1 | 2 as value):
            return name, value
"""


def test_both_lowerings_bind_what_patterns_capture() -> None:
    assert differences(Source(PATTERNS, "patterns.py")) == []
