"""Writes ``jaxlint/knowledge/history.json``: which names and parameters JAX had, and when.

    python -m tools.history FOLDER [RELEASE ...]

Installs each release of JAX from the package index in FOLDER, imports it there, and asks it for
its public names and the signatures of its functions (``inventory.py``). What the releases
answered is kept in FOLDER, so that a new release is asked alone; the environments are not.
``condense.py`` makes one history of all of it.
"""
