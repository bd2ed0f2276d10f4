"""Values of the abstract tracer."""
