"""Modules of the project that the linted file imports: found, run once, asked for their names.

Each runs on abstract values from its first statement on, as Python runs it at its first import:
on the host, whatever surrounds the import, and only once. What it binds stays when a branch ends.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from jaxlint.program import nodes as n
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import OutOfSteps, Tracer
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import Imported, Module, Qualified
from jaxlint.tracer.values.value import UNKNOWN, Const, Value

_DEEPEST = 40
"""Imports inside of imports that are followed."""


def imported(tracer: Tracer, node: n.Import) -> Value:
    """What an import binds: a module of the project, something in one, or a name from outside.

    At the top of a file a module runs when something is read from it: most are never asked.
    """
    outside = Qualified(node.qualified)
    if node.qualified in tracer.settings.own:
        return outside
    package, name = _parted(node.qualified)
    module = _find(tracer, package) if package else None
    if module is None or module.file.suffix != ".py":
        return _find(tracer, node.qualified) or outside
    frame = tracer.stack.frame
    if module.file == frame.globals.file:
        # A package, from itself: what it has bound so far, or a module in it.
        bound = look_in(tracer, frame.globals, name)
        return bound if bound is not None else _inner(tracer, module, name)
    at_the_top = frame.parent is None and not frame.conditional
    return Imported(module, name) if at_the_top else member(tracer, module, name)


def look_in(tracer: Tracer, frame: Frame, name: str) -> Value | None:
    """The value of a name in a frame; None when it has none there."""
    value = frame.names.get(name)
    if type(value) is Imported:
        # Not by the trail: it has stood for that all along. In a circle it is not there.
        del frame.names[name]
        value = frame.names[name] = member(tracer, value.module, value.name)
    return value


def _parted(qualified: str) -> tuple[str, str]:
    """A dotted name in two, the last part and what it is in; the dots of a relative one stay."""
    inner = qualified.lstrip(".")
    dots = qualified[: len(qualified) - len(inner)]
    package, _, name = inner.rpartition(".")
    return dots + package, name


def _find(tracer: Tracer, name: str) -> Module | None:
    """A module of the project, by its name in the file that runs."""
    project, importer = tracer.settings.project, tracer.stack.frame.globals.file
    if project is None or importer is None:
        return None
    found = project.find(name, importer)
    return Module(found) if found is not None else None


def member(tracer: Tracer, module: Module, name: str) -> Value:
    """``module.name``: what the module has bound, or a module in the package."""
    project = tracer.settings.project
    assert project is not None
    if tracer.settings.own:
        qualified = f"{project.qualified(module.file)}.{name}"
        if qualified in tracer.settings.own:
            return Qualified(qualified)
    frame = run(tracer, module.file)
    found = look_in(tracer, frame, name) if frame is not None else None
    return found if found is not None else _inner(tracer, module, name)


def _inner(tracer: Tracer, module: Module, name: str) -> Value:
    """A module in a package."""
    assert tracer.settings.project is not None
    inner = tracer.settings.project.child(module.file, name)
    return Module(inner) if inner is not None else UNKNOWN


def public_names(frame: Frame) -> list[str]:
    """The names that ``from module import *`` binds."""
    listed = frame.names.get("__all__")
    if isinstance(listed, Sequence) and listed.items is not None:
        names = [item.value for item in listed.items if isinstance(item, Const)]
        if len(names) == len(listed.items):
            return [name for name in names if isinstance(name, str) and name in frame.names]
    return [name for name in frame.names if not name.startswith("_")]


def star(tracer: Tracer, node: n.Import) -> dict[str, Value]:
    """What ``from module import *`` binds; nothing when the module is not of the project."""
    module = _find(tracer, node.qualified)
    frame = run(tracer, module.file) if module is not None else None
    return {name: frame.names[name] for name in public_names(frame)} if frame is not None else {}


def run(tracer: Tracer, file: Path) -> Frame | None:
    """The variables of a module, which runs now if it has not; None when it cannot be read."""
    if file not in tracer.modules:
        tracer.modules[file] = _run(tracer, file)
    return tracer.modules[file]


def _run(tracer: Tracer, file: Path) -> Frame | None:
    project = tracer.settings.project
    if project is None or tracer.importing >= _DEEPEST:
        return None
    program = project.program(file)
    if program is None:
        return None
    frame = Frame(program.scope, None, None)
    frame.certain, frame.file = True, file
    # An import in a circle finds what is bound so far.
    tracer.modules[file] = frame
    tracer.about(program)
    with (
        tracer.importing_module(program),
        tracer.trail.for_good(),
        tracer.stack.starting(frame),
        suppress(OutOfSteps),  # What is not bound when its steps are spent is unknown.
    ):
        tracer.execute(program.body)
    frame.stopped = False
    return frame
