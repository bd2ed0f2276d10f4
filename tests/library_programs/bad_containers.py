"""Layers of nnx in plain containers, after reports."""

import jax.numpy as jnp
from flax import nnx
from flax.nnx import Linear, Module, Rngs


# https://github.com/google/flax/issues/5050
class MLP(Module):
    def __init__(self, sizes, *, rngs: Rngs):
        self.layers = [  # JXL807
            Linear(before, after, rngs=rngs) for before, after in zip(sizes, sizes[1:], strict=False)
        ]


def trigger_mlp():
    return MLP([2, 4, 1], rngs=Rngs(0))


class Block(nnx.Module):
    def __init__(self, dim: int, rngs: nnx.Rngs):
        self.norm = nnx.LayerNorm(dim, rngs=rngs)


class Transformer(nnx.Module):
    def __init__(self, depth: int, rngs: nnx.Rngs):
        self.embed = nnx.Embed(8, 4, rngs=rngs)
        self.blocks = tuple(Block(4, rngs) for _ in range(depth))  # JXL807


def trigger_transformer():
    return Transformer(2, nnx.Rngs(0))


class MultiHead(nnx.Module):
    def __init__(self, names, rngs):
        self.heads = {name: nnx.Linear(4, 1, rngs=rngs) for name in names}  # JXL807


def trigger_heads():
    return MultiHead(["policy", "value"], nnx.Rngs(0))


class Buffers(nnx.Module):
    def __init__(self):
        self.state = {"mean": jnp.zeros(3), "count": 0}  # JXL807


def trigger_buffers():
    return Buffers()


class Later(nnx.Module):
    def __init__(self):
        self.layers = None

    def build(self, rngs):
        self.layers = [nnx.Conv(1, 2, (3,), rngs=rngs), nnx.relu]  # JXL807


def trigger_later():
    model = Later()
    model.build(nnx.Rngs(0))
    return model
