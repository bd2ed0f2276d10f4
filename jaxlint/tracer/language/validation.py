"""Data classes whose constructor checks what it is given, and may make something else of it.

A field keeps what it is given where that already is of the type that it is annotated with, and
what the validators of the class make of it; of the rest nothing is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxlint.knowledge import class_api, python_api
from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer.callables import function_like, function_under
from jaxlint.tracer.language.fields import default_of
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Mapping, Sequence, mapping, sequence
from jaxlint.tracer.values.objects import Class, Instance
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Unknown, Value, replace

_WORD = re.compile(r"\w+")
_ANYTHING = frozenset({"Any", "object"})


def is_validated(cls: Class) -> bool:
    """Whether the constructor of a class checks its fields."""
    return cls.traits.module in class_api.VALIDATED_BASES


def fill_validated(tracer: Tracer, instance: Instance, arguments: Arguments, node: n.Node) -> None:
    """What the constructor of such a class does."""
    cls = instance.cls
    sure = arguments.closed and not arguments.args and _is_plain(tracer, cls)
    annotations = dict(_annotations(cls))
    for name, field in (cls.traits.fields or {}).items():
        given = arguments.kwargs.get(name)
        value: Value = UNKNOWN
        words = set(_words(annotations[name])) if name in annotations else set()
        changes = name.startswith("_") or not words.isdisjoint(python_api.CHANGES_OF_FIELDS)
        if not sure or changes:
            pass
        elif given is not None:
            value = _validated(tracer, cls, name, given, words, node)
        else:
            value = default_of(tracer, cls, name, field)
        tracer.trail.set(instance.attributes, name, instance.named(name, value))
    for name, decorator, code in _validators(tracer, cls):
        if name in python_api.MODEL_VALIDATORS and _mode(decorator) == "after":
            function = function_under(cls.find(code.name) or NONE)
            if function is not None and function.code is code:
                tracer.call(function, Arguments((instance,)), node)


def copy_validated(tracer: Tracer, instance: Instance, arguments: Arguments) -> Value:
    """A copy with other values in some fields, which nothing checks."""
    update = arguments.get(0, "update") if arguments.closed and not arguments.args else UNKNOWN
    if update is None or update is NONE:
        update = mapping({}, None, None)
    if not isinstance(update, Mapping) or update.entries.rest is not None:
        return UNKNOWN
    attributes = {**instance.attributes, **update.entries.known}
    return replace(instance, attributes=attributes, made=tracer.stack.moment())


def _annotations(cls: Class) -> Iterator[tuple[str, n.AnnotatedAssign]]:
    """The fields of a class, and where they are declared; those of the class itself come last."""
    for each in (*reversed(cls.above), cls):
        for statement in each.definition.body:
            if isinstance(statement, n.AnnotatedAssign) and isinstance(statement.target, n.Name):
                yield statement.target.id, statement


def _validators(tracer: Tracer, cls: Class) -> Iterator[tuple[str, n.Call, n.Function]]:
    """The decorators of methods that say what else is done with the fields, and the methods."""
    for each in (*reversed(cls.above), cls):
        for statement in each.definition.body:
            if isinstance(statement, n.FunctionDefinition):
                for decorator in statement.function.decorators:
                    if isinstance(decorator, n.Call):
                        name = qualified_name(tracer, decorator.function, each.frame)
                        if name is not None:
                            yield name, decorator, statement.function


def _mode(decorator: n.Call) -> object:
    """When a validator runs, as far as it says so by a constant."""
    given = {item.keyword: item.value for item in decorator.arguments if item.keyword}
    mode = given.get("mode")
    return mode.value if isinstance(mode, n.Constant) else "after" if mode is None else None


def _is_plain(tracer: Tracer, cls: Class) -> bool:
    """Whether nothing but types and validators of fields decides what the fields hold."""
    for each in (cls, *cls.above):
        if each.definition.decorators or any(base.keyword for base in each.definition.bases):
            return False
        for statement in each.definition.body:
            if isinstance(statement, n.Assign) and any(
                isinstance(target, n.Name) and target.id == "model_config"
                for target in statement.targets
            ):
                if not _is_harmless(statement.value):
                    return False
    for name, decorator, _ in _validators(tracer, cls):
        if name in python_api.MODEL_VALIDATORS and _mode(decorator) != "after":
            return False
        if name in python_api.OLD_VALIDATORS:
            return False
    return cls.find("model_post_init") is None and cls.find("__setattr__") is None


def _is_harmless(config: n.Node) -> bool:
    """Whether options of a class change nothing that is given to its fields."""
    if not isinstance(config, n.Call):
        return False
    return all(item.keyword in python_api.PLAIN_MODEL_OPTIONS for item in config.arguments)


def _validated(
    tracer: Tracer, cls: Class, name: str, value: Value, words: set[str], node: n.Node
) -> Value:
    """What a field holds that is given a value; ``words``: those of its declaration."""
    own = list(_of_field(tracer, cls, name))
    for decorator, code in own:
        if _mode(decorator) == "before":
            value = _run(tracer, cls, code, value, node)
    value = _kept(tracer, value, words)
    for decorator, code in own:
        if _mode(decorator) == "after":
            value = _run(tracer, cls, code, value, node)
        elif _mode(decorator) != "before":
            return UNKNOWN
    return value


def _of_field(tracer: Tracer, cls: Class, field: str) -> Iterator[tuple[n.Call, n.Function]]:
    """The validators of a field; one that a class below defines anew does not run."""
    for name, decorator, code in _validators(tracer, cls):
        if name not in python_api.FIELD_VALIDATORS:
            continue
        function = function_under(cls.find(code.name) or NONE)
        fields = [item.value for item in decorator.arguments if item.keyword is None]
        named = [each.value for each in fields if isinstance(each, n.Constant)]
        own = function is not None and function.code is code
        if len(named) < len(fields) or (own and (field in named or "*" in named)):
            yield decorator, code


def _run(tracer: Tracer, cls: Class, code: n.Function, value: Value, node: n.Node) -> Value:
    """What a validator makes of a value."""
    function = function_under(cls.find(code.name) or NONE)
    if function is None or function.code is not code or isinstance(value, Unknown):
        return UNKNOWN
    more = (UNKNOWN,) * (len(code.parameters) - 2)
    return tracer.call(function, Arguments((cls, value, *more)), node)


def _words(declared: n.AnnotatedAssign) -> Iterator[str]:
    """The names in the annotation of a field, and the options of its declaration."""
    for part in walk([declared.annotation]):
        if isinstance(part, n.Name):
            yield part.id
        elif isinstance(part, n.Attribute):
            yield part.attr
        elif isinstance(part, n.Constant):
            yield from _WORD.findall(str(part.value))
    if isinstance(declared.value, n.Call):
        yield from (item.keyword for item in declared.value.arguments if item.keyword)


def _kept(tracer: Tracer, value: Value, words: set[str]) -> Value:
    """A value, if a field that is annotated with these names keeps what it is given."""
    if not words.isdisjoint(_ANYTHING):
        return value
    if isinstance(value, Instance):
        named = any(each.name in words for each in (value.cls, *value.cls.above))
        return value if named else UNKNOWN
    if value is NONE:
        return value if "Optional" in words or "None" in words else UNKNOWN
    if isinstance(value, Const):
        return _constant(value, words)
    if isinstance(value, Sequence) and value.kind in ("tuple", "list") and value.items is not None:
        kinds = words & {value.kind, value.kind.title()}
        flat = not any(isinstance(item, Sequence) for item in value.items)
        same = flat and all(_kept(tracer, item, words) is item for item in value.items)
        kept = sequence(value.kind, value.contents, tracer.stack.moment())
        return kept if kinds and same else UNKNOWN
    if isinstance(value, (Array, NumpyArray)):
        return value if words & {"Array", "ndarray"} else UNKNOWN
    return value if function_like(value) and "Callable" in words else UNKNOWN


def _constant(value: Const, words: set[str]) -> Value:
    """A constant where a field is annotated with its type; of an int a float may be made."""
    kind = type(value.value).__name__
    if kind in words or ("Literal" in words and str(value.value) in words):
        return value
    if kind == "int" and "float" in words and not words & {"bool", "str"}:
        return Const(float(value.value))
    return UNKNOWN
