"""What a function's own body, defaults and annotations say of its parameters.

Asked only for parameters of traced functions that nobody in view calls with a
known value: an array, or a container that holds arrays?
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from jaxlint.knowledge import jax_api
from jaxlint.program import nodes as n
from jaxlint.program.walk import assigned_names, walk

Hint = Literal["array", "arithmetic", "number", "container"]
"""``arithmetic``: an array for certain, for a list allows nothing of what is done with it."""
Resolve = Callable[[n.Node], "str | None"]

_KEY_LIKE = re.compile(r"key|rng|seed|^k\d*$|^subk|^r\d*$", re.IGNORECASE)
_ARITHMETIC = frozenset({"-", "*", "/", "//", "**", "@", "%"})
_NOT_OF_LISTS = frozenset({"-", "/", "//", "**", "%"})
_ORDER = frozenset({"<", "<=", ">", ">="})
_PLAIN = frozenset({"builtins.str", "builtins.int", "builtins.bool", "builtins.bytes"})
_CONTAINER_METHODS = frozenset({"items", "keys", "values", "append", "pop", "_replace", "replace"})
_CONTAINER_NAMES = frozenset({"dict", "list", "tuple", "Dict", "List", "Tuple", "Mapping",
                              "Sequence", "NamedTuple", "Iterable", "PyTree"})  # fmt: skip
_TAKES_CONTAINERS = frozenset(
    [
        "stack",
        "concatenate",
        "array",
        "asarray",
        "hstack",
        "vstack",
        "dstack",
        "column_stack",
        "block",
        "broadcast_arrays",
        "meshgrid",
        "select",
        "choose",
        "lexsort",
        "ix_",
        "shape",
        "ndim",
        "size",
        "result_type",
        "concat",
    ]
)
_STRUCTURE_TESTS = frozenset({"isinstance", "callable", "hasattr", "len", "type"})


def asserted(code: n.Function) -> frozenset[str]:
    """The names of which a body asserts something, by a function that is given them."""
    tests = [each.test for each in code.body if isinstance(each, n.Assert)]
    calls = [each for each in walk(tests) if isinstance(each, n.Call)]
    values = [argument.value for call in calls for argument in call.arguments]
    return frozenset(value.id for value in values if isinstance(value, n.Name))


def gather(code: n.Function, resolve: Resolve) -> dict[str, Hint]:
    """Parameter name -> what it must be; names without evidence are left out."""
    found: dict[str, Hint] = {}
    uses = _Uses({parameter.name for parameter in code.parameters}, resolve)
    for statement in code.body:
        for node in walk([statement]):
            uses.see(node)
        # From here on a name that was bound anew is no parameter.
        uses.names -= assigned_names([statement])
    for parameter in code.parameters:
        stated = _stated(parameter, resolve)
        if stated is not None:
            found[parameter.name] = stated
        elif parameter.name in uses.containers:
            found[parameter.name] = "container"
        elif parameter.name in uses.arithmetic:
            found[parameter.name] = "arithmetic"
        elif parameter.name in uses.arrays:
            found[parameter.name] = "array"
    return found


def gather_keys(code: n.Function, resolve: Resolve) -> frozenset[str]:
    """Parameters that the body, their annotation or their name says are PRNG keys.

    Only names that people give to keys are looked into: walking every body is slow.
    """
    if not any(_KEY_LIKE.search(parameter.name) for parameter in code.parameters):
        return frozenset()
    found: set[str] = set()
    other: set[str] = set()
    for node in walk(code.body):
        if isinstance(node, n.Call):
            found |= _keys_of_call(node, resolve)
        else:
            other.update(_no_keys(node))
    for parameter in code.parameters:
        annotation = parameter.annotation
        head = annotation.value if isinstance(annotation, n.Subscript) else annotation
        if head is not None and resolve(head) in jax_api.KEY_ANNOTATIONS:
            found.add(parameter.name)
        if parameter.name in jax_api.KEY_NAMES - other and not _is_plain(annotation, resolve):
            found.add(parameter.name)
    return frozenset(
        p.name for p in code.parameters if p.name in found and not p.kind.endswith("star")
    )


def _is_plain(annotation: n.Node | None, resolve: Resolve) -> bool:
    """Whether an annotation names types of Python, and none of JAX: ``key: str | None``."""
    if annotation is None:
        return False
    parts = (each for each in walk([annotation]) if isinstance(each, (n.Name, n.Attribute)))
    named = {resolve(each) for each in parts}
    return not named.isdisjoint(_PLAIN) and named.isdisjoint(jax_api.KEY_ANNOTATIONS)


def _keys_of_call(node: n.Call, resolve: Resolve) -> set[str]:
    """Names that a call of ``jax.random`` takes for keys."""
    function = resolve(node.function) or ""
    if not function.startswith(jax_api.RANDOM) or function in jax_api.KEY_MAKERS:
        return set()
    given = [
        _viewed(item.value)
        for position, item in enumerate(node.arguments)
        if not item.star and (item.keyword == "key" or (position == 0 and item.keyword is None))
    ]
    return {key.id for key in given if isinstance(key, n.Name)}


def _viewed(node: n.Node) -> n.Node:
    """The array of keys of which ``keys[0]``, ``keys[:2]`` or ``keys.squeeze()`` is a view."""
    if isinstance(node, n.Subscript):
        index = node.index.operand if isinstance(node.index, n.UnaryOperation) else node.index
        number = isinstance(index, n.Constant) and isinstance(index.value, int)
        return _viewed(node.value) if number or isinstance(index, n.Slice) else node
    function = node.function if isinstance(node, n.Call) else None
    if isinstance(function, n.Attribute) and function.attr in jax_api.KEY_VIEWS:
        return _viewed(function.value)
    return node


def _no_keys(node: n.Node) -> Iterator[str]:
    """Names with which something is done that nobody does with a PRNG key."""
    parts = _NO_KEYS.get(type(node))
    for part in parts(node) if parts is not None else ():
        if isinstance(part, n.Name):
            yield part.id


def _compared(node: n.Comparison) -> list[n.Node]:
    return [] if {"is", "is not"} & set(node.operators) else [node.left, *node.comparators]


_NO_KEYS: dict[type[n.Node], Callable[[Any], Iterable[n.Node]]] = {
    n.Subscript: lambda node: (node.value, node.index),
    n.Attribute: lambda node: (node.value,),
    n.Comparison: _compared,
    n.For: lambda node: (node.iterable,),
    n.Clause: lambda node: (node.iterable,),
}


def annotated_array(parameter: n.Parameter, resolve: Resolve) -> bool:
    """Whether the annotation says that it is an array, and not just a number."""
    return parameter.annotation is not None and _stated(parameter, resolve) == "array"


def _stated(parameter: n.Parameter, resolve: Resolve) -> Hint | None:
    """What the annotation or else the default says."""
    annotation = parameter.annotation
    if annotation is not None:
        head = annotation.value if isinstance(annotation, n.Subscript) else annotation
        name = resolve(head)
        if name in jax_api.ARRAY_ANNOTATIONS:
            return "number" if name.startswith("builtins.") else "array"
        if (name or "").rpartition(".")[2] in _CONTAINER_NAMES:
            return "container"
    default = parameter.default
    if isinstance(default, n.Constant) and isinstance(default.value, (bool, int, float, complex)):
        return "number"
    return None


class _Uses:
    """Collects what is done with some names."""

    def __init__(self, names: Iterable[str], resolve: Resolve) -> None:
        self.names = frozenset(names)
        self.resolve = resolve
        self.arrays: set[str] = set()
        self.arithmetic: set[str] = set()
        self.containers: set[str] = set()

    def _name(self, node: n.Node) -> str | None:
        return node.id if isinstance(node, n.Name) and node.id in self.names else None

    def see(self, node: n.Node) -> None:
        """Take one node into account."""
        if isinstance(node, n.BinaryOperation):
            self._see_arithmetic(node)
        elif isinstance(node, n.Comparison):
            if _ORDER.intersection(node.operators):
                self._add(self.arrays, node.left, *node.comparators)
        elif isinstance(node, n.Attribute):
            if node.attr in jax_api.ARRAY_EVIDENCE:
                self._add(self.arrays, node.value)
            elif node.attr in _CONTAINER_METHODS:
                self._add(self.containers, node.value)
        elif isinstance(node, n.Subscript):
            self._see_subscript(node)
        elif isinstance(node, n.For):
            self._add(self.containers, node.iterable)
        elif isinstance(node, n.Call):
            self._see_call(node)

    def _see_arithmetic(self, node: n.BinaryOperation) -> None:
        if node.operator in _ARITHMETIC:
            self._add(self.arrays, node.left, node.right)
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if not isinstance(other, n.Constant):
                continue
            if node.operator == "+":
                self._add(self.arrays, one)
            if node.operator in _NOT_OF_LISTS or isinstance(other.value, float):
                self._add(self.arithmetic, one)

    def _see_subscript(self, node: n.Subscript) -> None:
        index = node.index
        if isinstance(index, n.Constant) and isinstance(index.value, str):
            self._add(self.containers, node.value)
        elif isinstance(index, n.Display) and index.kind == "tuple":
            self._add(self.arrays, node.value)

    def _see_call(self, node: n.Call) -> None:
        function = node.function
        if isinstance(function, n.Name) and function.id in _STRUCTURE_TESTS:
            if function.id != "len" and node.arguments:
                self._add(self.containers, node.arguments[0].value)
            return
        name = self.resolve(function)
        if name is None:
            return
        module, _, short = name.rpartition(".")
        if module in jax_api.ARRAY_MODULES and short not in _TAKES_CONTAINERS:
            if module != jax_api.LAX:
                values = [
                    item.value for item in node.arguments if not item.star and not item.keyword
                ]
                self._add(self.arrays, *values)

    def _add(self, found: set[str], *nodes: n.Node) -> None:
        for node in nodes:
            name = self._name(node)
            if name is not None:
                found.add(name)
