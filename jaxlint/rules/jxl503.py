"""JXL503: a 64 bit type asked for while x64 is off."""

from __future__ import annotations

from collections.abc import Hashable

import libcst as cst

from jaxlint import events
from jaxlint.edits import Edit, Fix
from jaxlint.fixes.code import Code
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.rule import Evidence, RuleOn

_NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}


class WideDtype(RuleOn[events.WideDtype]):
    """## What it does

    Finds `float64`, `int64`, `uint64` and `complex128` asked of JAX in files that do not mention
    x64.

    ## Why is this bad

    Unless `jax_enable_x64` is on, JAX narrows them to 32 bits, with a warning that is easily lost
    among others.

    ## Bad

    ```python
    x = jnp.zeros(3, dtype=jnp.float64)
    ```

    ## Instead

    ```python
    jax.config.update("jax_enable_x64", True)
    x = jnp.zeros(3, dtype=jnp.float64)
    ```

    or `jnp.float32`, or `dtype=float`, which follows the setting. A project that switches x64 on in
    another file can turn the rule off.

    ## Messages

    - `...` becomes `...` while x64 is off, and nothing in this file turns it on; call
      `jax.config.update("jax_enable_x64", True)` first, or use 32 bits
    """

    code = "JXL503"
    name = "wide-dtype"
    summary = "a 64 bit type asked for while x64 is off"
    severity = "warning"
    in_tests = False
    fixes = (
        "The name of the type becomes the one that JAX takes today: `float32` for `float64` and so "
        "on. Unsafe: 64 bits are what its author asked for, and another file may turn them on."
    )
    evidence = Evidence(
        "warns",
        "jax 0.10.2: UserWarning (explicitly requested dtype float64 is not available) "
        "and 32 bits for dtype=jnp.float64, np.float64, 'float64', "
        "x.astype(jnp.float64), jnp.float64(1); dtype=float is silent.",
        exceptions=("UserWarning",),
    )

    def judge(self, event: events.WideDtype, file: FileFacts) -> bool:
        return not file.may_use_x64

    def same_cause(self, event: events.WideDtype) -> Hashable:
        return "one setting is missing"

    def message(self, event: events.WideDtype) -> str:
        return (
            f"`{event.dtype}` becomes `{_NARROW[event.dtype]}` while x64 is off, and nothing in "
            'this file turns it on; call `jax.config.update("jax_enable_x64", True)` first, or use '
            "32 bits"
        )

    def fix(self, event: events.WideDtype, code: Code) -> Fix | None:
        node, narrow = code.node(event.subject), _NARROW[event.dtype]
        if isinstance(node, cst.Call):
            node = node.func
        edits: list[Edit] = []
        if isinstance(node, cst.SimpleString) and node.raw_value == event.dtype:
            edits = [code.replace(node, code.text(node).replace(event.dtype, narrow))]
        elif isinstance(node, cst.Attribute) and node.attr.value == event.dtype:
            edits = [code.replace(node.attr, narrow)]
        elif isinstance(node, cst.Name):
            package, _, imported = code.qualified(node).rpartition(".")
            named = code.name(f"{package}.{narrow}", node) if imported == event.dtype else None
            edits = [code.replace(node, named[0]), *named[1]] if named is not None else []
        return code.fix(f"Write `{narrow}`", *edits, safe=False)
