"""How what the construct is about comes from what is traced."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Distance:
    """The way from the function's parameter to the construct; ``{s}`` is the parameter.

    Attributes:
        name: how the report calls it.
        before: statements before the construct, which define what ``about`` names.
        about: what the construct is about.
        top: statements of the module.
        library: package that it needs.
    """

    name: str
    before: tuple[str, ...] = ()
    about: str = "y"
    top: tuple[str, ...] = ()
    library: str = "jax"


HELPER = "in a helper"
NESTED = "in a nested function"

DISTANCES = (
    *(Distance("none", about="{s}"),) * 12,
    Distance("computed", ("y = {s} * 2",)),
    Distance("computed", ("y = jnp.sin({s})", "y = jnp.abs(y) + 1")),
    Distance("through a helper", ("y = pass_on({s})",), top=(
        "def pass_on(w):", "    return w * 2", "")),
    *(Distance(HELPER, about="w"),) * 2,
    Distance(NESTED, about="{s}"),
    Distance("dict", ('box = {{"a": {s}, "b": 1.0}}',), 'box["a"]'),
    Distance("list", ("ys = [w * 2 for w in ({s},)]",), "ys[0]"),
    Distance("tuple unpacked", ("y, _ = ({s}, 1.0)",)),
    Distance("named tuple", ("state = State({s}, 1.0)",), "state.array",
             ("class State(NamedTuple):", "    array: jax.Array", "    number: float", "")),
    Distance("own class", ("pi = Categorical({s})", "y = pi.log_prob(1.0)"), top=(
        "class Categorical:", "    def __init__(self, logits):", "        self.logits = logits", "",
        "    def log_prob(self, action):", "        return self.logits * action", "")),
    Distance("attribute of own class", ("pi = Categorical({s})",), "pi.logits", (
        "class Categorical:", "    def __init__(self, logits):", "        self.logits = logits",
        "")),
    Distance("jax.tree.map", ("y = jax.tree.map(lambda w: w * 2, {s})",)),
    Distance("haiku apply", ("y = network.apply({{}}, {s})",), library="haiku", top=(
        "network = hk.without_apply_rng(hk.transform(lambda w: w * 2))",)),
    Distance("haiku apply, entry", ("out = network.apply({{}}, {s})",), 'out["logits"]', (
        'network = hk.without_apply_rng(hk.transform(lambda w: {{"logits": w * 2}}))',), "haiku"),
    Distance("flax.linen apply", ("y = network.apply({{}}, {s})",), library="flax", top=(
        "class Double(nn.Module):", "    @nn.compact", "    def __call__(self, w):",
        "        return w * 2", "", "network = Double()")),
    Distance("flax.linen apply, attribute", ("out = network.apply({{}}, {s})",), "out.array", (
        "class State(NamedTuple):", "    array: jax.Array", "",
        "class Double(nn.Module):", "    @nn.compact", "    def __call__(self, w):",
        "        return State(w * 2)", "", "network = Double()"), "flax"),
    Distance("equinox layer", ("y = layer({s})",), library="equinox", top=(
        "layer = eqx.nn.Lambda(jnp.tanh)",)),
    Distance("optax update", ("updates, _ = optimizer.update({s}, optimizer.init({s}))",),
             "updates", ("optimizer = optax.sgd(0.1)",), "optax"),
)  # fmt: skip
