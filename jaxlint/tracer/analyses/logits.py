"""Probabilities where logits are asked for: a softmax of a softmax."""

from __future__ import annotations

from jaxlint.events import ProbabilitiesForLogits
from jaxlint.knowledge.probabilities import LOGITS
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.values.arrays import Array


class Logits(Analysis):
    """Notes what is given to functions that apply a softmax or sigmoid themselves."""

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name not in LOGITS:
            return
        position, keyword, made = LOGITS[name]
        given = arguments.get(position, keyword)
        if not isinstance(given, Array) or given.of_logits != made:
            return
        written = argument_nodes(node)
        where = written[position] if position < len(written) else keyword_node(node, keyword)
        context = self.tracer.context(node, where if where is not None else node)
        self.tracer.emit(ProbabilitiesForLogits(context, name, made))
