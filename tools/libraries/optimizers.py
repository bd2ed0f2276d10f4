"""Optimizers of optax: what they need, and what they keep."""

from __future__ import annotations

import inspect
import operator
from pkgutil import resolve_name
from typing import Any

import jax
import jax.numpy as jnp

from jaxlint.knowledge import chains, jax_api, optax_api, schedules
from tools.libraries import objects


def updates_nothing(name: str) -> str:
    """It gives new parameters, and leaves those that it is given."""
    if name == f"{optax_api.OPTIMIZER}.update":
        return _updates_no_state()
    if name.endswith("inference_mode"):
        return objects.switches_a_copy(name)
    given, larger = {"w": jnp.ones(2)}, jnp.full(2, 3.0)
    if name in jax_api.COPIES:
        new = resolve_name(name)(lambda tree: tree["w"], given, larger)
    else:
        more = (0.5,) if name.endswith("incremental_update") else ()
        new = resolve_name(name)(given, {"w": larger}, *more)
    kept = (given["w"] == 1.0).all() and (new["w"] > 1.0).all()
    return "" if kept else f"gives {new} of {given}"


def _updates_no_state() -> str:
    """The update of an optimizer gives a new state, and leaves the one that it is given."""
    import optax

    optimizer = optax.sgd(0.1, momentum=0.9)
    state = optimizer.init(jnp.zeros(2))
    _, new = optimizer.update(jnp.ones(2), state)
    changed = jax.tree.leaves(new)[0] != jax.tree.leaves(state)[0]
    kept = (jax.tree.leaves(state)[0] == 0.0).all()
    return "" if changed.all() and kept else f"gives {new} of {state}"


def makes_an_optimizer(name: str) -> str:
    """It gives an optimizer."""
    import optax

    made = _optimizer(name)
    return "" if isinstance(made, optax.GradientTransformation) else f"gives {made}"


def is_made_of_functions(name: str) -> str:
    """It is made of two functions, and has them as they are."""
    given = [object() for _ in optax_api.MADE_OF]
    made = resolve_name(name)(*given)
    held = [getattr(made, each) for each in optax_api.MADE_OF]
    return "" if all(map(operator.is_, held, given)) else f"holds {held}"


def makes_alike(name: str) -> str:
    """What it gives for a function makes an optimizer whose updates are those of that one's."""
    import optax

    made = [make(learning_rate=0.1) for make in (resolve_name(name)(optax.adam), optax.adam)]
    (one, _), (other, _) = (each.update(jnp.ones(2), each.init(jnp.ones(2))) for each in made)
    return "" if jnp.allclose(one, other) else f"gives {one} and not {other}"


def _optimizer(name: str, **more: Any) -> Any:
    """An optimizer or a link of a chain, made of what it asks for."""
    import optax

    make, inner = resolve_name(name), optax.sgd(0.1)
    given: dict[str, Any] = {
        "learning_rate": 0.1, "fast_optimizer": inner, "sync_period": 2, "slow_step_size": 0.5,
        "clipping": 0.1, "weight_decay": 0.1, "eta": 0.1, "gamma": 0.5, "seed": 0, "key": 0,
        "max_delta": 1.0, "threshold": 1.0, "max_norm": 1.0, "decay": 0.9, "step_size": 0.1,
        "step_size_fn": lambda count: 0.1 / (1 + count),
    }  # fmt: skip
    asked = inspect.signature(make).parameters.values()
    own = [each.name for each in asked if each.default is each.empty]
    links = (inner, inner) if own == ["args"] else ()
    return make(*links, **{each: given[each] for each in own if each in given} | more)


def _updated(optimizer: Any, *more: Any) -> tuple[Any, Any]:
    """The state of an optimizer before and after an update, with such parameters."""
    state = optimizer.init(jnp.ones(2))
    return state, optimizer.update(jnp.ones(2), state, *more)[1]


def needs_parameters(name: str) -> str:
    """Its update raises without the parameters."""
    try:
        _updated(_optimizer(name))
    except (TypeError, ValueError):
        _updated(_optimizer(name), jnp.ones(2))
        return ""
    return "does without the parameters"


def keeps_state(name: str, **more: Any) -> str:
    """Its update changes the state."""
    states = _updated(_optimizer(name, **more), jnp.ones(2))
    pairs = zip(*map(jax.tree.leaves, states), strict=True)
    changed = any(bool((one != other).any()) for one, other in pairs)
    return "" if changed else "has a state that stays as it was"


def mirrors(name: str) -> str:
    """Its first state takes no function among the parameters."""
    try:
        _optimizer(name).init({"w": jnp.ones(2), "f": jnp.sin})
    except (TypeError, AttributeError):
        return ""
    return "takes a function"


def keeps_state_with(name: str) -> str:
    """Its update changes the state with the argument of the row, at its place, alone."""
    position, option = optax_api.KEEPS_STATE_WITH[name]
    if list(inspect.signature(resolve_name(name)).parameters)[position] != option:
        return f"has no {option} at {position}"
    if not keeps_state(name):
        return f"changes its state without {option}"
    return keeps_state(name, **{option: 0.9})


def asks_its_schedule(name: str) -> str:
    """Its update asks what is given at the place of the row, with a count that is traced."""
    position, option = schedules.TAKES_SCHEDULE[name]
    if list(inspect.signature(resolve_name(name)).parameters)[position] != option:
        return f"has no {option} at {position}"
    asked: list[Any] = []

    def schedule(count: Any) -> float:
        asked.append(count)
        return 0.1

    optimizer, parameters = _optimizer(name, **{option: schedule}), jnp.ones((3, 2))
    asked.clear()
    jax.jit(lambda p: optimizer.update(p, optimizer.init(p), p))(parameters)
    counts = [each for each in asked if isinstance(each, jax.core.Tracer) and each.shape == ()]
    return "" if asked and counts == asked else f"asks with {asked}"


def passes_on(name: str) -> str:
    """It updates what its mask marks, and passes on the gradients of the rest."""
    position, option = chains.MASKS[name]
    function = resolve_name(name)
    if list(inspect.signature(function).parameters)[position] != option:
        return f"has no {option} at {position}"
    link = function(resolve_name("optax.scale")(-2.0), {"a": True, "b": False})
    gradients = {"a": jnp.ones(2), "b": jnp.ones(2)}
    updates, _ = link.update(gradients, link.init(gradients), gradients)
    found = [float(updates[key][0]) for key in "ab"]
    return "" if found == [-2.0, 1.0] else f"gives {found}"


def keeps_sign(name: str) -> str:
    """Its updates have the sign of the gradients, of either sign, at each of some steps."""
    for gradient in (jnp.full((3, 2), 0.7), jnp.full((3, 2), -0.7)):
        optimizer, parameters = _optimizer(name), jnp.full((3, 2), 5.0)
        state = optimizer.init(parameters)
        for _ in range(4):
            updates, state = optimizer.update(gradient, state, parameters)
            if (updates * gradient < 0).any():
                return f"gives {updates.ravel()[0]} for {gradient.ravel()[0]}"
    return ""


def stays_above_zero(name: str) -> str:
    """What it makes of numbers above zero is never below."""
    given = {
        "value": 0.1, "init_value": 0.1, "decay_steps": 20, "transition_steps": 10,
        "end_value": 0.0, "decay_rate": 0.5, "peak_value": 0.3, "warmup_steps": 5,
    }  # fmt: skip
    asked = [
        each.name
        for each in inspect.signature(resolve_name(name)).parameters.values()
        if each.default is each.empty
    ]
    made = resolve_name(name)(**{each: given[each] for each in asked})
    least = min(float(made(step)) for step in range(100))
    return "" if least >= 0 else f"gives {least}"


def adds(name: str) -> str:
    """It gives the sum of parameters and updates."""
    found = resolve_name(name)(jnp.ones(2), jnp.full(2, 0.5))
    return "" if (found == 1.5).all() else f"gives {found}"


def turns_sign(name: str) -> str:
    """Its updates, which are added, have the other sign than the gradients."""
    first = _third_update(resolve_name(name)(learning_rate=0.1), 0.7)
    return "" if (first < 0).all() else f"gives {first} for a gradient above zero"


def forgets_scale(name: str) -> str:
    """Its updates are those of gradients a million times as large."""
    optimizer = resolve_name(name)(learning_rate=0.1)
    one, other = _third_update(optimizer, 0.7), _third_update(optimizer, 0.7e6)
    return "" if jnp.allclose(one, other, rtol=0.05) else f"gives {one}, and {other}"


def _third_update(optimizer: Any, gradient: float) -> Any:
    parameters = jnp.full((2, 2), 1e-3)
    updates, state = None, optimizer.init(parameters)
    for _ in range(3):
        updates, state = optimizer.update(jnp.full((2, 2), gradient), state, parameters)
    return updates


def clips(name: str) -> str:
    """It keeps what is far too large within its bound."""
    updates = _third_update(_optimizer(name), 0.7e6)
    return "" if (abs(updates) <= 1.0).all() else f"gives {updates}"


def adds_weights(name: str) -> str:
    """It adds the parameters times the number of its row."""
    position, option = chains.ADDS_WEIGHTS[name]
    if list(inspect.signature(resolve_name(name)).parameters)[position] != option:
        return f"has no {option} at {position}"
    optimizer, parameters = resolve_name(name)(**{option: 0.5}), jnp.full(2, 4.0)
    updates, _ = optimizer.update(jnp.ones(2), optimizer.init(parameters), parameters)
    return "" if (updates == 3.0).all() else f"gives {updates}"


def decays(name: str) -> str:
    """With a gradient of zero it makes parameters smaller, by default where its row says so."""
    (number, weight_decay), (place, mask), always = chains.DECAYS[name]
    parameters = list(inspect.signature(resolve_name(name)).parameters)
    if parameters[number] != weight_decay or parameters[place] != mask:
        return f"has no {weight_decay} at {number}, or no {mask} at {place}"
    weights = jnp.full(2, 4.0)
    for given in ({}, {weight_decay: 0.5}):
        optimizer = _optimizer(name, **given)
        updates, _ = optimizer.update(jnp.zeros(2), optimizer.init(weights), weights)
        if (updates != 0).all() != (always or bool(given)):
            return f"gives {updates} for {given}"
    return ""
