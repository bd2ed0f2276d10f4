"""Data: what is known of JAX, NumPy, Python and JAX libraries, by qualified name.

Tables only, no logic. ``tests/test_knowledge.py`` walks the rows against the
installed JAX: every name exists, every claim holds when traced.
"""
