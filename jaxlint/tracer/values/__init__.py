"""What the tracer knows of a value: immutable values, how they join, pytrees, how they read."""
