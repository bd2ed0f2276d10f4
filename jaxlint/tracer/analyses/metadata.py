"""Objects with arrays among the metadata of their class: JAX compares it at each call."""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.events import MetadataArray
from jaxlint.knowledge.libraries import WARNS_OF_STATIC_ARRAYS
from jaxlint.program import nodes as n
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.objects import Instance, Transformed
from jaxlint.tracer.values.pytrees import children, leaves
from jaxlint.tracer.values.value import UNKNOWN, Value


class Metadata(Analysis):
    """Looks at what compiled functions are given."""

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        if not function.transform.compiles or self.tracer.stack.muted:
            return
        written = zip(arguments.args, argument_nodes(node), strict=False)
        named = ((value, keyword_node(node, key)) for key, value in arguments.kwargs.items())
        for value, where in (*written, *named):
            for name, owner in _arrays_in_metadata(value):
                context = self.tracer.context(node, where)
                self.tracer.emit(MetadataArray(context, name, owner, function.name))
                return


def _arrays_in_metadata(value: Value) -> Iterator[tuple[str, str]]:
    """Each array that is no leaf of an object in a value: its field, and the class."""
    waiting, seen = [value], set()
    while waiting:
        found = waiting.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        if isinstance(found, Instance) and _is_compared(found):
            traits = found.cls.traits
            for name in sorted(traits.static_fields):
                field = (traits.fields or {}).get(name)
                kept = found.attributes.get(name, UNKNOWN)
                if field is not None and not field.converted and any(map(_is_array, leaves(kept))):
                    yield name, found.cls.name
        waiting.extend(children(found))


def _is_compared(instance: Instance) -> bool:
    """Whether JAX compares the fields of an object that are no leaves, and nobody else speaks."""
    traits = instance.cls.traits
    registered = traits.pytree == "dataclass" and not traits.library
    return registered and traits.module not in WARNS_OF_STATIC_ARRAYS


def _is_array(value: Value) -> bool:
    """Whether it has several numbers: one alone is equal to another or not."""
    if not isinstance(value, (Array, NumpyArray)) or value.aval.shape is None:
        return False
    assumed = isinstance(value, Array) and value.assumed
    return not assumed and any(size != 1 for size in value.aval.shape)
