"""Entering and leaving transforms: what becomes a tracer, what JAX refuses, what comes back."""
