"""What layers of linen ask of ``apply``, against the rows of ``ASKS``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

import jax
import jax.numpy as jnp

from jaxlint.knowledge import libraries, masking

X = jnp.ones((1, 2, 4))
KEY = jax.random.key(0)


def _refused(run: Callable[[], object]) -> str:
    """The error of flax that a call raises; empty for none."""
    from flax.errors import FlaxError

    try:
        run()
    except FlaxError as error:
        return type(error).__name__
    return ""


class _Layer:
    """Makes and applies a layer, by the row of its class."""

    def __init__(self, name: str) -> None:
        self.row = libraries.ASKS[name]
        self._class = resolve_name(name)
        self._options: dict[str, Any] = {"num_heads": 2} if "Attention" in name else {}
        if self.row.rate[1]:
            self._options[self.row.rate[1]] = 0.5
        self.variables = self.made(True).init(KEY, X)

    def made(self, off: bool | None, **options: Any) -> Any:
        said = {} if off is None else {self.row.off[1]: off}
        return self._class(**{**self._options, **said, **options})

    def apply(self, layer: Any, *args: Any, scope: Any = None, **kwargs: Any) -> str:
        """What is raised."""
        return _refused(lambda: layer.apply(self.variables, X, *args, **(scope or {}), **kwargs))

    def misplaced(self) -> str:
        """The argument of the class that is not where the row says."""
        parameters = list(inspect.signature(self._class).parameters)
        for place, option in (self.row.off, self.row.rate):
            if place >= 0 and parameters[place] != option:
                return option
        return ""


def asks(name: str) -> str:
    """It raises without what the row says, and not with it, nor where it is switched off."""
    layer = _Layer(name)
    if layer.misplaced():
        return f"has {layer.misplaced()} somewhere else"
    row, on, option = layer.row, layer.made(False), layer.row.off[1]
    fine = {
        "off": layer.apply(layer.made(True)),
        "off when called": layer.apply(layer.made(None), **{option: True}),
    }
    if row.called_off == 1:
        fine["off by position"] = layer.apply(layer.made(None), True)
    fine |= _stream(layer, on) if row.stream else _collection(layer, on)
    wanted = "InvalidRngError" if row.stream else "ModifyScopeVariableError"
    if layer.apply(on) != wanted or layer.apply(layer.made(None), **{option: False}) != wanted:
        return f"raises {layer.apply(on) or 'nothing'}"
    return ", ".join(f"{how}: {what}" for how, what in fine.items() if what)


def wants_a_key(name: str) -> str:
    """It raises without the key that its call passes, and not with it, nor switched off."""
    row, made = masking.KEYED[name], resolve_name(name)
    rate, switch = row.rate, row.off[1]
    parameters = list(inspect.signature(made).parameters)
    if [parameters[rate[0]], parameters[row.off[0]]] != [rate[1], switch]:
        return f"has parameters {parameters}"

    def refused(layer: Any, **given: Any) -> bool:
        try:
            layer(X, **given)
        except RuntimeError:
            return True
        return False

    found = [
        refused(made()),
        refused(made(), **{row.own_key: KEY}),
        refused(made(), **{switch: True}),
        refused(made(**{switch: True})),
        refused(made(**{rate[1]: 0.0})),
        *(refused(made(), **{other: True}) for other in masking.OTHER_SWITCHES),
    ]
    return "" if found == [True] + [False] * (len(found) - 1) else f"raises: {found}"


def _stream(layer: _Layer, on: Any) -> dict[str, str]:
    """What a layer that draws raises where it has no reason to."""
    row = layer.row
    one, two, three, four = jax.random.split(KEY, 4)
    fine = {
        "with its stream": layer.apply(on, scope={"rngs": {row.stream: one}}),
        "with any stream": layer.apply(on, scope={"rngs": {libraries.ANY_STREAM: two}}),
        "with a key of its own": layer.apply(on, **{row.own_key: three}),
        "at a rate of 0": layer.apply(layer.made(False, **{row.rate[1]: 0.0})),
    }
    if row.renames:
        renamed = layer.made(False, **{row.renames: "other"})
        fine["with the other stream"] = layer.apply(renamed, scope={"rngs": {"other": four}})
    return fine


def _collection(layer: _Layer, on: Any) -> dict[str, str]:
    """What a layer that has variables raises where it has no reason to."""
    own = layer.row.collection
    params = {name: each for name, each in layer.variables.items() if name != own}
    missing = _refused(lambda: layer.made(True).apply(params, X))
    return {
        "mutable": layer.apply(on, scope={"mutable": [own]}),
        "made anew": _refused(lambda: on.apply(params, X, mutable=[own])),
        "not given": "" if missing == "ScopeCollectionNotFound" else missing or "nothing",
    }


def asks_by_name(name: str) -> str:
    """A module that calls it with a name raises unless ``apply`` brings what has that name."""
    from flax.linen import compact

    base, _, method = name.rpartition(".")
    brings = libraries.ASKED_BY_METHODS[base, method]
    more = () if brings == "rngs" else ("first", lambda: 0.0)

    @compact  # type: ignore[untyped-decorator]
    def called(module: Any) -> None:
        getattr(module, method)("some", *more)

    module = type("Module", (resolve_name(base),), {"__call__": called})()
    given = {"rngs": {"some": KEY}} if brings == "rngs" else {"mutable": ["some"]}
    without = _refused(lambda: module.apply({}))
    within = _refused(lambda: module.apply({}, **given))
    wanted = "InvalidRngError" if brings == "rngs" else "ScopeCollectionNotFound"
    return "" if (without, within) == (wanted, "") else f"raises {without or 'nothing'}, {within}"
