"""Fields of named tuples and dataclasses, and how a call of the class fills them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TypeGuard

from jaxlint.knowledge import class_api, python_api
from jaxlint.knowledge.packages import KNOWN_LIBRARIES
from jaxlint.program import nodes as n
from jaxlint.program.walk import last_name
from jaxlint.tracer.callables import function_like, function_under, signature
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    hold,
    tuple_of,
)
from jaxlint.tracer.values.objects import (
    Class,
    ClassField,
    Function,
    Instance,
    Partial,
    Qualified,
    Traits,
)
from jaxlint.tracer.values.value import UNKNOWN, Const, Unknown, Value, replace

_KNOWN_BASES = class_api.PYTREE_BASES.keys() | class_api.DATACLASS_BASES
"""Bases out of view that add no fields in front of those of the class."""


_SEEN = (
    KNOWN_LIBRARIES
    | sys.stdlib_module_names
    | {name.partition(".")[0] for name in python_api.FIELD_FACTORIES}
)
"""Packages of which it is known what declares fields."""


def fields_of(tracer: Tracer, node: n.ClassDefinition) -> dict[str, ClassField]:
    """The annotated names of a class body, in order."""
    found: dict[str, ClassField] = {}
    by_keyword = any(_says(item, "kw_only", True) for item in _decorator_options(node))
    for statement in node.body:
        if not (isinstance(statement, n.AnnotatedAssign) and isinstance(statement.target, n.Name)):
            continue
        head = _last_name(statement.annotation)
        if head == "KW_ONLY":
            by_keyword = True
        elif head not in class_api.NO_FIELDS:
            field = _field(tracer, statement.value, by_keyword)
            static = field.static or _is_static(tracer, statement.annotation, tracer.stack.frame)
            found[statement.target.id] = replace(field, static=static)
    return found


def no_fields_of(node: n.ClassDefinition) -> set[str]:
    """The annotated names of a class body that are no fields, whatever its bases say."""
    return {
        statement.target.id
        for statement in node.body
        if isinstance(statement, n.AnnotatedAssign)
        and isinstance(statement.target, n.Name)
        and _last_name(statement.annotation) in class_api.NO_FIELDS
    }


def _decorator_options(node: n.ClassDefinition) -> Iterator[n.Argument]:
    for decorator in node.decorators:
        if isinstance(decorator, n.Call):
            yield from decorator.arguments


def _last_name(annotation: n.Node) -> str:
    head = annotation.value if isinstance(annotation, n.Subscript) else annotation
    return last_name(head)


def annotated_statics(tracer: Tracer, function: Value) -> Value:
    """The names of the parameters of a function that are annotated as static."""
    under = function_under(function)
    frame = under.frame if under is not None else tracer.stack.frame
    names = [
        Const(parameter.name)
        for parameter in signature(function) or ()
        if parameter.annotation is not None and _is_static(tracer, parameter.annotation, frame)
    ]
    return tuple_of(names, tracer.stack.moment())


def _is_static(tracer: Tracer, annotation: n.Node, frame: Frame) -> bool:
    """Whether an annotation says that what has it is static: ``Static[int]``."""
    head = annotation.value if isinstance(annotation, n.Subscript) else annotation
    return qualified_name(tracer, head, frame) in python_api.STATIC_ANNOTATIONS


_COMPARES = frozenset({"compare", "hash", "eq"})
"""Options of a field without which objects are equal, or hashed, without it."""


def _field(tracer: Tracer, default: n.Node | None, by_keyword: bool) -> ClassField:
    if not isinstance(default, n.Call):
        return ClassField(default, keyword_only=by_keyword)
    function, filled = _filled(tracer.evaluate(default.function))
    if _may_declare(function):
        return ClassField(
            default, keyword_only=by_keyword, static=True, converted=True, compared=False
        )
    name = function.name if isinstance(function, Qualified) else ""
    if name not in python_api.FIELD_FACTORIES:
        return ClassField(default, keyword_only=by_keyword)
    options = {**filled, **_written(default)}
    given = {item.keyword: item.value for item in default.arguments}
    factory = given.get("default_factory", given.get("factory"))
    has_default = not filled.keys().isdisjoint({"default", "default_factory", "factory"})
    return ClassField(
        given.get("default", default if has_default else _by_position(default)),
        factory,
        options.get("init") is not False,
        by_keyword or options.get("kw_only") is True,
        name in python_api.STATIC_FIELDS or _make_static(options),
        _COMPARES.isdisjoint(name for name, value in options.items() if value is False),
        not {"converter", "metadata"}.isdisjoint(options),
        _converter(tracer, options.get("converter")),
        _converter(tracer, factory),
    )


def _may_declare(function: Value) -> bool:
    """Whether a call of a function may declare a field of any kind: nobody in view says it."""
    if isinstance(function, Qualified):
        return function.name.partition(".")[0] not in _SEEN
    return isinstance(function, (Function, Unknown))


def _by_position(call: n.Call) -> n.Node | None:
    """The default that a declaration gives first; ``...`` says that there is none."""
    first = call.arguments[0] if call.arguments else None
    if first is None or first.keyword is not None or first.star:
        return None
    required = isinstance(first.value, n.Constant) and first.value.value is Ellipsis
    return None if required else first.value


def _converter(tracer: Tracer, option: object) -> Value | None:
    """The function that an option names."""
    if isinstance(option, n.Node):
        return tracer.evaluate(option)
    return option if isinstance(option, Value) else None


def _filled(function: Value) -> tuple[Value, dict[str, object]]:
    """What a chain of partials calls at last, and the options that they give it."""
    options: dict[str, object] = {}
    while isinstance(function, Partial):
        options = {**dict(map(_option, function.kwargs.items())), **options}
        function = function.function
    return function, options


def _option(item: tuple[str, Value]) -> tuple[str, object]:
    name, value = item
    return name, value.value if isinstance(value, Const) else value


def _written(call: n.Call) -> dict[str, object]:
    """The options that a call names: constants as they are, else the expressions."""
    return {
        item.keyword: item.value.value if isinstance(item.value, n.Constant) else item.value
        for item in call.arguments
        if item.keyword is not None
    }


def _make_static(options: dict[str, object]) -> bool:
    """Whether options of a declaration say that the field is no leaf, or may say so."""
    if options.get("static") is True or options.get("pytree_node") is False:
        return True
    return isinstance(options.get("metadata"), (n.Node, Value))


def _says(option: n.Argument, keyword: str, value: bool) -> bool:
    return (
        option.keyword == keyword
        and isinstance(option.value, n.Constant)
        and option.value.value is value
    )


def fill_fields(tracer: Tracer, instance: Instance, arguments: Arguments) -> None:
    """What the constructor of a named tuple or dataclass does.

    Of a call that it refuses nothing is known.
    """
    traits = instance.cls.traits
    fields = traits.fields or {}
    given = _bound(traits, fields, arguments)
    for name, field in fields.items():
        value = UNKNOWN if given is None else given.get(name)
        if value is None:
            value = default_of(tracer, instance.cls, name, field)
        hold(value)
        tracer.trail.set(instance.attributes, name, instance.named(name, value))


def convert_fields(tracer: Tracer, instance: Instance, node: n.Node) -> None:
    """What the constructor has set goes through the converters that the fields declare."""
    for name, field in (instance.cls.traits.fields or {}).items():
        value = instance.attributes.get(name)
        if field.converter is not None and value is not None:
            converted = tracer.call(field.converter, Arguments((value,)), node)
            tracer.trail.set(instance.attributes, name, converted)


def _bound(
    traits: Traits, fields: dict[str, ClassField], arguments: Arguments
) -> dict[str, Value] | None:
    taken = {name: field for name, field in fields.items() if field.init}
    by_position = [name for name, field in taken.items() if not field.keyword_only]
    unseen = traits.module and traits.module not in _KNOWN_BASES
    if len(arguments.args) > (0 if unseen else len(by_position)):
        return None
    given = dict(zip(by_position, arguments.args, strict=False))
    more = arguments.kwargs.keys() - taken.keys()
    if given.keys() & arguments.kwargs.keys() or (more and not traits.library):
        return None
    given.update(arguments.kwargs)
    if not arguments.closed:
        # Nobody gives a field twice: the others are whatever there is.
        return {name: given.get(name, UNKNOWN) for name in taken}
    complete = all(name in given or field.optional for name, field in taken.items())
    return given if complete else None


def _is_literal(node: n.Node | None) -> TypeGuard[n.Display]:
    """Whether an expression is a tuple of constants."""
    return (
        isinstance(node, n.Display)
        and node.kind == "tuple"
        and all(isinstance(each, n.Constant) for each in node.elements)
    )


def default_of(tracer: Tracer, cls: Class, name: str, field: ClassField) -> Value:
    """What a field holds that a call leaves out."""
    if isinstance(field.default, n.Constant) or _is_literal(field.default):
        return tracer.evaluate(field.default)
    if field.factory is not None and field.maker is not None:
        return tracer.call(field.maker, Arguments(), field.factory)
    # What the class body has made; of a library's call for a field nothing is known.
    made = cls.find(name)
    if field.default is None or (isinstance(made, Function) and made.code.name == name):
        return UNKNOWN  # A method of that name, of a class that derives from the one of the field.
    if isinstance(made, Instance):
        return made
    if not isinstance(field.default, n.Call) and isinstance(made, (Const, Mapping, Sequence)):
        return made
    if made is None or not (isinstance(made, Qualified) or function_like(made)):
        return UNKNOWN
    return made
