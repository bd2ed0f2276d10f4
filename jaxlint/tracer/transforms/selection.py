"""Which arguments a transform makes tracers of."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.tracer.callables import listed
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import Qualified, Transformed
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Host, Value, is_number


def selected(function: Transformed) -> Callable[[int, str], bool | None] | None:
    """Which parameters are traced, for transforms that choose; None for all.

    The answer for one parameter is None when the options cannot be read.
    """
    transform, options = function.transform, function.options
    if transform.traced == "argnums":
        argnums = set(listed(options.get("argnums") or Const(0)))
        return lambda position, name: None if None in argnums else position in argnums
    if transform.chooses_axes:
        axes = options.get("in_axes")
        return _by_entries(axes) if transform.traced == "arrays" else _by_axes(axes)
    if transform.traced == "arrays" and transform.concreteness == "differentiated":
        return lambda position, name: position == 0
    if transform.excluded and transform.excluded in options:
        excluded = set(listed(options[transform.excluded]))
        if None in excluded:
            return lambda position, name: None
        return lambda position, name: position not in excluded and name not in excluded
    if transform.rest_axes and transform.rest_axes in options:
        return _of_the_rest(options[transform.rest_axes])
    if transform.specs:
        return _by_axes(options.get(transform.specs), whole=True)
    return None


def _by_axes(axes: Value | None, whole: bool = False) -> Callable[[int, str], bool | None] | None:
    """Which positions are traced by a tuple with one entry for each; None means untouched."""
    if axes is None or (isinstance(axes, (Const, Host)) and axes is not NONE):
        return None
    if isinstance(axes, Sequence) and axes.items is not None:
        mapped = [_is_mapped(axis, whole) for axis in axes.items]
        return lambda position, name: mapped[position] if position < len(mapped) else True
    return None if whole else lambda position, name: None


def _by_entries(axes: Value | None) -> Callable[[int, str], bool | None] | None:
    """The same where entries may be functions of the arrays, and stand by name in a dict."""
    if not isinstance(axes, (Sequence, Mapping)):
        return None

    def chosen(position: int, name: str) -> bool | None:
        entry = entry_of(axes, position, name)
        if isinstance(entry, (Sequence, Mapping)):
            return None
        return entry is not NONE

    return chosen


def entry_of(axes: Value, position: int, name: str) -> Value:
    """What axes say of an argument: one of several, by position or name, or one for all."""
    if isinstance(axes, Mapping):
        return axes.entries.known.get(name, axes.entries.rest or UNKNOWN)
    if isinstance(axes, Sequence):
        entries = axes.items or ()
        return entries[position] if 0 <= position < len(entries) else UNKNOWN
    return axes


def _of_the_rest(axes: Value) -> Callable[[int, str], bool | None]:
    """Which arguments after the carry are traced: those that have an axis."""

    def chosen(position: int, name: str) -> bool | None:
        axis: Value | None = axes
        if isinstance(axes, Sequence):
            items = axes.items or ()
            axis = items[position - 1] if 1 <= position <= len(items) else None
        if position == 0 or (axis is not None and is_number(axis)):
            return True
        return False if isinstance(axis, (Host, Qualified)) else None

    return chosen


def _is_mapped(axis: Value, whole: bool) -> bool | None:
    if isinstance(axis, Const):
        return axis.value is not None
    return True if whole or isinstance(axis, Host) else None
