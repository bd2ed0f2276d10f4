"""Real JAX runs each mistake and each trap of the project: `python verify.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import jax
import jax.numpy as jnp
from judge import (
    consumed,
    main,
    mistake,
    printed,
    raises,
    returns_early,
    same,
    traces,
    trap,
)

import constants
import device
import forces
import integrate
import record
import simulate
import sweep
from integrate import State

errors = jax.errors
X = jnp.array([1.0, 2.0, 3.0])


def key():
    return jax.random.key(1)


def state():
    return State(jnp.ones(3), jnp.ones(3))


@mistake("simulate.settle")
def _():
    raises(errors.TracerBoolConversionError, simulate.settle, X, 0.1)


@mistake("simulate.with_kernel")
def _():
    raises(errors.TracerIntegerConversionError, simulate.with_kernel, 1, X)


@mistake("simulate.checked")
def _():
    raises(errors.TracerBoolConversionError, simulate.checked, X)


@mistake("simulate.meshed")
def _():
    raises((errors.TracerIntegerConversionError, TypeError), simulate.meshed, 4)


@mistake("simulate.pinned")
def _():
    raises("item assignment", simulate.pinned, X)


@mistake("sweep.pinned_on_the_host")
def _():
    raises("item assignment", sweep.pinned_on_the_host)


@mistake("simulate.kept_inside")
def _():
    raises(errors.NonConcreteBooleanIndexError, simulate.kept_inside, X)


@mistake("simulate.normed")
def _():
    raises(errors.TracerBoolConversionError, simulate.normed, X)


@mistake("simulate.waved")
def _():
    raises(errors.TracerArrayConversionError, simulate.waved, X)


@mistake("simulate.labelled")
def _():
    assert same(simulate.labelled(X), simulate.labelled(X))


@mistake("simulate.counted")
def _():
    simulate.counted(X)
    simulate.counted(X)
    assert record.COUNT == 1


@mistake("simulate.framed")
def _():
    simulate.framed(X)
    raises(errors.UnexpectedTracerError, lambda: record.FRAMES["first"] + 1)  # noqa: JXL118


@mistake("simulate.shaken")
def _():
    assert same(simulate.shaken(X), simulate.shaken(X))


@mistake("simulate.remembered")
def _():
    raises(errors.UnexpectedTracerError, simulate.remembered, X)


@mistake("simulate.repelled")
def _():
    raises(errors.TracerBoolConversionError, simulate.repelled, X)


@mistake("simulate.slope")
def _():
    raises(errors.ConcretizationTypeError, simulate.slope, 1.5)


@mistake("simulate.dragged")
def _():
    raises(errors.TracerBoolConversionError, simulate.dragged, X)


@mistake("simulate.bounced")
def _():
    raises(errors.TracerBoolConversionError, simulate.bounced, X)


@mistake("simulate.watched")
def _():
    assert printed(simulate.watched, X).count("Tracer") == 2


@mistake("simulate.traced_orbit")
def _():
    assert len(printed(simulate.traced_orbit, X).splitlines()) == 1


@mistake("simulate.branch")
def _():
    raises(TypeError, simulate.branch, X, True)


@mistake("simulate.inflate")
def _():
    raises(TypeError, simulate.inflate, X)


@mistake("simulate.diffuse")
def _():
    end, _ = simulate.diffuse(X)
    noise = jax.random.normal(jax.random.key(42), X.shape)
    assert jnp.allclose(end - X, 3 * noise, atol=1e-5)


@mistake("simulate.heat")
def _():
    x, v = simulate.heat(key(), X, X)
    assert same(x, v)


@mistake("simulate.heat_again")
def _():
    with consumed() as keys:
        simulate.heat_again(key(), X)
    assert keys.reused


@mistake("simulate.tally")
def _():
    *_, recorder = simulate.tally(X)
    assert len(recorder.items) == 1


@mistake("simulate.best")
def _():
    *_, recorder = simulate.best(X)
    raises(errors.UnexpectedTracerError, lambda: recorder.best + 1)


@mistake("simulate.total_of_parts")
def _():
    raises(TypeError, simulate.total_of_parts, X, X)


@trap("simulate.reflected")
def _():
    assert simulate.reflected(jnp.float32(2.0)) == -2


@trap("device.direction")
def _():
    assert jnp.allclose(jnp.linalg.norm(device.direction(X)), 1)


@trap("simulate.unit")
def _():
    simulate.unit(X)


@trap("simulate.wrapped")
def _():
    simulate.wrapped(X)


@trap("simulate.repelled_softly")
def _():
    simulate.repelled_softly(X)


@trap("simulate.stepped")
def _():
    simulate.stepped(X)


@trap("simulate.celled")
def _():
    assert same(simulate.celled(X), X / 3)


@trap("simulate.located")
def _():
    assert simulate.located(2.5) == 2


@trap("simulate.tabulated_force")
def _():
    assert jnp.allclose(simulate.tabulated_force(X), jnp.sin(X))


@trap("simulate.with_named")
def _():
    simulate.with_named(X)


@trap("simulate.damped_run")
def _():
    assert constants.DAMPING == 0.5
    assert same(simulate.damped_run(X), X / 2)


@trap("simulate.sprung")
def _():
    simulate.sprung(X)


@trap("simulate.clamped")
def _():
    simulate.clamped(X)


@trap("simulate.alternated")
def _():
    simulate.alternated(state(), True)


@trap("simulate.marched")
def _():
    simulate.marched(X)


@trap("simulate.halved")
def _():
    assert same(simulate.halved(X), X / 4)


@trap("simulate.warmed")
def _():
    with consumed() as keys:
        simulate.warmed(key(), X, X)
    assert len(keys.drawn) == 3
    assert not keys.reused


@trap("simulate.warmed_by_stream")
def _():
    with consumed() as keys:
        simulate.warmed_by_stream(key(), X)
    assert not keys.reused


@trap("simulate.warmed_by_scan")
def _():
    simulate.warmed_by_scan(key(), X)


@trap("simulate.kept")
def _():
    assert same(simulate.kept(X), X * 2 + 1)


@trap("simulate.recorded")
def _():
    assert len(simulate.recorded(X)) == 3


@trap("simulate.shaken_on_the_host")
def _():
    assert not same(simulate.shaken_on_the_host(X), simulate.shaken_on_the_host(X))


@trap("simulate.host_steps")
def _():
    assert simulate.host_steps(4.0) == 1.0


@trap("simulate.time_big")
def _():
    _, end = simulate.time_big(jnp.ones((500, 500)))
    assert end.is_ready()


@mistake("sweep.gravities")
def _():
    first, second = sweep.gravities(X)
    assert same(first, second)
    assert not same(second, forces.fall(X))


@mistake("sweep.lengths")
def _():
    assert traces(integrate.run.__wrapped__, sweep.lengths, X) == 28


@mistake("sweep.windows")
def _():
    assert traces(forces.potential, sweep.windows, jnp.ones(30)) == 29


@mistake("sweep.pushes")
def _():
    raises("deleted", sweep.pushes, state())


@mistake("sweep.last_push")
def _():
    raises("deleted", sweep.last_push, state())


@mistake("sweep.by_name")
def _():
    raises(TypeError, sweep.by_name, X)


@mistake("sweep.seeds")
def _():
    first, second, third = sweep.seeds(X)
    assert same(first, second)
    assert same(second, third)


@mistake("sweep.timed")
def _():
    returns_early(sweep.timed, jnp.ones((1500, 1500)))


@mistake("sweep.long_march")
def _():
    code = str(jax.make_jaxpr(sweep.long_march)(X))
    assert code.count("add") >= 400


@mistake("sweep.marches")
def _():
    assert traces(integrate.Marcher.step, sweep.marches, X) == 30


@trap("sweep.one_length")
def _():
    assert traces(integrate.run.__wrapped__, sweep.one_length, [1.0, 2.0, 3.0]) == 1


@trap("sweep.chain")
def _():
    sweep.chain(state())


@trap("sweep.many_seeds")
def _():
    with consumed() as keys:
        sweep.many_seeds(X)
    assert not keys.reused


@trap("sweep.by_number")
def _():
    assert traces(integrate.rescale.__wrapped__, sweep.by_number, X) <= 1


@trap("sweep.short_march")
def _():
    sweep.short_march(X)


@trap("sweep.kept_marches")
def _():
    assert traces(integrate.Marcher.step, sweep.kept_marches, X) == 1


@trap("sweep.waited")
def _():
    _, end = sweep.waited(jnp.ones((500, 500)))
    assert end.is_ready()


if __name__ == "__main__":
    main()
