"""Texts that are put together of values: f-strings, and ``%``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jaxlint.program import nodes as n
from jaxlint.tracer.operations.conversions import number
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.pytrees import tracers
from jaxlint.tracer.values.value import Const, Host, Value

_DIRECTIVE = re.compile(r"%[-+ #0]*[\d.]*([a-zA-Z])")
_NUMBER_DIRECTIVES = frozenset("dieEfFgGxXo")
_LONGEST_TEXT = 24
"""Characters of the longest text that is put together: keys and names. What is longer is for people
to read, and calls that are given it are not told apart by it."""
_LONGEST_NAME = 100
"""The same of what can be the name of a module, which people read, too, and Python imports."""
_NAME = re.compile(r"[\w.]+")


def formatted(tracer: Tracer, node: n.FormattedString) -> Value:
    """``f"layer_{number}"``: a constant where everything in it is, and it is short."""
    shown: list[Value] = []
    texts: list[str | None] = []
    for part in node.parts:
        if isinstance(part, n.Formatted):
            value = tracer.formatted[id(part.value)] = tracer.evaluate(part.value)
            tracer.analyses.on_wait(value, part.value, "format")
            if part.spec and not part.conversion:
                number(tracer, value, part.value, "format spec")
            shown += tracers(value)
            plain = not part.spec and not part.conversion
            texts.append(_text_of(value) if plain else None)
        else:
            texts.append(_text_of(tracer.evaluate(part)))
    parts = [text for text in texts if text is not None]
    if len(parts) == len(texts):
        text = "".join(parts)
        longest = _LONGEST_NAME if _NAME.fullmatch(text) else _LONGEST_TEXT
        if len(text) <= longest:
            return Const(text)
    return Host("str", shows=shown[0] if shown else None)


def _text_of(value: Value) -> str | None:
    """What Python writes of a constant; None where nobody knows."""
    known = isinstance(value, Const) and type(value.value) in (str, int, bool)
    return str(value.value) if known and isinstance(value, Const) else None


def format_numbers(tracer: Tracer, text: str, value: Value, node: n.Node) -> None:
    """``"%.2f" % value``: each number directive asks for a Python number."""
    directives = _DIRECTIVE.findall(text.replace("%%", ""))
    values: Iterable[Value] = [value]
    if isinstance(value, Sequence) and value.items:
        values = value.items
    parts = node.elements if isinstance(node, n.Display) else [node]
    tracer.formatted.update({id(part): each for part, each in zip(parts, values, strict=False)})
    for directive, each in zip(directives, values, strict=False):
        if directive in _NUMBER_DIRECTIVES:
            number(tracer, each, node, "% format")
