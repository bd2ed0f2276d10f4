"""The abstract tracer: runs the lowered program the way JAX would, without running it."""
