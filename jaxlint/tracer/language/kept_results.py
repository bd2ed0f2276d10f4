"""What ``functools.cache`` keeps of the functions of the program, and who gets it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.state.memo import Kept
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import Class, Function, Instance, Qualified
from jaxlint.tracer.values.pytrees import leaves, map_leaves
from jaxlint.tracer.values.sizes import unequal
from jaxlint.tracer.values.value import Const, Host, Value, replace


def from_cache(
    tracer: Tracer, function: Function, names: dict[str, Value], run: Callable[[], Value]
) -> Value:
    """The result of the first call with these arguments, whoever made it."""
    given = tuple(names.values())
    key, kept = tuple(value.key() for value in given), tracer.memo.cached[id(function)]
    level, found = tracer.stack.level, kept.get(key)
    if found is None:
        certain = not tracer.stack.frame.conditional and all(map(_is_known, given))
        result = run()
        kept[key] = Kept(result, (function, *given), _staging(level), certain)
        return result
    sure = all(each.certain for each in kept.values())
    if sure and found.level is not None and _is_over(found.level, level):
        return map_leaves(found.result, partial(_as_kept, function))
    return found.result


def _is_known(value: Value) -> bool:
    """Whether it is equal to itself alone: what looks like it is it."""
    if isinstance(value, Sequence):
        return value.items is not None and all(map(_is_known, value.items))
    if isinstance(value, Host):
        return value.type == "dtype" and value.name is not None
    return isinstance(value, (Const, Instance, Function, Class, Qualified))


def _staging(level: Level | None) -> Level | None:
    """The trace that belongs what is computed here from nothing but constants."""
    while level is not None and level.tracing and not level.transform.stages:
        level = level.parent
    return level if level is not None and level.tracing else None


def _is_over(maker: Level, level: Level | None) -> bool:
    """Whether one trace has ended for certain where another one runs.

    JAX traces a function once more for other shapes and dtypes alone.
    """
    now = _staging(level)
    if now is None or now.function != maker.function:
        return not (level is not None and level.within(maker))
    one, other = _arrays_given(maker), _arrays_given(now)
    return len(one) == len(other) and any(map(_are_unlike, one, other))


def _arrays_given(level: Level) -> list[Array]:
    found = [leaf for value in level.received for leaf in leaves(value)]
    return [leaf for leaf in found if isinstance(leaf, Array)]


def _are_unlike(one: Array, other: Array) -> bool:
    kinds = {one.dtype, other.dtype} - {None}
    return len(kinds) > 1 or unequal(one.aval.shape, other.aval.shape)


def _as_kept(function: Function, leaf: Value) -> Value:
    if isinstance(leaf, Array) and leaf.traced and leaf.concreteness == "abstract":
        return replace(leaf, kept_by=function.code.name)
    return leaf
