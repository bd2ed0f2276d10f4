import jax
import jax.numpy as jnp

def ravel_pytree(pytree):
    flat = [jnp.ravel(leaf) for leaf in jax.tree.leaves(pytree)]
    return jnp.ravel(jnp.concatenate(flat)), _Unravel(pytree)

class _Unravel:
    def __init__(self, like):
        self.like = like

    def __call__(self, vector):
        return jax.tree.map(_Part(vector).like, self.like)

    def __eq__(self, other):
        return jax.tree.structure(self.like) == jax.tree.structure(other.like)

    def __hash__(self):
        return hash(jax.tree.structure(self.like))

class _Part:
    def __init__(self, vector):
        self.vector = vector

    def like(self, leaf):
        part = self.vector[: jnp.size(leaf)]
        return part.reshape(jnp.shape(leaf)).astype(jnp.result_type(leaf))
