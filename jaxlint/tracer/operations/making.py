"""Objects before any constructor has filled them."""

from __future__ import annotations

from jaxlint.knowledge import class_api
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import UNSEEN, Class, Instance, Qualified
from jaxlint.tracer.values.value import UNKNOWN, Value


def bare(tracer: Tracer, cls: Class) -> Instance:
    """``object.__new__(cls)``."""
    attributes: dict[str, Value] = {UNSEEN: UNKNOWN} if cls.traits.library else {}
    return Instance(cls, attributes, tracer.stack.moment())


def is_plain(cls: Class) -> bool:
    """Whether a class derives from nothing out of view that makes its objects."""
    bases = [base for each in (cls, *cls.above) for base in each.bases]
    return all(
        isinstance(base, Class)
        or (isinstance(base, Qualified) and base.name in class_api.PLAIN_BASES)
        for base in bases
    )
