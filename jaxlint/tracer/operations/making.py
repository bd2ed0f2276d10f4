"""Objects before any constructor has filled them."""

from __future__ import annotations

from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import UNSEEN, Class, Instance
from jaxlint.tracer.values.value import UNKNOWN, Value


def bare(tracer: Tracer, cls: Class) -> Instance:
    """``object.__new__(cls)``."""
    attributes: dict[str, Value] = {UNSEEN: UNKNOWN} if cls.traits.library else {}
    return Instance(cls, attributes, tracer.stack.moment())
