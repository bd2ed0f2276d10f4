"""How the innermost function is defined, and under which expression it is reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.differential.matrix.places import Place, call, indented


@dataclass
class Innermost:
    """The innermost function, not yet written down.

    Attributes:
        params: its parameters, without defaults.
        extra: a parameter with a default, or nothing.
        body: its statements.
        expression: its result as one expression, or empty when it cannot be a lambda.
        decorators: what stands above it.
    """

    params: str
    extra: str
    body: list[str]
    expression: str
    decorators: list[str] = field(default_factory=list)

    @property
    def parameters(self) -> str:
        """All parameters."""
        return ", ".join(part for part in (self.params, self.extra) if part)

    def define(self, name: str, first: str = "", last: str = "") -> list[str]:
        """The ``def`` statement."""
        parts = ", ".join(part for part in (first, self.parameters, last) if part)
        return [*self.decorators, f"def {name}({parts}):", *indented(self.body), ""]

    def passing(self, function: str) -> str:
        """A call that hands the parameters on."""
        return call(function, self.params)


Style = Callable[[Innermost, Place], str]
"""Writes the function down and returns the expression for it."""


def _def(function: Innermost, place: Place) -> str:
    place.top += function.define("net")
    return "net"


def _nested(function: Innermost, place: Place) -> str:
    place.lines += function.define("net")
    return "net"


def _lambda(function: Innermost, place: Place) -> str:
    return f"lambda {function.parameters}: {function.expression}"


def _named_lambda(function: Innermost, place: Place) -> str:
    place.top += [f"net = lambda {function.parameters}: {function.expression}"]
    return "net"


def _local_lambda(function: Innermost, place: Place) -> str:
    place.lines += [f"net = lambda {function.parameters}: {function.expression}"]
    return "net"


def _method(function: Innermost, place: Place) -> str:
    place.top += ["class Model:", "    def __init__(self, scale):", "        self.scale = scale",
                  "", *indented(function.define("run", "self")), "model = Model(2.0)"]  # fmt: skip
    return "model.run"


def _own_method(function: Innermost, place: Place) -> str:
    if not place.in_class:
        return _method(function, place)
    place.methods += function.define("run", "self")
    return "self.run"


def _method_of_fresh(function: Innermost, place: Place) -> str:
    place.top += ["class Model:", *indented(function.define("run", "self"))]
    return "Model().run"


def _static_method(function: Innermost, place: Place) -> str:
    place.top += ["class Model:", "    @staticmethod", *indented(function.define("run"))]
    return "Model.run"


def _class_method(function: Innermost, place: Place) -> str:
    place.top += ["class Model:", "    @classmethod", *indented(function.define("run", "cls"))]
    return "Model.run"


def _callable_object(function: Innermost, place: Place) -> str:
    place.top += ["class Model:", *indented(function.define("__call__", "self")),
                  "model = Model()"]  # fmt: skip
    return "model"


def _inherited(function: Innermost, place: Place) -> str:
    place.top += ["class Base:", *indented(function.define("run", "self")), "class Model(Base):",
                  "    pass", "", "model = Model()"]  # fmt: skip
    return "model.run"


def _overridden(function: Innermost, place: Place) -> str:
    place.top += ["class Base:", f"    def run(self, {function.params}):",
                  f"        return {function.passing('self.forward')}", "",
                  "    def forward(self, *args):", "        raise NotImplementedError", "",
                  "class Model(Base):", *indented(function.define("forward", "self")),
                  "model = Model()"]  # fmt: skip
    return "model.run"


def _overridden_jitted(function: Innermost, place: Place) -> str:
    place.top += ["class Base:", "    @partial(jax.jit, static_argnums=0)",
                  f"    def run(self, {function.params}):",
                  f"        return {function.passing('self.forward')}", "",
                  "class Model(Base):", *indented(function.define("forward", "self")),
                  "model = Model()"]  # fmt: skip
    return "model.run"


def _closure(function: Innermost, place: Place) -> str:
    place.top += ["def build(scale):", *indented(function.define("inner")), "    return inner", "",
                  "net = build(2.0)"]  # fmt: skip
    return "net"


def _factory_result(function: Innermost, place: Place) -> str:
    place.top += ["def build(scale):", *indented(function.define("inner")), "    return inner", ""]
    return "build(2.0)"


def _attribute(function: Innermost, place: Place) -> str:
    place.top += function.define("net")
    if place.in_class:
        place.fields.append("self.net_fn = net")
        return "self.net_fn"
    place.top += ["class Config:", "    def __init__(self, fn):", "        self.fn = fn", "",
                  "config = Config(net)"]  # fmt: skip
    return "config.fn"


def _dataclass_field(function: Innermost, place: Place) -> str:
    place.top += [*function.define("net"), "@dataclasses.dataclass", "class Config:",
                  "    fn: Callable", "    scale: float = 2.0", "",
                  "config = Config(net)"]  # fmt: skip
    return "config.fn"


def _field_called(function: Innermost, place: Place) -> str:
    place.top += [*function.define("net"), "@dataclasses.dataclass(frozen=True)", "class Config:",
                  "    fn: Callable", "", f"    def run(self, {function.params}):",
                  f"        return {function.passing('self.fn')}", "",
                  "config = Config(net)"]  # fmt: skip
    return "config.run"


def _attribute_called(function: Innermost, place: Place) -> str:
    place.top += [*function.define("net"), "class Model:", "    def __init__(self, metrics_fn):",
                  "        self.metrics_fn = metrics_fn", "",
                  f"    def run(self, {function.params}):",
                  f"        return {function.passing('self.metrics_fn')}", "",
                  "model = Model(net)"]  # fmt: skip
    return "model.run"


def _named_tuple_field(function: Innermost, place: Place) -> str:
    place.top += [*function.define("net"), "class Optimizer(NamedTuple):", "    init: Callable",
                  "    update: Callable", "", "optimizer = Optimizer(None, net)"]  # fmt: skip
    return "optimizer.update"


def _in_dict(function: Innermost, place: Place) -> str:
    place.top += [*function.define("net"), 'FUNCTIONS = {"net": net}']
    return 'FUNCTIONS["net"]'


def _alias(function: Innermost, place: Place) -> str:
    place.top += [*function.define("net"), "same = net"]
    return "same"


def _conditional(function: Innermost, place: Place) -> str:
    place.top += function.define("net")
    place.lines += ["chosen = net if FLAG else None"]
    return "chosen"


def _partial_position(function: Innermost, place: Place) -> str:
    place.top += function.define("net", "scale")
    return "partial(net, 2.0)"


def _partial_keyword(function: Innermost, place: Place) -> str:
    place.top += function.define("net", last="scale=None")
    return "partial(net, scale=2.0)"


def _kwargs(function: Innermost, place: Place) -> str:
    place.top += function.define("net", last="**kwargs")
    return "net"


def _varargs(function: Innermost, place: Place) -> str:
    unpack = [f"({function.params},) = args"] if function.params else []
    whole = Innermost("*args", function.extra, unpack + function.body, "")
    whole.decorators = function.decorators
    place.top += whole.define("net")
    return "net"


def _wrapped(function: Innermost, place: Place) -> str:
    place.top += ["def logged(fn):", "    @functools.wraps(fn)",
                  "    def wrapper(*args, **kwargs):", "        return fn(*args, **kwargs)", "",
                  "    return wrapper", "", "@logged", *function.define("net")]  # fmt: skip
    return "net"


def _called_by(function: Innermost, place: Place) -> str:
    place.top += [*function.define("helper"), f"def net({function.params}):",
                  f"    return {function.passing('helper')}", ""]  # fmt: skip
    return "net"


def _default_parameter(function: Innermost, place: Place) -> str:
    place.top += [*function.define("helper"), f"def net({function.params}, fn=helper):",
                  f"    return {function.passing('fn')}", ""]  # fmt: skip
    return "net"


def _handed_on(function: Innermost, place: Place) -> str:
    place.top += ["def apply(fn, *args):", "    return fn(*args)", "",
                  f"def net({function.params}):", *indented(function.define("inner")),
                  f"    return apply(inner, {function.params})", ""]  # fmt: skip
    return "net"


def _module(base: str, make: str, fields: tuple[str, ...] = (), above: str = "") -> Style:
    """A module of a library, called by itself."""

    def write(function: Innermost, place: Place) -> str:
        decorated = [above] if above else []
        place.top += [f"class Net({base}):", *indented(list(fields)),
                      *indented([*decorated, *function.define("__call__", "self")]),
                      f"model = {make}"]  # fmt: skip
        return "model"

    return write


def _linen(applied: str, above: str = "@nn.compact") -> Style:
    """A linen module, applied."""
    module = _module("nn.Module", "Net()", above=above)

    def write(function: Innermost, place: Place) -> str:
        module(function, place)
        return applied

    return write


def _linen_lifted(lifted: str) -> Style:
    """A linen module class through a lifted transform, in another module."""
    module = _module("nn.Module", "Net()", above="@nn.compact")

    def write(function: Innermost, place: Place) -> str:
        module(function, place)
        place.top += ["class Step(nn.Module):", "    @nn.compact",
                      "    def __call__(self, carry, row):", "        return carry, Net()(row)", "",
                      "class Outer(nn.Module):", "    @nn.compact",
                      "    def __call__(self, w):", f"        return {lifted}", "",
                      "outer = Outer()"]  # fmt: skip
        return "lambda w: outer.apply({}, w)"

    return write


def _haiku_module(function: Innermost, place: Place) -> str:
    place.top += ["class Net(hk.Module):", *indented(function.define("__call__", "self")),
                  "def forward(w):", "    return Net()(w)", "",
                  "model = hk.without_apply_rng(hk.transform(forward))"]  # fmt: skip
    return "lambda w: model.apply({}, w)"


STYLES: dict[str, Style] = {
    "def": _def,
    "nested def": _nested,
    "method": _method,
    "own method": _own_method,
    "method of a fresh object": _method_of_fresh,
    "static method": _static_method,
    "class method": _class_method,
    "callable object": _callable_object,
    "inherited method": _inherited,
    "overridden method": _overridden,
    "overridden, base jitted": _overridden_jitted,
    "closure": _closure,
    "factory result": _factory_result,
    "attribute": _attribute,
    "attribute called": _attribute_called,
    "dataclass field": _dataclass_field,
    "dataclass field called": _field_called,
    "named tuple field": _named_tuple_field,
    "dict entry": _in_dict,
    "alias": _alias,
    "conditional": _conditional,
    "partial by position": _partial_position,
    "partial by keyword": _partial_keyword,
    "**kwargs": _kwargs,
    "*args": _varargs,
    "functools.wraps": _wrapped,
    "called by": _called_by,
    "default parameter": _default_parameter,
    "handed on": _handed_on,
}
"""Styles for any signature."""

LAMBDAS: dict[str, Style] = {
    "lambda": _lambda, "named lambda": _named_lambda, "local lambda": _local_lambda
}  # fmt: skip

DECORATED = ("def", "nested def", "static method", "closure", "factory result", "attribute",
             "dataclass field", "called by", "alias", "functools.wraps")  # fmt: skip
"""Styles in which a decorator sees the function's own parameters and nothing else."""

SELF_DECORATED = ("method", "own method", "callable object", "inherited method")
"""Styles in which it sees ``self`` as well."""

LIBRARY_STYLES: dict[str, Style] = {
    "flax.linen apply": _linen("lambda w: model.apply({}, w)"),
    "flax.linen apply, partial": _linen("partial(model.apply, {})"),
    "flax.linen fresh": _linen("lambda w: Net().apply({}, w)"),
    "flax.linen setup": _linen("lambda w: model.apply({}, w)", above=""),
    "flax.linen init": _linen("lambda w: jnp.sum(w) if model.init(jax.random.key(0), w) else w"),
    "flax.linen remat class": _linen_lifted("nn.remat(Net)()(w)"),
    "flax.linen jit class": _linen_lifted("nn.jit(Net)()(w)"),
    "flax.linen vmap class": _linen_lifted("nn.vmap(Net)()(w[None])[0]"),
    "flax.linen scan class": _linen_lifted(
        'nn.scan(Step, variable_broadcast="params", split_rngs={"params": False})()'
        "(0.0, w[None])[1][0]"
    ),
    "flax.linen jit method": _linen("lambda w: model.apply({}, w)", "@nn.jit"),
    "flax.linen remat method": _linen("lambda w: model.apply({}, w)", "@nn.remat"),
    "flax.nnx module": _module(
        "nnx.Module",
        "Net(nnx.Rngs(0))",
        ("def __init__(self, rngs):", "    self.w = nnx.Param(jnp.ones(()))", ""),
    ),
    "equinox module": _module("eqx.Module", "Net(jnp.ones(()))", ("w: jax.Array", "")),
    "haiku module": _haiku_module,
}
"""Styles for a function of one array that need a library."""
