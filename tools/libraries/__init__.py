"""Checks what jaxlint knows of JAX's libraries against the libraries that are installed.

    python -m tools.libraries

Every row of the tables in ``jaxlint/knowledge`` that names flax, equinox, haiku, optax, chex,
jaxtyping and their like is looked up and tried: a transform is given a function that notes what
it receives (``transforms.py``), an array function an array, a layer a key (``tables.py``). Writes
``docs/evidence/libraries.json``, with the versions that were asked, and fails when a row does
not hold. The extra ``libraries`` installs them.
"""
