"""Chains of optax whose links stand in an order that nobody means."""

from __future__ import annotations

from jaxlint.events import MisplacedLink
from jaxlint.knowledge.chains import CLIPS, FORGETS_SCALE, TURNS_SIGN
from jaxlint.knowledge.optax_api import CHAIN
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.values.externals import External, Part


class Links(Analysis):
    """Notes links for gradients behind the one that has made updates of them."""

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name != CHAIN or not arguments.closed or not isinstance(node, n.Call):
            return
        before: Part | None = None
        written = argument_nodes(node)
        for place, link in enumerate(arguments.args):
            parts = link.parts if isinstance(link, External) else ()
            if len(parts) != 1 or parts[0].masked:
                return  # A chain in itself has been looked at; a mask may leave out what matters.
            if before is not None and _is_misplaced(parts[0], before):
                starred = len(written) != len(arguments.args)
                where = node if starred else written[place]
                context = self.tracer.context(where, where)
                self.tracer.emit(MisplacedLink(context, parts[0].maker, before.maker))
            if parts[0].maker in TURNS_SIGN:
                if before is not None:
                    return  # Two turn the sign twice.
                before = parts[0]


def _is_misplaced(link: Part, before: Part) -> bool:
    """Whether a link is of no use, or does harm, behind another one."""
    if link.adds_weights:
        return True
    return link.maker in CLIPS and before.maker in FORGETS_SCALE
