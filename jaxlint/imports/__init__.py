"""What a file imports of its own project: found, read and lowered; Python imports none of it."""
