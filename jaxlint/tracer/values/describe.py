"""How a value reads: in literate tests, in hovers, in explanations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.events import Reason
from jaxlint.tracer.values.arrays import (
    Array,
    AtProperty,
    Bounds,
    Donated,
    NumpyArray,
    Ref,
    Tree,
)
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.avals import describe as describe_aval
from jaxlint.tracer.values.containers import Contents, Entries, Mapping, Sequence
from jaxlint.tracer.values.externals import External, Stateful
from jaxlint.tracer.values.objects import (
    BoundMethod,
    Choice,
    Class,
    Descriptor,
    Function,
    Imported,
    Instance,
    Method,
    Module,
    Partial,
    Qualified,
    Super,
    Traits,
    Transformed,
)
from jaxlint.tracer.values.value import Clock, Const, Host, Unknown, Value

_TRACER = {
    "abstract": "tracer",
    "mapped": "vmap tracer",
    "replicated": "replicated tracer",
    "differentiated": "grad tracer",
}


def describe(value: Value) -> str:
    """One short line: ``tracer f32[3] from x of step``, ``list of int``, ``unknown``."""
    return _DESCRIPTIONS[type(value)](value)


def _aval(aval: Aval) -> str:
    return "*" if aval.shape is None and aval.dtype is None else describe_aval(aval)


def _array(value: Array) -> str:
    if value.traced:
        kind, suffix = _TRACER[value.concreteness], _origin(value.reason)
    else:
        kind, suffix = ("array" if value.traced is False else "array?"), ""
    if value.prng is not None or value.dtype == "key":
        count = value.prng.count if value.prng is not None else None
        return f"{kind} {'key' if count is None else f'keys[{count}]'}{suffix}"
    return f"{kind} {_aval(value.aval)}{suffix}"


def _origin(reason: Reason | None) -> str:
    """The parameter that a tracer comes from."""
    root = reason.root if reason is not None else None
    if root is None or root.role != "parameter" or not root.owner:
        return ""
    return f" from {root.subject} of {root.owner}"


def _unknown(value: Unknown) -> str:
    kind = "unknown of tracers" if value.source is not None else "unknown"
    return f"{kind} not None" if value.present else kind


def _tree(value: Tree) -> str:
    return ("pytree container" if value.container else "pytree") + _origin(value.reason)


def _numpy(value: NumpyArray) -> str:
    known = value.aval.shape is not None or value.aval.dtype is not None
    return f"numpy array {_aval(value.aval)}" if known else "numpy array"


def _const(value: Const) -> str:
    if value.value is None:
        return "None"
    return f"{type(value.value).__name__} {value.value!r}"


def _sequence(value: Sequence) -> str:
    contents = value.contents
    if contents.items is None:
        return f"{value.kind} of {describe(contents.element)}"
    return f"{value.kind}({', '.join(map(describe, contents.items))})"


def _mapping(value: Mapping) -> str:
    entries = value.entries
    if not entries.known and entries.rest is not None:
        return f"dict of {describe(entries.rest)}"
    parts = [f"{name}: {describe(item)}" for name, item in entries.known.items()]
    if entries.rest is not None:
        parts.append(f"...: {describe(entries.rest)}")
    return f"dict({', '.join(parts)})"


def _bound(value: BoundMethod) -> str:
    function = value.function
    while isinstance(function, (Transformed, Partial, Descriptor)):
        function = function.function
    name = function.code.name if isinstance(function, Function) else describe(function)
    receiver = value.receiver
    owner = receiver.cls if isinstance(receiver, Instance) else receiver
    return f"bound method {owner.name}.{name}" if isinstance(owner, Class) else "bound method"


def _inner(value: Value) -> str:
    return value.code.name if isinstance(value, Function) else describe(value)


_DESCRIPTIONS: dict[type[Value], Callable[[Any], str]] = {
    Unknown: _unknown,
    Const: _const,
    Host: lambda value: str(value.type),
    Clock: lambda value: "float",
    Array: _array,
    Tree: _tree,
    NumpyArray: _numpy,
    Ref: lambda value: "ref",
    AtProperty: lambda value: "at",
    Bounds: lambda value: "slice",
    Donated: lambda value: f"donated {describe(value.value)}",
    Contents: lambda value: "contents",
    Entries: lambda value: "entries",
    Traits: lambda value: "traits",
    Sequence: _sequence,
    Mapping: _mapping,
    Class: lambda value: f"class {value.name}",
    Instance: lambda value: f"instance of {value.cls.name}",
    Function: lambda value: f"function {value.code.name}",
    BoundMethod: _bound,
    Partial: lambda value: f"partial of {_inner(value.function)}",
    Transformed: lambda value: f"{value.name} of {_inner(value.function)}",
    Qualified: lambda value: f"module {value.name}",
    Imported: lambda value: f"{value.name} of module {value.module.file.name}",
    Module: lambda value: f"module {value.file.name}",
    External: lambda value: f"instance of {value.type}",
    Stateful: lambda value: f"instance of {value.type}",
    Descriptor: lambda value: f"{value.kind} {_inner(value.function)}",
    Super: lambda value: f"super of {value.cls.name}",
    Method: lambda value: f"method {value.name}",
    Choice: lambda value: " or ".join(map(describe, value.options)),
}
