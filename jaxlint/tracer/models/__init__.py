"""What calls do that leave the program: Python's builtins, NumPy, JAX, libraries, methods.

What a name *is* stands in ``knowledge``; here is what calling it does to abstract values.
"""
