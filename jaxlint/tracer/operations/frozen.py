"""Attributes of objects that are frozen once they are made."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.events import FrozenAttribute
from jaxlint.knowledge import class_api
from jaxlint.knowledge.frozen import FROZEN
from jaxlint.knowledge.layers import base_of
from jaxlint.knowledge.libraries import SETS_UP
from jaxlint.program import nodes as n
from jaxlint.program.attributes import CONSTRUCTORS
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.holding import identity
from jaxlint.tracer.values.objects import Class, Instance, Qualified

_CALL = "__call__"


def refused_by_frozen(tracer: Tracer, owner: Instance, node: n.Attribute) -> bool:
    """Whether an object refuses that its attribute is set; the event is recorded.

    A method that nobody in view calls may be called while the object is made, but for the one
    that runs when the object is called; an object that is made in view is, where its constructor
    does not run.
    """
    base, stack = frozen_by(tracer, owner.cls), tracer.stack
    if not base or stack.in_branch():
        return False
    function = stack.frame.function
    name = function.code.name if function is not None else ""
    made_here = owner.made is not None and not owner.heir
    if not (stack.frame.certain or made_here or name in (_CALL, SETS_UP.get(base))):
        return False
    declared = (owner.cls.traits.fields or {}).get(node.attr)
    is_field = declared is not None and (declared.init or base not in SETS_UP)
    if not _REFUSES[FROZEN[base].since](is_field, _method_of(tracer, owner), SETS_UP.get(base)):
        return False
    tracer.emit(FrozenAttribute(tracer.context(node, node), node.attr, owner.cls.name, base))
    return True


def refused_by_layer(tracer: Tracer, owner: External, node: n.Attribute) -> bool:
    """The same of a layer that a library has made: nothing in view makes it any more."""
    base = base_of(owner.type)
    if base not in FROZEN or FROZEN[base].since != "made" or tracer.stack.in_branch():
        return False
    layer = owner.type.rpartition(".")[2]
    tracer.emit(FrozenAttribute(tracer.context(node, node), node.attr, layer, base))
    return True


_REFUSES: dict[str, Callable[[bool, str, str | None], bool]] = {
    "always": lambda is_field, method, setup: is_field,
    "made": lambda is_field, method, setup: not is_field or method not in CONSTRUCTORS,
    "bound": lambda is_field, method, setup: method == _CALL or (is_field and method == setup),
}
"""By when an object is frozen: whether an attribute is refused, in a method that makes it."""


def is_frozen(tracer: Tracer, cls: Class) -> bool:
    """Whether nobody sets attributes of the objects of a class once they are made."""
    base = frozen_by(tracer, cls)
    return bool(base) and FROZEN[base].since != "bound"


def frozen_by(tracer: Tracer, cls: Class) -> str:
    """What freezes the objects of a class; empty where nothing does for certain."""
    traits = cls.traits
    if traits.frozen_by:
        return traits.frozen_by
    if traits.module in FROZEN and _in_view(tracer, cls, traits.module):
        return traits.module
    return ""


def _in_view(tracer: Tracer, cls: Class, module: str) -> bool:
    """Whether nothing out of view makes something else of a class."""
    for each in (cls, *cls.above):
        definition = each.definition
        decorators = (qualified_name(tracer, d, each.frame.parent) for d in definition.decorators)
        if any(name not in class_api.PYTREE_DECORATORS for name in decorators):
            return False
        outside = (base for base in each.bases if not isinstance(base, Class))
        known = class_api.PLAIN_BASES | {module}
        if any(not isinstance(base, Qualified) or base.name not in known for base in outside):
            return False
        if any(base.keyword is not None for base in definition.bases):
            return False
    return True


def is_being_made(tracer: Tracer, owner: Instance) -> bool:
    """Whether the constructor of an object still runs."""
    return _method_of(tracer, owner) in CONSTRUCTORS


def _method_of(tracer: Tracer, owner: Instance) -> str:
    """Which method of the object runs that says how far it is; empty for none."""
    for frame in reversed(tracer.stack.running):
        function = frame.function
        if function is not None and function.code.name in _TELLS and function.code.parameters:
            receiver = frame.names.get(function.code.parameters[0].name)
            if isinstance(receiver, Instance) and identity(receiver) == identity(owner):
                return function.code.name
    return ""


_TELLS = CONSTRUCTORS | {_CALL, *SETS_UP.values()}
