import jax

class _Solver:
    def __init__(self, fun, *options, has_aux=False, jit=True, **more_options):
        self.fun = fun
        self.has_aux = has_aux
        self.jit = jit

    def run(self, init_params, *args, **kwargs):
        def step(carry):
            params, args, kwargs = carry
            jax.value_and_grad(self.fun, has_aux=self.has_aux)(params, *args, **kwargs)
            return params, args, kwargs

        params, _, _ = jax.lax.while_loop(_goes_on, step, (init_params, args, kwargs))
        return params, _state(params)

    def update(self, params, state, *args, **kwargs):
        def step(params, args, kwargs):
            jax.value_and_grad(self.fun, has_aux=self.has_aux)(params, *args, **kwargs)
            return params

        if self.jit:
            step = jax.jit(step)
        params = step(params, args, kwargs)
        return params, _state(params)

    def init_state(self, init_params, *args, **kwargs):
        return _state(init_params)

class GradientDescent(_Solver): ...
class LBFGS(_Solver): ...
class BFGS(_Solver): ...
class NonlinearCG(_Solver): ...
class OptaxSolver(_Solver): ...
