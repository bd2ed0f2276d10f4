import equinox as eqx
import jax

def root_find(fn, solver, y0, args=None, options=None, **how):
    return _iterate(fn, y0, args)

def fixed_point(fn, solver, y0, args=None, options=None, **how):
    return _iterate(fn, y0, args)

def least_squares(fn, solver, y0, args=None, options=None, **how):
    return _iterate(fn, y0, args)

def minimise(fn, solver, y0, args=None, options=None, **how):
    return _iterate(fn, y0, args)

@eqx.filter_jit
def _iterate(fn, y0, args):
    def step(y):
        fn(y, args)
        return y

    return _solution(jax.lax.while_loop(_goes_on, step, y0))
