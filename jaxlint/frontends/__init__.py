"""The doors: each turns its users' habits into calls of ``jaxlint.check``."""
