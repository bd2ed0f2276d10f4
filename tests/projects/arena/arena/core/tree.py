"""States and batches."""

import dataclasses

import jax
import jax.numpy as jnp

__all__ = ["State", "Tally", "Transition", "choose", "ensure", "flatten", "masked_mean",
           "replace_where", "summarise"]  # fmt: skip


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    x: jax.Array
    v: jax.Array
    kind: str = dataclasses.field(default="pole", metadata={"static": True})


@dataclasses.dataclass
class Transition:
    """On the host only."""

    state: State
    reward: float


class Tally:
    def __init__(self):
        self.total = 0.0

    def add(self, reward):
        self.total += reward  # here: tally
        return reward


def replace_where(state, done):
    if done:  # here: replace
        return jax.tree.map(jnp.zeros_like, state)
    return state


def choose(done, fresh, old):
    return jax.tree.map(lambda a, b: jnp.where(done, a, b), fresh, old)


def summarise(metrics):
    return {name: float(metrics[name]) for name in ("loss", "reward")}  # here: summary


def ensure(values, length):
    if values.shape[0] != length:
        raise ValueError(f"{length} wanted")
    return values


def flatten(values):
    if isinstance(values, (list, tuple)):
        return jnp.concatenate([jnp.ravel(value) for value in values])
    return jnp.ravel(values)


def masked_mean(values, mask=None):
    return values.mean() if mask is None else (values * mask).sum() / mask.sum()


