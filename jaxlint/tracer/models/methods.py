"""Methods of values that are not of the program: arrays, lists, dicts, strings, ``x.at[i]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.knowledge import jax_api, numpy_api, processes, python_api
from jaxlint.knowledge.libraries import MODES, NNX_MODULE
from jaxlint.program import nodes as n
from jaxlint.tracer.language.placing import note_class
from jaxlint.tracer.language.validation import copy_validated, fill_validated
from jaxlint.tracer.models.dispatching import register
from jaxlint.tracer.models.keys import use_by_method, view_of_keys
from jaxlint.tracer.models.measured import measured_result, measured_shape
from jaxlint.tracer.models.meshes import are_devices
from jaxlint.tracer.models.modules import layer_method, module_method
from jaxlint.tracer.models.refusals import refused_by_method
from jaxlint.tracer.models.strings import string_method
from jaxlint.tracer.operations.attributes import refuses_attribute
from jaxlint.tracer.operations.changed import element_at
from jaxlint.tracer.operations.conversions import hashed, number
from jaxlint.tracer.operations.fit import note_update, part_at
from jaxlint.tracer.operations.forgetting import forget, set_mode
from jaxlint.tracer.operations.items import fresh, part_of
from jaxlint.tracer.operations.iteration import iterate
from jaxlint.tracer.operations.lookups import entry
from jaxlint.tracer.operations.ranges import note_beyond
from jaxlint.tracer.operations.stores import mutate
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.apply import call_entry
from jaxlint.tracer.transforms.rules import give_rules
from jaxlint.tracer.values.arrays import ANY, Array, AtProperty, NumpyArray, Tree
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    contents_like,
    contents_of,
    iterator_of,
    mapping,
    sequence,
    tuple_of,
)
from jaxlint.tracer.values.externals import External, Stateful
from jaxlint.tracer.values.joins import any_element, any_entry, join
from jaxlint.tracer.values.objects import (
    Choice,
    Class,
    Descriptor,
    Function,
    Instance,
    Method,
    Transformed,
)
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.value import (
    LOOKED_UP,
    NONE,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
    replace,
)


def call_method(tracer: Tracer, function: Method, arguments: Arguments, node: n.Node) -> Value:
    """Call a method of a value that is not of the program."""
    model = _METHODS.get(type(function.receiver))
    if model is not None:
        return model(tracer, function.receiver, function.name, arguments, node)
    tracer.analyses.on_wait(None, node, "")
    forget(tracer, arguments.all())
    return tracer.unseen(function.receiver, *arguments.all())


def _class(tracer: Tracer, receiver: Class, name: str, arguments: Arguments, node: n.Node) -> Value:
    """What a library binds is an object: its class takes that first."""
    first = arguments.get(0)
    if isinstance(first, (Mapping, Sequence)) or (isinstance(first, Array) and not first.assumed):
        note_class(tracer, receiver, name, node)
    forget(tracer, arguments.all())
    return tracer.unseen(*arguments.all())


# -------------------------------------------------------------------------- arrays


def _array(tracer: Tracer, receiver: Array, name: str, arguments: Arguments, node: n.Node) -> Value:
    if name in ("item", "tolist", "block_until_ready"):
        waited = None if name == "block_until_ready" else receiver
        tracer.analyses.on_wait(waited, node, f".{name}()")
    if name in ("item", "tolist"):
        number(tracer, receiver, node, f".{name}()")
        return UNKNOWN
    if name in ("astype", "view"):
        wanted = arguments.get(0, "dtype")
        if wanted is not None:
            where = next(iter(argument_nodes(node)), None) or keyword_node(node, "dtype")
            tracer.analyses.on_dtype(wanted, where, node)
    elif refuses_attribute(tracer, receiver, name, node, called=True):
        return UNKNOWN
    whole = arguments.prepend(receiver)
    tracer.analyses.on_call(f"{jax_api.ARRAY}.{name}", whole, node)
    if refused_by_method(tracer, receiver, name, arguments, node):
        return UNKNOWN
    if name == "block_until_ready":
        return receiver
    found = measured_result(tracer, f"{jax_api.ARRAY}.{name}", whole, node)
    return view_of_keys(tracer, found, name, whole, node) if found is not None else UNKNOWN


def _at(
    tracer: Tracer, receiver: AtProperty, name: str, arguments: Arguments, node: n.Node
) -> Value:
    if name not in jax_api.AT_UPDATES and name != "get":
        return UNKNOWN
    base = receiver.array
    if isinstance(base, Unknown):  # An array of JAX, or something with an `at` of its own.
        return tracer.unseen(base, *arguments.all())
    if isinstance(base, Array) and receiver.index is not None and not arguments.kwargs:
        note_beyond(tracer, base, receiver.index, node, writes=name != "get")
    aval = base.aval if isinstance(base, Array) and name != "get" else ANY
    if isinstance(base, Array) and receiver.index is not None:
        note_update(tracer, base, receiver.index, arguments, node)
        aval = part_at(base, receiver.index).aval if name == "get" else aval
    return tracer.array([base, *arguments.all()], node, f".at[].{name}", aval)


def _unknown(
    tracer: Tracer, receiver: Unknown, name: str, arguments: Arguments, node: n.Node
) -> Value:
    """An array has such a method, and takes no arrays with it; others may take anything."""
    if name in processes.KEEPS_DEVICES and are_devices(receiver):
        return receiver
    plain = all(isinstance(value, (Const, Host)) for value in arguments.all())
    if receiver.source is not None and plain and arguments.closed:
        return _of_array_or_distribution(tracer, receiver.source, name, arguments, node)
    tracer.analyses.on_wait(None, node, "")
    forget(tracer, arguments.all())
    return tracer.unseen(receiver, *arguments.all())


def _of_array_or_distribution(
    tracer: Tracer, receiver: Tree, name: str, arguments: Arguments, node: n.Node
) -> Value:
    found = _array(tracer, receiver.as_array(), name, arguments, node)
    if isinstance(found, Array) and name in jax_api.OF_DISTRIBUTIONS:
        return replace(found, aval=ANY)
    return found


def _numpy(
    tracer: Tracer, receiver: NumpyArray, name: str, arguments: Arguments, node: n.Node
) -> Value:
    if name in python_api.CHANGES_NUMPY:
        tracer.analyses.on_mutate(receiver, name, [], node, _receiver_node(node))
    if name in ("item", "tolist"):
        return Host("object")
    if name in numpy_api.NO_ARRAYS:
        return Host(numpy_api.NO_ARRAYS[name])
    if any(tracers(value) for value in arguments.all()):
        return UNKNOWN
    if name not in numpy_api.METHODS_SHAPED_AS_JAX:
        return NumpyArray()
    shape = measured_shape(tracer, f"{jax_api.ARRAY}.{name}", arguments.prepend(receiver))
    return NumpyArray(Aval(shape))


def _tree(tracer: Tracer, receiver: Tree, name: str, arguments: Arguments, node: n.Node) -> Value:
    if name in jax_api.OF_DISTRIBUTIONS:
        return _of_array_or_distribution(tracer, receiver, name, arguments, node)
    inner = part_of(tracer, receiver, UNKNOWN, node)
    if name in python_api.CHANGES_CONTAINERS:
        tracer.analyses.on_mutate(receiver, name, list(arguments.args), node, _receiver_node(node))
    if name == "items":
        return Sequence("iterator", contents_like(tuple_of([UNKNOWN, inner])))
    if name == "values":
        return Sequence("iterator", contents_like(inner))
    # None, or a part of it; with a default that as well.
    if name != "get" or len(arguments.args) != 1:
        return UNKNOWN
    return replace(tracer.unseen(receiver), symbol=(LOOKED_UP, id(node)))


# ---------------------------------------------------------------------- containers


def _sequence(
    tracer: Tracer, receiver: Sequence, name: str, arguments: Arguments, node: n.Node
) -> Value:
    kind = "set" if receiver.kind == "set" else "list"
    if receiver.cell is not None and name in python_api.MUTATING_METHODS[kind]:
        element = any_element(receiver)
        values = list(arguments.args[1:] if name == "insert" else arguments.args)
        if name in ("extend", "extendleft"):
            values = [_listed(tracer, each, node) for each in values]
        place = None
        if name in ("remove", "pop", "popleft"):
            values, place = [], _taken_out(receiver, name, arguments)
        elif name == "insert":
            place = arguments.get(0)
        taken = element_at(receiver, place)
        mutate(tracer, receiver, name, values, node, _receiver_node(node), place)
        if name not in ("pop", "popleft"):
            return NONE
        return taken if taken is not None else fresh(tracer, element)
    if name == "copy":
        return sequence(receiver.kind, receiver.contents, tracer.stack.moment())
    return Host("int") if name in ("index", "count") else UNKNOWN


def _listed(tracer: Tracer, value: Value, node: n.Node) -> Value:
    """What a list is extended by: an array gives its elements, too."""
    if not isinstance(value, (Array, NumpyArray)):
        return value
    elements = iterate(tracer, value, node)
    if isinstance(elements, list):
        return Sequence("iterator", contents_of(elements))
    return Sequence("iterator", contents_like(elements))


def _taken_out(receiver: Sequence, name: str, arguments: Arguments) -> Value | None:
    """The place of what a method takes out of a list; None: nobody knows."""
    if receiver.kind == "set":
        return None
    first = arguments.get(0)
    if name == "popleft":
        return Const(0)
    if name == "pop":
        return Const(-1) if first is None else first
    if not isinstance(first, Instance) or first.cls.find("__eq__") is not None:
        return None
    each = enumerate(receiver.items or ())
    return next((Const(place) for place, item in each if _is_object(item, first)), None)


def _is_object(value: Value, instance: Instance) -> bool:
    """Whether a value is this very object."""
    return isinstance(value, Instance) and value.attributes is instance.attributes


def _mapping(
    tracer: Tracer, receiver: Mapping, name: str, arguments: Arguments, node: n.Node
) -> Value:
    first = arguments.args[0] if arguments.args else UNKNOWN
    if name in ("get", "pop", "setdefault"):
        hashed(tracer, first, node, "dict key")
    if name == "setdefault" and len(arguments.args) == 2:
        return _set_default(tracer, receiver, first, arguments, node)
    if name in python_api.MUTATING_METHODS["dict"]:
        return _change(tracer, receiver, name, arguments, node)
    entries = receiver.entries
    if name == "get":
        return _get(tracer, receiver, first, arguments, node)
    if name == "items":
        if entries.rest is None:
            return iterator_of(tuple_of([Const(k), v]) for k, v in entries.known.items())
        return Sequence("iterator", contents_like(tuple_of([UNKNOWN, any_entry(receiver)])))
    if name == "keys":
        if entries.rest is None:
            return iterator_of(Const(key) for key in entries.known)
        return Sequence("iterator", contents_like(UNKNOWN))
    if name == "values":
        if entries.rest is None:
            return iterator_of(entries.known.values())
        return Sequence("iterator", contents_like(any_entry(receiver)))
    if name == "copy":
        return mapping(dict(entries.known), entries.rest, tracer.stack.moment())
    return UNKNOWN


def _set_default(
    tracer: Tracer, receiver: Mapping, key: Value, arguments: Arguments, node: n.Node
) -> Value:
    """The value that stands there, or the one that is put there."""
    default, subject = arguments.args[1], _receiver_node(node)
    entries = receiver.entries
    if isinstance(key, Const):
        if key.value in entries.known:
            return entries.known[key.value]
        if entries.rest is None:
            mutate(tracer, receiver, "[...] =", [default], node, subject, key)
            return default
    mutate(tracer, receiver, "setdefault", [default], node, subject)
    return fresh(tracer, any_entry(receiver))


def _change(
    tracer: Tracer, receiver: Mapping, name: str, arguments: Arguments, node: n.Node
) -> Value:
    taken = _popped(tracer, receiver, arguments, node) if name == "pop" else UNKNOWN
    subject = _receiver_node(node)
    if name == "update":
        values = list(arguments.args)
        if arguments.kwargs or arguments.open_kwargs is not None:
            values.append(mapping(dict(arguments.kwargs), arguments.open_kwargs))
        mutate(tracer, receiver, name, values, node, subject)
        return NONE
    place = arguments.get(0) if name == "pop" else None
    mutate(tracer, receiver, name, [], node, subject, place)
    return taken


def _popped(tracer: Tracer, receiver: Mapping, arguments: Arguments, node: n.Node) -> Value:
    """What stands at the key; with a default nobody knows whether anything stands there."""
    key = arguments.get(0) or UNKNOWN
    if len(arguments.args) > 1:
        return _get(tracer, receiver, key, arguments, node)
    if isinstance(key, Const) and key.value in receiver.entries.known:
        return receiver.entries.known[key.value]
    return fresh(tracer, any_entry(receiver))


def _get(
    tracer: Tracer, receiver: Mapping, key: Value, arguments: Arguments, node: n.Node
) -> Value:
    if not isinstance(key, Const):
        # Who gets None asks for it.
        one = entry(receiver, key, arguments.get(1))
        return one if isinstance(one, Choice) else UNKNOWN
    found, rest = receiver.entries.known.get(key.value), receiver.entries.rest
    if found is not None:
        return found
    if rest is None:
        return arguments.get(1) or NONE
    if len(arguments.args) == 1 and tracers(rest):
        return replace(tracer.unseen(rest), symbol=(LOOKED_UP, id(node)))
    return UNKNOWN


# ------------------------------------------------------------------------- objects


def _instance(
    tracer: Tracer, receiver: Instance, name: str, arguments: Arguments, node: n.Node
) -> Value:
    if name == "_replace":
        attributes, rest = {**receiver.attributes}, arguments.open_kwargs
        if rest is not None:
            attributes |= {each: join(held, rest) for each, held in receiver.listed().items()}
        attributes |= arguments.kwargs
        return replace(receiver, attributes=attributes, made=tracer.stack.moment())
    if name == "model_copy":
        return copy_validated(tracer, receiver, arguments)
    if name == "__init__":
        fill_validated(tracer, receiver, arguments, node)
        return NONE
    if name == "_asdict":
        return mapping(receiver.listed(), None, tracer.stack.moment())
    return module_method(tracer, receiver, name, arguments, node)


def _stateful(
    tracer: Tracer, receiver: Stateful, name: str, arguments: Arguments, node: n.Node
) -> Value:
    set_mode(tracer, receiver, MODES[NNX_MODULE, name])
    return UNKNOWN


def _transformed(
    tracer: Tracer, receiver: Transformed, name: str, arguments: Arguments, node: n.Node
) -> Value:
    if name in jax_api.RULE_METHODS and receiver.transform.takes_rules:
        give_rules(tracer, receiver, name, arguments)
        return arguments.args[0] if len(arguments.args) == 1 else NONE
    if name == jax_api.CLEARS_ITS_CACHE and receiver.transform.compiles:
        tracer.memo.compile_again(receiver.node.origin)
        return NONE
    use_by_method(tracer, arguments, node)
    entry = receiver.transform.entry(name)
    if entry is not None:
        return call_entry(tracer, receiver, entry, arguments, node)
    return UNKNOWN


def _function(
    tracer: Tracer, receiver: Function, name: str, arguments: Arguments, node: n.Node
) -> Value:
    return arguments.args[0] if len(arguments.args) == 1 else NONE


def _descriptor(
    tracer: Tracer, receiver: Descriptor, name: str, arguments: Arguments, node: n.Node
) -> Value:
    if name == python_api.REGISTERS:
        return register(tracer, receiver, arguments, node)
    given = arguments.get(0)
    if receiver.kind != "property" or given is None:
        return UNKNOWN
    if name == "getter":
        return replace(receiver, function=given)
    return replace(receiver, setter=given) if name == "setter" else receiver


def _receiver_node(node: n.Node) -> n.Node:
    function = node.function if isinstance(node, n.Call) else node
    return function.value if isinstance(function, n.Attribute) else function


_METHODS: dict[type[Value], Callable[[Tracer, Any, str, Arguments, n.Node], Value]] = {
    Array: _array,
    Class: _class,
    Unknown: _unknown,
    AtProperty: _at,
    NumpyArray: _numpy,
    Tree: _tree,
    Sequence: _sequence,
    Mapping: _mapping,
    Instance: _instance,
    External: layer_method,
    Stateful: _stateful,
    Transformed: _transformed,
    Function: _function,
    Descriptor: _descriptor,
    Const: string_method,
    Host: string_method,
}
