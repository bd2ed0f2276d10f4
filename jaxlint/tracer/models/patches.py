"""What a test replaces while it runs: ``monkeypatch.setattr``, ``mock.patch.object``.

Where it is not known which function runs meanwhile, as below a decorator, it may be any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jaxlint.knowledge import harnesses
from jaxlint.program import nodes as n
from jaxlint.tracer.modules import member, module_named, run
from jaxlint.tracer.operations.forgetting import forget
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Class, Instance, Module
from jaxlint.tracer.values.value import UNKNOWN, Const, Unknown, Value

_RUNS = "__main__"

_Place = tuple[Value, str]
"""An object, and the name of an attribute of it."""


def replace_by_method(tracer: Tracer, called: n.Attribute, arguments: Arguments) -> None:
    """``monkeypatch.setattr(...)``, ``mocker.patch.object(...)``, if that is what is called."""
    within = called.value.attr if isinstance(called.value, n.Attribute) else ""
    for name in (called.attr, f"{within}.{called.attr}"):
        if name in harnesses.REPLACES:
            _replace(tracer, harnesses.REPLACES[name], arguments)


def _patch(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    _replace(tracer, harnesses.REPLACES[name.removeprefix(harnesses.PATCHES_OF)], arguments)
    return UNKNOWN


def _replace(tracer: Tracer, what: harnesses.Replaced, arguments: Arguments) -> None:
    """There is something else now, for what is left of the test."""
    for owner, name in list(_REPLACED[what](tracer, arguments)):
        slots = _slots(tracer, owner, name)
        if slots is not None:
            tracer.version += 1
            if tracer.stack.frame.function is not None:
                tracer.harness.replaced.append((slots, name, slots.get(name)))
            tracer.trail.set(slots, name, UNKNOWN)


def _slots(tracer: Tracer, owner: Value, name: str) -> dict[str, Value] | None:
    """Where an attribute is kept; what nobody knows may be the module that runs."""
    if isinstance(owner, Module):
        module = run(tracer, owner.file)
        return module.names if module is not None else None
    if isinstance(owner, Unknown):
        names = tracer.stack.module.names
        return names if name in names else None
    return owner.attributes if isinstance(owner, (Instance, Class)) else None


def _attribute(tracer: Tracer, arguments: Arguments) -> Iterator[_Place]:
    """``(owner, "name", value)``, or all of it in one text: ``("package.module.name", value)``."""
    owner, name = arguments.get(0), arguments.get(1)
    if isinstance(owner, Const) and isinstance(owner.value, str):
        yield from _named(tracer, owner.value)
    elif owner is not None and isinstance(name, Const) and isinstance(name.value, str):
        yield owner, name.value


def _attributes(tracer: Tracer, arguments: Arguments) -> Iterator[_Place]:
    """``(owner, name=value, other=value)``; the owner may be named in a text."""
    owner = arguments.get(0)
    if isinstance(owner, Const) and isinstance(owner.value, str):
        owner = _meant(tracer, owner.value)
    for name in arguments.kwargs if owner is not None else ():
        assert owner is not None
        yield owner, name


def _entries(tracer: Tracer, arguments: Arguments) -> Iterator[_Place]:
    """``(dict, values)``: what it holds is another; that may be named in a text, too."""
    owner = arguments.get(0)
    if isinstance(owner, Const) and isinstance(owner.value, str):
        yield from _named(tracer, owner.value)
    elif owner is not None:
        forget(tracer, [owner])


def _named(tracer: Tracer, dotted: str) -> Iterator[_Place]:
    """What a dotted name is in, and the last part of the name."""
    path, _, last = dotted.rpartition(".")
    owner = _meant(tracer, path) if path else None
    if owner is not None:
        yield owner, last


def _meant(tracer: Tracer, dotted: str) -> Value | None:
    """The module that a dotted name stands for, or the class in one."""
    module = module_named(tracer, dotted)
    if dotted == _RUNS:
        return UNKNOWN
    if module is not None:
        return module
    path, _, name = dotted.rpartition(".")
    module = module_named(tracer, path) if path else None
    return member(tracer, module, name) if module is not None else None


_REPLACED: dict[harnesses.Replaced, Callable[[Tracer, Arguments], Iterator[_Place]]] = {
    "attribute": _attribute,
    "attributes": _attributes,
    "entries": _entries,
}

MODELS = {f"{harnesses.PATCHES_OF}{name}": _patch for name in harnesses.REPLACES}
"""Functions by their qualified names."""
