import jax

class HMC:
    def __init__(self, model=None, *options, **more_options):
        self.model = model

class NUTS(HMC): ...

class MCMC:
    def __init__(self, sampler, **options):
        self.sampler = sampler

    def warmup(self, rng_key, *args, extra_fields=(), collect_warmup=False, init_params=None, **kwargs):
        self._samples = self._sample(rng_key, args, kwargs)

    def run(self, rng_key, *args, extra_fields=(), init_params=None, **kwargs):
        self._samples = self._sample(rng_key, args, kwargs)

    def _sample(self, rng_key, args, kwargs):
        def step(_, parameters):
            jax.grad(lambda _: self.sampler.model(*args, **kwargs))(parameters)
            return parameters

        return jax.lax.fori_loop(0, _steps(), step, _parameters(jax.random.split(rng_key)))

class Predictive:
    def __init__(self, model, posterior_samples=None, **options):
        self.model = model

    def __call__(self, rng_key, *args, **kwargs):
        return _samples(jax.random.split(rng_key))

class SVI:
    def __init__(self, model, guide, optim, loss, **static_kwargs):
        self.model = model
        self.guide = guide
        self.static = static_kwargs

    def run(
        self, rng_key, num_steps, *args, progress_bar=True, stable_update=False,
        init_state=None, init_params=None, **kwargs
    ):
        def step(_, parameters):
            jax.grad(lambda _: self._loss(args, kwargs))(parameters)
            return parameters

        begin = _parameters(jax.random.split(rng_key))
        return _result(jax.lax.fori_loop(0, num_steps, step, begin))

    def init(self, rng_key, *args, init_params=None, **kwargs):
        return _state(jax.random.split(rng_key))

    def update(self, svi_state, *args, forward_mode_differentiation=False, **kwargs):
        jax.grad(lambda _: self._loss(args, kwargs))(_parameters())
        return _state(svi_state), _loss()

    def stable_update(self, svi_state, *args, forward_mode_differentiation=False, **kwargs):
        return self.update(svi_state, *args, **kwargs)

    def _loss(self, args, kwargs):
        self.guide(*args, **kwargs, **self.static)
        self.model(*args, **kwargs, **self.static)
        return _loss()
