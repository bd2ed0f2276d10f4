"""What the text of a function says of its parameters."""

from __future__ import annotations

import pytest

from jaxlint.program import nodes as n
from jaxlint.program.lower_ast import lower_ast
from jaxlint.source import Source
from jaxlint.tracer.parameters import gather_keys


@pytest.mark.parametrize(
    ("name", "of_jax", "found"),
    [("key", True, {"key"}), ("key", False, set()), ("rng_key", False, {"rng_key"})],
)
def test_caches_and_tables_have_keys_too(name: str, of_jax: bool, found: set[str]) -> None:
    """A ``key`` is a PRNG key by its name alone only where JAX is in use."""
    module = lower_ast(Source(f"def draw({name}, count):\n    return sample({name})\n", "a.py"))
    definition = module.body[0]
    assert isinstance(definition, n.FunctionDefinition)
    assert gather_keys(definition.function, lambda node: None, of_jax) == found
