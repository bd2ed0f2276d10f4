"""The abstract tracer: finds out what a program does by running it on abstract values.

Its rooms, each importing from those above it (``tests/tracer/test_house.py`` holds it):

==================  =================================================================
``values/``         what is known of a value: immutable, joined, walked, described
``state/``          what changes: trail, forks, frames, levels, stack, keys, memory of calls
``analysis.py``     what an analysis is told of a run
``record.py``       what was found, and what in other modules concerns the file
``tracer.py``       the tracer: passes nodes and values on to the tables below
``operations/``     what Python does with a value, as tables over the kinds
``language/``       statements, expressions, functions, classes, narrowing
``transforms/``     entering and leaving ``jit``, ``grad``, ``scan``, ...
``models/``         builtins, NumPy, JAX, libraries, methods
``calls.py``        what is called, by kind
``analyses/``       one question each: keys, retraces, staleness, effects, ...
``run.py``          a whole file: the module, what nobody calls, what nobody traces
==================  =================================================================
"""
