"""Tests: what they trace is known to those who know what runs them."""

import unittest

import jax
import jax.numpy as jnp
import pytest
from forge.kernels import ramp, smooth
from forge.plugin import chain
from forge.policies import Greedy, Soft
from forge.watchers import Stop, square


def test_of_a_fixture_with_values(registered, x):
    assert jax.jit(registered)(x, 0.5).shape == x.shape  # JXL101 -> ramp


def test_on_the_host(registered, x):
    assert registered(x, 0.5).shape == x.shape  # quiet: nothing traces it


def test_what_fixtures_ask_for(halved):
    if halved.sum() > 1:  # quiet: what a fixture has made is an array
        assert halved.shape == (4,)


@pytest.mark.parametrize(
    ("policy", "size"), [(Soft(), 2), pytest.param(Greedy(0.1), 3, id="greedy")]
)
def test_rows(policy, size):
    jax.jit(policy.act)(jnp.ones(size))  # JXL106 -> act


@pytest.mark.parametrize("function", [smooth, jnp.maximum])
def test_of_rows_without_mistakes(function, x):
    assert jax.jit(function)(x, 1.0).shape == x.shape  # quiet: neither branches


@pytest.mark.parametrize("names", [["Plain"], ["Plain", "Checked"]])
@pytest.mark.parametrize("size", [2, 3])
def test_rows_of_two_tables(names, size):
    assert jax.jit(chain(names))(jnp.ones(size)).shape == (size,)  # JXL103 -> checked


class TestTrainer:
    @pytest.fixture(autouse=True)
    def watch(self, compiled_trainer):
        self.trainer = compiled_trainer

    def test_step(self, x):
        self.trainer.watchers.append(Stop())
        self.trainer.step(jnp.ones(4), x)  # JXL101 -> stop

    def test_loss(self, x):
        assert self.trainer.loss(jnp.ones(4), x) > 0  # quiet: called as it is


class StepTest(unittest.TestCase):
    def setUp(self):
        self.smooth = jax.jit(smooth)
        self.loss = square

    def test_smooth(self):
        self.assertEqual(self.smooth(jnp.ones(3), 0.5).shape, (3,))  # quiet: setUp compiles it

    def test_ramp(self):
        if self.loss(jnp.ones(2), jnp.eye(2)) > 0:  # quiet: on the host
            self.assertEqual(ramp(jnp.ones(3), 0.5).shape, (3,))
