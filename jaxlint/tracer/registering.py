"""Registries of other modules: what was imported by now has put something in before one is asked.

A module runs when something is read from it, and most are never asked. One that only registers
what it defines is asked for nothing: it runs when the registry is. ``modules.py`` sees that a
variable is a registry, and runs what this finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from jaxlint.imports.modules import Modules
from jaxlint.imports.resolution import PACKAGE
from jaxlint.program import nodes as n
from jaxlint.program.registries import named_at_the_top, registries, writers_elsewhere
from jaxlint.program.walk import statements
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import Imported, Instance, Module
from jaxlint.tracer.values.value import Value

_MOST = 300
"""Modules that are looked at."""


def await_registries(tracer: Tracer, program: n.Module, frame: Frame) -> None:
    """Note what of a module that has run others may still put something into."""
    found = registries(program)
    assert frame.file is not None
    awaited = tracer.awaited
    for name, value in list(frame.names.items()):
        known = name in found.names and isinstance(value, (Mapping, Sequence))
        if known or _is_registry(value):
            awaited.names[frame, name] = value, frozenset({name}) | found.writers
            frame.names[name] = Imported(Module(frame.file), name)
    for name, classes in found.attributes.items():
        more = awaited.of_classes.get(name, frozenset())
        awaited.of_classes[name] = more | classes | found.writers


def _is_registry(value: Value) -> bool:
    """Whether it is an object that others hand things: its methods keep them in a container."""
    if not isinstance(value, Instance) or value.cls.traits.pytree or value.cls.traits.module:
        return False
    return any(isinstance(each, Mapping) for each in value.attributes.values())


def imported_by_now(tracer: Tracer, interest: frozenset[str]) -> Iterator[Path]:
    """Modules that Python has imported, and that name one of these when they are.

    Those too with functions that put something in.

    ``interest``: the registry, and what puts something in.
    """
    project = tracer.settings.project
    started = [file for file, frame in tracer.modules.items() if frame and not frame.library]
    if project is None:
        return
    waiting, seen = list(started), set(started)
    while waiting and len(seen) < _MOST:
        file = waiting.pop(0)
        for module in _neighbours(tracer, project, file):
            if module not in seen:
                seen.add(module)
                waiting.append(module)
        if any(name in _text(project, file) for name in interest):
            program = project.program(file)
            if program is None:
                continue
            elsewhere = writers_elsewhere(program).keys()
            if not interest.isdisjoint(named_at_the_top(program) | elsewhere):
                yield file


def _neighbours(tracer: Tracer, project: Modules, file: Path) -> list[Path]:
    """The modules that are imported with a file; looked up once in a run."""
    known = tracer.awaited.neighbours
    if file not in known:
        known[file] = [*_imports(tracer, project, file), *_packages(project, file)]
    return known[file]


def _text(project: Modules, file: Path) -> str:
    source = project.library.read(file).source
    return source.text if source is not None else ""


def _imports(tracer: Tracer, project: Modules, file: Path) -> Iterable[Path]:
    """The modules that a file imports."""
    if file == tracer.settings.file:
        imports = [each for each in statements(tracer.module.body) if isinstance(each, n.Import)]
        names = [name for each in imports for name in (each.qualified, each.module) if name]
        names += [name.rpartition(".")[0] for name in names if name.strip(".").count(".")]
    else:
        source = project.library.read(file).source
        names = source.imported_names if source is not None else []
    found = (project.find(name, file) for name in names)
    return [module for module in found if module is not None and module.suffix == ".py"]


def _packages(project: Modules, file: Path) -> Iterator[Path]:
    """The packages that a module is in, which are imported before it."""
    above = project.find(".", file)
    if above is not None and above.name == PACKAGE and above != file:
        yield above
    elif above == file and (outer := project.find("..", file)) is not None:
        if outer.name == PACKAGE:
            yield outer


def derives(definition: n.ClassDefinition, interest: Iterable[str]) -> bool:
    """Whether the bases of a class name one of these."""
    bases = [base.value for base in definition.bases]
    named = {base.attr for base in bases if isinstance(base, n.Attribute)}
    named |= {base.id for base in bases if isinstance(base, n.Name)}
    return not named.isdisjoint(interest)
