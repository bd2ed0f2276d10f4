"""What tests here ask for by name."""

import forge
import jax
import jax.numpy as jnp
import pytest


@pytest.fixture
def x():
    return jnp.arange(1.0, 5.0)


@pytest.fixture(params=["ramp", "smooth"])
def registered(request):
    return forge.kernel(request.param)


@pytest.fixture
def compiled_trainer():
    trainer = forge.Trainer(lambda weights, batch: jnp.sum(weights * batch))
    yield trainer
    trainer.watchers.clear()


@pytest.fixture
def halved(x):
    return jax.jit(lambda scale: x * scale)(0.5)
