"""The way that cotangents go: from a result back to what is differentiated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.knowledge.transform import Transform
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.derivations import EITHER, Derivation, derivation_of
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import Value


def differentiated(transform: Transform, result: Value) -> Value:
    """What a transform differentiates of a function's result: what comes after it is extra."""
    if isinstance(result, Sequence) and transform.result != "value_and_more" and result.items:
        return result.items[0]
    return result


def perturbed(values: Iterable[Value]) -> Iterator[Array | Tree]:
    """The values to which cotangents go back, those in containers too."""
    for value in values:
        for leaf in [value] if isinstance(value, (Array, Tree)) else leaves(value):
            if isinstance(leaf, (Array, Tree)) and leaf.perturbed:
                yield leaf


def is_given(value: Array | Tree) -> bool:
    """Whether a value was there before what is differentiated ran."""
    if isinstance(value, Array) and (value.traced is not True or value.prng is not None):
        return True
    return value.reason is not None and value.reason.role != "result"


def behind(result: Value, certain: bool = False) -> Iterator[Derivation]:
    """The operations through which cotangents go back from a result.

    ``certain``: they do so whatever the branches of the program decide.
    """
    waiting: list[Value] = list(perturbed((result,)))
    seen: set[int] = set()
    while waiting:
        derived = derivation_of(waiting.pop())
        if derived is None or id(derived) in seen or (certain and derived.name == EITHER):
            continue
        seen.add(id(derived))
        yield derived
        waiting += perturbed(derived.operands)
