"""What Python does with a value, as tables over the kinds of values.

A table names what happens for every kind; ``tests/tracer/test_operations.py`` holds that no kind
is missing. A JAX tracer answers here as ``jax.core.Tracer`` answers Python's protocols.
"""
