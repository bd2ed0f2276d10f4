"""The names that a transform gives to axes, and what is known of them."""

from __future__ import annotations

from jaxlint.knowledge import meshes
from jaxlint.tracer.callables import listed
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.value import Const


def axes_of(function: Transformed) -> frozenset[str] | None:
    """The names that a transform gives to axes; None when they are not in view."""
    row, options = function.transform, function.options
    if "axis_env" in options:
        return None
    if row.mesh:
        mesh = options.get(row.mesh)
        if not isinstance(mesh, External) or mesh.axes is None or "axis_names" in options:
            return None
        return frozenset(mesh.axes)
    named = options.get(row.axis_name)
    names = listed(named) if named is not None else []
    known = frozenset(each for each in names if isinstance(each, str))
    return known if len(known) == len(names) else None


def told_apart(function: Transformed) -> frozenset[str]:
    """The axes of a mesh along which JAX knows what differs, in what runs on pieces of arrays."""
    given = meshes.LEAVES_VARYING & function.options.keys()
    told_not_to = bool(given) and not unchecked(function)
    known = axes_of(function) if function.transform.mesh and not told_not_to else None
    return known or frozenset()


def unchecked(function: Transformed) -> bool:
    """Whether JAX does not ask what differs along the axes of a mesh, whatever comes of it."""
    given = meshes.LEAVES_VARYING & function.options.keys()
    values = [function.options[name] for name in given]
    off = all(isinstance(value, Const) and value.value is False for value in values)
    return bool(given) and given <= meshes.NOT_CHECKED and off


def is_everywhere(function: Transformed) -> bool:
    """Whether the axes that a transform names go over the devices of all processes."""
    row, options = function.transform, function.options
    if row.mesh:
        mesh = options.get(row.mesh)
        return isinstance(mesh, External) and bool(mesh.reach)
    return row.each and row.compiles and "devices" not in options and "backend" not in options
