"""Concrete syntax: the only folder, with ``program/lower.py``, that imports libcst."""
