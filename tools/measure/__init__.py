"""Asks the installed JAX and NumPy what their functions do, and writes it down as data."""
