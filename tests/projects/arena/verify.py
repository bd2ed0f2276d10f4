"""Real JAX runs each mistake and each trap of the project: `python verify.py`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

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

from arena import config, core, rollout, run
from arena.agents import policy, update
from arena.core import State
from arena.envs import Pole, SafePole

errors = jax.errors
X = jnp.array([1.0, 2.0, 3.0, 4.0])
SQUARE = jnp.ones((4, 4))


def key():
    return jax.random.key(1)


def state(x=1.0):
    return State(jnp.float32(x), jnp.float32(0.0))


def states():
    return State(jnp.array([0.5, 1.5]), jnp.zeros(2))


# ------------------------------------------------------------------------- envs


class Half(SafePole):
    """A safe pole with one method of the other."""

    shape_reward = Pole.shape_reward


@mistake("pole.Pole.step_env")
def _():
    raises(errors.TracerBoolConversionError, Pole(1).step, state(), 1.0)


@mistake("pole.Pole.shape_reward")
def _():
    raises(errors.ConcretizationTypeError, Half(1).step, state(), 1.0)


@mistake("pole.Pole.reset_env")
def _():
    env = Pole(1)
    assert same(env.reset(key()), env.reset(key()))
    assert not same(env.reset_env(key()), env.reset_env(key()))


@mistake("pole.Pole.draw")
def _():
    env = Pole(1)
    assert "Tracer" in printed(env.render, state())
    assert printed(env.render, state()) == ""


@mistake("pole.Pole.reward")
def _():
    raises(errors.TracerBoolConversionError, Pole(1).rewards, states())


@mistake("pole.Pole.bounded")
def _():
    raises(errors.TracerBoolConversionError, Pole(1).all_bounded, X)


@mistake("pole.Pole.weight")
def _():
    raises(errors.TracerBoolConversionError, Pole(1).costs, X)


@trap("pole.SafePole.weight")
def _():
    assert SafePole(1).costs(X).shape == X.shape


@trap("pole.Pole.caption")
def _():
    assert Pole(1).describe(state()) == "right"


@trap("pole.SafePole.step_env")
def _():
    assert SafePole(1).step(state(1.95), 1.0)[1] == 0


@trap("pole.SafePole.shape_reward")
def _():
    assert SafePole(2).step(state(1.0), 0.0)[1] == 0.5


@trap("pole.SafePole.reset_env")
def _():
    env = SafePole(1)
    assert not same(env.reset(key()), env.reset(jax.random.key(9)))


@trap("pole.SafePole.draw")
def _():
    env = SafePole(1)
    assert "1.0" in printed(env.render, state())
    assert "1.5" in printed(env.render, state(1.5))


@trap("pole.SafePole.reward")
def _():
    SafePole(1).rewards(states())


@trap("pole.SafePole.bounded")
def _():
    assert SafePole(1).all_bounded(X).max() <= 2


# ----------------------------------------------------------------------- agents


@mistake("policy.Greedy._ask")
def _():
    raises(errors.ConcretizationTypeError, policy.Greedy().ask, X)


@trap("policy.Greedy._tell")
def _():
    assert policy.Greedy().tell(X) == 3


@trap("policy.Soft._ask")
def _():
    assert policy.Soft(1).ask(X) == policy.Soft(2).ask(X) == 3


# ---------------------------------------------------------------------- rollout


@mistake("rollout.bellman")
def _():
    raises(errors.TracerBoolConversionError, rollout.bellman, 1.0, 1.0, 1.0, True)


@mistake("rollout.advantages")
def _():
    raises(errors.TracerBoolConversionError, rollout.advantages, X)


@mistake("rollout.explored")
def _():
    raises(errors.TracerBoolConversionError, rollout.explored, key(), X)


@mistake("rollout.restarted")
def _():
    raises(errors.TracerBoolConversionError, rollout.restarted, state(), True)


@mistake("rollout.logged")
def _():
    raises(errors.ConcretizationTypeError, rollout.logged, {"loss": 1.0, "reward": 1.0})


@mistake("rollout.jittered")
def _():
    assert same(rollout.jittered(X), rollout.jittered(X))
    raises(errors.UnexpectedTracerError, rollout.NOISE.next)


@mistake("rollout.noisy")
def _():
    assert same(rollout.noisy(X), rollout.noisy(X))
    assert not same(rollout.noisy(X), X)


@mistake("rollout.tallied")
def _():
    rollout.tallied(1.0)
    raises(errors.UnexpectedTracerError, lambda: rollout.TALLY.total + 1)


@mistake("rollout.drifted")
def _():
    raises(errors.TracerBoolConversionError, rollout.drifted, state())


@mistake("rollout.all_steps")
def _():
    raises(errors.TracerBoolConversionError, rollout.all_steps, states(), X[:2])


@mistake("rollout.actions")
def _():
    raises(errors.TracerBoolConversionError, rollout.actions, SQUARE, SQUARE, key())


@trap("rollout.bellman_where")
def _():
    rollout.bellman_where(1.0, 1.0, 1.0, True)


@trap("rollout.finished")
def _():
    assert rollout.finished(1.0, 1.0) == 0


@trap("rollout.chosen")
def _():
    rollout.chosen(True, state(), state(2.0))


@trap("rollout.moved")
def _():
    rollout.moved(state())


@trap("rollout.ensured")
def _():
    rollout.ensured(X)
    raises(ValueError, rollout.ensured, X[:2])


@trap("rollout.flat")
def _():
    assert rollout.flat([SQUARE, X]).shape == (20,)
    assert rollout.flat(SQUARE).shape == (16,)


@trap("rollout.mean")
def _():
    assert rollout.mean(X) == 2.5


@trap("rollout.valued")
def _():
    assert config.CLIP is None
    rollout.valued(SQUARE, SQUARE)


@trap("rollout.based")
def _():
    rollout.based(SQUARE, SQUARE)


@trap("rollout.lost")
def _():
    rollout.lost(SQUARE, SQUARE)


@trap("rollout.glided")
def _():
    rollout.glided(state())


@trap("rollout.greedy_actions")
def _():
    rollout.greedy_actions(SQUARE, SQUARE, key())


@trap("rollout.host_summary")
def _():
    assert rollout.host_summary({"loss": X, "reward": X}) == {"loss": 2.5, "reward": 2.5}


# -------------------------------------------------------------------------- run


@mistake("run.begin")
def _():
    # The environment draws from the same key under its own jit.
    start, _ = run.begin(key(), SQUARE, SQUARE)
    assert same(start.x, jax.random.normal(key()))
    with consumed() as keys:
        run.begin(key(), SQUARE, SQUARE)
    assert len(keys.drawn) == 1


@mistake("run.draw_twice")
def _():
    logits = jnp.zeros(1000)
    first, second = run.draw_twice(key(), logits)
    assert first == second


@mistake("run.draw_often")
def _():
    assert len({int(draw) for draw in run.draw_often(key(), jnp.zeros(1000))}) == 1


@mistake("run.descend")
def _():
    raises("deleted", run.descend, jnp.ones(4), jnp.ones(4))


@mistake("run.anneal")
def _():
    before, after = run.anneal(X)
    assert before == after == 0.5
    assert update.entropy_loss(X) == 0


@mistake("run.rescale")
def _():
    before, after = run.rescale(1.0)
    assert before == after == 2.0
    assert update.scaled(1.0) == 3.0


@mistake("run.retrain")
def _():
    assert compilations(run.retrain, X, [X, X, X]) == 3


@mistake("run.new_worlds")
def _():
    assert traces(SafePole.step_env, run.new_worlds, state(), [1.0, 1.0, 1.0]) == 3


@mistake("run.fit_hinge")
def _():
    raises(errors.TracerBoolConversionError, run.fit_hinge, jnp.ones(4), [SQUARE])


@mistake("run.wrong_sizes")
def _():
    raises("Non-hashable static", run.wrong_sizes, key())


@mistake("run.send")
def _():
    raises(TypeError, run.send, state())


@mistake("run.time_scores")
def _():
    returns_early(run.time_scores, jnp.ones((1500, 1500)), jnp.ones((1500, 1500)))


@trap("run.begin_well")
def _():
    start, _ = run.begin_well(key(), SQUARE, SQUARE)
    assert not same(start.x, jax.random.normal(key()))


@trap("run.draw_in_turn")
def _():
    with consumed() as keys:
        run.draw_in_turn(jnp.zeros(10))
    assert not keys.reused


@trap("run.descend_well")
def _():
    run.descend_well(jnp.ones(4), jnp.ones(4))


@trap("run.one_world")
def _():
    assert traces(SafePole.step_env, run.one_world, state(), [1.0, 1.0, 1.0]) <= 1


@trap("run.fit_square")
def _():
    run.fit_square(jnp.ones(4), [SQUARE, SQUARE])


@trap("run.count_good")
def _():
    assert run.count_good(jnp.ones(4), [SQUARE, -SQUARE]) == 0.5


@trap("run.right_sizes")
def _():
    assert run.right_sizes(key()).shape == (3, 2)


@trap("run.time_scores_well")
def _():
    _, result = run.time_scores_well(SQUARE, SQUARE)
    assert result.is_ready()


@trap("run.act_on_the_host")
def _():
    run.act_on_the_host(SQUARE, SQUARE, key())


@trap("run.explore_on_the_host")
def _():
    run.explore_on_the_host(key(), X)


@trap("run.restart_on_the_host")
def _():
    assert run.restart_on_the_host(state(), True).x == 0


@trap("run.retrain_once")
def _():
    assert compilations(run.retrain_once, X, [X, X, X]) == 1


@trap("run.tally_on_the_host")
def _():
    assert run.tally_on_the_host([X, X]) == 5


@mistake("run.with_bonus")
def _():
    raises(errors.TracerBoolConversionError, run.with_bonus, X)


@mistake("run.summarised")
def _():
    raises(errors.ConcretizationTypeError, run.summarised, X)


@trap("run.clipped")
def _():
    assert run.clipped(X).max() == 0.5


@trap("clip.Clip.__call__")
def _():
    run.clipped(X)


@trap("run.bonus_on_the_host")
def _():
    assert run.bonus_on_the_host(X) == 11


if __name__ == "__main__":
    main()
