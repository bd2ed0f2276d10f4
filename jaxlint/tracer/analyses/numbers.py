"""Python integers that are made arrays of a dtype which cannot hold them."""

from __future__ import annotations

from jaxlint.knowledge import dtypes, jax_api
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.operations.ranges import DEFAULT, name_of_dtype, note_out_of_range
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import type_name


class Numbers(Analysis):
    """Notes integers beyond the range of their dtype."""

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name in jax_api.PROMOTES:
            self._beside_arrays(arguments, node)
        if name not in jax_api.MAKES_ARRAYS and name not in dtypes.SCALAR_TYPES:
            return
        if not arguments.args or not arguments.closed:
            return
        scalar = name in dtypes.SCALAR_TYPES
        dtype = arguments.get(1, "dtype")
        target = name.rpartition(".")[2] if scalar else name_of_dtype(dtype)
        values = list(leaves(arguments.args[0]))
        if target is None or not target.lstrip("u").startswith("int"):
            return
        if not all(type_name(value) in ("int", "bool") for value in values):
            return
        where = next(iter(argument_nodes(node)), node)
        for value in values:
            note_out_of_range(self.tracer, value, target, node, where)

    def _beside_arrays(self, arguments: Arguments, node: n.Node) -> None:
        """Integers among the operands of a function that promotes them."""
        for value, where in zip(arguments.args, argument_nodes(node), strict=False):
            note_out_of_range(self.tracer, value, DEFAULT, node, where)
        for name, value in arguments.kwargs.items():
            note_out_of_range(self.tracer, value, DEFAULT, node, keyword_node(node, name))
