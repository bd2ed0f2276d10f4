"""How often the program in view calls each compiled function."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.tracer.analyses.unread import Unread
from jaxlint.tracer.state.frames import Frame, Level, Link
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Transformed


class Applied:
    """The calls of compiled functions, by where each was made."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._warming = Unread(tracer, passes=True)
        self._calls: dict[int, list[tuple[Frame, tuple[Link, ...]]]] = {}

    def note(self, function: Transformed, chain: tuple[Link, ...]) -> None:
        """A function that compiles is called at the end of a chain of calls."""
        self._warming.note_idle(chain[-1].node)
        self._calls.setdefault(id(function.node.origin), []).append((function.made.frame, chain))

    def clear(self) -> None:
        """A run is over."""
        self._calls.clear()

    def is_warm_up(self, chain: tuple[Link, ...]) -> bool:
        """Whether a call is there to make it compile, before the calls that count."""
        return self._warming.is_unread(chain)

    def is_overwritten(self, chain: tuple[Link, ...], loop: n.Node) -> bool:
        """Whether no pass of a loop around a call reads what a pass before it was given."""
        return self._warming.is_overwritten(chain, loop)

    def counts_once(self, level: Level, told: bool) -> bool:
        """Whether a compiled function is called once, or alike; not to make it compile.

        ``told``: whoever has it made says which key it is, and may say another one next time.
        """
        made_at = id(level.site.origin)
        applied, calls = self._tracer.runs.applied[made_at], self._calls.get(made_at, [])
        makers = [id(maker) for maker, call in calls if not self.is_warm_up(call)]
        once = 0 < len(makers) == len(set(makers)) and (told or len(makers) == 1)
        return len(set(applied)) == 1 or (len(applied) == len(calls) and once)

    def made_for_one_call(self, level: Level) -> bool:
        """Whether whoever has the function compiled calls it once, and nobody else does.

        What it does while it is traced, it does at each call.
        """
        made_at = id(level.site.origin)
        calls = self._calls.get(made_at, [])
        makers = {id(maker) for maker, _ in calls}
        complete = len(makers) == len(calls) == len(self._tracer.runs.applied[made_at])
        return bool(calls) and complete and all(_is_straight(maker, call) for maker, call in calls)


def _is_straight(maker: Frame, chain: tuple[Link, ...]) -> bool:
    """Whether no loop goes around a call in the function that makes what is called."""
    places = [place for place, link in enumerate(chain) if link.frame is maker]
    if not places or maker.function is None:
        return False
    return not any(link.looping for link in chain[places[0] :])
