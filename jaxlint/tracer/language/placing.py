"""Where modules of linen and haiku are made and called, and where they can have variables."""

from __future__ import annotations

from jaxlint.events import MisplacedLayer
from jaxlint.knowledge.frozen import COMPACT
from jaxlint.knowledge.libraries import SETS_UP
from jaxlint.program import nodes as n
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Class, Function, Instance


def note_made(tracer: Tracer, layer: str, node: n.Node) -> None:
    """A module that is made in a method of another that cannot hold it."""
    methods = _methods(tracer)
    if not methods or not _certain(tracer) or not all(map(_holds_nothing, methods)):
        return
    code = methods[-1].function.code if methods[-1].function is not None else None
    if code is not None:
        event = MisplacedLayer(tracer.context(node, node), "method", layer, code.name)
        tracer.emit(event)


def note_outside(tracer: Tracer, layer: str, node: n.Node) -> None:
    """A module that is made where nothing transforms it: no function runs."""
    stack = tracer.stack
    if not stack.running and stack.level is None and _certain(tracer):
        tracer.emit(MisplacedLayer(tracer.context(node, node), "outside", layer))


def note_called(tracer: Tracer, layer: str, node: n.Node) -> bool:
    """Whether a module is called that nothing has bound; the event is recorded."""
    if tracer.stack.bound or _methods(tracer) or not _certain(tracer):
        return False
    tracer.emit(MisplacedLayer(tracer.context(node), "unbound", layer))
    return True


def called_unbound(tracer: Tracer, instance: Instance, node: n.Node) -> bool:
    """Whether an object is called whose call makes layers, and nothing has bound it."""
    cls = instance.cls
    method = cls.find("__call__")
    if cls.traits.module not in SETS_UP or not isinstance(method, Function):
        return False
    names = (qualified_name(tracer, each, method.frame) for each in method.code.decorators)
    return COMPACT in names and note_called(tracer, cls.name, node)


def note_class(tracer: Tracer, cls: Class, name: str, node: n.Node) -> None:
    """A method that binds an object, asked of its class."""
    if not tracer.stack.in_branch():
        tracer.emit(MisplacedLayer(tracer.context(node, node), "class", cls.name, name))


def _certain(tracer: Tracer) -> bool:
    """Whether this runs for certain, and all that leads here is in view."""
    return tracer.stack.frame.certain and not tracer.stack.in_branch()


def _methods(tracer: Tracer) -> list[Frame]:
    """The methods of modules of linen that run."""
    frames = tracer.stack.running
    return [each for each in frames if each.owner and each.owner.traits.module in SETS_UP]


def _holds_nothing(frame: Frame) -> bool:
    """Whether a method can hold no module: it is not decorated, and none that makes the object."""
    assert frame.owner is not None
    if frame.function is None:
        return False
    code = frame.function.code
    special = code.name.startswith("__") and code.name != "__call__"
    return not (special or code.decorators or code.name == SETS_UP[frame.owner.traits.module])
