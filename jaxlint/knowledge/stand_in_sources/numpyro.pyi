import jax

def sample(name, fn, obs=None, rng_key=None, sample_shape=(), infer=None, obs_mask=None):
    if obs is not None:
        return obs
    drawn = _drawn(fn) if rng_key is None else jax.random.normal(rng_key)
    return jax.numpy.array(drawn)

def deterministic(name, value):
    return value

def param(name, init_value=None, **kwargs):
    first = init_value(jax.random.key(0)) if callable(init_value) else init_value
    return jax.tree.map(_stored, first)
