"""What a function's own body, defaults and annotations say of its parameters.

Asked only for parameters of traced functions that nobody in view calls with a
known value: an array, or a container that holds arrays?
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from jaxlint.knowledge import array_names, jax_api, python_api
from jaxlint.knowledge.annotations import ARRAY_ANNOTATIONS, KEY_ANNOTATIONS
from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.program.walk import assigned_names, last_name, walk

Hint = Literal["array", "arithmetic", "number", "container"]
"""``arithmetic``: an array for certain, for a list allows nothing of what is done with it."""
Resolve = Callable[[n.Node], "str | None"]
_Given = tuple[n.Node, frozenset[str]]
"""What is called, and the names of parameters that it is given."""

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


def asserted(code: n.Function) -> frozenset[str]:
    """The names of which a body asserts something, by a function that is given them."""
    tests = [each.test for each in code.body if isinstance(each, n.Assert)]
    calls = [each for each in walk(tests) if isinstance(each, n.Call)]
    values = [argument.value for call in calls for argument in call.arguments]
    return frozenset(value.id for value in values if isinstance(value, n.Name))


def gather(code: n.Function, resolve: Resolve) -> dict[str, Hint]:
    """Parameter name -> what it must be; names without evidence are left out."""
    found: dict[str, Hint] = {}
    uses = once(_uses, code)
    for parameter in code.parameters:
        name = parameter.name
        stated = _stated(parameter, resolve)
        if stated is not None:
            found[name] = stated
        elif name in uses.containers or (name in uses.objects and not parameter.annotation):
            found[name] = "container"
        elif name in uses.arithmetic:
            found[name] = "arithmetic"
        elif name in uses.arrays or _is_taken(name, uses.calls, partial(_takes_arrays, resolve)):
            found[name] = "array"
    return found


def gather_keys(code: n.Function, resolve: Resolve) -> frozenset[str]:
    """Parameters that the body, their annotation or their name says are PRNG keys.

    Only names that people give to keys are looked into: walking every body is slow.
    """
    if not any(_KEY_LIKE.search(parameter.name) for parameter in code.parameters):
        return frozenset()
    uses = once(_key_uses, code)
    return frozenset(
        parameter.name
        for parameter in code.parameters
        if not parameter.kind.endswith("star") and _is_key(parameter, uses, resolve)
    )


def _is_key(parameter: n.Parameter, uses: _KeyUses, resolve: Resolve) -> bool:
    annotation = parameter.annotation
    head = annotation.value if isinstance(annotation, n.Subscript) else annotation
    if head is not None and resolve(head) in KEY_ANNOTATIONS:
        return True
    called_key = parameter.name in jax_api.KEY_NAMES - uses.others
    if called_key and not _is_plain(annotation, resolve):
        return True
    return _is_taken(parameter.name, uses.calls, partial(_takes_keys, resolve))


def _is_taken(name: str, calls: list[_Given], by: Callable[[n.Node], bool]) -> bool:
    """Whether one of the calls that are given a name is of such a function."""
    return any(name in names and by(function) for function, names in calls)


def _takes_arrays(resolve: Resolve, function: n.Node) -> bool:
    """Whether a function of JAX or NumPy takes arrays, one at each position."""
    module, _, short = (resolve(function) or "").rpartition(".")
    is_of_arrays = module in jax_api.ARRAY_MODULES and module != jax_api.LAX
    return is_of_arrays and short not in _TAKES_CONTAINERS


def _takes_keys(resolve: Resolve, function: n.Node) -> bool:
    """Whether a function of ``jax.random`` takes a key."""
    name = resolve(function) or ""
    return name.startswith(jax_api.RANDOM) and name not in jax_api.KEY_MAKERS


def _is_plain(annotation: n.Node | None, resolve: Resolve) -> bool:
    """Whether an annotation names types of Python, and none of JAX: ``key: str | None``."""
    if annotation is None:
        return False
    parts = (each for each in walk([annotation]) if isinstance(each, (n.Name, n.Attribute)))
    named = {resolve(each) for each in parts}
    return not named.isdisjoint(_PLAIN) and named.isdisjoint(KEY_ANNOTATIONS)


@dataclass(frozen=True, slots=True)
class _KeyUses:
    """What a body does that concerns keys.

    Attributes:
        calls: what may take a key.
        others: names with which something is done that nobody does with one.
    """

    calls: list[_Given]
    others: frozenset[str]


def _key_uses(code: n.Function) -> _KeyUses:
    calls: list[_Given] = []
    others: set[str] = set()
    for node in walk(code.body):
        if not isinstance(node, n.Call):
            others.update(_no_keys(node))
        elif keys := _maybe_keys(node):
            calls.append((node.function, keys))
    return _KeyUses(calls, frozenset(others))


def _maybe_keys(node: n.Call) -> frozenset[str]:
    """Names that a call takes for keys, if it is one of ``jax.random``."""
    given = [
        _viewed(item.value)
        for position, item in enumerate(node.arguments)
        if not item.star and (item.keyword == "key" or (position == 0 and item.keyword is None))
    ]
    return frozenset(key.id for key in given if isinstance(key, n.Name))


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
        if name in ARRAY_ANNOTATIONS:
            return "number" if name.startswith("builtins.") else "array"
        if (name or "").rpartition(".")[2] in _CONTAINER_NAMES:
            return "container"
    default = parameter.default
    if isinstance(default, n.Constant) and isinstance(default.value, (bool, int, float, complex)):
        return "number"
    return None


def _uses(code: n.Function) -> _Uses:
    uses = _Uses({parameter.name for parameter in code.parameters})
    for statement in code.body:
        for node in walk([statement]):
            uses.see(node)
        # From here on a name that was bound anew is no parameter.
        uses.names -= assigned_names([statement])
    return uses


class _Uses:
    """Collects what is done with some names.

    Attributes:
        arrays, arithmetic, containers: names that must be that.
        objects: names that are asked for what no array has.
        calls: what is given some of them, by position.
        _modules: questions for a type of which only its module is looked at, which is that of JAX
            or of NumPy.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        self.calls: list[_Given] = []
        self.arrays: set[str] = set()
        self.arithmetic: set[str] = set()
        self.containers: set[str] = set()
        self.objects: set[str] = set()
        self._modules: set[int] = set()

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
            if node.attr in jax_api.ARRAY_EVIDENCE - jax_api.OF_DISTRIBUTIONS:
                self._add(self.arrays, node.value)
            elif node.attr == python_api.MODULE_OF_TYPE:
                self._modules.add(id(node.value))
            elif node.attr in _CONTAINER_METHODS:
                self._add(self.containers, node.value)
            elif _is_of_an_object(node.attr):
                self._add(self.objects, node.value)
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
        if isinstance(function, n.Name) and function.id in python_api.ASKS_KIND:
            other = function.id == "len" or id(node) in self._modules or not node.arguments
            if not other and not _asks_for_tracer(node):
                self._add(self.containers, node.arguments[0].value)
            return
        given = [item.value for item in node.arguments if not item.star and not item.keyword]
        names = frozenset(filter(None, map(self._name, given)))
        if names:
            self.calls.append((function, names))

    def _add(self, found: set[str], *nodes: n.Node) -> None:
        for node in nodes:
            name = self._name(node)
            if name is not None:
                found.add(name)


def _is_of_an_object(name: str) -> bool:
    """Whether an attribute is one that no array has, nor is asked for in mistake for one."""
    return not array_names.ever_on_arrays(name) and name not in array_names.INSTEAD


def _asks_for_tracer(node: n.Call) -> bool:
    """``isinstance(x, jax.core.Tracer)``: an array, traced or not, as likely as anything."""
    asked = node.arguments[-1].value
    name = last_name(asked)
    return name.endswith(jax_api.NAMES_TRACER)
