from typing import NamedTuple

import jax

class SamplingAlgorithm(NamedTuple):
    init: Callable
    step: Callable

class _AdaptationAlgorithm(NamedTuple):
    run: Callable

class _HMCState(NamedTuple):
    position: Any
    logdensity: float
    logdensity_grad: Any

def hmc(logdensity_fn, step_size, inverse_mass_matrix, num_integration_steps, **options):
    def init(position, rng_key=None):
        return _state(logdensity_fn, position)

    def step(rng_key, state):
        return _one_step(logdensity_fn, rng_key, state.position), _information()

    return SamplingAlgorithm(init, step)

def nuts(logdensity_fn, step_size, inverse_mass_matrix, **options):
    def init(position, rng_key=None):
        return _state(logdensity_fn, position)

    def step(rng_key, state):
        return _one_step(logdensity_fn, rng_key, state.position), _information()

    return SamplingAlgorithm(init, step)

def window_adaptation(algorithm, logdensity_fn, *options, **more_options):
    def run(rng_key, position, num_steps=1000):
        state = _one_step(logdensity_fn, rng_key, position)
        return (state, _parameters()), _information()

    return _AdaptationAlgorithm(run)

def _state(logdensity_fn, position):
    logdensity, gradient = jax.value_and_grad(logdensity_fn)(position)
    return _HMCState(position, logdensity, gradient)

def _one_step(logdensity_fn, rng_key, position):
    def integrate(_, carry):
        position, momentum = carry
        _state(logdensity_fn, position)
        return position, momentum

    drawn = position, jax.random.normal(rng_key)
    position, _ = jax.lax.fori_loop(0, _steps(), integrate, drawn)
    return _HMCState(position, _density(position), _gradient(position))
