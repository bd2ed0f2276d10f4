"""What linting the modules that a file imports would find: that is not said of the file again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from jaxlint.config import Options
from jaxlint.events import Event, Kind
from jaxlint.imports.modules import Modules, Probed
from jaxlint.program.spots import Spot
from jaxlint.rules.rule import Verdict
from jaxlint.tracer.run import trace
from jaxlint.tracer.tracer import Settings

Found = frozenset[tuple[Kind, tuple[str, int, int]]]
"""Kinds of events and the places where they happen."""


class Neighbours:
    """Follows modules as if they were linted, each once in a process.

    What happens in one is found there whoever else says so, too: of its own neighbours nobody
    is asked. So modules that import each other in a circle have one answer, whichever of them
    is asked first.

    Args:
        modules: of the file that is linted: what its neighbours depend on, it does too.
        options: what the user asked for.
        settings: those of a file, by name and text, without what finds modules for it.
    """

    def __init__(
        self,
        modules: Modules,
        options: Options,
        settings: Callable[[str, str], Settings],
    ) -> None:
        self._library = modules.library
        self._modules = modules
        self._options = options
        self._settings = settings

    def unsaid(self, verdicts: Iterable[Verdict]) -> Iterator[Verdict]:
        """Without what linting another module finds, too; of one thing the first.

        Whether it does is asked of what a rule speaks about alone.
        """
        told = set()
        for verdict in verdicts:
            about = verdict.rule.code, verdict.event.identity
            if about not in told and not self._is_said(verdict.event):
                told.add(about)
                yield verdict

    def _is_said(self, event: Event) -> bool:
        """Whether linting one of the modules on the way finds such an event at that place."""
        return any(self._says(Path(file), event) for file in event.context.others)

    def _says(self, file: Path, event: Event) -> bool:
        """Whether linting a module finds such an event there.

        Also where that cannot be told, because the module cannot be read.
        """
        options, origin = self._options, event.site.origin
        about = (file, options.sources, options.jit_wrappers, options.traced_callables)
        found, probed = self._library.kept((*about, options.unroll), file, self._follow)
        self._modules.probed.include(probed)
        return found is None or not isinstance(origin, Spot) or (event.kind, origin.key) in found

    def _follow(self, file: Path) -> tuple[Found | None, Probed]:
        modules = Modules(self._library, self._options.sources)
        program, source = modules.program(file), self._library.read(file).source
        if program is None or source is None:
            return None, modules.probed
        settings = self._settings(source.filename, source.text)
        settings = replace(settings, project=modules, file=file)
        found = set()
        for event in trace(program, settings).events:
            origin = event.site.origin
            if isinstance(origin, Spot) and not event.guarded and not event.context.latent:
                found.add((event.kind, origin.key))
        return frozenset(found), modules.probed
