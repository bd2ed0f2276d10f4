"""Objects that their library changes in place: of nnx, and what stands for them under JAX."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

import jax
import jax.numpy as jnp

from jaxlint.knowledge import libraries


def refuses_outer(name: str) -> str:
    """It raises where it is given an object of nnx that the trace around it is not given."""
    from flax import errors, nnx

    model = nnx.Linear(2, 1, rngs=nnx.Rngs(0))
    options = {"in_axes": (None, 0)} if name.endswith("vmap") else {}
    apply = resolve_name(name)(lambda model, x: model(x).sum(), **options)
    apply(model, jnp.ones((1, 2)))
    try:
        jax.jit(lambda x: apply(model, x))(jnp.ones((1, 2)))
    except (ValueError, errors.TraceContextError):
        return ""
    return "takes it"


def holds_what_is_added(name: str) -> str:
    """A module holds it, and has afterwards the variable that a traced function added."""
    from flax import nnx

    holder = type("Holder", (nnx.Module,), {})()
    holder.parts = resolve_name(name)([nnx.Param(jnp.ones(2))])

    def add(module: Any) -> None:
        module.parts.append(nnx.Param(jnp.zeros(1) + len(module.parts)))

    nnx.jit(add)(holder)
    first, *added = list(holder.parts)
    concrete = len(added) == 1 and not isinstance(added[0][...], jax.core.Tracer)
    return "" if concrete and isinstance(first, nnx.Param) else f"holds {added}"


def gives_back(name: str) -> str:
    """An attribute holds what it is given, and a compiled function finds that there."""
    from flax import nnx

    given = ("a", 3)
    holder = type("Holder", (nnx.Module,), {})()
    holder.part = resolve_name(name)(given)
    found: list[object] = []
    nnx.jit(lambda module: found.append(module.part))(holder)
    return "" if holder.part is given and found == [given] else f"holds {found}"


def makes_an_object(name: str) -> str:
    """What it gives in a compiled function is another object than the one outside."""
    nnx = resolve_name("flax.nnx")
    module = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    before = module.kernel[...]
    graph, state = nnx.split(module)

    def step(given: Any) -> Any:
        made = resolve_name(name)(*((graph, given) if name.endswith("merge") else (given,)))
        made.kernel[...] = made.kernel[...] + 1.0
        return made.kernel[...]

    after = jax.jit(step)(state if name.endswith("merge") else module)
    if (after == before).all():
        return "changes nothing"
    return "" if (module.kernel[...] == before).all() else "changes the one outside"


def goes_in_by_reference(name: str) -> str:
    """What a transformed function stores in the module is there afterwards."""
    from flax import nnx

    counter = type("Counter", (resolve_name(name),), {})()
    counter.count = nnx.Variable(jnp.zeros(()))

    def count(module: Any) -> None:
        module.count[...] += 1

    nnx.jit(count)(counter)
    return "" if counter.count[...] == 1 else "stays as it was"


def switches_a_copy(name: str) -> str:
    """It gives a module that drops nothing, and leaves the one that it is given."""
    import equinox

    given = equinox.nn.Dropout(0.5)
    new = resolve_name(name)(given)
    return "" if new.inference and not given.inference else f"gives {new} of {given}"


def changes_a_copy(name: str) -> str:
    """Under ``jax.jit`` its methods change a copy; under ``nnx.jit`` what they are called on."""
    import optax
    from flax import nnx

    kind = resolve_name(name)
    missing = [each for each in libraries.CHANGED_BY[name] if not hasattr(kind, each)]
    if missing:
        return f"has no {missing}"

    def change(model: Any, changed: Any) -> None:
        if kind is nnx.MultiMetric:
            changed.update(values=jnp.ones(1))
        else:
            gradients = nnx.grad(lambda model: model(jnp.ones((1, 2))).sum())(model)
            own = (gradients,) if kind is nnx.ModelAndOptimizer else (model, gradients)
            changed.update(*own)

    found = []
    for compiled in (jax.jit(change), nnx.jit(change)):
        model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
        if kind is nnx.MultiMetric:
            changed: Any = kind(mean=nnx.metrics.Average())
        else:
            changed = kind(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)
        before = jax.tree.map(jnp.array, nnx.state((model, changed)))
        compiled(model, changed)
        after = nnx.state((model, changed))
        pairs = zip(jax.tree.leaves(before), jax.tree.leaves(after), strict=True)
        found.append(all(bool((one == other).all()) for one, other in pairs))
    return "" if found == [True, False] else f"stays as it was under jax.jit, nnx.jit: {found}"


def changes_its_first(name: str) -> str:
    """The model that it is given first has other numbers afterwards, under ``nnx.jit`` too."""
    import optax
    from flax import nnx

    optimizer = nnx.Optimizer(nnx.Linear(2, 2, rngs=nnx.Rngs(0)), optax.sgd(0.1), wrt=nnx.Param)
    other = nnx.state(nnx.Linear(2, 2, rngs=nnx.Rngs(1)), nnx.Param)
    function = resolve_name(name)
    first = (optimizer,) if name == f"{libraries.NNX_OPTIMIZER}.update" else ()

    def change(first: Any, model: Any) -> None:
        function(*first, model, other)

    for call in (change, nnx.jit(change)):
        model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
        before = model.kernel[...]
        call(first, model)
        if (model.kernel[...] == before).all():
            return f"leaves the model as it was in {call}"
    return ""


def is_copied(name: str) -> str:
    """What a function stores in it: lost under ``jax.jit``, refused from outside of the trace."""
    from flax import nnx

    def store(variable: Any) -> None:
        variable[...] = jnp.ones(())

    found = []
    for compiled in (jax.jit(store), nnx.jit(store)):
        variable = resolve_name(name)(jnp.zeros(()))
        compiled(variable)
        found.append(float(variable[...]))
    if found != [0.0, 1.0]:
        return f"holds {found} after jax.jit, nnx.jit"
    return _refused_outside(lambda: store(variable))


def _refused_outside(change: Callable[[], object]) -> str:
    """nnx raises where a trace changes what it closes over."""
    from flax.errors import TraceContextError

    def traced(x: Any) -> Any:
        change()
        return x

    for transformed in (jax.jit(traced), jax.grad(traced), jax.checkpoint(traced)):
        try:
            transformed(1.0)
        except TraceContextError:
            continue
        return "may be changed from inside of another trace"
    return ""


def changes_when_called(name: str) -> str:
    """A call changes it, unless it is switched off."""
    from flax import nnx

    row = libraries.CHANGED_BY_CALLS[name]

    def made(rate: float = 0.5, **options: Any) -> Any:
        first = rate if row.rate else 2
        return resolve_name(name)(first, rngs=nnx.Rngs(0), **options)

    off = {row.off: True}
    evaluated = made()
    evaluated.eval()
    cases = [(made(), {}), (made(), off), (made(**off), {}), (evaluated, {})]
    if row.rate:
        cases += [(made(rate), {}) for rate in (0.0, 1.0)]
    found = [_is_changed(layer, jnp.ones((2, 2)), **options) for layer, options in cases]
    if found != [True, *[False] * (len(cases) - 1)]:
        return f"is changed by calls: {found}"
    layer = made()
    return _refused_outside(lambda: layer(jnp.ones((2, 2))))


def _is_changed(called: Any, *args: Any, **kwargs: Any) -> bool:
    """Whether a call changes what nnx keeps in an object."""
    from flax import nnx

    before = jax.tree.map(jnp.array, nnx.state(called))
    called(*args, **kwargs)
    pairs = zip(jax.tree.leaves(before), jax.tree.leaves(nnx.state(called)), strict=True)
    return not all(bool((one == other).all()) for one, other in pairs)


def counts_calls(name: str) -> str:
    """A call draws a key and counts it."""
    from flax import nnx

    streams = nnx.Rngs(0)
    drawn: Any = streams if isinstance(streams, resolve_name(name)) else streams.params
    if not isinstance(drawn, resolve_name(name)):
        return f"is no {type(drawn).__name__}"
    if not _is_changed(drawn):
        return "stays as it was"
    return _refused_outside(drawn)


def has_streams(name: str) -> str:
    stream = resolve_name(name)(0).params
    lacking = [each for each in libraries.STREAM_METHODS if not hasattr(resolve_name(name), each)]
    if lacking:
        return f"has no {', '.join(sorted(lacking))}"
    return "" if type(stream) is resolve_name(libraries.STREAM_OF[name]) else f"has a {stream}"


def sets_the_mode(name: str) -> str:
    """After it calls of the layers inside change them, or they do not."""
    from flax import nnx

    base, _, method = name.rpartition(".")
    body = {"__call__": lambda self, x: self.norm(x)}
    module = type("Model", (resolve_name(base),), body)()
    module.norm = nnx.BatchNorm(2, rngs=nnx.Rngs(0))
    changes = libraries.MODES[base, method]
    if changes is None:
        return "" if hasattr(module, method) else "is not there"
    (module.eval if changes else module.train)()
    getattr(module, method)()
    return "" if _is_changed(module, jnp.ones((2, 2))) is changes else "leaves it as it was"
