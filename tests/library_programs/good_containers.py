"""The same modules of nnx, whose containers nnx follows."""

import jax.numpy as jnp
from flax import nnx


class MLP(nnx.Module):
    def __init__(self, sizes, *, rngs):
        layers = []
        for before, after in zip(sizes, sizes[1:], strict=False):
            layers.append(nnx.Linear(before, after, rngs=rngs))
        self.layers = nnx.List(layers)
        self.sizes = list(sizes)


def trigger_mlp():
    return MLP([2, 4, 1], rngs=nnx.Rngs(0))


class Transformer(nnx.Module):
    def __init__(self, depth, rngs):
        self.blocks = nnx.Sequential(*[nnx.LayerNorm(4, rngs=rngs) for _ in range(depth)])
        self.activations = (nnx.relu, nnx.gelu)


def trigger_transformer():
    return Transformer(2, nnx.Rngs(0))


class MultiHead(nnx.Module):
    def __init__(self, names, rngs):
        self.heads = nnx.Dict({name: nnx.Linear(4, 1, rngs=rngs) for name in names})
        self.names = {name: number for number, name in enumerate(names)}


def trigger_heads():
    return MultiHead(["policy", "value"], nnx.Rngs(0))


class Buffers(nnx.Module):
    def __init__(self):
        self.mean = nnx.Variable(jnp.zeros(3))
        self.shapes = [(3,), (4,)]
        self.state = nnx.data({"count": jnp.zeros(())})


def trigger_buffers():
    return Buffers()


class Trainer:
    def __init__(self, rngs):
        self.models = [nnx.Linear(2, 2, rngs=rngs) for _ in range(2)]


def trigger_no_module():
    return Trainer(nnx.Rngs(0)).models
