"""Checks what jaxlint knows of JAX's libraries against the libraries that are installed.

    python -m tools.libraries

Every row of the tables in ``jaxlint/knowledge`` that names flax, equinox, haiku, optax, chex,
jaxtyping and their like is looked up and tried: a transform is given a function that notes what
it receives (``transforms.py``), an object is changed (``objects.py``), an optimizer makes a step
(``optimizers.py``), a class is flattened (``pytrees.py``), an array function is given an array, a
layer a key (``tables.py``). Writes
``docs/evidence/libraries.json``, with the versions that were asked, and fails when a row does
not hold. The extra ``libraries`` installs them.
"""
