"""What costs more than its text: values that hold one thing twice, themselves, or very much.

The work is counted in calls of Python functions, and in steps of the tracer's budget: both are
the same on every machine. A count that gets out of hand ends the run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import TypeVar

import pytest

from jaxlint import check_source
from jaxlint.events import Event
from jaxlint.program.lower import lower
from jaxlint.source import Source
from jaxlint.syntax.parse import parse
from jaxlint.tracer.run import NOTHING_SAID, TABLES, follow
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import MOST

IMPORTS = "import functools\nimport jax\nimport jax.numpy as jnp\nfrom jax import lax\n"

MOST_CALLS = 7_000_000
"""Nearly twice what the most expensive program here takes."""


@dataclass(frozen=True)
class Followed:
    """What following a program took: steps, calls of Python functions; and what it gave."""

    steps: int
    calls: int
    events: list[Event]


Result = TypeVar("Result")


class TooMuch(BaseException):
    """The work is out of bounds. Nothing in jaxlint catches this."""


def counted(work: Callable[[], Result]) -> tuple[Result, int]:
    """What some work gives, and how many calls of Python functions it takes."""
    calls = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"
        if calls > MOST_CALLS:
            sys.setprofile(None)
            raise TooMuch

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        result = work()
    finally:
        sys.setprofile(before)
    return result, calls


def follow_whole(text: str) -> Followed:
    """Follow a program to its end."""
    tracer = Tracer(lower(parse(Source(IMPORTS + text))), TABLES, NOTHING_SAID)
    budget = tracer.steps
    traced, calls = counted(lambda: follow(tracer))
    assert traced.gave_up_at is None
    return Followed(budget - tracer.steps, calls, traced.events)


def grows_with_the_text(half: Followed, whole: Followed) -> bool:
    """Whether twice the text took no more than about twice the work."""
    return whole.steps < 2.5 * half.steps and whole.calls < 2.5 * half.calls


HOLDERS = {
    "tuple": "(t, t)",
    "list": "[t, t]",
    "dict": "{'a': t, 'b': t}",
    "plus": "t + t",
    "star": "(*t, *t)",
    "conditional": "(t, t) if x else [t]",
    "partial": "functools.partial(max, t, t)",
}
"""What holds one value twice: after n of them there are 2**n ways to the innermost."""

CALLERS = {
    "plain": "t = g(t)",
    "jit": "t = jax.jit(g)(t)",
    "vmap": "t = jax.vmap(g)(t)",
    "scan": "t, _ = lax.scan(lambda c, _: (g(c), None), t, None)",
    "cond": "t = lax.cond(True, g, g, t)",
    "kwargs": "t = g(**{'t': t})",
    "method": "t = a.g(t)",
    "attribute": "a.t = g(t)\nt = a.t",
}


def doubled(holder: str, caller: str, times: int) -> str:
    return (
        f"x = jnp.ones(3)\nt = (x, x)\ndef g(t):\n    return {HOLDERS[holder]}\n"
        "class A:\n    def g(self, t): return g(t)\na = A()\n" + f"{CALLERS[caller]}\n" * times
    )


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize("holder", HOLDERS)
def test_what_is_shared_costs_what_it_holds(holder: str, caller: str) -> None:
    half, whole = (follow_whole(doubled(holder, caller, times)) for times in (30, 60))
    assert grows_with_the_text(half, whole)


def test_an_attribute_that_doubles() -> None:
    begin, end = "class A: pass\na = A()\na.t = (1, 2)\n", "jax.jit(lambda x: x + len(a.t))(1)\n"
    half, whole = (follow_whole(begin + "a.t = (a.t, a.t)\n" * times + end) for times in (30, 60))
    assert grows_with_the_text(half, whole)


NODE = """\
from dataclasses import dataclass
@jax.tree_util.register_dataclass
@dataclass
class Node:
    left: object
    right: object
t = Node(jnp.ones(3), jnp.ones(3))
"""


def test_an_object_that_doubles_is_mapped() -> None:
    end = "jax.tree.map(lambda x: x + 1, t)\n"
    half, whole = (follow_whole(NODE + "t = Node(t, t)\n" * times + end) for times in (30, 60))
    assert grows_with_the_text(half, whole)


CYCLES = {
    "dict": "d = {}\nif unknown:\n    d[1] = d\nelse:\n    d[1] = d\n",
    "list": "d = []\nd.append(d)\n",
    "list in a loop": "d = []\nfor i in range(unknown):\n    d.append(d)\n",
    "each other": "d, e = [], {}\nd.append(e)\ne['d'] = d\n",
    "object": "class A: pass\nd = A()\nd.own = d\n",
    "pytree": NODE + "d = t\nd.left = d\n",
}
"""Values that hold themselves."""

USES = {
    "map": "jax.tree.map(lambda a: a, d)\n",
    "jit": "jax.jit(lambda d: d)(d)\n",
    "closure": "@jax.jit\ndef f(x):\n    return x, d\nf(1)\n",
    "scan": "lax.scan(lambda c, _: (c, None), d, None, 3)\n",
    "compare": "d == d\nif d:\n    pass\n",
    "branch": "d = d if unknown else [d]\njax.jit(lambda d: d)(d)\n",
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("cycle", CYCLES)
def test_what_holds_itself_ends(cycle: str, use: str) -> None:
    follow_whole("import unknown\n" + CYCLES[cycle] + USES[use])


@pytest.mark.parametrize("size", ["9223372036854775808", "10**30", "sys.maxsize"])
def test_a_long_range_is_not_walked(size: str) -> None:
    loops = f"for i in range({size}):\n    jnp.ones(3)\n"
    short, long = (
        follow_whole(f"import sys\n{text}jax.jit(lambda x: x + sum([1 for _ in range({n})]))(1)\n")
        for text, n in ((loops.replace(size, "5000"), "5000"), (loops, size))
    )
    assert long.calls < 2 * short.calls


MANY = {
    "jitted functions": "@jax.jit\ndef f{i}(x):\n    return x + {i}\n",
    "calls of one": "jax.jit(jnp.sin)(jnp.ones({i}))\n",
    "appends": "many.append(jnp.ones(3))\n",
    "attributes": "thing.a{i} = jnp.ones(3)\n",
    "branches": "if unknown:\n    many.append({i})\n",
}
"""Lines of which real files, written by programs, have thousands."""


@pytest.mark.parametrize("line", MANY)
def test_thousands_of_lines_take_time_in_proportion(line: str) -> None:
    begin = "import unknown\nclass A: pass\nmany, thing = [], A()\n"
    half, whole = (
        follow_whole(begin + "".join(MANY[line].format(i=i) for i in range(times)))
        for times in (1000, 2000)
    )
    assert grows_with_the_text(half, whole)


def test_a_table_of_thousands_is_followed_to_a_limit() -> None:
    half, whole = (
        follow_whole("table = {}\n" + "".join(f"table[{i}] = {i}\n" for i in range(times)))
        for times in (MOST, 2 * MOST)
    )
    assert grows_with_the_text(half, whole)


def listed(form: str, between: str = ", ") -> Callable[[int], str]:
    """The same for many numbers, in a row."""
    return lambda count: between.join(form.format(i=i) for i in range(count))


BODY = "import unknown\n@jax.jit\ndef f(x):\n{}    return x\n"
WIDE: dict[str, tuple[str, Callable[[int], str]]] = {
    "keywords": ("jax.jit(lambda **k: k)({})\n", listed("a{i}=1.0")),
    "parameters": ("@jax.jit\ndef f({0}):\n    return [{0}]\n", listed("a{i}")),
    "items": ("jax.jit(lambda x: x)([{}])\n", listed("jnp.ones({i})")),
    "entries": ("jax.vmap(lambda x: x)({{{}}})\n", listed("'a{i}': jnp.ones({i})")),
    "ifs": (BODY, listed("    if unknown.a{i}: x = x + {i}\n", "")),
    "elifs": (BODY, lambda n: "    if x: pass\n" + listed("    elif x == {i}: pass\n", "")(n)),
    "tries": (BODY, listed("    try: x = unknown(x)\n    except E: x = {i}\n", "")),
    "withs": (BODY, listed("    with unknown.a{i} as y: x = x + y\n", "")),
    "loops": (BODY, listed("    for i in unknown.a{i}: x = x + i\n", "")),
    "methods": ("class A:\n{}", listed("    def m{i}(self, x): return jax.jit(self.m)(x)\n", "")),
    "keys": ("k = jax.random.key(0)\n{}", listed("k, a = jax.random.split(k)\n", "")),
    "keys used again": ("k = jax.random.key(0)\n{}", listed("jax.random.normal(k)\n", "")),
    "static": ("f = jax.jit(max, static_argnums=1)\n{}", listed("f(1.0, {i})\n", "")),
    "stale": ("{}", listed("g = {i}\n@jax.jit\ndef f(x): return x + g\nf(1)\n", "")),
    "ifs in a loop": (
        "on = True\nfor i in range(3):\n{}",
        listed("    if on: x{i} = {i}\n", ""),
    ),
    "selections": (
        "import unknown\nk = jax.random.key(0)\n{}",
        listed("jnp.where(unknown.a, jax.random.normal(k), jax.random.uniform(k))\n", ""),
    ),
    "choices": (
        "import unknown\ndef f0(x): return x\n{}",
        listed("f0 = (lambda x: f0(x) + {i}) if unknown.a{i} else jnp.sin\n", ""),
    ),
    "tests": (
        "import unknown\ndef f(x):\n    if {}: return x\njax.jit(f)(1)\n",
        listed("unknown.a{i}(x)", " and "),
    ),
    "functions": ("def f(x): return x\n{}", listed("def g{i}(x): return f(x)\nf = g{i}\n", "")),
}
"""What is wide, or has many findings that one reason leads to."""


@pytest.mark.parametrize("shape", WIDE)
def test_what_is_wide_takes_time_in_proportion(shape: str) -> None:
    text, parts = WIDE[shape]
    half, whole = (follow_whole(text.format(parts(count))) for count in (150, 300))
    assert grows_with_the_text(half, whole)


IN_A_LOOP = "for i in range(9):\n"
FIXED: dict[str, tuple[str, str, str]] = {
    "elifs": ("@jax.jit\ndef f(x):\n    if x > 0: y = 1\n", "    elif x > {i}: y = {i}\n", ""),
    "conditional expressions": (
        "@jax.jit\ndef f(x):\n    return ", "{i} if x > {i} else ", "0\n",
    ),
    "conditions": ("@jax.jit\ndef f(x):\n    if x > 0", " and x > {i}", ": pass\n"),
    "jits in a loop": (IN_A_LOOP, "    jax.jit(lambda x: x + {i})(1.0)\n", ""),
    "jits of one": ("def g(x): return x\n" + IN_A_LOOP, "    jax.jit(g)(1.0)\n", ""),
    "jits in functions": (
        "", "def h{i}(x):\n    return jax.jit(lambda a: a)(x)\nfor i in range(9): h{i}(1.0)\n", "",
    ),
    "jitted methods": ("class A:\n", "    @jax.jit\n    def m{i}(self, x): return self.a\n", ""),
    "static in a loop": (
        "f = jax.jit(max, static_argnums=1)\n" + IN_A_LOOP, "    f(1.0, i + {i})\n", "",
    ),
    "sizes in a loop": ("f = jax.jit(abs)\n" + IN_A_LOOP, "    f(jnp.ones(i + {i}))\n", ""),
    "keys of a table": (
        "k = {}\n",
        "k[{i}] = jax.random.key({i})\njax.random.normal(k[{i}])\njax.random.normal(k[{i}])\n", "",
    ),
    "keys used again": ("k = jax.random.key(0)\n", "jax.random.normal(k)\n", ""),
    "reasons": (
        "@jax.jit\ndef f(x):\n", "    y{i} = jnp.sin(x) + {i}\n    if y{i} > 0: x = y{i}\n",
        "    return x\n",
    ),
    "removed names": ("", "from jax import tree_map as t{i}\nt{i}(abs, 1)\n", ""),
    "jitted functions": ("", "@jax.jit\ndef f{i}(x):\n    if x > 0: return 1\n    return 2\n", ""),
}  # fmt: skip
"""What has many findings, each with a fix of its own."""


@pytest.mark.parametrize("shape", FIXED)
def test_the_fixes_of_many_findings_take_time_in_proportion(shape: str) -> None:
    begin, part, end = FIXED[shape]
    texts = [f"{IMPORTS}{begin}{listed(part, '')(count)}{end}" for count in (2, 60, 120)]
    _, half, whole = (counted(partial(check_source, text))[1] for text in texts)
    assert whole < 2.5 * half


def test_a_long_chain_of_reasons_is_told_in_part() -> None:
    steps = "".join(f"    y{i} = y{i - 1} + 1\n    if y{i} > 0: pass\n" for i in range(1, 300))
    found = check_source(f"{IMPORTS}@jax.jit\ndef f(x):\n    y0 = x\n{steps}    return y0\n")
    assert len(found) == 299
    assert max(len(finding.notes) for finding in found) == 16
    notes = [note.text for note in found[-1].notes]
    assert notes[0] == "`x` is a parameter of `f`, which jax.jit traces"
    assert notes[7:9] == ["bound to `y6`", "bound to `y292`, 285 steps later"]
    assert notes[-1] == "bound to `y299`"


def test_bases_that_two_ways_lead_to_are_searched_once() -> None:
    """After n diamonds there are 2**n ways to the first class."""
    diamond = (
        "class B{i}(D{i}): pass\nclass C{i}(D{i}): pass\nclass D{j}(B{i}, C{i}):\n"
        "    def f(self, x): return self.missing\n"
    )

    def bases(count: int) -> str:
        return "".join(
            diamond.replace("{i}", str(i)).replace("{j}", str(i + 1)) for i in range(count)
        )

    end = "d = D{}()\njax.jit(lambda x: x + d.missing)(1.0)\n"
    half, whole = (
        follow_whole(f"class D0: pass\n{bases(count)}{end.format(count)}") for count in (15, 30)
    )
    assert whole.calls < 5 * half.calls


@pytest.mark.parametrize("wrapper", ["jax.jit(f)", "jax.vmap(f)", "functools.partial(f, 1)"])
def test_wrappers_around_wrappers_end(wrapper: str) -> None:
    begin, end = "def f(*x): return x\n", "f(jnp.ones(3))\n"
    half, whole = (follow_whole(begin + f"f = {wrapper}\n" * times + end) for times in (1000, 2000))
    assert grows_with_the_text(half, whole)


def test_a_key_that_hundreds_of_branches_use() -> None:
    draw = "if unknown.a{i}:\n    jax.random.normal(k)\n"
    begin = "import unknown\nk = jax.random.key(0)\n"
    half, whole = (follow_whole(begin + listed(draw, "")(times)) for times in (200, 400))
    assert grows_with_the_text(half, whole)
    twice = "if unknown.b:\n    jax.random.normal(k)\n    jax.random.normal(k)\n"
    found = check_source(IMPORTS + begin + listed(draw, "")(200) + twice)
    assert [finding.code for finding in found] == ["JXL401"]
