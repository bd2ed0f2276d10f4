"""What the static tracer shows where a program asks ``reveal(x)``.

An adaptor for a tracer that has no ``reveal`` of its own.
"""

from __future__ import annotations

import re

from jaxlint.program import nodes as n
from jaxlint.program.lower import lower
from jaxlint.source import Source
from jaxlint.syntax.parse import parse
from jaxlint.syntax.spans import Spans
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.run import Interpreter
from jaxlint.tracer.values import (
    SOMETHING,
    Array,
    BoundMethod,
    Bounds,
    Class,
    Const,
    Donated,
    External,
    Function,
    Host,
    Instance,
    Mapping,
    NumpyArray,
    Partial,
    Qualified,
    Ref,
    Sequence,
    Transformed,
    Tree,
    Value,
)

_KINDS = {"abstract": "tracer", "mapped": "vmap tracer", "differentiated": "grad tracer"}
_REVEAL = "jaxlint.reveal"


def reveals(source: str) -> list[tuple[int, str]]:
    """Line and description of each ``reveal`` of a program, in the order in which they run."""
    text = Source(source, "chapter.py")
    module = parse(text)
    interpreter = _Revealing(lower(module), {}, 100)
    interpreter.run()
    origins = [node.origin for node, _ in interpreter.shown]
    spans = Spans(module, text.tree, text.text, origins)
    return [(spans.of(node.origin).line, shown) for node, shown in interpreter.shown]


def blurred(expected: str) -> str:
    """The part of a description of arrays that this tracer can give: no dtypes, no shapes."""
    without = re.sub(r"numpy array \w+\[[^]]*\]", "numpy array", expected)
    return re.sub(r"\b(tracer|array\??) (?:weak )?(?!keys)[a-z]+\d*\[[^]]*\]", r"\1 *", without)


class _Revealing(Interpreter):
    """Writes down what ``reveal`` is given."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.shown: list[tuple[n.Node, str]] = []

    def _builtin(self, name: str) -> Value:
        return Qualified(_REVEAL) if name == "reveal" else super()._builtin(name)

    def call_qualified(self, function: Qualified, arguments: Arguments, node: n.Node) -> Value:
        if function.name != _REVEAL:
            return super().call_qualified(function, arguments, node)
        (value,) = arguments.args
        self.shown.append((node, describe(value)))
        return value


def describe(value: Value) -> str:
    """A value in the words of the chapters."""
    if isinstance(value, Array):
        return _array(value)
    if isinstance(value, Tree):
        container = " container" if value.container else ""
        return f"pytree{container}{_origin(value)}"
    if isinstance(value, Const):
        typed = f"{type(value.value).__name__} {value.value!r}"
        return "None" if value.value is None else typed
    if isinstance(value, Host):
        return value.type
    if isinstance(value, Sequence):
        return _sequence(value)
    if isinstance(value, Mapping):
        return _mapping(value)
    if value is SOMETHING:
        return "unknown not None"
    return _plain(value)


def _plain(value: Value) -> str:
    if isinstance(value, NumpyArray):
        return "numpy array"
    if isinstance(value, Class):
        return f"class {value.definition.name}"
    if isinstance(value, Instance):
        return f"instance of {value.cls.definition.name}"
    if isinstance(value, External):
        return f"instance of {value.type}"
    if isinstance(value, Qualified):
        return f"module {value.name.removeprefix('builtins.')}"
    if isinstance(value, Ref):
        return "ref"
    if isinstance(value, Bounds):
        return "slice"
    if isinstance(value, Donated):
        return f"donated {describe(value.value)}"
    return _callable(value)


def _callable(value: Value) -> str:
    if isinstance(value, Function):
        return f"function {value.code.name}"
    if isinstance(value, Transformed):
        return f"{value.name} of {_name(value.function)}"
    if isinstance(value, Partial):
        return f"partial of {_name(value.function)}"
    if isinstance(value, BoundMethod) and isinstance(value.function, Function):
        owner = value.function.owner
        cls = owner.definition.name if owner is not None else "?"
        return f"bound method {cls}.{value.function.code.name}"
    return "unknown"


def _name(value: Value) -> str:
    return describe(value).removeprefix("function ")


def _array(value: Array) -> str:
    kind = {True: _KINDS[value.concreteness], False: "array", None: "array?"}[value.traced]
    if value.prng is not None:
        count = value.prng.count
        return f"{kind} {'key' if count is None else f'keys[{count}]'}{_origin(value)}"
    return f"{kind} *{_origin(value)}"


def _origin(value: Array | Tree) -> str:
    root = value.reason.root if value.reason is not None else None
    if root is None or root.role != "parameter" or " " in root.owner:
        return ""
    return f" from {root.subject} of {root.owner}"


def _sequence(value: Sequence) -> str:
    if value.items is None:
        return f"{value.kind} of {describe(value.element)}"
    return f"{value.kind}({', '.join(map(describe, value.items))})"


def _mapping(value: Mapping) -> str:
    if value.rest is not None:
        return f"dict of {describe(value.any_value())}"
    return f"dict({', '.join(f'{key}: {describe(item)}' for key, item in value.entries.items())})"
