"""Effects in the branches of what asks a whole batch: they happen for every element."""

from __future__ import annotations

from jaxlint.events import BranchEffect
from jaxlint.knowledge.jax_api import ASKS_BATCHES, EFFECTS_ON_HOST
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.value import Value


class Branches(Analysis):
    """Notes them: ``jax.lax.cond`` of a batch computes both branches and selects."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._asked: dict[int, tuple[str, Value | None]] = {}
        """By the ids of where they are asked: what makes a batch, and the predicate."""

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return any(name.rpartition(".")[2] in module.loaded for name in ASKS_BATCHES)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name in ASKS_BATCHES:
            asked = arguments.get(*ASKS_BATCHES[name])
            self._asked[id(node.origin)] = _mapped_by(asked), asked
        if name not in EFFECTS_ON_HOST or self.tracer.stack.muted:
            return
        for level in reversed(self.tracer.stack.levels()):
            mapped, predicate = self._asked.get(id(level.site.origin), ("", None))
            if any(value is predicate for value in arguments.all()):
                return  # What is called on the host may ask it.
            if mapped:
                context = self.tracer.context(node)
                event = BranchEffect(context, name, level.name, level.site, mapped)
                self.tracer.emit(event)
                return


def _mapped_by(asked: object) -> str:
    """What makes a batch of the predicate; empty where none does, or nobody can see."""
    reason = asked.reason if isinstance(asked, Array) and asked.traced is True else None
    while reason is not None and reason.parent is not None:
        reason = reason.parent
    if reason is not None and reason.role == "result":
        return ""  # Made of nothing that is mapped, in code that is compiled.
    row = TRANSFORMS.get(reason.transform) if reason is not None else None
    maps = row is not None and row.concreteness == "mapped"
    return reason.transform if reason is not None and maps else ""
