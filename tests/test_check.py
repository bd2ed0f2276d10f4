"""The API, and what must hold of all programs."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxlint import Options, check_source
from jaxlint.source import Source, SourceError
from tests.differential.generate import Writer

REPOSITORY = Path(__file__).parent.parent
BAD = "import jax\n@jax.jit\ndef f(x):\n    y = x + 1\n    if y > 0:\n        return x\n"


def codes(text: str, filename: str = "a.py", options: Options | None = None) -> list[str]:
    return [finding.code for finding in check_source(text, filename, options)]


def test_finding_carries_the_chain() -> None:
    (finding,) = check_source(BAD, "a.py")
    assert (finding.line, finding.column, finding.end_column) == (5, 7, 12)
    assert [(note.line, note.text) for note in finding.notes] == [
        (3, "`x` is a parameter of `f`, which jax.jit traces"),
        (4, "bound to `y`"),
    ]


def test_selection() -> None:
    assert codes(BAD, options=Options(select=("JXL2",))) == []
    assert codes(BAD, options=Options(ignore=("JXL10",))) == []
    assert codes(BAD, options=Options(select=("JXL1",))) == ["JXL101"]


def test_syntax_error_is_one_clear_message() -> None:
    with pytest.raises(SourceError, match=r"a\.py:2:\d+: syntax error"):
        check_source("import jax\ndef f(:\n", "a.py")


@pytest.mark.parametrize(
    "text",
    ["(" * 5000 + "1" + ")" * 5000, "+".join(["1"] * 20000), "\0", "-" * 9000 + "1"],
    ids=["parentheses", "sum", "null byte", "signs"],
)
def test_what_python_refuses_is_one_clear_message(text: str) -> None:
    with pytest.raises(SourceError, match=r"a\.py:\d+:\d+: "):
        check_source(f"import jax\nx = {text}\n", "a.py")


def test_rules_without_exception_are_silent_in_tests() -> None:
    text = "import jax\nseen = []\n@jax.jit\ndef f(x):\n    seen.append(x)\n    return x\n"
    assert codes(text, "model.py") == ["JXL302"]
    assert codes(text, "test_model.py") == []
    assert codes(text, "tests/model.py") == []


def test_files_without_jax_are_read_by_python_alone() -> None:
    with pytest.raises(SourceError, match="syntax error"):
        check_source("def f(:\n", "a.py")
    script = (
        "import sys, jaxlint; jaxlint.check_source('x = 1\\n', 'a.py');"
        "sys.exit('libcst' in sys.modules or 'jaxlint.tracer' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
    assert not Source("import numpy as np\n# import jax\n").uses_jax
    assert Source("    from jax import jit\n").uses_jax


@pytest.mark.parametrize(
    ("comment", "silent"),
    [("# noqa", True), ("# noqa: JXL101", True), ("# noqa:JXL", False), ("# noqa: E501", False)],
)
def test_noqa(comment: str, silent: bool) -> None:
    text = BAD.replace("y > 0:", f"y > 0:  {comment}")
    # flake8 wants digits in a code: without any the comment is a bare noqa.
    assert (codes(text) == []) is (silent or comment == "# noqa:JXL")


def test_noqa_is_silent_where_flake8_is() -> None:
    text = "import jax\n@jax.jit\ndef f(x):\n    return max(\n        x, 0.0)  # noqa\n"
    assert codes(text) == ["JXL104"]
    assert codes(text.replace("max(", "max(  # noqa")) == []
    assert codes(text.replace("max(", "max(\\")) == []


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**9))
def test_same_input_same_output(seed: int) -> None:
    text = Writer(random.Random(seed).choice).program()
    assert check_source(text, "a.py") == check_source(text, "a.py")


@pytest.mark.parametrize("path", sorted((REPOSITORY / "jaxlint").rglob("*.py")), ids=str)
def test_own_code_does_not_crash_it(path: Path) -> None:
    check_source("import jax\n" + path.read_text("utf-8").replace("from __future__", "from future"))


@pytest.mark.parametrize(
    "body",
    [
        "def f(x):\n    return f(x)\nf(1)",
        "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\njax.jit(f)(1)",
        "f = lambda f: f(f)\nf(f)",
        "a = []\na.append(a)\nb = (a,)\nx = b == b",
        "d = {}\nd['d'] = d\njax.jit(lambda v: v)(d)",
        "class A:\n    def __init__(self):\n        self.a = A()\nA()",
        "class A(A): pass\nA().x.y.z",
        "x = yield_ = 1\nasync def f():\n    async with f() as g:\n        async for i in g:\n"
        "            await i",
        "for i in range(3):\n    for j in i:\n        while j:\n            break\n        else:\n"
        "            continue",
        "def f(*a, b=1, **k):\n    return f(*a, *a, b=b, **k, **k)\njax.jit(f)(1, 2, c=3)",
        "match x:\n    case {'a': [1, *_], **r} | A(b=1) as c if c:\n        pass",
        "jax.jit(jax.jit(jax.vmap(jax.grad(jax.jit(lambda x: x)))))(1.)",
        "jax.lax.scan()\njax.jit()\njax.vmap(1, 2, 3)\njax.lax.cond(*a)\njax.grad(f, **k)(x)",
        "del x, y[0], z.a\nglobal_ = x[1:2, ..., None]\nx[0]: int = 3\nx: int",
        "try:\n    raise\nexcept* ValueError as e:\n    pass\nfinally:\n    pass",
        "@(lambda f: f)\n@jax.jit\ndef f(x): return [y := x, *x, {**x}, {x for x in x if x}]",
        "x = 10 ** 10 ** 10\ny = 'a' * 10 ** 9\nz = 1 << 10 ** 9\nw = -5 % 0",
        "def f(n):\n    while True:\n        n = n + 1\n    return n\njax.jit(f)(1)",
    ],
)
def test_strange_programs_do_not_crash_it(body: str) -> None:
    check_source(f"import jax\nimport jax.numpy as jnp\n{body}\n", "a.py")


def test_an_instance_that_calls_itself_does_not_crash() -> None:
    text = "import jax\n\nclass A:\n    pass\n\nA.__call__ = A()\nA()(1)\njax.jit(A())(1)\n"
    assert check_source(text) == []


def test_more_programs_without_a_crash() -> None:
    """Calls with too few, too many and strange arguments of what the rules know."""
    names = ["jax.jit", "jax.grad", "jax.vmap", "jax.lax.scan", "jax.lax.cond", "jax.random.split",
             "jnp.zeros", "jnp.where", "np.zeros", "float", "range", "max", "jnp.reshape",
             "jax.random.normal", "time.time", "next", "zip"]  # fmt: skip
    arguments = ["", "1", "*x", "**x", "x, x, x, x, x, x", "None", "lambda: 0", "'a'", "[], {}",
                 "(), *x", "x=x", "jax", "key=1, num=2", "f, donate_argnums=x"]  # fmt: skip
    lines = [f"    {name}({argument})({argument})" for name in names for argument in arguments] + [
        f"    x = {name}({argument})" for name in names for argument in arguments
    ]
    header = "import time\nimport jax\nimport jax.numpy as jnp\nimport numpy as np\n\n@jax.jit\n"
    for line in lines:
        check_source(header + "def f(x):\n" + line + "\n    return x\n\nf(1)\n")


def test_a_lifted_module_class_takes_what_the_class_takes() -> None:
    text = """\
import flax.linen as nn


class MLP(nn.Module):
    @nn.compact
    def __call__(self, x):
        for n in range(3):
            x = nn.jit(nn.Dense)(8, name=f"layer_{n}")(x)
        return x
"""
    assert codes(text) == []


def test_a_parameter_that_is_said_to_be_a_function_may_get_a_partial() -> None:
    text = (
        "import jax\nfrom typing import Callable\n"
        "@jax.jit\ndef residual(u, model: Callable):\n    return model(u)\n"
    )
    (finding,) = check_source(text)
    assert finding.code == "JXL113"
    assert "as soon as a call passes one that is no `jax.tree_util.Partial`" in finding.message
    assert codes(f"{text}residual(1.0, jax.tree_util.Partial(abs))\n") == []


OPTIMIZER_IN_AN_OBJECT = """\
import jax.numpy as jnp
import optax


class Trainer:
    def __init__(self, params):
        self.tx = optax.adam(1e-3)
        self.state = self.tx.init(params)

    def updates(self):
        return self.tx.update({"w": jnp.ones(2)}, self.state)


def train(trainer):
    for _ in range(100):
        updates, _ = trainer.updates()
        yield updates


list(train(Trainer({"w": jnp.ones(2)})))
"""


def test_the_state_of_an_optimizer_in_the_object_whose_method_updates_it() -> None:
    """No argument of the call is the object: looking for it there is no failure."""
    assert codes(OPTIMIZER_IN_AN_OBJECT) == []
