"""Attributes of modules that a library sets up once it has bound them."""

from __future__ import annotations

from jaxlint.events import MisplacedLayer
from jaxlint.knowledge.libraries import SETS_UP
from jaxlint.program import nodes as n
from jaxlint.program.attributes import attributes_of_self
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Function, Instance


def nothing_bound(tracer: Tracer) -> bool:
    """Whether no module is bound here for certain, and all that leads here is in view."""
    stack = tracer.stack
    return stack.frame.certain and not stack.bound and not stack.in_branch()


def read_unbound(tracer: Tracer, module: Instance, name: str, node: n.Node) -> bool:
    """Whether an attribute is read that is set when a library has bound the module alone."""
    setup = module.cls.find(SETS_UP.get(module.cls.traits.module, ""))
    if not isinstance(setup, Function) or not nothing_bound(tracer):
        return False
    if all(target.attr != name for target, _ in attributes_of_self(setup.code)):
        return False
    event = MisplacedLayer(tracer.context(node, node), "attribute", module.cls.name, name)
    tracer.emit(event)
    return True
