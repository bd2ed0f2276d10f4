"""Real JAX runs each mistake and each trap of the project: `python verify.py`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "src"), str(HERE.parent)]

import jax
import jax.numpy as jnp
from judge import (
    compilations,
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
from lumen import config, data, losses, models, optim, steps, train, utils

errors = jax.errors
ONES = jnp.ones(4)
SQUARE = jnp.ones((4, 4))
KEY = jax.random.key(0)


def params():
    return {"w": jnp.full((4, 4), 3.0)}


def batch():
    return data.make(jax.random.key(7), 8)


# ------------------------------------------------------------------------ steps


@mistake("steps.clipped")
def _():
    raises(errors.TracerBoolConversionError, steps.clipped, params(), params())


@mistake("steps.guarded")
def _():
    raises(errors.TracerBoolConversionError, steps.guarded, params(), 1.0)


@mistake("steps.measured")
def _():
    raises(errors.ConcretizationTypeError, steps.measured, params())


@mistake("steps.exported")
def _():
    raises(errors.TracerArrayConversionError, steps.exported, params())


@mistake("steps.logged")
def _():
    assert "Tracer" in printed(steps.logged, params(), 1)
    assert printed(steps.logged, params(), 2) == ""


@mistake("steps.remembered")
def _():
    steps.remembered(params())
    steps.remembered(params())
    assert len(utils.HISTORY) == 1
    raises(errors.UnexpectedTracerError, lambda: utils.HISTORY[0] + 1)


@mistake("steps.masked")
def _():
    raises("item assignment", steps.masked, SQUARE)


@mistake("steps.selected")
def _():
    raises(errors.NonConcreteBooleanIndexError, steps.selected, ONES)


@mistake("steps.descended")
def _():
    raises(errors.TracerBoolConversionError, steps.descended, params(), params(), 1)


@mistake("steps.perturbed")
def _():
    assert steps.perturbed(ONES) == steps.perturbed(ONES)
    assert not same(models.noisy(ONES), ONES)


@mistake("steps.stamped")
def _():
    assert float(steps.stamped(ONES)["time"]) == float(steps.stamped(ONES)["time"])


@mistake("steps.padded")
def _():
    raises(TypeError, steps.padded, ONES, 3)


@mistake("steps.averaged")
def _():
    raises(errors.TracerIntegerConversionError, steps.averaged, ONES, 3)


@mistake("steps.emptied")
def _():
    raises(errors.TracerBoolConversionError, steps.emptied, ONES)


@trap("steps.classified")
def _():
    steps.classified(SQUARE, jnp.arange(4))


@trap("steps.fitted")
def _():
    steps.fitted(models.init_mlp(KEY, (4, 8, 4)), SQUARE)
    steps.fitted(models.MLP([SQUARE, SQUARE], "tanh"), SQUARE)


@trap("steps.trained")
def _():
    assert not same(
        steps.trained(SQUARE, SQUARE, train=True), steps.trained(SQUARE, SQUARE, train=False)
    )


@trap("steps.evaluated")
def _():
    assert steps.evaluated(SQUARE, SQUARE) == 64


@trap("steps.averaged_well")
def _():
    assert steps.averaged_well(ONES) == 1


@trap("steps.flattened")
def _():
    assert [steps.flattened(x).shape for x in (ONES, SQUARE, SQUARE[:1])] == [(4, 1), (4, 4), (4, 1)]


@trap("steps.weighed")
def _():
    assert steps.weighed(ONES) == 1


@trap("steps.numbered")
def _():
    assert steps.numbered(-1.0) == 0


@trap("steps.shown")
def _():
    assert "loss 4" in printed(steps.shown, ONES)
    assert "loss 8" in printed(steps.shown, ONES * 2)


@trap("steps.collected")
def _():
    assert same(steps.collected([ONES, ONES]), jnp.ones(2))
    assert same(steps.collected([ONES * 2, ONES]), jnp.array([2.0, 1.0]))


@trap("steps.scheduled")
def _():
    steps.scheduled(params(), params(), 5)


@trap("steps.shaped")
def _():
    assert steps.shaped(jnp.ones(16)).shape == (4, 4)


@trap("steps.counted")
def _():
    assert steps.counted(ONES) == 1


@trap("steps.swept")
def _():
    steps.swept(ONES, jnp.ones((3, 4)))


@trap("steps.activated")
def _():
    assert same(steps.activated(ONES), jnp.tanh(ONES))


@trap("steps.ranked")
def _():
    steps.ranked(0.5)


# ------------------------------------------------------------------------ train


@mistake("train.fit_huber")
def _():
    raises(errors.TracerBoolConversionError, train.fit_huber, 0.5)


@mistake("train.tune_focal_compiled")
def _():
    raises(errors.TracerBoolConversionError, train.tune_focal_compiled, 0.5)


@mistake("train.restart")
def _():
    raises("deleted", train.restart, params(), params())


@mistake("train.start")
def _():
    with consumed() as keys:
        train.start(jax.random.key(3))
    assert keys.reused


@mistake("train.start_with_noise")
def _():
    given = batch()
    with consumed() as keys:
        train.start_with_noise(jax.random.key(4), given)
    assert keys.reused


@mistake("train.finetune")
def _():
    before, after = train.finetune(params())
    assert same(before, after)
    assert not same(after, optim.decay(params()))
    config.WEIGHT_DECAY = 0.25


@mistake("train.retried")
def _():
    given = [params()] * 4
    train.retried(params(), given)
    assert compilations(train.retried, params(), given) == 4


@mistake("train.resize")
def _():
    raises("Non-hashable static", train.resize, ONES)


@mistake("train.grow")
def _():
    assert traces(steps.sized.__wrapped__, train.grow, ONES) == 39


@mistake("train.replay")
def _():
    assert traces(steps.double.__wrapped__, train.replay, jnp.ones(40)) == 39


@mistake("train.time_step")
def _():
    returns_early(train.time_step, jnp.ones((1500, 1500)))


@mistake("train.inspect")
def _():
    assert printed(train.inspect, SQUARE).count("Tracer") == 1


@mistake("train.gradient_of_accuracy")
def _():
    raises(TypeError, train.gradient_of_accuracy, SQUARE, jnp.arange(4))


@mistake("train.sweep")
def _():
    raises("carry", train.sweep, ONES)


@mistake("train.resized")
def _():
    raises("Non-hashable static", train.resized, ONES, jnp.arange(1, 5))


@mistake("train.smooth")
def _():
    raises("smooth", train.smooth, SQUARE, jnp.arange(4))


@mistake("train.count_heads")
def _():
    assert train.count_heads(SQUARE, SQUARE)[2] == 1


@mistake("train.dropped")
def _():
    with consumed() as keys:
        train.dropped(KEY, ONES)
    assert len(keys.drawn) == 3
    assert keys.reused


@trap("train.tune_focal")
def _():
    train.tune_focal(0.5)


@trap("train.initialise")
def _():
    with consumed() as keys:
        train.initialise(jax.random.key(5))
    assert not keys.reused


@trap("train.epochs")
def _():
    train.epochs(params(), params())


@trap("train.eager_clip")
def _():
    train.eager_clip(params())


@trap("train.eager_schedule")
def _():
    train.eager_schedule(params(), params())


@trap("train.report")
def _():
    assert "loss 96.0" in printed(train.report, params())


@trap("train.cool")
def _():
    assert same(train.cool(ONES), ONES / 4)


@trap("train.one_rate")
def _():
    train.one_rate(params(), params())
    assert compilations(train.one_rate, params(), params()) == 1


@trap("train.size_once")
def _():
    assert train.size_once(1.0).shape == (4, 4)


@trap("train.fixed_shape")
def _():
    assert traces(steps.double.__wrapped__, train.fixed_shape, jnp.ones(41)) <= 1


@trap("train.time_step_well")
def _():
    x = jnp.ones((1500, 1500))
    train.time_step_well(x)
    _, result = train.time_step_well(x)
    assert result.is_ready()


@trap("train.compile_forward")
def _():
    train.compile_forward(SQUARE, SQUARE)


@trap("train.shadowed")
def _():
    train.shadowed(params())


if __name__ == "__main__":
    main()
