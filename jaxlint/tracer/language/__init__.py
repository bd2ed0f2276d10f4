"""Python's language: one function for each kind of node, named after it."""
