"""Confirm mode: real JAX judges the rules. The only part that imports jax, in child processes."""
