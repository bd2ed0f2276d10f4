"""What is asked of the result of each call: the text alone decides."""

from __future__ import annotations

import libcst as cst
import pytest

from jaxlint.program import nodes as n
from jaxlint.program.demand import Demand, any_of, demands
from jaxlint.program.lower import lower
from jaxlint.program.walk import walk

EFFECTS = {"show": "effect", "wait": "idle"}


def asked(body: str, result: Demand = True) -> list[str]:
    """The calls of `draw` in a function of this body that somebody reads, by their argument."""
    text = "def f(x, y, flag, many):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    (function,) = (each for each in lower(cst.parse_module(text)).functions if each.name == "f")

    def nature(call: n.Call) -> str:
        name = call.function.id if isinstance(call.function, n.Name) else ""
        return EFFECTS.get(name, "pure")

    found = demands(function.body, function.scope, result, nature, lambda _: None)
    calls = [each for each in walk(function.body) if isinstance(each, n.Call)]
    drawn = [c for c in calls if isinstance(c.function, n.Name) and c.function.id == "draw"]
    return sorted(c.arguments[0].value.value for c in drawn if any_of(found.get(id(c), False)))


@pytest.mark.parametrize(
    ("body", "read"),
    [
        # Read, overwritten, left.
        ("a = draw('a')\nreturn a", ["a"]),
        ("a = draw('a')\na = draw('b')\nreturn a", ["b"]),
        ("a = draw('a')\nshow(a)\na = draw('b')", ["a"]),
        ("show(draw('a'))", ["a"]),
        ("a = draw('a')\nif flag:\n    a = draw('b')\nreturn a", ["a", "b"]),
        # Seen by a function, from where that is made.
        ("a = draw('a')\na = draw('b')\ng = lambda: a\nreturn g", ["b"]),
        ("a = draw('a')\na = draw('b')\ndef g():\n    return lambda: a\nreturn g", ["b"]),
        ("a = draw('a')\na = draw('b')\ng = lambda a: lambda: a\nreturn g, a", ["b"]),
        ("a = draw('a')\nfor _ in many:\n    g = lambda a: a\na = draw('b')\nreturn g, a", ["b"]),
        ("g = lambda: a\na = draw('a')\na = draw('b')\nreturn g", ["a", "b"]),
        ("a = draw('a')\ng = lambda: a\na = draw('b')\nreturn g", ["a", "b"]),
        ("a = draw('a')\nif flag:\n    return lambda: a\na = draw('b')\nreturn a", ["a", "b"]),
        ("for _ in many:\n    a = draw('a')\n    show(lambda: a)\n    a = draw('b')", ["a", "b"]),
        ("a = draw('a')\ng = (a for _ in many)\na = draw('b')\nreturn g", ["a", "b"]),
        ("a = draw('a')\nif flag:\n    a = 1\nelse:\n    a = 2\nreturn a", []),
        # What nothing ever reads is as good as read: it is being written, or shows something.
        ("a = draw('a')", ["a"]),
        ("_ = draw('a')", []),
        ("draw('a')", ["a"]),
        ("wait(draw('a'))", []),
        ("a = draw('a')\nwait(a)", []),
        ("a = wait(draw('a'))\nreturn a", ["a"]),
        # Through what is made of it.
        ("a = draw('a')\nb = a + 1\nc = [b]\nc = 0\nreturn b, c", ["a"]),
        ("a = draw('a')\nb = a + 1\nb = 0\nreturn b", []),
        ("a = draw('a')\nb = x if flag else a\nreturn b", ["a"]),
        ("a = draw('a')\nreturn flag and a", ["a"]),
        ("a = b = draw('a')\na = 1\nreturn a, b", ["a"]),
        ("a = (b := draw('a'))\na = 1\nreturn a, b", ["a"]),
        ("a = draw('a')\na += 1\nreturn a", ["a"]),
        # Parts.
        ("a, b = draw('a')\na = b = 1\nreturn a, b", []),
        ("a, (b, c) = 1, (draw('b'), draw('c'))\nb = 1\nreturn a, b, c", ["c"]),
        ("a, *b = draw('a')\na = 1\nreturn a, b", ["a"]),
        # Stores into something else.
        ("x.a = draw('a')\nx[0] = draw('b')", ["a", "b"]),
        ("a = draw('a')\nx[a] = 1\na = 1\nreturn a", ["a"]),
        # Loops.
        ("a = draw('a')\nfor _ in many:\n    a = draw('b')\n    show(a)", ["b"]),
        ("a = draw('a')\nfor _ in many:\n    show(a)\n    a = draw('b')", ["a", "b"]),
        ("for _ in many:\n    a = draw('a')\n    if flag: break\nelse:\n    a = 1\nshow(a)", ["a"]),
        ("for _ in many:\n    a = draw('a')\n    if flag:\n        continue\n    show(a)", ["a"]),
        ("a = draw('a')\nwhile flag:\n    a = draw('b')\nreturn a", ["a", "b"]),
        ("for _ in many:\n    a = draw('a')\n    a = 1\nreturn a", []),
        # Exceptions.
        ("a = draw('a')\ntry:\n    a = draw('b')\nexcept E:\n    pass\nreturn a", ["a", "b"]),
        ("a = draw('a')\ntry:\n    a = draw('b')\nfinally:\n    show(a)", ["a", "b"]),
        ("a = draw('a')\nif flag:\n    raise E\na = 1\nreturn a", []),
        ("a = draw('a')\nif flag:\n    raise E(a)\na = 1\nreturn a", ["a"]),
        ("a = draw('a')\nwith x:\n    a = draw('b')\nreturn a", ["a", "b"]),
        # Seen by inner functions.
        ("a = draw('a')\ndef g():\n    return a\na = 1\nreturn g", ["a"]),
        ("a = draw('a')\ng = lambda k=a: k\na = 1\nreturn g, a", ["a"]),
        ("a = draw('a')\nb = [a for _ in many]\nb = a = 1\nreturn a, b", ["a"]),
        ("a = draw('a')\nif flag:\n    return a\na = 1\nreturn a", ["a"]),
        ("a = draw('a')\nmatch x:\n    case 1:\n        show(a)\na = 1\nreturn a", ["a"]),
        ("a = draw('a')\ndel a\na = 1\nreturn a", []),
    ],
)  # fmt: skip
def test_what_is_read(body: str, read: list[str]) -> None:
    assert asked(body) == read


@pytest.mark.parametrize(
    ("result", "read"),
    [(True, ["a", "b"]), (False, []), ((True, False), ["a"]), ((False, True), ["b"]),
     ((False, False, True), ["a", "b"])],
)  # fmt: skip
def test_what_is_read_of_a_result(result: Demand, read: list[str]) -> None:
    assert asked("a, b = draw('a'), draw('b')\nreturn a, b", result) == read
