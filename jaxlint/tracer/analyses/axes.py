"""Names of axes: what ``psum`` works along, and what the specs of a mesh name."""

from __future__ import annotations

from jaxlint.events import ExplicitAxis, MeshAxis, SpecMismatch, UnboundAxis
from jaxlint.knowledge import meshes, processes
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import listed, statics_of
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node, nodes_of
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.placement import is_unplaced
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.specs import explicit_axes, misfit, spec_of
from jaxlint.tracer.values.value import UNKNOWN, Value


class Axes(Analysis):
    """Notes names of axes that nothing binds."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        setters = {name.rpartition(".")[2] for name in processes.SETS_MESH}
        self._may_be_set = not setters.isdisjoint(tracer.module.loaded)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name in meshes.AXIS_FUNCTIONS:
            self._check_bound(name, arguments, node)
        elif name in meshes.NAMED_SHARDINGS:
            mesh, spec = arguments.get(0, "mesh"), arguments.get(1, "spec")
            if mesh is not None and spec is not None:
                self._check_spec(mesh, spec, "sharding", node)
        elif name in meshes.PLACES_ARRAYS:
            self._check_placed(name, arguments, node)
        elif name == processes.MAKES_MESH:
            self._check_named(arguments, node)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        row, options = function.transform, function.options
        statics = statics_of(function)
        if row.statics_by_option and statics.known and not statics.positions | statics.names:
            self._check_given(options.get("in_shardings"), arguments, node)
        if not row.mesh or "axis_names" in options:
            return
        mesh = options.get(row.mesh) or UNKNOWN
        self._check_laid_out(function, arguments, node)
        for option in (row.specs, row.out_specs):
            for spec in leaves(options.get(option, UNKNOWN)):
                self._check_spec(mesh, spec, option, node)

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        """What a compiled function gives, against its ``out_shardings``."""
        layout = function.options.get("out_shardings")
        if function.transform.statics_by_option and isinstance(layout, External):
            self._check_cut(result, layout, "out_shardings", False, node, node)

    # ------------------------------------------------------------------------- names

    def _check_bound(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """A caller out of view may bind any name: all callers must be in view.

        A flag that nobody knows, such as ``is_parallel``, may stand for the axis.
        """
        stack = self.tracer.stack
        if not stack.frame.certain or stack.muted or stack.undecided_in_trace():
            return
        position = meshes.AXIS_FUNCTIONS[name]
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
        if not isinstance(spec, External) or spec.axes is None:
            return
        axes = mesh.axes if isinstance(mesh, External) else None
        for number, axis in enumerate(spec.axes):
            twice = axis in spec.axes[:number]
            if twice or (axes is not None and axis not in axes):
                self.tracer.emit(MeshAxis(self.tracer.context(node), axis, axes, part, twice))
                return

    # ------------------------------------------------------------------------ arrays

    def _check_placed(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """``device_put`` and its like: whether the array can be cut as they are told."""
        layout = arguments.get(1, meshes.PLACES_ARRAYS[name])
        if name == meshes.ASSERTS_LAYOUT and isinstance(layout, External):
            self._check_constraint(layout, node)
        if not isinstance(layout, External) or layout.sizes is None or not arguments.args:
            return
        level = self.tracer.stack.level
        staged = level is not None and level.stages
        ranks_alone = staged and name in meshes.LEAVES_UNEVEN
        where = next(iter(argument_nodes(node)), node)
        self._check_cut(arguments.args[0], layout, "sharding", ranks_alone, node, where)

    def _check_constraint(self, layout: External, node: n.Node) -> None:
        """A sharding along an explicit axis, where no mesh is set: JAX raises, whatever it is for.

        With a mesh that is set, also by a caller out of view, it asserts how the array lies.
        """
        tracer = self.tracer
        may_be_set = self._may_be_set or processes.SET in tracer.mesh
        if layout.explicit and tracer.stack.globals.certain and not may_be_set:
            context = self.tracer.context(node)
            self.tracer.emit(ExplicitAxis(context, layout.explicit[0], "sharding"))

    def _check_laid_out(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        """Arguments that are whole on one device, of a function that runs on pieces of arrays."""
        row, options = function.transform, function.options
        nodes = nodes_of(arguments, node)
        for position, value in enumerate(arguments.args):
            spec = spec_of(options.get(row.specs), position)
            axes = explicit_axes(options.get(row.mesh), spec)
            if axes and is_unplaced(value):
                context = self.tracer.context(node, nodes[position])
                self.tracer.emit(ExplicitAxis(context, axes[0], row.specs))
                return

    def _check_given(self, shardings: Value | None, arguments: Arguments, node: n.Node) -> None:
        """The arguments of a compiled function, against its ``in_shardings``."""
        for position, where in enumerate(nodes_of(arguments, node)[: len(arguments.args)]):
            layout, value = spec_of(shardings, position), arguments.args[position]
            if isinstance(layout, External):
                if self._check_cut(value, layout, "in_shardings", True, node, where):
                    return

    def _check_cut(
        self,
        value: Value,
        layout: External,
        part: str,
        ranks_alone: bool,
        node: n.Node,
        where: n.Node,
    ) -> bool:
        """Note an array in a value that cannot be cut by a sharding; whether there is one."""
        for leaf in leaves(value) if layout.sizes is not None else ():
            if not isinstance(leaf, Array) or leaf.assumed or leaf.aval.shape is None:
                continue
            found = misfit(leaf.aval.shape, layout.sizes or ())
            if found is not None and not (found.what == "size" and ranks_alone):
                context = self.tracer.context(node, where, leaf)
                self.tracer.emit(
                    SpecMismatch(context, part, found.what, found.has, found.wants, found.axis)
                )
                return True
        return False

    def _check_named(self, arguments: Arguments, node: n.Node) -> None:
        """Whether each axis of a new mesh has a name."""
        sizes = arguments.get(0, "axis_shapes") or arguments.get(0, "axis_sizes")
        names = arguments.get(1, "axis_names")
        if isinstance(sizes, Sequence) and isinstance(names, Sequence):
            if sizes.items is not None and names.items is not None:
                has, wants = len(names.items), len(sizes.items)
                if has != wants:
                    context = self.tracer.context(node)
                    self.tracer.emit(SpecMismatch(context, "mesh", "count", has, wants))
