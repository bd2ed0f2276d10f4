"""Meshes of devices, the specs and shardings that lay arrays out over them, and who has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from jaxlint.knowledge import meshes, processes
from jaxlint.knowledge.transform import MESH, SPEC, UNMAPPED
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import listed
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.pytrees import map_leaves
from jaxlint.tracer.values.specs import in_force, sharding
from jaxlint.tracer.values.value import NONE, UNKNOWN, Differs, Host, Unknown, Value, replace

_ALL = (processes.ALL_DEVICES,)
"""The symbol of their number."""

_DEVICES = (processes.DEVICES,)
"""The symbol of the devices of all processes."""


def _mesh(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    known = _all_names(listed(arguments.get(1, "axis_names") or UNKNOWN))
    first = arguments.args[0] if arguments.args else UNKNOWN
    counts: tuple[object, ...] | None = None
    if isinstance(first, NumpyArray):
        counts = first.aval.shape
    elif name in meshes.MESHES_OF_SIZES and isinstance(first, Sequence):
        counts = tuple(listed(first)) if first.items is not None else None
    reach: Literal["", "all"] = "all" if _takes_all_devices(name, arguments) else ""
    explicit = known or () if _are_explicit(name, arguments) else ()
    if known is None or counts is None or len(counts) != len(known):
        return External(MESH, known, reach=reach, explicit=explicit)
    sizes = tuple(n if isinstance(n, int) else None for n in counts)
    return External(MESH, known, sizes, reach=reach, explicit=explicit)


def _are_explicit(name: str, arguments: Arguments) -> bool:
    """Whether the axes of a mesh are, by what the call says or, in newer releases, does not say."""
    if name != processes.MAKES_MESH or not arguments.closed:
        return False
    types = arguments.get(2, "axis_types")
    if types is None or types is NONE:
        return True
    items = types.items if isinstance(types, Sequence) else None
    return bool(items) and all(
        isinstance(each, Qualified) and each.name == meshes.EXPLICIT for each in items or ()
    )


def _device_mesh(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    sizes = listed(arguments.get(0, "mesh_shape") or UNKNOWN)
    known = tuple(each if isinstance(each, int) else None for each in sizes)
    return NumpyArray(Aval(known)) if None not in known else NumpyArray()


def _takes_all_devices(name: str, arguments: Arguments) -> bool:
    """Whether a mesh is over the devices of all processes."""
    first = arguments.get(0, "axis_shapes")
    if name != processes.MAKES_MESH:
        return isinstance(first, Unknown) and are_devices(first)
    sizes = first.items if isinstance(first, Sequence) else None
    if not arguments.closed or "devices" in arguments.kwargs:
        return False
    return any(isinstance(n, Host) and n.symbol == _ALL for n in sizes or ())


def _partition_spec(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """What it names for certain; entries that nobody can see name something else."""
    if not arguments.args and arguments.closed:
        return External(UNMAPPED, (), entries=())
    rows = [listed(entry) for entry in arguments.args]
    names = [each for row in rows for each in row if isinstance(each, str)]
    entries = tuple(_all_names(row) for row in rows) if arguments.closed else None
    return External(SPEC, tuple(names), entries=entries)


def _all_names(row: list[object]) -> tuple[str, ...] | None:
    """Names of axes, where all are in view."""
    known = tuple(each for each in row if isinstance(each, str))
    return known if len(known) == len(row) else None


def _sharding(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return sharding(arguments.get(0, "mesh"), arguments.get(1, "spec"))


def _set_mesh(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The mesh stays: a spec alone is refused where none is set."""
    tracer.trail.set(tracer.mesh, processes.SET, arguments.get(0, "mesh") or UNKNOWN)
    return UNKNOWN


def _placed(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """An array that is put where a sharding says."""
    place = arguments.get(*processes.PLACES[name])
    where = in_force(tracer.mesh.get(processes.SET), place)
    reach = where.reach if isinstance(where, External) else ""
    if name != processes.PUTS:
        found = tracer.array([], node, name) if reach else tracer.unseen(*arguments.all())
        return replace(found, reach=reach) if isinstance(found, Array) else found
    value = arguments.args[0] if arguments.args else UNKNOWN
    stays = arguments.closed and (place is None or place is NONE)

    def put(leaf: Value) -> Value:
        if isinstance(leaf, Array) and stays:
            return leaf
        if isinstance(leaf, Array) and not reach:
            return replace(leaf, unplaced=False) if leaf.unplaced else leaf
        if not isinstance(leaf, (NumpyArray, Array)):
            return leaf
        found = tracer.array([leaf], node, name, leaf.aval)
        prng = leaf.prng if isinstance(leaf, Array) else None
        return replace(found, reach=reach, prng=prng, differs=None if reach else found.differs)

    return map_leaves(value, put)


def _devices(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    chosen = bool(arguments.all()) or not arguments.closed
    return UNKNOWN if chosen else Unknown(symbol=_DEVICES)


def are_devices(value: Unknown) -> bool:
    """Whether an array or list of devices is that of all processes."""
    return value.symbol == _DEVICES


def _count(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    symbol = processes.COUNTS[name]
    differs = Differs("rank", node) if symbol == processes.PROCESS else None
    return Host("int", symbol=(symbol,), differs=differs)


MODELS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    "jax.sharding.PartitionSpec": _partition_spec,
    "jax.P": _partition_spec,
    **dict.fromkeys(meshes.MAKES_MESHES, _mesh),
    "jax.experimental.mesh_utils.create_device_mesh": _device_mesh,
    **dict.fromkeys(meshes.NAMED_SHARDINGS, _sharding),
    **dict.fromkeys(processes.SETS_MESH, _set_mesh),
    **dict.fromkeys(processes.PLACES, _placed),
    processes.DEVICES: _devices,
    **dict.fromkeys(processes.COUNTS, _count),
}
"""Functions by their qualified names."""
