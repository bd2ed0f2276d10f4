"""The record: what the run has found, each event once for each place.

What happens in another module concerns the file when something of the file causes it, or when
nobody else would say it, whom the event names; it is said at the place in the file from which the
run got there.
"""

from __future__ import annotations

from jaxlint.events import Context, Event, Kind, Reason, Site
from jaxlint.program import nodes as n
from jaxlint.program.spots import Spot
from jaxlint.tracer.borders import lies_in_library
from jaxlint.tracer.state.frames import Link
from jaxlint.tracer.state.stack import Stack
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.value import Value, replace


class Record:
    """The events of a run.

    Attributes:
        events: what was found.
    """

    def __init__(self, module: n.Module, stack: Stack) -> None:
        self.events: list[Event] = []
        self._stack = stack
        self._own = module.origin.source if isinstance(module.origin, Spot) else None
        self._seen: set[object] = set()

    def add(self, event: Event) -> None:
        """Record an event once for each place."""
        stack = self._stack
        if stack.muted or stack.frame.doubtful or stack.speculates():
            return
        if self.is_elsewhere(event.site.origin):
            way = event.context.reached or self._way_by(self._stack.chain)
            if way is None or lies_in_library(event.site.origin) or not self._may_concern(event):
                return
            others = self._others(event)
            calls = self._calls_by(self._stack.chain)
            context = replace(event.context, reached=way, calls=calls, others=others)
            event = replace(event, context=context)
        key = (event.identity, event.context.others)
        if key not in self._seen:
            self._seen.add(key)
            self.events.append(event)

    def withdraw(self, event: Event) -> None:
        """Take an event back that what followed has made none."""
        self.events = [each for each in self.events if each.identity != event.identity]

    def has(self, kind: Kind, node: n.Node) -> bool:
        """Whether such an event was recorded at a place."""
        return ((kind, id(node.origin), False, False, None), ()) in self._seen

    def is_elsewhere(self, origin: object) -> bool:
        """Whether an origin lies in another module than the linted file."""
        return type(origin) is Spot and origin.source is not self._own

    def context(
        self,
        node: n.Node,
        subject: n.Node | None = None,
        value: Value | None = None,
        guarded: bool | None = None,
        by: tuple[Link, ...] | None = None,
    ) -> Context:
        """Here and now, for an event at ``node`` about ``value``, written as ``subject``.

        ``by``: the calls that lead to the node; None: those that lead here.
        """
        stack = self._stack
        found = tracers(value) if value is not None else []
        reason = found[0].reason if found else None
        chain = stack.chain if by is None else by
        return Context(
            Site(node.origin),
            Site(subject.origin) if subject is not None else None,
            reason,
            tuple(level.name for level in stack.levels()),
            stack.level.described if stack.level is not None else None,
            bool(stack.frame.guards) if guarded is None else guarded,
            stack.expected,
            latent=_latent(reason) or stack.latent,
            reached=self._way_by(chain) if self.is_elsewhere(node.origin) else None,
        )

    def _may_concern(self, event: Event) -> bool:
        """Whether what happens in another module may matter to the linted file."""
        ends = event.fails or event.raises
        aside = self._stack.aside and event.context.tracing is None and not ends
        return not (event.of_the_text or event.context.latent or aside)

    def _others(self, event: Event) -> tuple[str, ...]:
        """The modules of which one may find it as well, so that it is mended there.

        If nothing of the file is a cause, those with a part in it or on the way. If the file has a
        part in how a value gets there, but not in what is traced, the one where it happens.
        """
        causes = [site.origin for site in event.causes()]
        origins = [*causes, *(link.node.origin for link in self._stack.chain)]
        if not all(map(self.is_elsewhere, causes)):
            origins = [event.site.origin] if self._is_traced_elsewhere(event) else []
        spots = [
            each
            for each in origins
            if isinstance(each, Spot) and self.is_elsewhere(each) and not lies_in_library(each)
        ]
        return tuple(dict.fromkeys(spot.source.filename for spot in spots))

    def _is_traced_elsewhere(self, event: Event) -> bool:
        """Whether other modules trace what an event is about, and have it in their text."""
        if event.reason is None or event.context.tracing is None:
            return False
        root = event.reason.root
        begins = [event.context.tracing.site, root.site, root.transform_site, event.subject]
        return all(self.is_elsewhere(site.origin) for site in begins if site is not None)

    def _way_by(self, chain: tuple[Link, ...]) -> Site | None:
        """The last place in the linted file on the way; None: the file is not on it."""
        for link in reversed(chain):
            if not self.is_elsewhere(link.node.origin):
                return Site(link.node.origin)
        return None

    def _calls_by(self, chain: tuple[Link, ...]) -> tuple[int, ...]:
        """The places of the linted file on the way."""
        origins = (link.node.origin for link in chain)
        return tuple(id(origin) for origin in origins if not self.is_elsewhere(origin))


def _latent(reason: Reason | None) -> str:
    """The parameter that a tracer comes from, if nobody in view passes it."""
    root = reason.root if reason is not None else None
    return root.subject if root is not None and root.latent else ""
