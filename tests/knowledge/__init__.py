"""Experiments on the installed JAX, from which ``jaxlint/knowledge/measured.json`` is made."""
