"""What the fixes of rules make of lines as people write them, and which lines they leave."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from jaxlint import Options
from jaxlint.fixes.bindings import _BROUGHT_IN
from jaxlint.workspace.fixing import fix_bytes

HEAD = """\
import functools
import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

"""


def fixed(code: str, safe_only: bool = False, jax: str = "") -> str:
    """A program after the fixes of its findings, without the imports that all have."""
    text = HEAD + textwrap.dedent(code)
    options = Options(unsafe_fixes=not safe_only, jax=jax)
    after = fix_bytes("program.py", text.encode(), options).after.decode()
    assert after.startswith(HEAD)
    return after.removeprefix(HEAD)


def left(code: str) -> list[str]:
    """The codes of the findings that fixes leave in a program."""
    text = HEAD + textwrap.dedent(code)
    found = fix_bytes("program.py", text.encode(), Options(unsafe_fixes=True)).findings
    return [finding.code for finding in found]


def in_jit(line: str) -> str:
    """A line in a jitted function of three parameters, called with arrays."""
    return f"@jax.jit\ndef f(x, y, i):\n    {line}\n    return x\nf(jnp.ones(3), 2.0, 1)\n"


LINES = [
    # JXL308
    ("x.at[0].set(1.0)", "x = x.at[0].set(1.0)"),
    ("x.at[0].set(1.0); y = x", "x = x.at[0].set(1.0); y = x"),
    ("x.sort()", "x = x.sort()"),
    # JXL104
    ("z = y > 0 and i > 0", "z = (y > 0) & (i > 0)"),
    ("z = y > 0 and i > 0 and y < 3", "z = (y > 0) & (i > 0) & (y < 3)"),
    ("z = y > 0 or i > 0 and y < 3", "z = (y > 0) | ((i > 0) & (y < 3))"),
    ("z = 0 < y < 1", "z = (0 < y) & (y < 1)"),
    ("z = not y", "z = jnp.logical_not(y)"),
    ("z = not x.any()", "z = ~x.any()"),
    ("z = max(y, 0.0)", "z = jnp.maximum(y, 0.0)"),
    ("z = max(y, i, 0.0)", "z = jnp.maximum(jnp.maximum(y, i), 0.0)"),
    ("z = any(x > 0)", "z = jnp.any(x > 0)"),
    ("z = min(x)", "z = jnp.min(x)"),
    ("z = max([y, i])", "z = jnp.max(jnp.array([y, i]))"),
    ("z = y in (1, 2)", "z = jnp.isin(y, jnp.array((1, 2)))"),
    ("z = y not in (1, 2)", "z = ~jnp.isin(y, jnp.array((1, 2)))"),
    # JXL101
    ("z = y if y > 0 else 0.0", "z = jnp.where(y > 0, y, 0.0)"),
    ("z = 2 * (y if y > 0 else 0.0)", "z = 2 * jnp.where(y > 0, y, 0.0)"),
    ("z = y if 0 < y and i > 0 else i", "z = jnp.where((0 < y) & (i > 0), y, i)"),
    ("if y > 0: y = -y", "y = jnp.where(y > 0, -y, y)"),
    ("if y > 0: y -= i + 1", "y = jnp.where(y > 0, y - (i + 1), y)"),
    # JXL107, JXL106
    ("z = np.exp(x)", "z = jnp.exp(x)"),
    ("z = np.linalg.norm(x, axis=0)", "z = jnp.linalg.norm(x, axis=0)"),
    ("z = np.eye(3)[i]", "z = jnp.asarray(np.eye(3))[i]"),
    ("z = math.sqrt(y)", "z = jnp.sqrt(y)"),
    ("z = math.atan2(y, i)", "z = jnp.arctan2(y, i)"),
    ("z = x * float(y + i)", "z = x * (y + i).astype(float)"),
    ("z = x[0] * int(y)", "z = x[0] * y.astype(int)"),
    ("z = 1 + x.sum().item()", "z = 1 + x.sum()"),
    # JXL109
    ("z = x[x > 0].sum()", "z = x.sum(where=x > 0)"),
    ("m = x > 0; z = jnp.mean(x[m])", "m = x > 0; z = jnp.mean(x, where=m)"),
    ("z = x.at[x > 0].set(jnp.nan)", "z = jnp.where(x > 0, jnp.nan, x)"),
    ("z = x.at[x > y].add(-1.5)", "z = jnp.where(x > y, x + (-1.5), x)"),
    # JXL119
    ("z = jnp.sum([y, i])", "z = jnp.sum(jnp.array([y, i]))"),
    ("z = jnp.dot((1.0, 2.0, 3.0), x)", "z = jnp.dot(jnp.array((1.0, 2.0, 3.0)), x)"),
    # JXL301
    ('print("x", x)', 'jax.debug.print("x {}", x)'),
    ('print(f"{x}, {y!r}: {x.shape}")', 'jax.debug.print(f"{{}}, {{!r}}: {x.shape}", x, y)'),
    ('print("%s of %.2f%%" % (y, i))', 'jax.debug.print("{} of {:.2f}%", y, i)'),
    ('print(x, y, sep="\\n")', 'jax.debug.print("{}\\n{}", x, y)'),
    ('print(f"{y=}", "{}")', 'jax.debug.print("y={} {{}}", y)'),
    ("print('\"', y)", "jax.debug.print('\" {}', y)"),
]


@pytest.mark.parametrize(("before", "after"), LINES, ids=[before for before, _ in LINES])
def test_lines(before: str, after: str) -> None:
    assert fixed(in_jit(before)) == in_jit(after)
    assert not left(in_jit(before))


LEFT = [
    "jax.random.split(jax.random.PRNGKey(i))",  # JXL308: into what?
    "z = y or 1.0",  # JXL104: a value, or a truth?
    "z = y > 0 and x is not None and x[0] > 0",  # The test for None guards what follows.
    'z = "up" if y > 0 else "down"',  # JXL101: no arrays.
    "z = (y, 1) if y > 0 else (i, 2)",
    "z = f(x, y, i) if y > 0 else 0.0",  # It would never end.
    "z = np.zeros(3, dtype=np.float64)[0] * np.float64(y)",  # JXL107: JAX narrows it.
    "z = np.clip(x, a_min=0, a_max=1)",  # JAX calls the parameters something else.
    "z = math.log(y, 2)",  # JXL106: JAX takes one argument.
    "z = [1, 2, 3][int(i)]",  # A list takes no array for an index.
    "z = range(int(i))",
    "z = x[x > 0]",  # JXL109: which size?
    "z = jnp.nonzero(x)",
    "z = x.at[y > 0].set(0.0)",  # The mask may have fewer axes.
    'print("{}", y)',  # JXL301: releases differ in braces before a value.
    'print("y", y, end="")',
    "print(y, file=None)",
]


@pytest.mark.parametrize("line", LEFT)
def test_lines_that_nobody_can_tell(line: str) -> None:
    assert fixed(in_jit(line)) == in_jit(line)
    assert left(in_jit(line))


UNSAFE = [
    "x.sort()",
    "z = y if y > 0 else 0.0",
    "z = y > 0 and x[i] / i > 1",  # What was not evaluated may raise.
    "z = max(y, i) if False else any(x > 0)",
    "z = x * float(y)",
    "z = x.at[x > 0].set(0.5)",  # The type of an integer array changes.
]


@pytest.mark.parametrize("line", UNSAFE)
def test_what_may_mean_something_else_is_unsafe(line: str) -> None:
    assert fixed(in_jit(line), safe_only=True) == in_jit(line)


def test_a_function_that_others_call_keeps_numpy() -> None:
    """What NumPy arrays may come to is changed only when the user says so."""
    program = "def f(x):\n    return np.exp(x)\n\njax.vmap(f)(jnp.ones(3))\n"
    assert fixed(program, safe_only=True) == program
    assert "jnp.exp(x)" in fixed(program)


def test_a_name_of_an_outer_function_is_not_bound_anew() -> None:
    program = """\
    def outer(x):
        def inner():
            x.at[0].set(1)
            return x
        return inner
    outer(jnp.zeros(3))()
    """
    assert fixed(program) == textwrap.dedent(program)


def test_an_update_that_nobody_reads_is_left() -> None:
    program = "def f(x):\n    x.at[0].set(1)\n\nf(jnp.zeros(3))\n"
    assert fixed(program) == program


def test_a_whole_if() -> None:
    program = """\
    @jax.jit
    def f(x):
        if x > 2:  # big
            return x
        elif x > 1:
            return x * 2
        return -x
    f(1.0)
    """
    assert "    return jnp.where(x > 2, x, jnp.where(x > 1, x * 2, -x))  # big\nf" in fixed(program)


def test_an_elif_under_what_python_decides() -> None:
    program = """\
    @partial(jax.jit, static_argnames=("mode",))
    def f(x, mode):
        if mode == "a":
            y = x
        elif x > 1:
            y = x * 2
        else:
            y = 3 * x
        return y
    f(1.0, "b")
    """
    assert "    else:\n        y = jnp.where(x > 1, x * 2, 3 * x)\n    return y" in fixed(program)


def test_comments_are_not_lost() -> None:
    for program in (
        in_jit("if y > 0:\n        # doubled\n        y = y * 2"),
        in_jit("z = float(  # the value\n        y) * 2"),
        in_jit('print("x",  # the input\n        x)'),
    ):
        assert fixed(program) == program


DECORATORS = [
    ("@jax.jit", '@partial(jax.jit, static_argnames=("axis",))'),
    (
        '@partial(jax.jit, static_argnames="n")',
        '@partial(jax.jit, static_argnames=("n", "axis"))',
    ),
    (
        "@functools.partial(jax.jit, static_argnums=(0,))",
        "@functools.partial(jax.jit, static_argnums=(0, 2))",
    ),
    ("@partial(jax.jit, static_argnums=0)", "@partial(jax.jit, static_argnums=(0, 2))"),
    (
        "@partial(jax.jit, inline=True,)",
        '@partial(jax.jit, inline=True, static_argnames=("axis",),)',
    ),
    ("@partial(jax.jit, static_argnames=NAMES)", "@partial(jax.jit, static_argnames=NAMES)"),
]


@pytest.mark.parametrize(("before", "after"), DECORATORS)
def test_a_static_parameter(before: str, after: str) -> None:
    program = """\
    NAMES = ("n",)

    {}
    def f(n, x, axis):
        return jnp.sum(x, axis=axis)
    f(1, jnp.ones((2, 2)), 0)
    """
    assert fixed(program.format(before)) == textwrap.dedent(program.format(after))


def test_a_static_parameter_of_a_call() -> None:
    program = "def f(x, g):\n    return g(x)\n\nh = jax.jit(f{})\nh(1.0, jnp.sin)\n"
    assert fixed(program.format("")) == program.format(', static_argnames=("g",)')


@pytest.mark.parametrize(
    "body",
    ["def bump(self):\n        self.w += 1", "def __eq__(self, other):\n        return True"],
)
def test_self_is_static_only_where_it_stays_as_it_is(body: str) -> None:
    method = "    @jax.jit\n    def f(self, x):\n        return self.w * x\n"
    plain = f"class A:\n    w = 2.0\n{method}\nA().f(1.0)\n"
    assert '@partial(jax.jit, static_argnames=("self",))' in fixed(plain)
    changing = f"class A:\n    w = 2.0\n    {body}\n{method}\nA().f(1.0)\n"
    assert fixed(changing) == changing


def test_lists_become_tuples() -> None:
    program = """\
    @partial(jax.jit, static_argnames="sizes")
    def f(x, sizes):
        return x * len(sizes)
    f(1.0, {})
    """
    for before, after in (
        ("[8]", "(8,)"),
        ("sizes=[1, [2, 3]]", "sizes=(1, (2, 3))"),
        ("{1, 2}", "frozenset({1, 2})"),
        ("[{1: 2}]", "[{1: 2}]"),
    ):
        expected = textwrap.dedent(program).replace("{}", after)
        assert fixed(program.replace("{}", before)) == expected


def test_modules_of_jax_numpy_come_with_it() -> None:
    modules = sorted(_BROUGHT_IN["jax.numpy"])
    program = f"import jax.numpy as jnp; assert all(hasattr(jnp, m) for m in {modules})"
    subprocess.run([sys.executable, "-c", program], check=True)
