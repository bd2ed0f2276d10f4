"""What every script here begins with."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import jit, lax, vmap
