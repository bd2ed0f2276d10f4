"""Splits that draw nothing: their parts are read by nobody, or only handed on."""

from __future__ import annotations

from jaxlint.knowledge import jax_api
from jaxlint.program.demand import any_of
from jaxlint.tracer.analyses.key_uses import Use
from jaxlint.tracer.analyses.unread import Unread
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Key


class Advancing:
    """Answers for one run."""

    def __init__(self, tracer: Tracer) -> None:
        self._unread = Unread(tracer, finished=True)

    def is_idle(self, use: Use) -> bool:
        """Whether it is a split, and nobody reads any part."""
        return use.name in jax_api.SPLITS and self._unread.is_unread(use.chain)

    def hands_on(self, use: Use, part: Key | None) -> bool:
        """Whether it is a split, and all that is read of it is the part that takes its place."""
        if use.name not in jax_api.SPLITS or part is None or part.part_of is None:
            return False
        demand = self._unread.asked(use.chain)
        one = isinstance(demand, tuple) and sum(map(any_of, demand)) == 1
        return one and part.part_of.made_of is use.key
