"""A script: it says what is put together."""

import jax
import jax.numpy as jnp
from forge import POLICIES, Plugin, Trainer, kernel, watchers
from forge.plugin import chain
from forge.trainer import Settings
from forge.watchers import Keep, Log, Median, Stop, clipped, square

WEIGHTS, BATCH = jnp.ones(3), jnp.ones((4, 3))


def ramped(x):
    return jax.jit(kernel("ramp"))(x, 0.5)  # JXL101 -> ramp


def ramped_at_once(x):
    return kernel("ramp")(x, 0.5)  # quiet: on the host


def smoothed(x):
    return jax.jit(kernel("smooth"))(x, 0.5)  # quiet: another entry


def acted(x):
    return jax.jit(POLICIES.build("Greedy", 0.1).act)(x)  # JXL106 -> act


def softened(x):
    return jax.jit(POLICIES.build("Soft").act)(x)  # quiet: another entry


def checked(x):
    return jax.jit(chain(["Plain", "Checked"]))(x)  # JXL103 -> checked


def shown(x):
    return jax.jit(Plugin.registry["Shown"]().apply)(x)  # JXL301 -> shown


def scaled(x):
    return jax.jit(chain(["Plain"]))(x)  # quiet: what the class statement says is a number


def stopped():
    return Trainer(square, [Stop()]).fit(WEIGHTS, BATCH)  # JXL101 -> stop


def kept():
    return Trainer(square, [Log(), Keep()]).fit(WEIGHTS, BATCH)  # JXL302 -> keep


def tightened():
    trainer = Trainer(clipped)
    before = trainer.value(WEIGHTS, BATCH)
    watchers.LIMIT = 0.5
    return before, trainer.value(WEIGHTS, BATCH)  # JXL304 -> limit


def tightened_at_once():
    watchers.LIMIT = 0.25
    return Trainer(clipped).value(WEIGHTS, BATCH)  # quiet: set before it is compiled


def faster():
    settings = Settings()
    settings.rate = 0.5  # JXL128
    return settings


def logged():
    return Trainer(square, [Log(), Median()]).fit(WEIGHTS, BATCH)  # quiet: after the step
