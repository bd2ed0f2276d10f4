"""What a program says to what runs its tests: fixtures, and rows of values for parameters."""

from __future__ import annotations

from jaxlint.knowledge import harnesses
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import is_code
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Sequence, contents_of, sequence
from jaxlint.tracer.values.objects import Class, Function, Qualified, partial_of
from jaxlint.tracer.values.value import UNKNOWN, Const, Value


def fixture(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``@fixture``, or ``@fixture(params=...)``: the function stays what it is."""
    function = arguments.get(0)
    if function is None:
        return partial_of(Qualified(name), (), arguments.kwargs, tracer.stack.moment())
    if not isinstance(function, Function):
        return UNKNOWN
    tracer.harness.fixtures[id(function.code)] = arguments.kwargs
    return function


def gives(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``@parametrize("a, b", rows)``: the function stays what it is."""
    kwargs = arguments.kwargs
    given = [kwargs[key] for key in ("argnames", "argvalues") if key in kwargs]
    *rows, last = [*given, *arguments.args]
    if len(rows) < 2:
        return partial_of(Qualified(name), arguments.args, kwargs, tracer.stack.moment())
    if not isinstance(last, Function):
        return UNKNOWN
    if harnesses.GIVEN_ELSEWHERE not in kwargs:
        tracer.harness.given.setdefault(id(last.code), []).append((rows[0], rows[1]))
    return last


def gives_cases(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``@parameters(case, case)``, or ``@parameters(cases)``: the function stays what it is."""
    together, function = _decorated(arguments)
    if together is None:
        return _decorator(tracer, name, arguments)
    if isinstance(function, Function):
        alone = together.items[0] if together.items and len(together.items) == 1 else None
        given = alone if isinstance(alone, Sequence) and alone.kind != "tuple" else together
        named = harnesses.GIVES_CASES[name]
        tracer.harness.cases.setdefault(id(function.code), []).append((named, given))
    return function


def gives_all(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``@product(x=values, y=values)``: the function stays what it is.

    Tables say what is called: which of their numbers belong together a test asks itself.
    """
    together, function = _decorated(arguments)
    if together is None:
        return _decorator(tracer, name, arguments)
    if isinstance(function, Function):
        cases = tracer.harness.cases.setdefault(id(function.code), [])
        cases.extend((False, each) for each in together.items or ())
        given = tracer.harness.given.setdefault(id(function.code), [])
        options = {key: each for key, each in arguments.kwargs.items() if key != _CASES}
        given.extend((Const(key), values) for key, values in options.items() if _calls(values))
    return function


def _calls(values: Value) -> bool:
    """Whether there are functions or classes among some values."""
    items = values.items or () if isinstance(values, Sequence) else ()
    return any(map(is_code, items))


def varies(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``@variants(with_jit=True)``, or ``@all_variants``: the function stays what it is."""
    function = arguments.get(0)
    if function is None:
        return partial_of(Qualified(name), (), arguments.kwargs, tracer.stack.moment())
    said = arguments.kwargs.get(harnesses.BY_TRANSFORM, Const(harnesses.VARIES[name]))
    if isinstance(function, Function) and isinstance(said, Const) and said.value is True:
        tracer.harness.varied.add(id(function.code))
    return function


def skips(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``@skip``, or ``@skip("why")``: the test, or the class of tests, stays what it is."""
    test = arguments.args[-1] if arguments.args else UNKNOWN
    if isinstance(test, Function):
        tracer.harness.skipped.add(id(test.code))
    elif isinstance(test, Class):
        tracer.harness.skipped.add(id(test.definition))
    else:
        return partial_of(Qualified(name), (), {}, tracer.stack.moment())
    return test


_CASES = "its cases"
"""Under this name a decorator keeps what it was called with; no program can give it."""


def _decorator(tracer: Tracer, name: str, arguments: Arguments) -> Value:
    """What decorates the function: which cases it has may be functions too."""
    moment = tracer.stack.moment()
    kept = {_CASES: sequence("tuple", contents_of(arguments.args), moment)}
    return partial_of(Qualified(name), (), {**arguments.kwargs, **kept}, moment)


def _decorated(arguments: Arguments) -> tuple[Sequence | None, Value]:
    """The cases, and what gets them; None where there is nothing yet that gets them."""
    cases = arguments.kwargs.get(_CASES)
    function = arguments.args[0] if arguments.args else UNKNOWN
    return (cases if isinstance(cases, Sequence) else None), function


MODELS = {
    harnesses.FIXTURE: fixture,
    harnesses.GIVES: gives,
    **dict.fromkeys(harnesses.GIVES_CASES, gives_cases),
    harnesses.GIVES_ALL: gives_all,
    **dict.fromkeys(harnesses.VARIES, varies),
    **dict.fromkeys(harnesses.SKIPS, skips),
}
