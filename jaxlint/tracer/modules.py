"""Modules of the project that the linted file imports: found, run once, asked for their names.

Each runs on abstract values from its first statement on, as Python runs it at its first import:
on the host, whatever surrounds the import, and only once. What it binds stays when a branch ends.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

from jaxlint.knowledge import jax_api, stand_ins
from jaxlint.knowledge.layers import SAME_FUNCTIONS
from jaxlint.program import definitions
from jaxlint.program import nodes as n
from jaxlint.program.lower_ast import lower_ast
from jaxlint.program.registries import writers_elsewhere
from jaxlint.tracer.registering import await_registries, derives, imported_by_now
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import OutOfSteps, Tracer
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.joins import one_of
from jaxlint.tracer.values.objects import Class, Function, Imported, Module, Qualified
from jaxlint.tracer.values.value import NAMED, NONE, UNKNOWN, Const, Unknown, Value

_DEEPEST = 80
"""Imports and definitions inside of each other that are followed."""

_WHEREVER_JAX_IS = frozenset({"jax", "jaxlib", "numpy", *sys.stdlib_module_names})


def imported(tracer: Tracer, node: n.Import) -> Value:
    """What an import binds: a module of the project, something in one, or a name from outside.

    At the top of a file a module runs when something is read from it: most are never asked. So it
    does below an ``if`` or ``try`` there, if nothing else binds the name.
    """
    frame = tracer.stack.frame
    program = frame.program
    alone = program is not None and id(node) in definitions.can_wait(program)
    return _imported(tracer, node, frame, frame.parent is None and (alone or not frame.conditional))


def _imported(tracer: Tracer, node: n.Import, frame: Frame, at_the_top: bool) -> Value:
    if node.qualified in tracer.settings.own:
        return Qualified(node.qualified)
    package, name = _parted(node.qualified)
    module = _find(tracer, package, frame) if package else None
    if module is None or module.file.suffix != ".py":
        return _find(tracer, node.qualified, frame) or outside(tracer, node.qualified)
    if module.file == frame.globals.file:
        # A package, from itself: what it has bound so far, or a module in it.
        bound = look_in(tracer, frame.globals, name)
        return bound if bound is not None else _inner(tracer, module, name)
    return Imported(module, name) if at_the_top else member(tracer, module, name)


def may_be_missing(tracer: Tracer, node: n.Import) -> bool:
    """Whether an import may fail: of what is not in the project, nor wherever JAX is."""
    name = node.module or node.qualified
    if name.partition(".")[0] in _WHEREVER_JAX_IS:
        return False
    holder = "" if node.module else _parted(name)[0]
    return not any(module_named(tracer, each) for each in (name, holder) if each)


def look_in(tracer: Tracer, frame: Frame, name: str) -> Value | None:
    """The value of a name in a frame; None when it has none there."""
    value = frame.names.get(name)
    return _asked_for(tracer, frame, name, value) if type(value) is Imported else value


def _asked_for(tracer: Tracer, frame: Frame, name: str, value: Imported) -> Value | None:
    """What stands behind a name that was imported or put off, which it is from now on."""
    if (frame, name) in tracer.awaited.names:
        return _registry(tracer, frame, name)
    # Not by the trail: it has stood for that all along. In a circle it is not there.
    del frame.names[name]
    found: Value = value
    definition = tracer.put_off.pop((frame, name), None)
    if isinstance(definition, n.Import):
        found = _imported(tracer, definition, frame, at_the_top=True)
    elif definition is not None:
        _make(tracer, frame, definition)
        return frame.names.get(name)
    frame.names[name] = found = _behind(tracer, found)
    return found


def _registry(tracer: Tracer, frame: Frame, name: str) -> Value | None:
    """A registry, with what every module has put in that is imported by now."""
    found, interest = tracer.awaited.names[frame, name]
    if _starts(tracer):
        return found
    del tracer.awaited.names[frame, name]
    frame.names[name] = found
    _register(tracer, interest)
    return frame.names.get(name)


def _starts(tracer: Tracer) -> bool:
    """Whether a module runs for the first time: it may be about to put something in."""
    return tracer.stack.module is not tracer.stack.globals


def ask_registry_of_classes(tracer: Tracer, name: str) -> None:
    """Have modules that are imported by now put in what they do: a registry is read in a class."""
    if not _starts(tracer):
        _register(tracer, tracer.awaited.of_classes.pop(name))


def _register(tracer: Tracer, interest: frozenset[str]) -> None:
    """Run modules that are imported by now and use what puts something into a registry.

    What derives from a class that does so may be derived from in a module of its own.
    """
    with tracer.going_deeper():
        told: frozenset[str] = frozenset()
        while not interest <= told:
            told |= interest
            interest = told.union(
                *[
                    _put_in(tracer, frame, frame.program, told)
                    for file in list(imported_by_now(tracer, told))
                    if (frame := run(tracer, file)) is not None and frame.program is not None
                ]
            )


def _put_in(
    tracer: Tracer, frame: Frame, program: n.Module, interest: frozenset[str]
) -> frozenset[str]:
    """Make the classes of a module that derive from one of these, or from each other.

    What puts something in is of interest, too.
    """
    elsewhere = writers_elsewhere(program)
    interest = interest.union(*[elsewhere[name] for name in interest & elsewhere.keys()])
    for statement in program.body:
        if isinstance(statement, n.ClassDefinition) and derives(statement, interest):
            look_in(tracer, frame, statement.target.id)
            interest |= {statement.target.id}
    return interest


def _behind(tracer: Tracer, value: Value) -> Value:
    """What a value stands for, if it is a name that was imported."""
    if not isinstance(value, Imported):
        return value
    with tracer.going_deeper():
        deep = tracer.importing > _DEEPEST
        found = UNKNOWN if deep else member(tracer, value.module, value.name)
    return one_of([found, *(_behind(tracer, other) for other in value.others)])


def _make(tracer: Tracer, frame: Frame, definition: n.Node) -> None:
    """Make the class or function that was put off, unless the steps of its module are spent."""
    with tracer.apart(), tracer.stack.back_at_the_top(frame), tracer.on_steps_of(frame):
        if tracer.importing <= _DEEPEST:
            tracer.execute((definition,))


def _parted(qualified: str) -> tuple[str, str]:
    """A dotted name in two, the last part and what it is in; the dots of a relative one stay."""
    inner = qualified.lstrip(".")
    dots = qualified[: len(qualified) - len(inner)]
    package, _, name = inner.rpartition(".")
    return dots + package, name


def module_named(tracer: Tracer, name: str) -> Module | None:
    """A module of the project, by its name in the file that runs."""
    return _find(tracer, name, tracer.stack.frame)


def _find(tracer: Tracer, name: str, frame: Frame) -> Module | None:
    """A module of the project, by its name in the file that a frame is of."""
    project, importer = tracer.settings.project, frame.globals.file
    if project is None or importer is None or frame.globals.library:
        return None
    found = project.find(name, importer)
    return Module(found) if found is not None else None


def outside(tracer: Tracer, name: str) -> Value:
    """What a dotted name from outside of the project means: a constant, what stands in for it."""
    if name in jax_api.FIXED_VALUES:
        return Const(jax_api.FIXED_VALUES[name])
    if name in jax_api.CONSTANTS:
        return Const(jax_api.CONSTANTS[name])
    if name in SAME_FUNCTIONS:
        return Qualified(SAME_FUNCTIONS[name])
    module, _, last = name.rpartition(".")
    if last == "newaxis":
        return NONE
    if module not in stand_ins.FILES or module == tracer.stack.frame.globals.library:
        return Qualified(name)
    frame = _standing_in(tracer, module)
    found = look_in(tracer, frame, last) if frame is not None else None
    return found if isinstance(found, (Class, Function)) else Qualified(name)


def _standing_in(tracer: Tracer, module: str) -> Frame | None:
    """The variables of what stands in for a library module, which runs now if it has not."""
    file = stand_ins.FILES[module]
    if file not in tracer.modules:
        tracer.modules[file] = None
        tracer.modules[file] = _run_program(tracer, _program(module), file, module)
    return tracer.modules[file]


@cache
def _program(module: str) -> n.Module:
    """What stands in for a library module, once in a process."""
    return lower_ast(stand_ins.source(module))


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
    """A module in a package; else what nobody in view binds, the same wherever it is read."""
    project = tracer.settings.project
    assert project is not None
    inner = project.child(module.file, name)
    if inner is not None:
        return Module(inner)
    return Unknown(symbol=(NAMED, f"{project.qualified(module.file)}.{name}"))


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
    module = module_named(tracer, node.qualified)
    frame = run(tracer, module.file) if module is not None else None
    if module is None or frame is None:
        return {}
    here = tracer.stack.frame.globals.file
    found = {name: frame.names[name] for name in public_names(frame)}
    # In a circle some of it is bound here already.
    return {
        name: value
        for name, value in found.items()
        if here is None or _imported_from(tracer, frame, name) != here
    }


def _imported_from(tracer: Tracer, frame: Frame, name: str) -> Path | None:
    """The file that a name of a module is imported from, where it is by a statement at its top."""
    value, waiting = frame.names[name], tracer.put_off.get((frame, name))
    if isinstance(waiting, n.Import):
        package, _ = _parted(waiting.qualified)
        module = _find(tracer, package, frame) if package else None
        return module.file if module is not None else None
    return value.module.file if isinstance(value, Imported) else None


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
    return _run_program(tracer, program, file) if program is not None else None


def _run_program(tracer: Tracer, program: n.Module, file: Path, library: str = "") -> Frame:
    """The variables of a module, which runs; ``library``: the one that it stands in for."""
    frame = Frame(program.scope, None, None)
    frame.certain, frame.file, frame.program, frame.library = True, file, program, library
    # An import in a circle finds what is bound so far.
    tracer.modules[file] = frame
    tracer.about(program)
    tracer.analyses.about(program)
    with (
        tracer.importing_module(program, frame),
        tracer.apart(),
        tracer.stack.starting(frame),
        suppress(OutOfSteps),  # What is not bound when its steps are spent is unknown.
    ):
        _execute(tracer, program, frame)
    frame.stopped = False
    if not library:
        await_registries(tracer, program, frame)
    return frame


def _execute(tracer: Tracer, program: n.Module, frame: Frame) -> None:
    """Run a module; what can wait until it is asked for does."""
    assert frame.file is not None
    module, can_wait = Module(frame.file), definitions.can_wait(program)
    for statement in program.body:
        if frame.stopped:
            return
        called = can_wait.get(id(statement))
        if called is None or not _changes_nothing(tracer, frame, called):
            tracer.execute((statement,))
            continue
        assert isinstance(statement, definitions.Definition)
        assert statement.target is not None
        if isinstance(statement, n.Import):
            tracer.analyses.on_import(statement)
        name = statement.target.id
        tracer.put_off[frame, name] = statement
        frame.names[name] = Imported(module, name)


def _changes_nothing(tracer: Tracer, frame: Frame, called: definitions.Called) -> bool:
    """Whether what a definition calls is from outside, and does nothing that an analysis follows.

    JAX wraps what it decorates; else it computes.
    """
    return all(_is_outside(tracer, frame, name, "") for name in called.decorators) and all(
        _is_outside(tracer, frame, name, jax_api.PACKAGE) for name in called.others
    )


def _is_outside(tracer: Tracer, frame: Frame, name: str, but: str) -> bool:
    """Whether a name is from outside of the project, and not from the package ``but``."""
    put_off = tracer.put_off.get((frame, name))
    if isinstance(put_off, n.Import):
        del tracer.put_off[frame, name]
        frame.names[name] = _imported(tracer, put_off, frame, at_the_top=True)
    value = frame.names.get(name)
    if not isinstance(value, Qualified):
        return value is None
    return not but or f"{value.name}.".partition(".")[0] != but
