"""Every composition of transforms, under real JAX and under jaxlint.

A program is one construct (``if``, ``float()``, ``print``, ...) in one function, defined in
one style, handed through one to three transforms, at one kind of place, and called in the
file or by a caller that the file does not show. JAX says what happens; jaxlint must agree.

``constructs`` and ``forms`` are tables, ``styles`` and ``compose`` write the program, ``watch``
runs it, ``judge`` compares. ``python -m tests.differential.matrix FIRST COUNT`` runs many.
"""
