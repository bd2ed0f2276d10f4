"""What base classes, metaclasses and decorators make of a class, and what every class has."""

from __future__ import annotations

_TYPING = ("typing", "typing_extensions", "beartype.typing")
"""Modules that give the names of the first one."""

NAMED_TUPLE = "typing.NamedTuple"
"""The base of classes whose instances are tuples with names."""

MAKES_NAMED_TUPLES = {
    "collections.namedtuple": "field_names",
    **{f"{typing}.NamedTuple": "fields" for typing in _TYPING},
}
"""What defines such a class when it is called; the second parameter, which lists the fields."""

PYTREE_BASES: dict[str, str] = {
    **{f"{typing}.NamedTuple": "namedtuple" for typing in _TYPING},
    "flax.struct.PyTreeNode": "dataclass",
    "equinox.Module": "dataclass",
}
"""Base classes whose subclasses in view are pytrees, and of which kind."""

MADE_BARE = frozenset({"equinox.Module"})
"""Those of which JAX makes the objects again without their constructors."""

DECLARES_ATTRIBUTES = frozenset({"equinox.Module"})
"""Bases of classes whose instances have no attributes but those that their bodies declare."""

PYTREE_DECORATORS: dict[str, str] = {
    "jax.tree_util.register_dataclass": "dataclass",
    "flax.struct.dataclass": "dataclass",
    "chex.dataclass": "dataclass",
    "jax_dataclasses.pytree_dataclass": "dataclass",
    "jax.tree_util.register_pytree_node_class": "registered",
    "jax.tree_util.register_pytree_with_keys_class": "registered",
}
"""Decorators that make a class a pytree."""

NAMESPACE = "__dict__"
"""The attribute with all that a module, class or object binds."""

OF_EVERY_CLASS = ("__module__", "__doc__", NAMESPACE, "__weakref__")
"""What Python puts into the namespace of each class."""

SAYS_ABSTRACT = "__isabstractmethod__"
"""The attribute that ``abc.abstractmethod`` sets."""

DATACLASS_BASES = frozenset({"flax.linen.Module"})
"""Base classes that make a dataclass of what derives from them."""

NO_FIELDS = frozenset({"ClassVar", "AbstractVar", "AbstractClassVar"})
"""Annotations of names in the body of a dataclass that are no fields of it."""

VALIDATED_BASES = frozenset({"pydantic.BaseModel"})
"""Base classes whose constructor fills the fields with what it makes of what it is given."""

OF_NAMED_TUPLES = frozenset({"_asdict", "_fields", "_make", "_replace"})
"""What named tuples have, and nothing else."""

GENERIC = frozenset(f"{typing}.{name}" for typing in _TYPING for name in ("Generic", "Protocol"))
"""Base classes whose subscripts are themselves, for a type checker: ``Stack[int]``."""

PLAIN_BASES = GENERIC | {
    "builtins.object", "abc.ABC", "enum.Enum", "enum.IntEnum", "enum.StrEnum"
}  # fmt: skip
"""Base classes that add nothing to a class that JAX would see."""

OPEN_BASES = frozenset(
    {
        "abc.ABC",
        "enum.Enum",
        "enum.IntEnum",
        "enum.StrEnum",
        *(f"{typing}.Protocol" for typing in _TYPING),
    }
)
"""Those of which other objects may be instances than those that its classes make: registered
ones, constants, whatever has the methods."""

ENUMS = {"enum.Enum": "object", "enum.IntEnum": "int", "enum.StrEnum": "str"}
"""Classes whose class bodies make members, and what each is of where ``__new__`` makes it."""

TEXT_ENUM_BASES = frozenset({"builtins.str", "enum.StrEnum"})
"""Base classes of enumerations whose members are equal to their texts."""

PLAIN_METACLASSES = frozenset({"builtins.type", "abc.ABCMeta", "enum.EnumMeta", "enum.EnumType"})
"""Metaclasses that do nothing with a class that JAX would see."""

SAYS_EQUAL = ("__bool__", "__eq__", "__len__")
"""Methods by which an object says whether it is true, and what it is equal to."""
