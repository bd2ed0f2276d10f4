"""What rules need to write a fix: the text of a file by its syntax, and names for what JAX has."""
