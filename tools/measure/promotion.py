"""Asks JAX for its type promotion: what two dtypes make together, weak ones too.

``python -m tools.measure.promotion`` writes ``jaxlint/knowledge/promotion.json``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

TARGET = Path(__file__).parents[2] / "jaxlint" / "knowledge" / "promotion.json"

KINDS = {
    "bool": jnp.bool_,
    "int": jnp.integer,
    "float": jnp.floating,
    "complex": jnp.complexfloating,
}
WEAK = ("int32", "int64", "float32", "float64", "complex64", "complex128")
"""What a Python number becomes, with x64 off and on."""


def dtypes() -> list[str]:
    """Every numeric dtype of ``jax.numpy``."""
    scalars = type(jnp.float32)
    found = {getattr(jnp, name).dtype for name in dir(jnp) if type(getattr(jnp, name)) is scalars}
    return sorted(dtype.name for dtype in found)


def struct(dtype: str, shape: tuple[int, ...] = ()) -> jax.ShapeDtypeStruct:
    """An array of a dtype; ``~`` before the name makes it weak, ``key`` is a PRNG key."""
    if dtype == "key":
        key = jax.eval_shape(lambda: jax.random.key(0))
        return jax.ShapeDtypeStruct(shape, key.dtype)
    weak = dtype.startswith("~")
    return jax.ShapeDtypeStruct(shape, jnp.dtype(dtype.lstrip("~")), weak_type=weak)


def shown(aval: Any) -> str:
    """The dtype of a result in the same words."""
    if jnp.issubdtype(aval.dtype, jax.dtypes.prng_key):
        return "key"
    return ("~" if aval.weak_type else "") + str(aval.dtype.name)


def available(x64: bool) -> list[str]:
    """The dtypes that arrays can have, strong and weak."""
    found = [*dtypes(), *(f"~{name}" for name in WEAK), "key"]
    narrow = {name for name in found if not _is_wide(name)}
    return [name for name in found if x64 or name in narrow]


def _is_wide(name: str) -> bool:
    with jax.enable_x64(False):
        plain = name.lstrip("~")
        return plain != "key" and jax.dtypes.canonicalize_dtype(plain).name != plain


def joined(x64: bool) -> dict[str, dict[str, str]]:
    """What each pair makes, in alphabetical order; a pair that JAX refuses is not there."""
    names = sorted(available(x64))
    table: dict[str, dict[str, str]] = {name: {} for name in names}
    with jax.enable_x64(x64):
        for number, first in enumerate(names):
            for second in names[number:]:
                try:
                    result = jax.eval_shape(_choose, struct(first), struct(second))
                except (TypeError, ValueError):
                    continue
                table[first][second] = shown(result)
    return table


def _choose(first: Any, second: Any) -> Any:
    return jnp.where(True, first, second)


def short(name: str) -> str:
    """How JAX shortens a dtype."""
    return str(jax.core.ShapedArray((), jnp.dtype(name)).str_short(True).partition("[")[0])


def kind(name: str) -> str:
    """The kind of a dtype."""
    return next(kind for kind, wide in KINDS.items() if jnp.issubdtype(jnp.dtype(name), wide))


def table() -> dict[str, Any]:
    """Everything that the file holds."""
    return {
        "jax": jax.__version__,
        "kinds": {name: kind(name) for name in dtypes()},
        "short": {name: short(name) for name in dtypes()},
        "x64 off": joined(False),
        "x64 on": joined(True),
    }


def main() -> None:
    """Write the file, one line for each dtype."""
    parts = []
    for key, value in table().items():
        lines = (
            [f"    {json.dumps(name)}: {json.dumps(row)}" for name, row in value.items()]
            if (isinstance(value, dict))
            else []
        )
        text = "{\n" + ",\n".join(lines) + "\n  }" if lines else json.dumps(value)
        parts.append(f"  {json.dumps(key)}: {text}")
    TARGET.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
