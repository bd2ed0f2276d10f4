"""Rules of differentiation: what ``custom_jvp``, ``custom_vjp`` and their like run, and with what.

Where a differentiation comes to the function before anything stages it, JAX runs the rules instead
of the function. Under eager differentiation they are given the
values themselves; tangents are abstract where they come back later (``grad``), one of a batch
where every direction is asked for (``jacfwd``), and values where they go along (``jvp``).
"""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.events import Site
from jaxlint.knowledge.transform import RULES
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_under, name_of, not_differentiated, signature
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.rule_checks import RuleChecks, refused_tracer
from jaxlint.tracer.values.arrays import ANY, Array, Concreteness, Tree, stronger
from jaxlint.tracer.values.containers import Sequence, tuple_of
from jaxlint.tracer.values.derivations import Derivation
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.pytrees import deciding, map_leaves, tracers
from jaxlint.tracer.values.value import FALSE, NONE, UNKNOWN, Const, Value, is_number, replace


def give_rules(tracer: Tracer, function: Transformed, name: str, arguments: Arguments) -> None:
    """``function.defvjp(forward, backward)`` and its like.

    With ``symbolic_zeros`` they are given objects that say what is perturbed, in place of arrays.
    """
    kind, symbolic = RULES.get(name), arguments.kwargs.get("symbolic_zeros", FALSE)
    if kind is not None and isinstance(symbolic, Const) and not symbolic.value:
        tracer.rules.setdefault(id(function.node.origin), {})[kind] = arguments.args


def call_with_rules(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> Value:
    """Call a function that has rules of differentiation of its own.

    No cotangent goes back through its body: the rules say what becomes of it.
    """
    if refused_tracer(tracer, function, arguments, node):
        return UNKNOWN
    if not tracer.tracks_cotangents:
        return _with_rules(tracer, function, arguments, node)
    operands = tuple(arguments.all())
    perturbed = any(each.perturbed for value in operands for each in tracers(value))
    checked = perturbed and function.transform.checks_rules
    checks = RuleChecks(tracer, function, node) if checked else None
    given = _without_perturbation(arguments)
    result = _with_rules(tracer, function, given, node, checks, perturbed)
    derived = Derivation(function.name, operands, node, tracer.stack.chain)

    def leaf(value: Value) -> Value:
        if not isinstance(value, (Array, Tree)):
            return value
        return replace(value, perturbed=perturbed, derived=derived)

    return map_leaves(result, leaf)


def call_without_cotangents(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> Value:
    """Call a function of which rules out of view say what becomes of a cotangent."""
    result = tracer.call(function.function, _without_perturbation(arguments), node)
    if not tracer.tracks_cotangents:
        return result

    def leaf(value: Value) -> Value:
        if not isinstance(value, (Array, Tree)):
            return value
        return replace(value, perturbed=False, derived=None)

    return map_leaves(result, leaf)


def _without_perturbation(arguments: Arguments) -> Arguments:
    """The arguments as if nothing differentiated with respect to them."""

    def leaf(value: Value) -> Value:
        perturbed = isinstance(value, (Array, Tree)) and value.perturbed
        return replace(value, perturbed=False) if perturbed else value  # type: ignore[type-var]

    args = tuple(map_leaves(value, leaf) for value in arguments.args)
    kwargs = {name: map_leaves(value, leaf) for name, value in arguments.kwargs.items()}
    return replace(arguments, args=args, kwargs=kwargs)


def _with_rules(
    tracer: Tracer,
    function: Transformed,
    arguments: Arguments,
    node: n.Node,
    checks: RuleChecks | None = None,
    perturbed: bool = False,
) -> Value:
    level = tracer.stack.level
    if level is not None and level.stages:
        staged = _Staged(tracer, function, arguments, node, checks)
        instead = perturbed and _is_differentiated_first(level)
        taken = staged.run(None) if instead else None
        if taken is not None:
            _note_replaced(tracer, function)
            return taken
        result = tracer.call(function.function, arguments, node)
        staged.run(result)
        return _value(function, result)
    found = _differentiation(level)
    if found is None or not any(map(tracers, arguments.all())):
        return _value(function, tracer.call(function.function, arguments, node))
    call = _Differentiated(tracer, function, arguments, node, found, checks)
    outside = level if found.mapped else found.outside
    name, site = function.name, Site(function.node.origin)
    with tracer.stack.entered(Level(function.transform, name, name_of(function), site, outside)):
        taken = call.run(None)
    if taken is None:
        return _value(function, tracer.call(function.function, arguments, node))
    _note_replaced(tracer, function)
    return call.raised(taken)


def _note_replaced(tracer: Tracer, function: Transformed) -> None:
    """The function itself did not run; what is its own rule did."""
    replaced = function_under(function)
    if replaced is not None and not function.transform.own_rule:
        tracer.runs.replaced.add(id(replaced.code))


def _is_differentiated_first(level: Level | None) -> bool:
    """Whether a differentiation comes to what is called here before anything stages it."""
    while level is not None and level.transform.concreteness == "mapped":
        level = level.parent
    return level is not None and level.transform.concreteness == "differentiated"


def _value(function: Transformed, result: Value) -> Value:
    return _pair(result)[0] if function.transform.own_rule else result


def _pair(value: Value) -> tuple[Value, Value]:
    """The two values that a function returns."""
    if isinstance(value, Sequence) and value.items is not None and len(value.items) == 2:
        return value.items[0], value.items[1]
    return UNKNOWN, UNKNOWN


@dataclass(frozen=True, slots=True)
class _Differentiation:
    """How the innermost differentiation around here goes.

    Attributes:
        forward, basis: as in :class:`~jaxlint.knowledge.transforms.Transform`.
        outside: the level around it.
        mapped: there is a ``vmap`` inside of it.
        nested: there is another differentiation around it.
    """

    forward: bool
    basis: bool
    outside: Level | None
    mapped: bool
    nested: bool


def _differentiation(level: Level | None) -> _Differentiation | None:
    """The innermost differentiation; None when nothing is differentiated here."""
    found: _Differentiation | None = None
    mapped = False
    while level is not None and level.tracing:
        if level.transform.concreteness == "differentiated":
            if found is not None:
                return replace(found, nested=True)
            row = level.transform
            found = _Differentiation(row.forward, row.basis, level.parent, mapped, row.is_second)
        mapped = mapped or level.transform.concreteness == "mapped"
        level = level.parent
    return found


def _in_order(function: Transformed, arguments: Arguments) -> tuple[Value, ...]:
    """The arguments by position, defaults too, as JAX gives them to the rules."""
    args = list(arguments.args)
    for parameter in (signature(function.function) or [])[len(args) :]:
        default = parameter.default
        value = arguments.kwargs.get(parameter.name)
        if not arguments.closed or (value is None and default is None):
            break
        if value is None:
            value = Const(default.value) if isinstance(default, n.Constant) else UNKNOWN
        args.append(value)
    return tuple(args)


class _Staged:
    """The rules of a function that is staged: what is computed in them is a tracer."""

    def __init__(
        self,
        tracer: Tracer,
        function: Transformed,
        arguments: Arguments,
        node: n.Node,
        checks: RuleChecks | None,
    ) -> None:
        self.tracer = tracer
        self.checks = checks
        self.node = node
        self.function = function
        chosen = set(not_differentiated(function))
        rules = tracer.rules.get(id(function.node.origin), {})
        self.rules = rules if None not in chosen else {}
        self.arguments = arguments
        ordered = arguments.args if "forward" in rules else _in_order(function, arguments)
        self.given = tuple(map(self.primal, ordered))
        given = list(enumerate(self.given))
        self.plain = tuple(value for position, value in given if position in chosen)
        self.primals = tuple(value for position, value in given if position not in chosen)

    def run(self, result: Value | None) -> Value | None:
        """Run all rules; what the function gives, None when there are none."""
        rules = self.rules
        if "jvp" in rules:
            result = self._jvp(rules["jvp"])
        elif "jvps" in rules:
            result = self._jvps(rules["jvps"], result)
        elif len(rules.get("vjp", ())) == 2:
            result = self._vjp(*rules["vjp"])
        elif rules.get("forward"):
            result = self._told(rules["forward"][0], rules.get("backward", ()))
        elif self.function.transform.own_rule and result is None:
            result = _pair(self._call(self.function.function, *self.primals))[0]
        return result

    def _call(self, function: Value, *args: Value) -> Value:
        return self.tracer.call(function, Arguments(args), self.node)

    def _jvp(self, rules: tuple[Value, ...]) -> Value:
        given = len(self.plain) + 2
        if self.checks is not None and rules and not self.checks.count("jvp", rules[0], given):
            return UNKNOWN
        tangents = tuple_of(map(self.tangent, self.primals))
        found = [
            self._call(rule, *self.plain, tuple_of(self.primals), tangents) for rule in rules[:1]
        ]
        if self.checks is not None and found:
            self.checks.pair("jvp", found[0])
            self.checks.read("jvp", rules[0])
        return _pair(found[0])[0] if found else UNKNOWN

    def _jvps(self, rules: tuple[Value, ...], result: Value | None) -> Value:
        if result is None:
            # It calls itself, each time inside of one differentiation less.
            values = [map_leaves(primal, _concrete) for primal in self.primals]
            result = self._call(self.function.function, *values)
        for rule, primal in zip(rules, self.primals, strict=False):
            if rule is not NONE:
                self._call(rule, self.tangent(primal), result, *self.primals)
        return result

    def _vjp(self, forward: Value, backward: Value) -> Value:
        checks, all_given = self.checks, self.arguments.closed
        if checks is not None and all_given:
            if not checks.count("fwd", forward, len(self.given)):
                return UNKNOWN
        returned = self._call(forward, *self.given)
        result, kept = _pair(returned)
        if checks is not None and not checks.count("bwd", backward, len(self.plain) + 2):
            return result
        cotangents = self._call(backward, *self.plain, kept, self.cotangent(result))
        if checks is not None and checks.pair("fwd", returned):
            checks.cotangents(cotangents, self.primals)
            checks.read("bwd", backward)
        return result

    def _told(self, forward: Value, backward: tuple[Value, ...]) -> Value:
        """Rules that are told first what is perturbed."""
        result, kept = _pair(self._call(forward, UNKNOWN, *self.primals))
        for rule in backward[:1]:
            self._call(rule, kept, self.cotangent(result), UNKNOWN, *self.primals)
        return result

    def primal(self, value: Value) -> Value:
        """An argument as the rules are given it, without its tangent."""
        return map_leaves(value, _concrete)

    def tangent(self, primal: Value) -> Value:
        """The tangent of an argument."""
        return primal

    def cotangent(self, result: Value) -> Value:
        """The cotangent of the result."""
        return result


class _Differentiated(_Staged):
    """The rules of a function under eager differentiation."""

    def __init__(
        self,
        tracer: Tracer,
        function: Transformed,
        arguments: Arguments,
        node: n.Node,
        how: _Differentiation,
        checks: RuleChecks | None,
    ) -> None:
        self.how = how
        self.reason = next(tracers(value)[0].reason for value in arguments.all() if tracers(value))
        super().__init__(tracer, function, arguments, node, checks)

    def primal(self, value: Value) -> Value:
        return value if self.how.nested else map_leaves(value, _concrete)

    def tangent(self, primal: Value) -> Value:
        if self.how.forward and not self.how.basis:
            return primal
        return self._tracer_like(primal, "mapped" if self.how.forward else "abstract")

    def cotangent(self, result: Value) -> Value:
        if self.how.basis or self.how.mapped:
            return self._tracer_like(result, "mapped")
        return map_leaves(result, lambda leaf: _concrete(leaf, always=True))

    def _tracer_like(self, value: Value, kind: Concreteness) -> Value:
        def leaf(item: Value) -> Value:
            if isinstance(item, Array):
                found = stronger(kind, item.concreteness) if item.traced else kind
                return Array(True, item.aval, self.reason, found)
            if isinstance(item, Tree):
                return replace(item, concreteness=stronger(kind, item.concreteness))
            return Array(True, ANY, self.reason, kind) if is_number(item) else item

        return map_leaves(value, leaf)

    def raised(self, result: Value) -> Value:
        """The result as the function that is differentiated sees it."""
        operands = [each for each in deciding(self.arguments.all()) if each is not None]

        def leaf(item: Value) -> Value:
            if not isinstance(item, Array):
                return item
            return self.tracer.array(operands, self.node, self.function.name, item.aval)

        return map_leaves(result, leaf)


def _concrete(value: Value, always: bool = False) -> Value:
    """The value that is differentiated, without its tangent."""
    differentiated = isinstance(value, (Array, Tree)) and value.concreteness == "differentiated"
    if isinstance(value, Array) and (value.traced is False or always or differentiated):
        return Array(False, value.aval)
    if isinstance(value, Tree) and differentiated:
        # A function with rules of its own takes arrays, or says that they are in a container.
        return UNKNOWN if value.container else Array(False, assumed=True)
    return value
