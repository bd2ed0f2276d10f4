"""``value.name``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.events import ConcreteAttribute
from jaxlint.knowledge import array_names, class_api, jax_api, python_api
from jaxlint.knowledge.history import ATTRIBUTES as CHANGED_ATTRIBUTES
from jaxlint.knowledge.integers import LIMITS
from jaxlint.knowledge.layers import base_of
from jaxlint.knowledge.libraries import (
    ASKED_BY_METHODS,
    MODES,
    MODULE_METHODS,
    NNX_MODULE,
    PARAMETERS,
    STREAM_METHODS,
    STREAM_OF,
    gives_array,
)
from jaxlint.knowledge.measured import signature_of
from jaxlint.knowledge.optax_api import MADE_OF, OPTIMIZER
from jaxlint.knowledge.packages import is_module
from jaxlint.knowledge.schedules import ASKS_SCHEDULES
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import name_of
from jaxlint.tracer.modules import ask_registry_of_classes, member, outside
from jaxlint.tracer.operations import descriptors
from jaxlint.tracer.operations.forgetting import set_by_constructors
from jaxlint.tracer.operations.making import is_plain
from jaxlint.tracer.operations.misuse import (
    asks_function,
    is_array_here,
    lacks_attribute,
    misused_at,
)
from jaxlint.tracer.operations.ranges import limit
from jaxlint.tracer.operations.unbound import read_unbound
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values import arrays, containers
from jaxlint.tracer.values.arrays import Array, AtProperty, NumpyArray, Ref, Tree
from jaxlint.tracer.values.avals import Aval, Size, transpose
from jaxlint.tracer.values.containers import Mapping, Sequence, mapping, tuple_of
from jaxlint.tracer.values.externals import External, Stateful
from jaxlint.tracer.values.joins import chosen_where
from jaxlint.tracer.values.members import Member
from jaxlint.tracer.values.objects import (
    MAKES,
    PAST_ITS_CLASS,
    UNSEEN,
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
    partial_of,
)
from jaxlint.tracer.values.results import evaluate
from jaxlint.tracer.values.sizes import elements
from jaxlint.tracer.values.value import (
    NONE,
    UNKNOWN,
    Clock,
    Const,
    Host,
    Unknown,
    Value,
    replace,
)

_TREE_METHODS = frozenset({"items", "keys", "values", "get"})
_CALLABLE = (Function, Transformed, Partial, BoundMethod, Class)
_LIBRARY_METHODS = MODULE_METHODS.keys() | MODES.keys() | ASKED_BY_METHODS.keys() | PARAMETERS
_NEW = "__new__"

_DESCRIBED = frozenset({"shape", "dtype", "ndim", "size"})
"""Attributes of what describes an array, which are those of the array."""

_DATA = (Const, Host, Array, NumpyArray, Sequence, Mapping)


def _unknown(tracer: Tracer, value: Unknown, name: str, node: n.Node) -> Value:
    level = tracer.stack.level
    if name == "at":
        return AtProperty(value)
    if value.source is not None and level is not None and level.stages:
        if name in jax_api.PLAIN_EVIDENCE:
            if signature_of(f"{jax_api.ARRAY}.{name}") is not None:
                return Method(value, name)
            return _array(tracer, value.source.as_array(), name, node)
    elif value.symbol is None:
        return UNKNOWN
    symbol = ("attribute", value.symbol, name) if value.symbol is not None else None
    return Unknown(symbol=symbol, source=value.source)


def _qualified(tracer: Tracer, value: Qualified, name: str, node: n.Node) -> Value:
    if asks_function(tracer, value, name, node):
        return UNKNOWN
    qualified = f"{value.name}.{name}"
    tracer.analyses.on_name(qualified, node)
    if name == "__name__" and is_module(value.name):
        return Const(value.name)
    return outside(tracer, qualified)


def _module(tracer: Tracer, value: Module, name: str, node: n.Node) -> Value:
    found = member(tracer, value, name)
    frame = tracer.modules.get(value.file)
    if frame is not None and tracer.stack.level is not None:
        tracer.analyses.on_read(frame, name, node, found)
    return found


# ------------------------------------------------------------------------- arrays


def _array(tracer: Tracer, value: Array, name: str, node: n.Node) -> Value:
    """An attribute of an array; raw keys have an axis more than is known of an array of keys."""
    shape = value.aval.shape if value.prng is None and value.dtype != "key" else None
    if shape is not None and name == "ndim":
        return Const(len(shape))
    if shape is not None and name == "shape":
        return tuple_of(map(size_value, shape))
    if name == "size" and isinstance(count := elements(shape), int):
        return Const(count)
    if refuses_attribute(tracer, value, name, node, called=False):
        return UNKNOWN
    kind = jax_api.ARRAY_HOST_ATTRIBUTES.get(name)
    if kind is not None:
        return Host(kind, name=value.aval.dtype if kind == "dtype" else None)
    if name in CHANGED_ATTRIBUTES:
        tracer.analyses.on_missing_attribute(name, node)
        return UNKNOWN
    if name == "at":
        return AtProperty(value)
    if name in jax_api.ARRAY_ATTRIBUTES:
        return tracer.array([value], node, name, _aval_of(tracer, value, name))
    asked = node.value if isinstance(node, n.Attribute) else None
    if name in array_names.INSTEAD and is_array_here(tracer, value, asked):
        tracer.analyses.on_missing_attribute(name, node)
        return UNKNOWN
    return UNKNOWN if lacks_attribute(tracer, value, name, node) else Method(value, name)


def _aval_of(tracer: Tracer, value: Array, name: str) -> Aval:
    """What an attribute of an array has: its axes turned around, or a part of its numbers."""
    shape = value.aval.shape
    if name == "T":
        return replace(value.aval, shape=shape[::-1] if shape is not None else None)
    if name == "mT":
        turned = (*shape[:-2], *shape[-2:][::-1]) if shape is not None else None
        return replace(value.aval, shape=turned)
    return evaluate(f"{jax_api.NUMPY}.{name}", {"val": value.aval}, tracer.settings.x64).aval


def _ref(tracer: Tracer, value: Ref, name: str, node: n.Node) -> Value:
    if name == "at":
        return AtProperty(value)
    described = name in _DESCRIBED
    return _array(tracer, Array(False, value.aval), name, node) if described else UNKNOWN


def _at(tracer: Tracer, value: AtProperty, name: str, node: n.Node) -> Value:
    """A method, once it is indexed."""
    known = value.indexed and (name in jax_api.AT_UPDATES or name == "get")
    if not known and misused_at(tracer, value, "asked", node):
        return UNKNOWN
    return Method(value, name)


def refuses_attribute(
    tracer: Tracer, value: Array, name: str, node: n.Node, *, called: bool
) -> bool:
    """Whether a tracer raises when it is asked for what arrays with data alone have."""
    way = array_names.refused_by_tracers(name)
    if way is None or called is not (way == "called"):
        return False
    if not value.traced or value.concreteness == "replicated":
        return False
    frame = tracer.stack.frame
    guarded = bool(frame.guards) or frame.api_guards > 0
    context = tracer.context(node, node, value, guarded=guarded)
    tracer.emit(ConcreteAttribute(context, name, called))
    return True


def size_value(size: int | Size | None) -> Value:
    """The size of an axis as a Python value."""
    if isinstance(size, int):
        return Const(size)
    return Host("int", size=size)


def _tree(tracer: Tracer, value: Tree, name: str, node: n.Node) -> Value:
    if name in value.static:
        return UNKNOWN
    if name in jax_api.OF_DISTRIBUTIONS and not value.container:
        return Method(value, name)
    if name == "at" and not value.container:
        # Other objects have a method of that name: indices say that it is an array.
        return AtProperty(replace(value.as_array(), assumed=True))
    if name in jax_api.ARRAY_EVIDENCE and not value.container:
        return _array(tracer, value.as_array(), name, node)
    changes = value.container and name in python_api.CHANGES_CONTAINERS
    if changes or name in _TREE_METHODS or name in jax_api.LOOKS_LIKE_UPDATE:
        return Method(value, name)
    # An attribute of a state object: a leaf, or a static field, which is no array.
    return tracer.unseen(value)


def _numpy(tracer: Tracer, value: NumpyArray, name: str, node: n.Node) -> Value:
    if name == "ndim" and value.aval.shape is not None:
        return Const(len(value.aval.shape))
    if name == "shape" and value.aval.shape is not None:
        return tuple_of(map(size_value, value.aval.shape))
    if name == "T":
        return NumpyArray(Aval(transpose(value.aval).aval.shape))
    kind = jax_api.ARRAY_HOST_ATTRIBUTES.get(name)
    return Host(kind) if kind is not None else Method(value, name)


# ------------------------------------------------------------------------ objects


def _instance(tracer: Tracer, value: Instance, name: str, node: n.Node) -> Value:
    found = value.attributes.get(name)
    if found is not None:
        if not isinstance(found, _CALLABLE):
            tracer.analyses.on_read_attribute(value, name, node)
        return found
    if name in tracer.awaited.of_classes:
        ask_registry_of_classes(tracer, name)
    found = value.cls.find(name)
    if found is None:
        return _not_defined(tracer, value, name, node)
    if isinstance(found, (Function, Transformed, Partial)):
        return BoundMethod(value, found, tracer.stack.moment())
    if isinstance(found, Descriptor):
        return descriptors.of_object(tracer, value, found, node)
    if isinstance(found, (Class, Qualified)) and not value.heir:
        if name not in (value.cls.traits.fields or ()):
            return found
    if value.open:
        return value.named(name)
    if isinstance(found, _DATA):
        tracer.analyses.on_read_attribute(value, name, node)
    return found


def _not_defined(tracer: Tracer, value: Instance, name: str, node: n.Node) -> Value:
    """An attribute that neither the object has nor its class, as far as anybody can see."""
    if value.cls.traits.pytree == "namedtuple" and name in ("_replace", "_asdict"):
        return Method(value, name)
    if value.cls.traits.pytree == "dataclass" and name == "replace":
        return Method(value, "_replace")
    if name == "model_copy" and value.cls.traits.module in class_api.VALIDATED_BASES:
        return Method(value, name)
    if (value.cls.traits.module, name) in _LIBRARY_METHODS:
        return Method(value, name)
    if name == "__class__":
        return value.cls
    named = UNKNOWN if read_unbound(tracer, value, name, node) else _unset(value, name)
    return _computed(tracer, value, name, named, node)


def _unset(value: Instance, name: str) -> Value:
    """An attribute that nobody in view sets: a constructor does, if it is none that is run."""
    named = value.named(name)
    if isinstance(named, Unknown) and not value.open and name in set_by_constructors(value.cls):
        return replace(named, passed=True)
    return named


def _computed(tracer: Tracer, value: Instance, name: str, named: Value, node: n.Node) -> Value:
    """An attribute that an object lacks: ``__getattr__`` of its class gives it, if there is one."""
    getter, traits = value.cls.find("__getattr__"), value.cls.traits
    lacks = not (value.open or value.heir or (isinstance(named, Unknown) and named.passed))
    if not isinstance(getter, Function) or not lacks or name.startswith("__"):
        return named
    if traits.module or traits.pytree == "namedtuple":
        return named  # A base that is not in view has attributes of its own.
    if any(_fills_by_dict(tracer, each) for each in (value.cls, *value.cls.above)):
        return named
    return tracer.call(getter, Arguments((value, Const(name))), node)


def _fills_by_dict(tracer: Tracer, cls: Class) -> bool:
    """Whether the module of a class may set attributes as the items of a dict."""
    module = cls.frame.globals.program or tracer.module
    return not python_api.DICT_OF_ATTRIBUTES.isdisjoint(module.loaded)


def _class(tracer: Tracer, value: Class, name: str, node: n.Node) -> Value:
    if name in tracer.awaited.of_classes:
        ask_registry_of_classes(tracer, name)
    found = value.find(name)
    if isinstance(found, Descriptor):
        return descriptors.of_class(tracer, value, found)
    if isinstance(found, _DATA):
        tracer.analyses.on_read_attribute(value, name, node)
    if found is None:
        if (value.traits.module, name) in MODULE_METHODS:
            return Method(value, name)
        if name == _NEW and is_plain(value):
            return Qualified(MAKES)
        if name == class_api.NAMESPACE:
            # What changes it later is not in it.
            own = dict.fromkeys(class_api.OF_EVERY_CLASS, UNKNOWN) | value.attributes
            return mapping(own, made=tracer.stack.moment())
        return Const(value.name) if name == "__name__" else UNKNOWN
    return found


def _super(tracer: Tracer, value: Super, name: str, node: n.Node) -> Value:
    receiver = value.receiver.cls if isinstance(value.receiver, Instance) else value.receiver
    after = receiver.after(value.cls) if isinstance(receiver, Class) else value.cls.above
    for base in after:
        found = base.attributes.get(name)
        if name != _NEW and isinstance(found, (Function, Transformed)):
            return BoundMethod(value.receiver, found, tracer.stack.moment())
        if isinstance(found, Descriptor) and isinstance(value.receiver, Instance):
            return descriptors.of_object(tracer, value.receiver, found, node)
        if isinstance(found, Descriptor) and isinstance(value.receiver, Class):
            return descriptors.of_class(tracer, value.receiver, found)
        if found is not None:
            return found
    if name == _NEW and is_plain(value.cls):
        return Qualified(MAKES)
    if isinstance(value.receiver, Instance):
        if name == "__init__" and value.receiver.cls.traits.module in class_api.VALIDATED_BASES:
            return Method(value.receiver, name)
        if name == "__setattr__":
            setter = Qualified(PAST_ITS_CLASS)
            return partial_of(setter, (value.receiver,), {}, tracer.stack.moment())
        tracer.trail.set(value.receiver.attributes, UNSEEN, UNKNOWN)
    return UNKNOWN


def _choice(tracer: Tracer, value: Choice, name: str, node: n.Node) -> Value:
    options = value.possible(tracer.facts)
    found = [tracer.attribute(option, name, node) for option, _ in options]
    return chosen_where(found, [when for _, when in options])


def _function(tracer: Tracer, value: Function, name: str, node: n.Node) -> Value:
    if name == "__name__":
        return Const("<lambda>" if value.code.is_lambda else name_of(value))
    if value.cached and name == python_api.CLEARS_CACHE:
        tracer.memo.cached.pop(id(value), None)
    return Method(value, name) if name in jax_api.RULE_METHODS else UNKNOWN


def _partial(tracer: Tracer, value: Partial, name: str, node: n.Node) -> Value:
    if asks_function(tracer, value, name, node):
        return UNKNOWN
    return value.function if name == "func" else UNKNOWN


def _transformed(tracer: Tracer, value: Transformed, name: str, node: n.Node) -> Value:
    row = value.transform.parts
    if row is None or row.entry(name) is None:
        return Method(value, name)
    built = tracer.call(value.function, Arguments(), node)
    if not isinstance(built, Sequence) or built.items is None or len(built.items) != 2:
        return UNKNOWN
    made = tracer.stack.moment()

    def part(function: Value) -> Value:
        return Method(Transformed(row, value.name, function, {}, value.node, made), name)

    init, applied = built.items
    if row.entries[0].name == name:
        return part(init)
    if isinstance(applied, Sequence) and applied.items is not None:
        return tuple_of(map(part, applied.items))
    if isinstance(applied, Mapping):
        return mapping({key: part(item) for key, item in applied.entries.known.items()})
    return part(applied)


# ------------------------------------------------------------------------- others


def _method(tracer: Tracer, value: Value, name: str, node: n.Node) -> Value:
    return Method(value, name)


def _external(tracer: Tracer, value: External, name: str, node: n.Node) -> Value:
    if value.aval is not None and value.type == LIMITS:
        return limit(value.aval, name)
    if value.aval is not None:
        described = Array(False, value.aval)
        return _array(tracer, described, name, node) if name in _DESCRIBED else UNKNOWN
    if value.type == jax_api.TREE_DEFINITION and name == "unflatten":
        return partial_of(Qualified(jax_api.TREE_UNFLATTEN), (value,), {}, tracer.stack.moment())
    if (base_of(value.type), name) in MODULE_METHODS or _is_density(value, name):
        return Method(value, name)
    if value.type == OPTIMIZER and name in MADE_OF and value.functions:
        return value.functions[MADE_OF.index(name)]
    links = (value.each or ()) if (value.type, name) in ASKS_SCHEDULES else ()
    return Qualified(f"{value.type}.{name}", value.made, links)


def _is_density(value: External, name: str) -> bool:
    """Whether it is a method of a distribution that gives an array of its parameters."""
    return bool(value.given) and gives_array(f"{value.type}.{name}")


def _stateful(tracer: Tracer, value: Stateful, name: str, node: n.Node) -> Value:
    if (NNX_MODULE, name) in MODES:
        return Method(value, name)
    if value.type in STREAM_OF and name not in STREAM_METHODS:
        return replace(value, type=STREAM_OF[value.type])
    return tracer.unseen(value)


def _const(tracer: Tracer, value: Const, name: str, node: n.Node) -> Value:
    if value is NONE:
        return UNKNOWN
    if isinstance(value.value, Member) and name in ("value", "name"):
        return Const(value.value.name if name == "name" else value.value.content)
    found = value.value.owner.find(name) if isinstance(value.value, Member) else None
    if isinstance(found, Function):
        return BoundMethod(value, found, tracer.stack.moment())
    if isinstance(found, Descriptor) and found.kind == "property":
        return tracer.call(found.function, Arguments((value,)), node)
    return Method(value, name) if isinstance(value.value, str) else Host("object")


def _host(tracer: Tracer, value: Host, name: str, node: n.Node) -> Value:
    if asks_function(tracer, value, name, node):
        return UNKNOWN
    if value.type == "str":
        return Method(value, name)
    if value.of is not None and name in python_api.NAMES_OF_TYPES:
        return Host("str", of=value.of)
    if value.of is not None and name == python_api.MODULE_OF_TYPE:
        return Host("str", of=value.of, name=name)
    symbol = ("attribute", value.symbol, name) if value.symbol is not None else None
    return Host("object", symbol=symbol, differs=value.differs)


def _nothing(tracer: Tracer, value: Value, name: str, node: n.Node) -> Value:
    return UNKNOWN


ATTRIBUTES: dict[type[Value], Callable[[Tracer, Any, str, n.Node], Value]] = {
    Unknown: _unknown,
    Const: _const,
    Host: _host,
    Clock: _nothing,
    Array: _array,
    Tree: _tree,
    NumpyArray: _numpy,
    arrays.Ref: _ref,
    AtProperty: _at,
    arrays.Bounds: _nothing,
    arrays.Donated: _nothing,
    containers.Contents: _nothing,
    containers.Entries: _nothing,
    Sequence: _method,
    Mapping: _method,
    Traits: _nothing,
    Class: _class,
    Instance: _instance,
    Function: _function,
    BoundMethod: _nothing,
    Partial: _partial,
    Transformed: _transformed,
    Qualified: _qualified,
    Imported: _nothing,
    Module: _module,
    External: _external,
    Stateful: _stateful,
    Descriptor: descriptors.part,
    Super: _super,
    Choice: _choice,
    Method: _nothing,
}
