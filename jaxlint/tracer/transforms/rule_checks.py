"""What JAX refuses of rules of differentiation: tracers as plain arguments, other structures."""

from __future__ import annotations

from typing import Literal

from jaxlint.events import IgnoredCotangent, NondiffTracer, RuleMismatch, Site
from jaxlint.program import nodes as n
from jaxlint.program.walk import statements, walk
from jaxlint.tracer.callables import function_under, name_of, not_differentiated, signature, takes
from jaxlint.tracer.state.arguments import Arguments, nodes_of
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import ANY, Array, NumpyArray, aval_of_number
from jaxlint.tracer.values.avals import Aval, describe
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.pytrees import side_by_side
from jaxlint.tracer.values.sizes import unequal
from jaxlint.tracer.values.value import NONE, Value, is_number, type_name

_GIVEN = {
    "fwd": "what the function takes",
    "bwd": "the `nondiff_argnums`, the residuals and the cotangent",
    "jvp": "the `nondiff_argnums`, the primals and the tangents",
}
"""What each rule is given."""

_POSITIONAL = frozenset({"positional", "positional_only"})


def refused_tracer(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> bool:
    """Whether a call raises for a tracer in the place of a plain argument."""
    if not function.transform.refuses_tracers:
        return False
    parameters = signature(function.function) or []
    for position in not_differentiated(function):
        if not isinstance(position, int) or not 0 <= position < len(arguments.args):
            continue
        value = arguments.args[position]
        if isinstance(value, Array) and value.traced and position < len(parameters):
            where = nodes_of(arguments, node)[position]
            context = tracer.context(where, where, value)
            name, site = parameters[position].name, Site(function.node.origin)
            tracer.emit(NondiffTracer(context, name_of(function), function.name, name, site))
            return True
    return False


class RuleChecks:
    """What the rules of one function return, where a call of it is differentiated."""

    def __init__(self, tracer: Tracer, function: Transformed, node: n.Node) -> None:
        self._tracer = tracer
        self._function = function
        self._node = node
        self._level = tracer.stack.level

    def count(self, rule: Literal["fwd", "bwd", "jvp"], function: Value, given: int) -> bool:
        """Whether a rule takes as many arguments as JAX gives it: those that are plain come first.

        The forward rule is given what the function is.
        """
        taken = takes(function, given)
        node = self._differentiated_at() if rule == "bwd" else self._node
        if taken and node is not None and (rule == "bwd" or self._runs_here()):
            context, name = self._tracer.context(node), name_of(self._function)
            site = Site(self._function.node.origin)
            event = RuleMismatch(context, rule, "", _GIVEN[rule], name, site, taken, str(given))
            self._tracer.emit(event)
        return not taken

    def pair(self, rule: Literal["fwd", "jvp"], returned: Value) -> bool:
        """Whether a rule returns a pair, as far as one can see."""
        returns = _structure(returned)
        is_pair = returns in ("", "a tuple of 2", "a list of 2")
        if not is_pair and self._runs_here():
            wanted = "the result and the residuals" if rule == "fwd" else "primal and tangent"
            self._tell(rule, returns, f"a pair of {wanted}", self._node)
        elif rule == "jvp" and self._runs_here() and isinstance(returned, Sequence):
            self._tangent(returned.items or ())
        return is_pair

    def _tangent(self, returned: tuple[Value, ...]) -> None:
        """The tangent of a result has its shape."""
        found = _other_shape(*returned) if len(returned) == 2 else None
        if found is not None:
            result, tangent = found
            returns = f"`{tangent}` beside a result `{result}`"
            self._tell("jvp", returns, "a tangent of its shape", self._node)

    def cotangents(self, returned: Value, primals: tuple[Value, ...]) -> None:
        """What comes back for the arguments."""
        parameters = signature(self._function.function)
        if parameters is None or any(each.kind not in _POSITIONAL for each in parameters):
            return
        plain = not_differentiated(self._function)
        if None in plain:
            return
        count = len(parameters) - len(set(plain))
        returns, wanted = _structure(returned), f"a tuple of {count}"
        node = self._differentiated_at()
        if node is not None and returns not in ("", wanted, f"a list of {count}"):
            self._tell("bwd", returns, f"{wanted}, one cotangent for each argument", node)
        elif node is not None and isinstance(returned, Sequence) and len(primals) == count:
            names = [each.name for at, each in enumerate(parameters) if at not in plain]
            for name, primal, cotangent in zip(names, primals, returned.items or (), strict=False):
                found = _other_shape(primal, cotangent)
                if found is not None:
                    wanted = f"the shape of `{name}`, or None"
                    self._tell("bwd", f"`{found[1]}` for `{name}`, `{found[0]}`", wanted, node)
                    return

    def read(self, rule: Literal["bwd", "jvp"], function: Value) -> None:
        """Whether a rule reads what comes to it, its last argument: what it gives is linear in it.

        One that gives nothing but zeros stops the gradient, on purpose.
        """
        found = function_under(function)
        code = found.code if found is not None else None
        if code is None or not code.parameters or not self._runs_at_all():
            return
        last, read = code.parameters[-1], code.scope.reads | code.scope.inner_reads
        given = _computed(code)
        if last.kind not in _POSITIONAL or last.name in read or given is None:
            return
        context = self._tracer.context(given, given)
        event = IgnoredCotangent(context, rule, last.name, name_of(self._function))
        self._tracer.emit(event)

    def _runs_at_all(self) -> bool:
        """Whether the rule runs when the gradient is taken that is in view."""
        return _transposing(self._level) is not None

    def _tell(
        self, rule: Literal["fwd", "bwd", "jvp"], returns: str, wanted: str, node: n.Node
    ) -> None:
        context, function = self._tracer.context(node), self._function
        site = Site(function.node.origin)
        event = RuleMismatch(context, rule, returns, wanted, name_of(function), site)
        self._tracer.emit(event)

    def _runs_here(self) -> bool:
        """Whether JAX runs the rule at the call: nothing is staged and differentiated later."""
        level = self._level
        while level is not None and not level.transform.transposes:
            if level.transform.stages:
                return False
            level = level.parent
        return level is not None

    def _differentiated_at(self) -> n.Node | None:
        """The call that takes the gradient: there cotangents go back."""
        level = _transposing(self._level)
        if level is None or level.transform.result == "value_and_more":
            return None  # They go back when the function is called that this returns.
        for frame in self._tracer.stack.running:
            if frame.level is not None and _transposing(frame.level) is level:
                return frame.called_at
        return self._node


def _transposing(level: Level | None) -> Level | None:
    """The innermost level from which cotangents go back."""
    while level is not None and not level.transform.transposes:
        level = level.parent
    return level


def _other_shape(value: Value, of: Value) -> tuple[str, str] | None:
    """Two arrays in one place of two pytrees that have different shapes for certain."""
    for one, other in side_by_side(value, of):
        avals = _aval(one), _aval(other)
        if unequal(avals[0].shape, avals[1].shape):
            return describe(avals[0]), describe(avals[1])
    return None


def _aval(leaf: Value) -> Aval:
    """What is known of an array or number; nothing of another leaf."""
    if isinstance(leaf, Array) and not leaf.assumed:
        return leaf.aval
    if isinstance(leaf, NumpyArray):
        return Aval(leaf.aval.shape)
    return aval_of_number(type_name(leaf), None) if is_number(leaf) else ANY


def _structure(value: Value) -> str:
    """What a value is, in words; empty where nobody can say."""
    if isinstance(value, Array):
        return "" if value.assumed else "one array"
    if value is NONE:
        return "None"
    if is_number(value):
        return "a number"
    if isinstance(value, Mapping):
        return "a dict"
    if isinstance(value, Sequence) and value.kind in ("tuple", "list") and value.items is not None:
        return f"a {value.kind} of {len(value.items)}"
    return ""


def _computed(code: n.Function) -> n.Node | None:
    """What a rule returns, if it computes that, and it is not zero.

    What is made by a name with ``zero`` in it is, and so is what is not in view.
    """
    returns = [each.value for each in statements(code.body) if isinstance(each, n.Return)]
    for node in walk(code.body):
        name = node.attr if isinstance(node, n.Attribute) else ""
        name = node.id if isinstance(node, n.Name) else name
        if "zero" in name or isinstance(node, (n.Raise, n.Opaque)):
            return None
    last = returns[-1] if len(returns) == 1 else None
    parts = last.elements if isinstance(last, n.Display) else [last]
    return None if all(part is None or isinstance(part, n.Constant) for part in parts) else last
