"""The lowered program: what the abstract tracer runs instead of a syntax tree."""
