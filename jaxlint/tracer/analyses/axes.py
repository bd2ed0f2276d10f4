"""Names of axes: what ``psum`` works along, and what the specs of a mesh name."""

from __future__ import annotations

from jaxlint.events import MeshAxis, UnboundAxis
from jaxlint.knowledge import jax_api
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import listed
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import External, Transformed
from jaxlint.tracer.values.value import UNKNOWN, Value

_SPECS = ("in_specs", "out_specs")


class Axes(Analysis):
    """Notes names of axes that nothing binds."""

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name in jax_api.AXIS_FUNCTIONS:
            self._check_bound(name, arguments, node)
        elif name in jax_api.NAMED_SHARDINGS:
            mesh, spec = arguments.get(0, "mesh"), arguments.get(1, "spec")
            if mesh is not None and spec is not None:
                self._check_spec(mesh, spec, "sharding", node)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        row, options = function.transform, function.options
        mesh = options.get(row.mesh) if row.mesh else None
        if mesh is None or "axis_names" in options:
            return
        for option in _SPECS:
            specs = options.get(option, UNKNOWN)
            inside = specs.items if isinstance(specs, Sequence) else (specs,)
            for spec in inside or ():
                self._check_spec(mesh, spec, option, node)

    # ------------------------------------------------------------------------- names

    def _check_bound(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """A caller out of view may bind any name: all callers must be in view."""
        stack = self.tracer.stack
        if not stack.frame.certain or stack.muted:
            return
        position = jax_api.AXIS_FUNCTIONS[name]
        bound: set[str] = set()
        for level in stack.levels():
            if level.axes is None:
                return
            bound |= level.axes
        for axis in listed(arguments.get(position, "axis_name") or UNKNOWN):
            if isinstance(axis, str) and axis not in bound:
                nodes = argument_nodes(node)
                given = position < len(nodes)
                where = nodes[position] if given else keyword_node(node, "axis_name")
                guarded = stack.frame.axis_guards > 0
                context = self.tracer.context(node, where, guarded=guarded)
                self.tracer.emit(UnboundAxis(context, name, axis))

    def _check_spec(self, mesh: Value, spec: Value, part: str, node: n.Node) -> None:
        if not isinstance(mesh, External) or not isinstance(spec, External):
            return
        if mesh.axes is None or spec.axes is None:
            return
        for number, axis in enumerate(spec.axes):
            if axis not in mesh.axes or axis in spec.axes[:number]:
                self.tracer.emit(MeshAxis(self.tracer.context(node), axis, mesh.axes, part))
                return
