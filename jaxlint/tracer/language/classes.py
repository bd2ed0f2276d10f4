"""Classes of the program and their instances."""

from __future__ import annotations

from collections.abc import Iterable
from operator import is_

from jaxlint.events import StaticArray
from jaxlint.knowledge import class_api
from jaxlint.knowledge.annotations import ARRAY_ANNOTATIONS, JAX_ANNOTATIONS
from jaxlint.knowledge.frozen import FREEZES_ALWAYS, FROZEN
from jaxlint.knowledge.harnesses import SKIPS
from jaxlint.knowledge.libraries import MADE_IN_TRANSFORM, SETS_UP, WARNS_OF_STATIC_ARRAYS
from jaxlint.program import nodes as n
from jaxlint.program.attributes import CONSTRUCTORS, attributes_of_self, calls_of_self
from jaxlint.program.walk import walk
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.language.enumerations import enumerates, make_members, member
from jaxlint.tracer.language.fields import (
    convert_fields,
    fields_of,
    fill_fields,
    no_fields_of,
)
from jaxlint.tracer.language.flattening import children_of
from jaxlint.tracer.language.placing import note_made, note_outside
from jaxlint.tracer.language.validation import fill_validated, is_validated
from jaxlint.tracer.modules import look_in
from jaxlint.tracer.names import meaning, qualified_name
from jaxlint.tracer.operations.items import part_of
from jaxlint.tracer.operations.making import bare
from jaxlint.tracer.state.arguments import ANYTHING, Arguments
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import (
    UNSEEN,
    BoundMethod,
    Choice,
    Class,
    Descriptor,
    Function,
    Instance,
    Partial,
    Qualified,
    Traits,
    Transformed,
)
from jaxlint.tracer.values.pytrees import flattened, unpacked
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Unknown, Value, replace

_METACLASS = "metaclass"

_HEARS = "__init_subclass__"
"""A method that is called with each class that derives from its own."""

_CHANGES_NOTHING = frozenset({"functools.total_ordering", "typing.final", "builtins.staticmethod"})


# --------------------------------------------------------------------- definitions


def define_class(tracer: Tracer, node: n.ClassDefinition) -> Value:
    """Run a class body and make the class."""
    stack = tracer.stack
    frame = stack.open(node.scope, stack.frame)
    traits, bases = _bases(tracer, node)
    own, dropped = fields_of(tracer, node), no_fields_of(node)
    inherited = traits.fields or {}
    static = {name for name, field in own.items() if field.static}
    traits = replace(
        traits,
        fields={**{name: inherited[name] for name in inherited if name not in dropped}, **own},
        static_fields=traits.static_fields | static,
    )
    with stack.inside(frame):
        tracer.execute(node.body)
    cell = {"traits": traits}
    cls = Class(node, frame, stack.moment(), bases, frame.names, cell)
    _adopt(tracer, cls)
    make_members(cls)
    for decorator in reversed(node.decorators):
        cell["traits"] = _decorate(tracer, cls, tracer.evaluate(decorator), decorator)
    traits = cell["traits"]
    cell["traits"] = replace(
        traits, leaves=children_of(cls) if traits.leaves is None else traits.leaves
    )
    tracer.classes.append(cls)
    _tell_bases(tracer, cls, node)
    return cls


def _tell_bases(tracer: Tracer, cls: Class, node: n.ClassDefinition) -> None:
    """``__init_subclass__`` of what a class derives from, with the options of its definition."""
    told = _told_of_heirs(cls.bases)
    if told is not None:
        options = {
            base.keyword: tracer.evaluate(base.value)
            for base in node.bases
            if base.keyword is not None and base.keyword != _METACLASS
        }
        tracer.call(told, Arguments((cls,), options), node)


def _told_of_heirs(bases: Iterable[Value]) -> Function | None:
    """The method that hears of classes that derive from some bases."""
    for base in bases:
        found = function_under(base.find(_HEARS) or NONE) if isinstance(base, Class) else None
        if found is not None:
            return found
    return None


def _decorate(tracer: Tracer, cls: Class, decorator: Value, node: n.Node) -> Traits:
    """What a decorator makes of a class: one of the program runs, and may give it back as it is."""
    marks = decorator.function if isinstance(decorator, Partial) else decorator
    skips = isinstance(marks, Qualified) and marks.name in SKIPS
    if not skips and not isinstance(decorator, (Function, BoundMethod)):
        return _decorated(tracer, cls.traits, decorator, node)
    same = tracer.call(decorator, Arguments((cls,)), node) is cls
    return cls.traits if same else replace(cls.traits, library=True)


def _bases(tracer: Tracer, node: n.ClassDefinition) -> tuple[Traits, tuple[Value, ...]]:
    traits = Traits()
    bases: list[Value] = []
    options = unseen = False
    for base in node.bases:
        if base.keyword is not None:
            plain = base.keyword == _METACLASS and _is_plain(tracer.evaluate(base.value))
            options |= not plain and base.keyword != _METACLASS
            unseen |= not plain and base.keyword == _METACLASS
            continue
        named = base.value.value if isinstance(base.value, n.Subscript) else base.value
        value = tracer.evaluate(named)
        bases.append(value)
        traits = _with_base(traits, value)
    unseen |= options and _told_of_heirs(bases) is None
    return replace(traits, library=traits.library or unseen), tuple(bases)


def _is_plain(metaclass: Value) -> bool:
    """Whether a metaclass makes nothing else of a class: one of the program may register it."""
    return isinstance(metaclass, Qualified) and metaclass.name in class_api.PLAIN_METACLASSES


def _with_base(traits: Traits, base: Value) -> Traits:
    if isinstance(base, Class):
        inherited = base.traits
        return replace(
            traits,
            library=traits.library or inherited.library,
            pytree=traits.pytree or inherited.pytree,
            plain_dataclass=traits.plain_dataclass or inherited.plain_dataclass,
            frozen=traits.frozen or inherited.frozen,
            by_identity=traits.by_identity or inherited.by_identity,
            frozen_by=traits.frozen_by or inherited.frozen_by,
            module=traits.module or inherited.module,
            fields={**(inherited.fields or {}), **(traits.fields or {})},
            static_fields=traits.static_fields | inherited.static_fields,
        )
    name = base.name if isinstance(base, Qualified) else ""
    if name in class_api.PYTREE_BASES:
        pytree = class_api.PYTREE_BASES[name]
        named = pytree == "namedtuple"
        frozen_by = pytree if named else traits.frozen_by
        return replace(traits, pytree=pytree, library=not named, module=name, frozen_by=frozen_by)
    if name in class_api.PLAIN_BASES:
        return traits
    dataclass = traits.plain_dataclass or name in class_api.DATACLASS_BASES
    return replace(traits, library=True, module=traits.module or name, plain_dataclass=dataclass)


def _decorated(tracer: Tracer, traits: Traits, decorator: Value, node: n.Node) -> Traits:
    options: dict[str, bool] = {}
    given: dict[str, Value] = {}
    if isinstance(decorator, Partial):
        given, decorator = decorator.kwargs, decorator.function
    if isinstance(node, n.Call):
        options = {
            argument.keyword or "": argument.value.value is True
            for argument in node.arguments
            if isinstance(argument.value, n.Constant)
        }
        if not isinstance(decorator, Qualified):
            decorator = tracer.evaluate(node.function)
    name = decorator.name if isinstance(decorator, Qualified) else ""
    return made_by(traits, name, options, given)


def made_by(traits: Traits, name: str, options: dict[str, bool], given: dict[str, Value]) -> Traits:
    """What a decorator makes of a class.

    Args:
        traits: of the class before.
        name: of the decorator; empty where nobody can see it.
        options: which of its options are True, and which are another constant.
        given: the options that it is called with by a partial.
    """
    by_identity = options.get("eq") is False
    if by_identity:
        traits = replace(traits, by_identity=True)
    if name in FROZEN and options.get("frozen", name in FREEZES_ALWAYS):
        traits = replace(traits, frozen_by=name)
    if name in class_api.PYTREE_DECORATORS:
        pytree = class_api.PYTREE_DECORATORS[name]
        dataclass = pytree == "dataclass" or traits.plain_dataclass
        traits = replace(traits, pytree=pytree, plain_dataclass=dataclass)
        return with_fields(traits, given.get("data_fields"), given.get("meta_fields"))
    if name == "dataclasses.dataclass":
        frozen = options.get("frozen") or options.get("unsafe_hash") or False
        return replace(traits, plain_dataclass=True, frozen=frozen, by_identity=by_identity)
    return traits if name in _CHANGES_NOTHING else replace(traits, library=True)


def with_fields(traits: Traits, data: Value | None, meta: Value | None) -> Traits:
    """With the fields that ``register_dataclass`` is told: the leaves, and what is static."""
    leaves, static = _strings(data), _strings(meta)
    if leaves is None and static is None and (data or meta):
        return replace(traits, pytree="registered")  # Nobody sees which fields are leaves.
    both = traits.static_fields | (static or frozenset())
    return replace(traits, leaves=traits.leaves if leaves is None else leaves, static_fields=both)


def _strings(listed: Value | None) -> frozenset[str] | None:
    """The strings in a list or tuple of constants; None where they are not in view."""
    if not isinstance(listed, Sequence) or listed.items is None:
        return None
    found = [item.value for item in listed.items if isinstance(item, Const)]
    return frozenset(found) if len(found) == len(listed.items) else None


def _adopt(tracer: Tracer, cls: Class) -> None:
    """Make the functions of a class body methods of the class."""
    wrappers: dict[int, Transformed] = {}
    for name, value in list(cls.attributes.items()):
        method = cls.attributes[name] = _adopted(tracer, value, cls)
        if isinstance(value, Transformed) and isinstance(method, Transformed):
            wrappers[id(value)] = method
    if wrappers:
        tracer.made = [wrappers.get(id(made), made) for made in tracer.made]


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
        return replace(value, function=inner)
    return value


# ----------------------------------------------------------------------- instances


def instantiate(tracer: Tracer, cls: Class, arguments: Arguments, node: n.Node) -> Value:
    """``cls(*arguments)``; a metaclass may say otherwise what that does."""
    if _makes_otherwise(tracer, cls):
        return UNKNOWN
    instance = _created(tracer, cls, arguments, node)
    if not isinstance(instance, Instance) or not instance.cls.is_subclass(cls):
        return instance
    if cls.traits.module in SETS_UP:
        note_made(tracer, cls.name, node)
    elif cls.traits.module == MADE_IN_TRANSFORM:
        note_outside(tracer, cls.name, node)
    init = cls.find("__init__")
    if isinstance(init, Function):
        tracer.call(BoundMethod(instance, init, tracer.stack.moment()), arguments, node)
        convert_fields(tracer, instance, node)
    elif is_validated(cls):
        fill_validated(tracer, instance, arguments, node)
    elif cls.traits.pytree not in (None, "registered") or cls.traits.plain_dataclass:
        fill_fields(tracer, instance, arguments)
        convert_fields(tracer, instance, node)
        after = cls.find("__post_init__")
        if isinstance(after, Function):
            tracer.call(BoundMethod(instance, after, tracer.stack.moment()), Arguments(), node)
    for name, value in instance.listed().items():
        if function_under(value) is not None and not isinstance(value, Instance):
            tracer.kept.setdefault((id(cls.definition), name), value)
    if cls.traits.module in WARNS_OF_STATIC_ARRAYS:
        _look_at_static_fields(tracer, instance, node)
    return instance


def _makes_otherwise(tracer: Tracer, cls: Class) -> bool:
    """Whether a metaclass of the program runs when its classes are called."""
    for each in (cls, *cls.above):
        for base in each.definition.bases:
            if base.keyword == "metaclass":
                metaclass = meaning(tracer, base.value, each.frame)
                if isinstance(metaclass, Class) and metaclass.find("__call__") is not None:
                    return True
    return False


def _created(tracer: Tracer, cls: Class, arguments: Arguments, node: n.Node) -> Value:
    """The new object, or what the class's own ``__new__`` gives in its place.

    Where that is unknown it is an object of the class, with attributes that nobody saw; the class
    may have been registered, or changed in another way.
    """
    new = cls.find("__new__")
    if enumerates(cls):
        return member(cls, arguments) or bare(tracer, cls)
    if not isinstance(new, Function):
        return bare(tracer, cls)
    found = tracer.call(new, arguments.prepend(cls), node)
    if isinstance(found, (Unknown, Choice)):
        tracer.trail.set(cls.cell, "traits", replace(cls.traits, library=True))
        return Instance(cls, {UNSEEN: UNKNOWN}, tracer.stack.moment())
    return found


def _look_at_static_fields(tracer: Tracer, instance: Instance, node: n.Node) -> None:
    """Note an array in a field that is declared static."""
    for name, field in (instance.cls.traits.fields or {}).items():
        kept = instance.attributes.get(name, UNKNOWN)
        if field.static and not field.converted and _holds_array(kept):
            tracer.emit(StaticArray(tracer.context(node, node), name, instance.cls.name))
            return


def _holds_array(value: Value) -> bool:
    """Whether JAX finds an array in a value: in ``functools.partial`` it looks at nothing."""
    parts = unpacked(value, (Sequence, Mapping))
    return any(_is_array(leaf) for part in parts for leaf, _ in flattened(part))


def _is_array(value: Value) -> bool:
    return isinstance(value, NumpyArray) or (isinstance(value, Array) and not value.assumed)


def some_instance(tracer: Tracer, cls: Class) -> Instance:
    """An instance that nobody in view made: constructor arguments unknown.

    The functions that it is given are those that an instance in view was given.
    """
    instance = Instance(cls, {UNSEEN: UNKNOWN}, tracer.stack.moment(), heir=True)
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


def static_by_annotation(tracer: Tracer, cls: Class) -> frozenset[str]:
    """The fields that may be static in a traced instance of a class.

    Where nobody sees how it is flattened, those of which its annotations do not say that they
    hold arrays of JAX.
    """
    if cls.traits.pytree is not None:
        return cls.traits.static_fields
    return cls.traits.static_fields | {
        statement.target.id
        for statement in cls.definition.body
        if isinstance(statement, n.AnnotatedAssign)
        and isinstance(statement.target, n.Name)
        and not any(_names_arrays(tracer, part, cls) for part in walk([statement.annotation]))
    }


def _names_arrays(tracer: Tracer, annotation: n.Node, cls: Class) -> bool:
    if isinstance(annotation, n.Constant):
        return "Array" in str(annotation.value)
    return qualified_name(tracer, annotation, cls.frame) in JAX_ANNOTATIONS


def traced_data(tracer: Tracer, cls: Class, value: Tree) -> Instance:
    """An instance of a pytree class whose leaves are tracers."""
    attributes: dict[str, Value] = {UNSEEN: UNKNOWN}
    for statement in cls.definition.body:
        if isinstance(statement, n.AnnotatedAssign) and isinstance(statement.target, n.Name):
            annotation = statement.annotation
            head = annotation.value if isinstance(annotation, n.Subscript) else annotation
            array = qualified_name(tracer, head, cls.frame) in ARRAY_ANNOTATIONS
            name = statement.target.id
            part = part_of(tracer, value, Const(name), annotation)
            attributes[name] = replace(part.as_array(), assumed=True) if array else part
    static = dict.fromkeys(cls.traits.static_fields & attributes.keys(), UNKNOWN)
    return Instance(cls, {**attributes, **static}, tracer.stack.moment(), heir=True)


def set_outside_init(tracer: Tracer, cls: Class) -> dict[str, n.Node]:
    """Attribute -> where a method other than the constructor sets it on ``self``."""
    found: dict[str, n.Node] = {}
    for code, assigned in _attributes_set(tracer, cls):
        if id(code) not in tracer.runs.traced:
            found.update(assigned)
    return found


def _attributes_set(tracer: Tracer, cls: Class) -> list[tuple[n.Function, dict[str, n.Node]]]:
    """Attributes that methods assign on their first parameter, and where.

    Found out once for each class that stays what it is.
    """
    held, found = tracer.attributes_set.get(id(cls.attributes), ({}, []))
    if held.keys() != cls.attributes.keys() or not all(
        map(is_, held.values(), cls.attributes.values())
    ):
        methods = (
            function_under(value)
            for name, value in cls.attributes.items()
            if not name.startswith("__") and name not in ("setup", "setUp")
        )
        building = _building(cls)
        every = [(each.code, _own_attributes(each.code)) for each in methods if each]
        found = [
            (code, assigned) for code, assigned in every if assigned and code.name not in building
        ]
        tracer.attributes_set[id(cls.attributes)] = {**cls.attributes}, found
    return found


def _own_attributes(code: n.Function) -> dict[str, n.Node]:
    return {target.attr: statement for target, statement in attributes_of_self(code)}


def _building(cls: Class) -> frozenset[str]:
    """Methods that only a constructor calls, in the class: they set up an object as it does."""
    calls = {
        name: calls_of_self(function.code)
        for name, value in cls.attributes.items()
        if (function := function_under(value)) is not None
    }
    found: frozenset[str] = frozenset()
    while True:
        inside = CONSTRUCTORS | found
        called = frozenset().union(*(calls[name] for name in inside & calls.keys()))
        wider = called.difference(*(calls[name] for name in calls.keys() - inside))
        if not found < wider:
            return found & wider
        found = wider
