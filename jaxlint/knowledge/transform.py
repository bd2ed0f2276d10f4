"""What the row of a transform says: its columns, and what they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Feed:
    """Where one argument of a traced callable comes from.

    ``value``: the argument of the higher-order function at ``position``;
    ``element``: one element of it along its first axis; ``rest``: that argument
    and all after it, or the one of its keyword; ``handed``: the same as they are, and keywords;
    ``spread``: the elements of that tuple, one argument each; ``given``: the same as they are;
    ``some``: some of its elements; ``line``: one line of it; ``scalar``: a scalar of it;
    ``index``: a traced integer; ``module``: the module that a lifted function belongs to.
    """

    kind: Literal[
        "value", "element", "rest", "handed", "given", "spread", "some", "line", "scalar", "index",
        "module",
    ]  # fmt: skip
    position: int = 0
    keyword: str = ""


@dataclass(frozen=True, slots=True)
class Callee:
    """A callable that a higher-order function calls, and with what.

    ``listed``: the argument is a list of callables. ``matrix``: it may also be an array, or some of
    the list may be.
    """

    position: int
    keyword: str
    feeds: tuple[Feed, ...]
    listed: bool = False
    matrix: bool = False


@dataclass(frozen=True, slots=True)
class Carry:
    """What must go out of a body in the structure in which it came in.

    ``callee``: which of the callees is the body; ``position``, ``keyword``: the argument
    that it gets first.
    """

    callee: int
    position: int
    keyword: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A method of a transform's result that calls the function.

    Attributes:
        name: how it is called.
        first: how many of its positional arguments the function does not get.
        one_less: it drops one argument less than the method it stands for.
        returns: what it gives back: what the function returns, the same with a state, or
            something else.
        computes: False where it asks for shapes alone.
        keyed: the last of those arguments is a PRNG key, or None.
    """

    name: str
    first: int = 0
    one_less: bool = False
    returns: Literal["same", "with_state", "other"] = "same"
    computes: bool = True
    keyed: bool = False


MESH = "jax.sharding.Mesh"
"""The type of a mesh of devices."""

SPEC = "jax.sharding.PartitionSpec"
"""The type of a spec: which axes of a mesh an array is cut along."""

SHARDING = "jax.sharding.NamedSharding"
"""The type of a mesh and a spec together: how an array lies on the devices."""

UNMAPPED = "jax.sharding.PartitionSpec()"
"""The type of a spec that names no axis: what it is for is the same on every device."""

GIVES_LIKE = "jax.vjp.f_vjp"
"""What gives tangents or cotangents: called with the like of what it gives, then with those."""

Rule = Literal["jvp", "jvps", "vjp", "forward", "backward"]
"""What a rule of differentiation is given: primals and tangents; tangent, result and primals;
the arguments, then residuals and cotangent. ``forward`` and ``backward`` are told as well what
is perturbed."""

RULES: dict[str, Rule] = {
    "defjvp": "jvp",
    "def_jvp": "jvp",
    "defjvps": "jvps",
    "defvjp": "vjp",
    "def_fwd": "forward",
    "def_bwd": "backward",
}
"""Method that gives a function its rules -> what they are given."""


@dataclass(frozen=True, slots=True)
class Transform:
    """What a transform does to the function it is given. A row is complete: the tracer knows
    no transform by name.

    Attributes:
        concreteness: which kind of tracer its traced parameters become;
            ``concrete`` when nothing changes, ``host`` when the function runs outside
            of any trace.
        traced: which parameters become tracers: ``all``, those that ``argnums`` or
            ``in_axes`` choose, ``arrays`` by type, ``refs`` all as references, ``none``.
        stages: every JAX operation in the body gives a tracer, whatever its inputs.
        compiles: the body runs once per signature; later calls skip it.
        computes: False where JAX asks for shapes alone.
        repeats: the body runs again and again on the device.
        exclusive: of several callees one runs.
        callees: empty for a wrapper, which returns the transformed function;
            otherwise the callables that are called at once.
        older_callees: the same for the form in which the operands come in between.
        carry: what a loop gives back as it came.
        goes_on: which of the callees says whether a loop goes on: it gives one boolean.
        chooses: position and keyword of the scalar that says which callee runs, and whether that
            is an integer.
        one_way: no cotangent goes back through a loop, unless what these positions and keywords
            hold has a value while Python runs; without any of them never. None: one does.
        pair: the body returns a pair: carry and output.
        size: position and keyword of an argument that must be static: how many iterations.
        same_structure: all callees return the same structure.
        same_types: what must have the same structure must have the same shapes and dtypes too.
        result: what comes back.
        options: positional parameters after the function.
        static_positions, static_names: options that name static parameters.
        annotated_statics: parameters are static as well whose annotation says so.
        hashes: what is given for those must be hashable.
        donate_positions, donate_names: options that name donated parameters.
        donate_from: option whose word says from which position on all parameters are donated.
        unchecked: options that may name parameters which the function does not have.
        excluded: option that names parameters that stay as they are.
        specs: option with one entry for each argument; one that is None stays as it is.
        out_specs: the same for the result.
        axis_name: option that gives a mapped axis a name, for ``psum`` and its like.
        mesh: option whose mesh has the names of the axes that the function runs along.
        rest_axes: option with axes for the arguments after the carry; one that is a name, such
            as ``flax.linen.broadcast``, leaves its argument as it is.
        skips_self: the first parameter of a method is never traced.
        function: keyword by which a wrapper takes the function.
        all_given: it traces every function among its arguments, with values unknown.
        scalar: the function returns a scalar of floats.
        floats: what ``argnums`` chooses must be floats, which the call passes by position.
        derivative: its axes: those of the argument alone, or behind those of the result, once or
            twice.
        declared: position and keyword of the argument that describes what comes back.
        gives_like: what the function gives that comes with the value: a tuple with the like of
            each argument, or the like of the value; empty when nobody can see.
        broadcasts: it maps the axes that an argument has, unless this option says which.
        counts_axes: a tuple of axes has one entry for each argument.
        takes_rules: methods of the result give it rules of differentiation.
        unseen_rules: so do methods of the result, and what they are given nobody can say.
        checks_rules: JAX refuses rules that return another structure than it asks for.
        refuses_tracers: a call raises where a parameter that ``nondiff_argnums`` names is a tracer.
        own_rule: the function returns its result and its rule.
        lifts_classes: of a module class it makes a module class.
        forward: tangents go along with the values; False where they come back.
        transposes: cotangents go back through the function, to what it differentiates: all that
            becomes a tracer, or the first argument alone.
        basis: it asks for every direction at once, which maps the tangents.
        entries: methods of the result that call the function.
        parts: the function returns a function to initialize and several to apply: what is made of
            each.
        replicates: every JAX operation in the body gives a tracer of what is the same on all
            devices.
        only_closures: a function that reads nothing from around it is left alone.
        traces_anew: each call traces the function again, whether or not it is the same one.
        wraps_anew: each call puts a function of its own around the one that it is given: outside
            of traced code each is traced and compiled.
        always: it traces also under ``jax.disable_jit``.
        unjitted: under ``jax.disable_jit`` it maps instead.
        each: the function is given one element of each argument, of which nobody knows the shape.
        for_effect: the function is called for what it does, and not for what it gives.
        at_once: outside of any trace Python calls the function, and no compiled program does.
        by_parts: what it returns is a pytree, and where it compiles, it tells one function from
            another by the parts that it has as a pytree: to look at those takes longer than to
            make a wrapper.
        no_keywords: what it makes takes no arguments by keyword.
        keywords_stay: arguments by keyword stay as they are.
        knows_methods: where it compiles, a bound method is the same again for the same object.
    """

    concreteness: Literal["abstract", "mapped", "replicated", "differentiated", "concrete", "host"]
    traced: Literal["all", "argnums", "in_axes", "arrays", "refs", "none"]
    stages: bool
    compiles: bool = False
    computes: bool = True
    repeats: bool = False
    exclusive: bool = False
    callees: tuple[Callee, ...] = ()
    older_callees: tuple[Callee, ...] = ()
    carry: Carry | None = None
    goes_on: int | None = None
    chooses: tuple[int, str, bool] | None = None
    one_way: tuple[tuple[int, str], ...] | None = None
    pair: bool = False
    size: tuple[int, str] | None = None
    same_structure: bool = False
    same_types: bool = False
    result: Literal[
        "same", "gradient", "value_and_gradient", "array", "carry", "scan", "unknown",
        "value_and_more", "value_and_tangent", "error_and_value", "function",
        "function_and_more", "elements",
    ] = "same"  # fmt: skip
    options: tuple[str, ...] = ()
    static_positions: str = ""
    static_names: str = ""
    annotated_statics: bool = False
    hashes: bool = True
    donate_positions: str = ""
    donate_names: str = ""
    donate_from: str = ""
    unchecked: tuple[str, ...] = ()
    excluded: str = ""
    specs: str = ""
    out_specs: str = ""
    axis_name: str = ""
    mesh: str = ""
    rest_axes: str = ""
    skips_self: bool = False
    function: str = "fun"
    all_given: bool = False
    scalar: bool = False
    floats: bool = False
    derivative: Literal["gradient", "jacobian", "hessian"] = "gradient"
    declared: tuple[int, str] | None = None
    gives_like: Literal["", "arguments", "value"] = ""
    counts_axes: bool = False
    broadcasts: str = ""
    takes_rules: bool = False
    unseen_rules: bool = False
    checks_rules: bool = False
    refuses_tracers: bool = False
    own_rule: bool = False
    lifts_classes: bool = False
    forward: bool = False
    transposes: Literal["", "all", "first"] = ""
    basis: bool = False
    entries: tuple[Entry, ...] = ()
    parts: Transform | None = None
    replicates: bool = False
    only_closures: bool = False
    traces_anew: bool = False
    wraps_anew: bool = False
    always: bool = False
    unjitted: bool = False
    each: bool = False
    for_effect: bool = False
    at_once: bool = False
    by_parts: bool = False
    no_keywords: bool = False
    keywords_stay: bool = False
    knows_methods: bool = False

    @property
    def maps_arrays(self) -> bool:
        """Whether it maps all arrays among its arguments, and nothing else."""
        return self.concreteness == "mapped" and self.traced == "arrays"

    def entry(self, name: str) -> Entry | None:
        """The method of the result with this name that calls the function."""
        return next((entry for entry in self.entries if entry.name == name), None)

    @property
    def plain(self) -> bool:
        """Whether the function runs as if nothing had been done to it."""
        return self.traced == "none" and not self.stages

    @property
    def whole(self) -> bool:
        """Whether it compiles a program that runs once, on the arguments as they are."""
        once = self.concreteness != "mapped" and not self.each and not self.repeats
        return self.compiles and once

    @property
    def chooses_axes(self) -> bool:
        """Whether ``in_axes`` says of each argument along which axis it is mapped, if any."""
        return self.concreteness == "mapped" and "in_axes" in self.options

    @property
    def is_second(self) -> bool:
        """Whether it differentiates what it has differentiated."""
        return self.derivative == "hessian"

    @property
    def statics_by_option(self) -> bool:
        """Whether it compiles with static arguments that options name."""
        return self.static_positions.startswith("static_")
