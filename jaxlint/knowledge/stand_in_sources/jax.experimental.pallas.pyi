import jax

def when(condition, /):
    def decorator(f):
        if isinstance(condition, bool):
            if condition:
                f()
        else:
            jax.lax.cond(condition, f, lambda: None)

    return decorator

def loop(lower, upper, *, init_carry=None, step=1, unroll=None):
    def decorator(body):
        if init_carry is None:
            run = lambda index, _: body(lower + index * step)
        else:
            run = lambda index, carry: body(lower + index * step, carry)
        return jax.lax.fori_loop(0, (upper - lower + step - 1) // step, run, init_carry)

    return decorator
