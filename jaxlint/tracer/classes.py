"""Classes of the program, their instances, and attribute access on any value."""

from __future__ import annotations

from jaxlint.knowledge import jax_api, python_api
from jaxlint.knowledge.history import ATTRIBUTES
from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.frames import Frame
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.values import (
    NONE,
    UNKNOWN,
    Array,
    AtProperty,
    BoundMethod,
    Builtin,
    Class,
    Const,
    Descriptor,
    External,
    Function,
    Host,
    Instance,
    Mapping,
    NumpyArray,
    Partial,
    Qualified,
    Sequence,
    Super,
    Transformed,
    Tree,
    Value,
)

_PLAIN_BASES = frozenset(
    {"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol", "enum.Enum", "enum.IntEnum"}
)
_TREE_METHODS = frozenset({"items", "keys", "values", "get"})


class Classes(Machine):
    """Defines classes, makes instances, looks attributes up."""

    # ------------------------------------------------------------ definitions

    def define_class(self, node: n.ClassDefinition) -> Value:
        """Run a class body and make the class."""
        frame = Frame(node.scope, self.frame, self.level)
        self.frames.append(frame)
        frame.certain, frame.loops = self.frame.certain, self.frame.loops
        frame.conditional = self.frame.conditional
        cls = Class(node, frame, self.moment())
        for base in node.bases:
            self._add_base(cls, base)
        for name, default in _fields(node):
            cls.fields[name] = default
            if default is not None and _is_static_field(self, default):
                cls.static_fields.add(name)
        outer, self.frame = self.frame, frame
        self.execute(node.body)
        self.frame = outer
        cls.attributes = frame.names
        for value in frame.names.values():
            _adopt(value, cls)
        for decorator in reversed(node.decorators):
            self._decorate_class(cls, self.evaluate(decorator), decorator)
        self.classes.append(cls)
        return cls

    def _add_base(self, cls: Class, base: n.Argument) -> None:
        if base.keyword is not None:
            cls.library = cls.library or base.keyword != "metaclass"
            return
        node = base.value.value if isinstance(base.value, n.Subscript) else base.value
        value = self.evaluate(node)
        if isinstance(value, Class):
            cls.bases.append(value)
            cls.library = cls.library or value.library
            cls.pytree = cls.pytree or value.pytree
            cls.plain_dataclass = cls.plain_dataclass or value.plain_dataclass
            cls.fields.update(value.fields)
            cls.static_fields |= value.static_fields
        elif isinstance(value, Qualified) and value.name in python_api.PYTREE_BASES:
            cls.pytree = python_api.PYTREE_BASES[value.name]
            cls.library = cls.pytree != "namedtuple"
        elif not (isinstance(value, Qualified) and value.name in _PLAIN_BASES):
            cls.library = True

    def _decorate_class(self, cls: Class, decorator: Value, node: n.Node) -> None:
        if isinstance(decorator, Partial):
            static = decorator.kwargs.get("meta_fields")
            if isinstance(static, Sequence) and static.items is not None:
                cls.static_fields |= {
                    item.value for item in static.items if isinstance(item, Const)
                }
            decorator = decorator.function
        if not isinstance(decorator, Qualified) and isinstance(node, n.Call):
            decorator = self.evaluate(node.function)
        name = decorator.name if isinstance(decorator, Qualified) else ""
        if name in python_api.PYTREE_DECORATORS:
            cls.pytree = python_api.PYTREE_DECORATORS[name]
            cls.plain_dataclass = cls.pytree == "dataclass"
        elif name == "dataclasses.dataclass":
            cls.plain_dataclass = True
        elif name not in ("functools.total_ordering", "typing.final"):
            cls.library = True

    # -------------------------------------------------------------- instances

    def instantiate(self, cls: Class, arguments: Arguments, node: n.Node) -> Value:
        """``cls(*arguments)``."""
        instance = Instance(cls, self.moment(), open=cls.library)
        init = cls.find("__init__")
        if isinstance(init, Function):
            self.call(BoundMethod(instance, init, self.moment()), arguments, node)
        elif cls.pytree or cls.plain_dataclass:
            self._fill_fields(instance, arguments)
        return instance

    def _fill_fields(self, instance: Instance, arguments: Arguments) -> None:
        cls = instance.cls
        for position, (name, default) in enumerate(cls.fields.items()):
            value = arguments.get(position, name)
            if value is None:
                value = self.evaluate(default) if isinstance(default, n.Constant) else UNKNOWN
            instance.attributes[name] = value

    def some_instance(self, cls: Class) -> Instance:
        """An instance that nobody in view made: constructor arguments unknown."""
        instance = Instance(cls, self.moment(), open=True)
        init = cls.find("__init__")
        if isinstance(init, Function) and not cls.library:
            unknown = Arguments([instance], {}, UNKNOWN, UNKNOWN)
            self.invoke(init, unknown, init.code)
        for name in [*instance.attributes]:
            if instance.versions.get(name) or name in self.set_outside_init(cls):
                instance.attributes[name] = UNKNOWN
        return instance

    def set_outside_init(self, cls: Class) -> dict[str, n.Node]:
        """Attribute -> where a method other than the constructor sets it on ``self``."""
        found: dict[str, n.Node] = {}
        for name, value in cls.attributes.items():
            function = function_under(value)
            if function is None or name.startswith("__") or name in ("setup", "setUp"):
                continue
            if id(function.code) in self.ran_traced:
                continue
            found.update(attributes_set(function.code))
        return found

    # -------------------------------------------------------------- attributes

    def attribute(self, value: Value, name: str, node: n.Node) -> Value:
        """``value.name``."""
        if isinstance(value, Qualified):
            if value.name.startswith("jax"):
                self.note_name(f"{value.name}.{name}", node)
            return _module_attribute(value, name)
        if isinstance(value, Array):
            return self._array_attribute(value, name, node)
        if isinstance(value, Instance):
            return self._instance_attribute(value, name, node)
        if isinstance(value, Tree):
            if name in jax_api.ARRAY_EVIDENCE and not value.container:
                return self._array_attribute(value.as_array(), name, node)
            return Builtin(value, name) if name in _TREE_METHODS else UNKNOWN
        if isinstance(value, Class):
            found = value.find(name)
            if isinstance(found, Descriptor) and found.kind == "classmethod":
                return BoundMethod(value, found.function, self.moment())
            if isinstance(found, (Const, Host, Array, NumpyArray, Sequence, Mapping)):
                self.note_attribute_read(value, name, node)
            return found if found is not None else UNKNOWN
        if isinstance(value, Super):
            return self._super_attribute(value, name)
        if isinstance(value, External):
            return Qualified(f"{value.type}.{name}")
        if isinstance(value, (Sequence, Mapping, AtProperty, Transformed)):
            return Builtin(value, name)
        if isinstance(value, Function) and name in ("defjvp", "defvjp", "def_vmap", "defjvps"):
            return Builtin(value, name)
        if isinstance(value, Const):
            return Builtin(value, name) if isinstance(value.value, str) else Host("object")
        if isinstance(value, Host):
            return Builtin(value, name) if value.type == "str" else Host("object")
        if isinstance(value, NumpyArray):
            kind = jax_api.ARRAY_HOST_ATTRIBUTES.get(name)
            return Host(kind) if kind is not None else Builtin(value, name)
        return UNKNOWN

    def _array_attribute(self, value: Array, name: str, node: n.Node) -> Value:
        if value.rank is not None and name in ("ndim", "shape"):
            axes: list[Value] = [Host("int") for _ in range(value.rank)]
            return Const(value.rank) if name == "ndim" else Sequence("tuple", axes)
        kind = jax_api.ARRAY_HOST_ATTRIBUTES.get(name)
        if kind is not None:
            return Host(kind)
        if name in ATTRIBUTES:
            self.note_missing_attribute(name, node)
            return UNKNOWN
        if name == "at":
            return AtProperty(value)
        if name in jax_api.ARRAY_ATTRIBUTES:
            return self.array([value], node, name, value.rank, value.dtype)
        return Builtin(value, name)

    def _instance_attribute(self, value: Instance, name: str, node: n.Node) -> Value:
        found = value.attributes.get(name)
        if found is not None:
            if not isinstance(found, (Function, Transformed, Partial, BoundMethod, Class)):
                self.note_attribute_read(value, name, node)
            return found
        found = value.cls.find(name)
        if found is None:
            if value.cls.pytree == "namedtuple" and name == "_replace":
                return Builtin(value, name)
            return UNKNOWN
        if isinstance(found, (Function, Transformed, Partial)):
            return BoundMethod(value, found, self.moment())
        if isinstance(found, Descriptor):
            if found.kind == "property":
                return self.call(found.function, Arguments([value]), node)
            receiver = value.cls if found.kind == "classmethod" else None
            if receiver is None:
                return found.function
            return BoundMethod(receiver, found.function, self.moment())
        return UNKNOWN if value.open else found

    def _super_attribute(self, value: Super, name: str) -> Value:
        for base in value.cls.bases:
            found = base.find(name)
            if found is not None:
                if isinstance(found, (Function, Transformed)):
                    return BoundMethod(value.receiver, found, self.moment())
                return found
        if isinstance(value.receiver, Instance):
            value.receiver.open = True
        return UNKNOWN


def attributes_set(code: n.Function) -> dict[str, n.Node]:
    """Attributes that a method assigns on its first parameter, and where."""
    if not code.parameters:
        return {}
    receiver = code.parameters[0].name
    found: dict[str, n.Node] = {}
    for node in walk(code.body):
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


def _adopt(value: Value, cls: Class) -> None:
    wrapper = value
    while isinstance(wrapper, (Transformed, Partial, Descriptor)):
        if isinstance(wrapper, Descriptor) and wrapper.kind == "staticmethod":
            return
        wrapper = wrapper.function
    function = function_under(value)
    if function is not None and function.owner is None:
        function.owner = cls


def _fields(node: n.ClassDefinition) -> list[tuple[str, n.Node | None]]:
    found: list[tuple[str, n.Node | None]] = []
    for statement in node.body:
        if isinstance(statement, n.AnnotatedAssign) and isinstance(statement.target, n.Name):
            found.append((statement.target.id, statement.value))
    return found


def _is_static_field(machine: Machine, default: n.Node) -> bool:
    if not isinstance(default, n.Call):
        return False
    function = machine.evaluate(default.function)
    if not (isinstance(function, Qualified) and function.name in python_api.STATIC_FIELD_FACTORIES):
        return False
    if function.name.endswith("static_field"):
        return True
    for argument in default.arguments:
        if isinstance(argument.value, n.Constant):
            if argument.keyword == "static" and argument.value.value is True:
                return True
            if argument.keyword == "pytree_node" and argument.value.value is False:
                return True
        elif argument.keyword == "metadata":
            return True
    return False


def _module_attribute(value: Qualified, name: str) -> Value:
    qualified = f"{value.name}.{name}"
    kind = jax_api.CONSTANTS.get(qualified)
    if kind is not None:
        return Host(kind)
    if name == "newaxis":
        return NONE
    return Qualified(qualified)
