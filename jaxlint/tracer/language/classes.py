"""Classes of the program and their instances."""

from __future__ import annotations

from dataclasses import replace

from jaxlint.knowledge import jax_api, python_api
from jaxlint.program import nodes as n
from jaxlint.program.walk import statements
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.language.fields import fields_of, fill_fields
from jaxlint.tracer.modules import look_in
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.operations.items import part_of
from jaxlint.tracer.state.arguments import ANYTHING, Arguments
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Tree
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import (
    UNSEEN,
    BoundMethod,
    Class,
    Descriptor,
    Function,
    Instance,
    Partial,
    Qualified,
    Traits,
    Transformed,
)
from jaxlint.tracer.values.value import UNKNOWN, Const, Unknown, Value

_PLAIN_BASES = frozenset(
    {"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol", "enum.Enum",
     "enum.IntEnum"}
)  # fmt: skip
_CHANGES_NOTHING = frozenset({"functools.total_ordering", "typing.final", "builtins.staticmethod"})


# --------------------------------------------------------------------- definitions


def define_class(tracer: Tracer, node: n.ClassDefinition) -> Value:
    """Run a class body and make the class."""
    stack = tracer.stack
    frame = stack.open(node.scope, stack.frame)
    traits, bases = _bases(tracer, node)
    own = fields_of(tracer, node)
    static = {name for name, field in own.items() if field.static}
    traits = replace(
        traits,
        fields={**(traits.fields or {}), **own},
        static_fields=traits.static_fields | static,
    )
    with stack.inside(frame):
        tracer.execute(node.body)
    cell = {"traits": traits}
    cls = Class(node, frame, stack.moment(), bases, frame.names, cell)
    for name, value in list(frame.names.items()):
        frame.names[name] = _adopted(tracer, value, cls)
    for decorator in reversed(node.decorators):
        traits = _decorated(tracer, traits, tracer.evaluate(decorator), decorator)
    cell["traits"] = replace(traits, leaves=_flattened(cls))
    tracer.classes.append(cls)
    return cls


def _bases(tracer: Tracer, node: n.ClassDefinition) -> tuple[Traits, tuple[Value, ...]]:
    traits = Traits()
    bases: list[Value] = []
    for base in node.bases:
        if base.keyword is not None:
            traits = replace(traits, library=traits.library or base.keyword != "metaclass")
            continue
        named = base.value.value if isinstance(base.value, n.Subscript) else base.value
        value = tracer.evaluate(named)
        bases.append(value)
        traits = _with_base(traits, value)
    return traits, tuple(bases)


def _with_base(traits: Traits, base: Value) -> Traits:
    if isinstance(base, Class):
        inherited = base.traits
        return replace(
            traits,
            library=traits.library or inherited.library,
            pytree=traits.pytree or inherited.pytree,
            plain_dataclass=traits.plain_dataclass or inherited.plain_dataclass,
            module=traits.module or inherited.module,
            fields={**(inherited.fields or {}), **(traits.fields or {})},
            static_fields=traits.static_fields | inherited.static_fields,
        )
    name = base.name if isinstance(base, Qualified) else ""
    if name in python_api.PYTREE_BASES:
        pytree = python_api.PYTREE_BASES[name]
        return replace(traits, pytree=pytree, library=pytree != "namedtuple", module=name)
    if name in _PLAIN_BASES:
        return traits
    dataclass = traits.plain_dataclass or name in python_api.DATACLASS_BASES
    return replace(traits, library=True, module=traits.module or name, plain_dataclass=dataclass)


def _decorated(tracer: Tracer, traits: Traits, decorator: Value, node: n.Node) -> Traits:
    frozen = False
    if isinstance(decorator, Partial):
        static = decorator.kwargs.get("meta_fields")
        if isinstance(static, Sequence) and static.items is not None:
            names = {item.value for item in static.items if isinstance(item, Const)}
            traits = replace(traits, static_fields=traits.static_fields | names)
        decorator = decorator.function
    if isinstance(node, n.Call):
        frozen = any(
            argument.keyword in ("frozen", "unsafe_hash")
            and isinstance(argument.value, n.Constant)
            and argument.value.value is True
            for argument in node.arguments
        )
        if not isinstance(decorator, Qualified):
            decorator = tracer.evaluate(node.function)
    name = decorator.name if isinstance(decorator, Qualified) else ""
    if name in python_api.PYTREE_DECORATORS:
        pytree = python_api.PYTREE_DECORATORS[name]
        dataclass = pytree == "dataclass" or traits.plain_dataclass
        return replace(traits, pytree=pytree, plain_dataclass=dataclass)
    if name == "dataclasses.dataclass":
        return replace(traits, plain_dataclass=True, frozen=frozen)
    return traits if name in _CHANGES_NOTHING else replace(traits, library=True)


def _flattened(cls: Class) -> frozenset[str] | None:
    """Attributes that ``tree_flatten`` returns as children, where it says so plainly."""
    method = cls.attributes.get("tree_flatten")
    if not isinstance(method, Function) or not method.code.parameters:
        return None
    receiver = method.code.parameters[0].name
    names: dict[str, n.Node] = {}
    for statement in method.code.body:
        if isinstance(statement, n.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, n.Name):
                names[target.id] = statement.value
        if isinstance(statement, n.Return) and isinstance(statement.value, n.Display):
            children = statement.value.elements[0] if statement.value.elements else None
            if isinstance(children, n.Name):
                children = names.get(children.id)
            return _attributes_of(children, receiver)
    return None


def _attributes_of(children: n.Node | None, receiver: str) -> frozenset[str] | None:
    if not isinstance(children, n.Display):
        return None
    found = set()
    for element in children.elements:
        if not (isinstance(element, n.Attribute) and isinstance(element.value, n.Name)):
            return None
        if element.value.id != receiver:
            return None
        found.add(element.attr)
    return frozenset(found)


def _adopted(tracer: Tracer, value: Value, cls: Class) -> Value:
    """A value of a class body whose function now belongs to the class."""
    if isinstance(value, Function):
        if value.owner is not None or value.made.frame is not cls.frame:
            return value
        adopted = replace(value, owner=cls)
        if tracer.functions.get(id(value.code)) is value:
            tracer.functions[id(value.code)] = adopted
        return adopted
    if isinstance(value, Descriptor) and value.kind == "staticmethod":
        return value
    if isinstance(value, (Transformed, Partial, Descriptor)):
        inner = _adopted(tracer, value.function, cls)
        if inner is value.function:
            return value
        if not isinstance(value, Transformed):
            return replace(value, function=inner)
        wrapper = replace(value, function=inner)
        tracer.made = [wrapper if made is value else made for made in tracer.made]
        return wrapper
    return value


# ----------------------------------------------------------------------- instances


def instantiate(tracer: Tracer, cls: Class, arguments: Arguments, node: n.Node) -> Value:
    """``cls(*arguments)``."""
    attributes: dict[str, Value] = {UNSEEN: UNKNOWN} if cls.traits.library else {}
    instance = Instance(cls, attributes, tracer.stack.moment())
    init = cls.find("__init__")
    if isinstance(init, Function):
        tracer.call(BoundMethod(instance, init, tracer.stack.moment()), arguments, node)
    elif cls.traits.pytree or cls.traits.plain_dataclass:
        fill_fields(tracer, instance, arguments)
        after = cls.find("__post_init__")
        if isinstance(after, Function):
            tracer.call(BoundMethod(instance, after, tracer.stack.moment()), Arguments(), node)
    for name, value in instance.listed().items():
        if function_under(value) is not None and not isinstance(value, Instance):
            tracer.kept.setdefault((id(cls.definition), name), value)
    return instance


def some_instance(tracer: Tracer, cls: Class) -> Instance:
    """An instance that nobody in view made: constructor arguments unknown.

    The functions that it is given are those that an instance in view was given.
    """
    instance = Instance(cls, {UNSEEN: UNKNOWN}, tracer.stack.moment())
    init = cls.find("__init__")
    if isinstance(init, Function):
        tracer.call(init, ANYTHING.prepend(instance), init.code)
    if cls.traits.pytree in ("namedtuple", "dataclass") or cls.traits.plain_dataclass:
        for name in (cls.traits.fields or {}).keys() - instance.attributes.keys():
            tracer.trail.set(instance.attributes, name, instance.named(name))
    set_later = set_outside_init(tracer, cls)
    for name, value in instance.listed().items():
        if name in set_later:
            tracer.trail.set(instance.attributes, name, UNKNOWN)
        elif isinstance(value, Unknown):
            kept = tracer.kept.get((id(cls.definition), name), instance.named(name))
            tracer.trail.set(instance.attributes, name, kept)
    return instance


def plain_data(tracer: Tracer, annotation: n.Node | None, frame: Frame | None) -> Class | None:
    """The pytree class of the program that an annotation names.

    Only one without methods: a class that derives from it holds the same data, but may do
    something else.
    """
    found = annotated(tracer, annotation, frame)
    if found is None or found.traits.pytree not in ("namedtuple", "dataclass"):
        return None
    methods = any(function_under(value) for value in found.attributes.values())
    return None if methods or any(isinstance(base, Class) for base in found.bases) else found


def annotated(tracer: Tracer, annotation: n.Node | None, frame: Frame | None) -> Class | None:
    """The class of the program that an annotation names."""
    name = annotation.id if isinstance(annotation, n.Name) else None
    if isinstance(annotation, n.Constant) and isinstance(annotation.value, str):
        name = annotation.value
    while frame is not None and name not in frame.names:
        frame = frame.parent
    found = look_in(tracer, frame, name) if frame is not None and name is not None else None
    return found if isinstance(found, Class) else None


def traced_data(tracer: Tracer, cls: Class, value: Tree) -> Instance:
    """An instance of a pytree class whose leaves are tracers."""
    attributes: dict[str, Value] = {UNSEEN: UNKNOWN}
    for statement in cls.definition.body:
        if isinstance(statement, n.AnnotatedAssign) and isinstance(statement.target, n.Name):
            annotation = statement.annotation
            head = annotation.value if isinstance(annotation, n.Subscript) else annotation
            array = qualified_name(tracer, head, cls.frame) in jax_api.ARRAY_ANNOTATIONS
            name = statement.target.id
            part = part_of(tracer, value, Const(name), annotation)
            attributes[name] = replace(part.as_array(), assumed=True) if array else part
    static = dict.fromkeys(cls.traits.static_fields & attributes.keys(), UNKNOWN)
    return Instance(cls, {**attributes, **static}, tracer.stack.moment())


def set_outside_init(tracer: Tracer, cls: Class) -> dict[str, n.Node]:
    """Attribute -> where a method other than the constructor sets it on ``self``."""
    found: dict[str, n.Node] = {}
    for name, value in cls.attributes.items():
        function = function_under(value)
        if function is None or name.startswith("__") or name in ("setup", "setUp"):
            continue
        if id(function.code) not in tracer.runs.traced:
            found.update(_attributes_set(tracer, function.code))
    return found


def _attributes_set(tracer: Tracer, code: n.Function) -> dict[str, n.Node]:
    """Attributes that a method assigns on its first parameter, and where; found out once."""
    found = tracer.attributes_set.get(id(code))
    if found is None:
        found = tracer.attributes_set[id(code)] = _assigned_attributes(code)
    return found


def _assigned_attributes(code: n.Function) -> dict[str, n.Node]:
    if not code.parameters:
        return {}
    receiver = code.parameters[0].name
    found: dict[str, n.Node] = {}
    for node in statements(code.body):
        targets: list[n.Node] = []
        if isinstance(node, n.Assign):
            targets = node.targets
        elif isinstance(node, (n.AugmentedAssign, n.AnnotatedAssign)):
            targets = [node.target]
        for target in _flat(targets):
            if isinstance(target, n.Attribute) and isinstance(target.value, n.Name):
                if target.value.id == receiver:
                    found[target.attr] = node
    return found


def _flat(targets: list[n.Node]) -> list[n.Node]:
    """Assignment targets with tuples taken apart."""
    found: list[n.Node] = []
    for target in targets:
        found += _flat(target.elements) if isinstance(target, n.Display) else [target]
    return found
