"""Runs what JAX has traced one operation after the other, and finds what makes NaN of cotangents.

JAX marks what it makes of an operation on the way back by ``transpose`` in the name of the
operation, and says which line the operation stands on that it goes back through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

_BACKWARD = "transpose("
_AGAIN = "rematted_computation"
"""In the name of what ``jax.checkpoint`` computes again on the way back."""

_COMPILED = frozenset({"jit", "pjit"})
_INNER = ("jaxpr", "call_jaxpr", "fun_jaxpr")
"""Options of an operation that calls another trace, which hold that."""


def lines_of_birth(
    traced: Any, line_of: Callable[[Any], int], is_own: Callable[[str], bool]
) -> Iterator[int]:
    """The lines of the operations that make NaN even of a cotangent without it.

    Args:
        traced: what ``jax.make_jaxpr`` gave, of a function without arguments.
        line_of: the line of the program that an operation stands on; 0 where there is none.
        is_own: whether a function of that name is of the program: a function of JAX is traced
            once, for all lines that call it.
    """
    found: list[int] = []
    _Run(line_of, is_own, found).closed(traced, [], [], False, 0)
    return iter(dict.fromkeys(found))


class _Run:
    """Interprets traces. Values go in pairs: the value, and whether it is a cotangent."""

    def __init__(
        self, line_of: Callable[[Any], int], is_own: Callable[[str], bool], found: list[int]
    ) -> None:
        self._line_of = line_of
        self._is_own = is_own
        self._found = found

    def closed(
        self, traced: Any, args: Sequence[Any], flags: Sequence[bool], back: bool, line: int
    ) -> tuple[list[Any], list[bool]]:
        """Run a trace with its constants; ``line``: of the call in whose place it runs."""
        return self._run(traced.jaxpr, traced.consts, args, flags, back, line)

    def _run(
        self,
        jaxpr: Any,
        consts: Sequence[Any],
        args: Sequence[Any],
        flags: Sequence[bool],
        back: bool,
        line: int,
    ) -> tuple[list[Any], list[bool]]:
        values: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
        values.update(zip(jaxpr.invars, args, strict=True))
        cotangent: dict[Any, bool] = dict(zip(jaxpr.invars, flags, strict=True))

        def read(variable: Any) -> Any:
            return variable.val if hasattr(variable, "val") else values[variable]

        def flag(variable: Any) -> bool:
            return not hasattr(variable, "val") and cotangent.get(variable, False)

        for equation in jaxpr.eqns:
            stack = str(equation.source_info.name_stack)
            backward = _BACKWARD in stack or (back and _AGAIN not in stack)
            inputs, are = list(map(read, equation.invars)), list(map(flag, equation.invars))
            outputs, made = self._equation(equation, inputs, are, backward, line)
            values.update(zip(equation.outvars, outputs, strict=True))
            cotangent.update(zip(equation.outvars, made, strict=True))
        return list(map(read, jaxpr.outvars)), list(map(flag, jaxpr.outvars))

    def _equation(
        self, equation: Any, inputs: list[Any], flags: list[bool], back: bool, line: int
    ) -> tuple[list[Any], list[bool]]:
        name, params = equation.primitive.name, equation.params
        own = self._line_of(equation)
        if name in _LOOPS:
            return _LOOPS[name](self, params, inputs, flags, back, line)
        inner = next((params[key] for key in _INNER if key in params), None)
        if inner is not None and name != "pallas_call":
            shared = name in _COMPILED and not self._is_own(str(params.get("name", "")))
            within = own if shared and not line else line
            if hasattr(inner, "consts"):
                return self.closed(inner, inputs, flags, back, within)
            return self._run(inner, (), inputs, flags, back, within)
        outputs = _bound(equation, inputs)
        if back and _any_nan(outputs):
            pairs = zip(inputs, flags, strict=True)
            whole = [_without_nan(value) if flag else value for value, flag in pairs]
            if _any_nan(_bound(equation, whole)):
                self._found.append(line or own)
        return outputs, [back] * len(outputs)

    def scan(
        self, params: Any, inputs: list[Any], flags: list[bool], back: bool, line: int
    ) -> tuple[list[Any], list[bool]]:
        """One pass after the other, the last one first where it goes back."""
        import jax.numpy as jnp

        first, until = params["num_consts"], params["num_consts"] + params["num_carry"]
        consts, carry, rows = inputs[:first], inputs[first:until], inputs[until:]
        passes = list(range(params["length"]))
        stacked: list[list[Any]] = []
        made = [back] * len(params["jaxpr"].jaxpr.outvars)
        for number in reversed(passes) if params["reverse"] else passes:
            row = [each[number] for each in rows]
            given = [*consts, *carry, *row]
            outputs, made = self.closed(params["jaxpr"], given, flags, back, line)
            carry = outputs[: len(carry)]
            flags = [*flags[:first], *made[: len(carry)], *flags[until:]]
            stacked.append(outputs[len(carry) :])
        if params["reverse"]:
            stacked.reverse()
        columns = [jnp.stack(column) for column in zip(*stacked, strict=True)]
        return [*carry, *columns], [one or back for one in made]

    def cond(
        self, params: Any, inputs: list[Any], flags: list[bool], back: bool, line: int
    ) -> tuple[list[Any], list[bool]]:
        """The branch that is taken."""
        branch = params["branches"][int(inputs[0])]
        return self.closed(branch, inputs[1:], flags[1:], back, line)

    def while_loop(
        self, params: Any, inputs: list[Any], flags: list[bool], back: bool, line: int
    ) -> tuple[list[Any], list[bool]]:
        """As long as its condition holds."""
        ask, do = params["cond_nconsts"], params["cond_nconsts"] + params["body_nconsts"]
        carry, are = inputs[do:], flags[do:]
        while True:
            given = [*inputs[:ask], *carry]
            if not self.closed(params["cond_jaxpr"], given, [False] * len(given), back, line)[0][0]:
                return carry, are
            given, marked = [*inputs[ask:do], *carry], [*flags[ask:do], *are]
            carry, are = self.closed(params["body_jaxpr"], given, marked, back, line)


_LOOPS = {"scan": _Run.scan, "cond": _Run.cond, "while": _Run.while_loop}


def _bound(equation: Any, inputs: Sequence[Any]) -> list[Any]:
    outputs = equation.primitive.bind(*inputs, **equation.params)
    return list(outputs) if equation.primitive.multiple_results else [outputs]


def _without_nan(value: Any) -> Any:
    """A cotangent as if nothing had broken it before."""
    import jax.numpy as jnp

    return jnp.where(jnp.isnan(value), 0, value) if _is_inexact(value) else value


def _is_inexact(value: Any) -> bool:
    import jax.numpy as jnp

    return hasattr(value, "dtype") and bool(jnp.issubdtype(value.dtype, jnp.inexact))


def _any_nan(values: Sequence[Any]) -> bool:
    import jax.numpy as jnp

    return any(bool(jnp.isnan(value).any()) for value in values if _is_inexact(value))
