"""What does not know of environments. Star imports, and lists that add up."""

from . import rng, tree
from .rng import *
from .tree import *

__all__ = ["rng", "tree"]
__all__ += rng.__all__
__all__ += tree.__all__
