import jax

class _Solver:
    def __init__(self, fun, value_and_grad=False, has_aux=False, *options, jit=True, **more_options):
        self.fun = fun
        self.value_and_grad = value_and_grad
        self.has_aux = has_aux
        self.jit = jit

    def _step(self, params, args, kwargs):
        if self.value_and_grad:
            self.fun(params, *args, **kwargs)
        else:
            jax.value_and_grad(self.fun, has_aux=self.has_aux)(params, *args, **kwargs)
        return params

    def run(self, init_params, *args, **kwargs):
        def step(carry):
            params, args, kwargs = carry
            return self._step(params, args, kwargs), args, kwargs

        carry = init_params, args, kwargs
        params, _, _ = jax.lax.while_loop(_goes_on, step, carry) if self.jit else step(carry)
        return params, _state(params)

    def update(self, params, state, *args, **kwargs):
        step = jax.jit(self._step) if self.jit else self._step
        params = step(params, args, kwargs)
        return params, _state(params)

    def init_state(self, init_params, *args, **kwargs):
        return _state(init_params)

class GradientDescent(_Solver): ...
class LBFGS(_Solver): ...
class BFGS(_Solver): ...
class NonlinearCG(_Solver): ...

class OptaxSolver(_Solver):
    def __init__(self, fun, opt, value_and_grad=False, *options, has_aux=False, jit=True, **more_options):
        super().__init__(fun, value_and_grad, has_aux, jit=jit)
