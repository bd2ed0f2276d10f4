"""JXL115: an unhashable value for a static argument."""

from __future__ import annotations

import libcst as cst

from jaxlint import events
from jaxlint.edits import Edit, Fix
from jaxlint.fixes.code import Code
from jaxlint.rules.rule import Evidence, RuleOn
from jaxlint.rules.words import text, with_article

_HASHABLE = {"list": "tuple", "set": "frozenset"}


class UnhashableStatic(RuleOn[events.UnhashableStatic]):
    """## What it does

    Finds lists, dicts, sets and arrays passed to a static parameter of a jitted function, also in a
    field of a frozen dataclass.

    ## Why is this bad

    JAX looks compiled code up by the value of static arguments, so they must be hashable.

    ## Bad

    ```python
    @partial(jax.jit, static_argnames="sizes")
    def init(key, sizes): ...

    init(key, [8, 8])
    ```

    ## Instead

    ```python
    init(key, (8, 8))
    ```

    An array belongs among the traced arguments.

    ## Messages

    - `...` is ..., which cannot be hashed, and this parameter of `...` is static: JAX
      raises; pass ...
    - `...` holds ..., which cannot be hashed, and this parameter of `...` is static: JAX
      raises; pass ...
    """

    code = "JXL115"
    name = "unhashable-static"
    summary = "an unhashable value for a static argument"
    fixes = (
        "A list that is written there becomes a tuple, also inside of a tuple; a set, or a "
        "variable that holds a list or set, goes through `frozenset(...)` or `tuple(...)`, which "
        "is unsafe. None for dicts and arrays."
    )
    evidence = Evidence(
        "raises",
        "jax 0.10.2: ValueError (non-hashable static arguments are not supported) for "
        "list, dict, set, np.ndarray and jax.Array.",
        exceptions=("ValueError",),
    )

    def message(self, event: events.UnhashableStatic) -> str:
        instead = {
            "list": "pass a tuple",
            "dict": "pass a tuple of pairs or a frozen dataclass",
            "set": "pass a frozenset",
        }.get(event.what, "pass it as a traced argument")
        is_or_holds = "holds" if event.held else "is"
        what = f"`{text(event.subject)}` {is_or_holds} {with_article(event.what)}"
        return (
            f"{what}, which cannot be hashed, and this parameter of `{event.function}` is static: "
            f"JAX raises; {instead}"
        )

    def fix(self, event: events.UnhashableStatic, code: Code) -> Fix | None:
        given = code.node(event.subject)
        hashable = _HASHABLE.get(event.what, "")
        if not hashable or not isinstance(given, cst.BaseExpression):
            return None
        if isinstance(given, (cst.List, cst.Tuple)):
            edits = _as_tuples(given, code)
            return code.fix("Pass a tuple", *edits, safe=True) if edits else None
        known = (cst.Name, cst.Attribute, cst.Subscript, cst.Set, cst.ListComp)
        if event.held or not isinstance(given, known):
            return None
        new = code.replace_whole(given, f"{hashable}({code.argument(given)})")
        return code.fix(f"Pass a {hashable}", new, safe=False)


def _as_tuples(node: cst.BaseExpression, code: Code) -> list[Edit] | None:
    """Parentheses for the brackets of a list, and of those in it; None with a set or dict in it."""
    if isinstance(node, (cst.Set, cst.Dict, cst.ListComp, cst.SetComp, cst.DictComp)):
        return None
    if not isinstance(node, (cst.List, cst.Tuple)):
        return []
    edits: list[Edit] = []
    if isinstance(node, cst.List):
        line, column, end_line, end_column = code.span(node)
        alone = len(node.elements) == 1 and isinstance(node.elements[0].comma, cst.MaybeSentinel)
        edits.append(Edit(line, column, line, column + 1, "("))
        edits.append(Edit(end_line, end_column - 1, end_line, end_column, ",)" if alone else ")"))
    for element in node.elements:
        inside = _as_tuples(element.value, code)
        if inside is None:
            return None
        edits += inside
    return edits
