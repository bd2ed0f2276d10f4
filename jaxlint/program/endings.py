"""How code ends, as far as its text says it."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.program.walk import is_dotted, last_name, statements

_WRITTEN_BELOW = "NotImplementedError"
"""What is raised where a class below is to write the function."""


def never_returns(code: n.Function) -> bool:
    """Whether all that a function does in the end is to raise: ``def fail(why): raise Error(why)``.

    It may be called for nothing else.
    """
    if not _runs_when_called(code):
        return False
    returns = any(isinstance(each, n.Return) for each in statements(code.body))
    return not returns and _raises(code.body)


def handed_on(code: n.Function) -> n.Call | None:
    """The call of a dotted name in which a function ends, whatever way it takes."""
    last = code.body[-1] if code.body and _runs_when_called(code) else None
    found = last.value if isinstance(last, (n.Return, n.ExpressionStatement)) else None
    if not isinstance(found, n.Call) or not is_dotted(found.function):
        return None
    returns = [each for each in statements(code.body) if isinstance(each, n.Return)]
    return found if all(each is last for each in returns) else None


def _runs_when_called(code: n.Function) -> bool:
    """Whether a call of it runs the body, and nothing else."""
    return not (code.is_lambda or code.is_async or code.is_generator or code.decorators)


def _raises(body: list[n.Node]) -> bool:
    """Whether the last statement of a body raises, on every way through it."""
    last = body[-1] if body else None
    if isinstance(last, n.If):
        return _raises(last.body) and _raises(last.orelse)
    return isinstance(last, n.Raise) and not _is_placeholder(last)


def _is_placeholder(node: n.Raise) -> bool:
    """Whether it says that somebody else is to write the function."""
    kind = node.value.function if isinstance(node.value, n.Call) else node.value
    return kind is not None and last_name(kind) == _WRITTEN_BELOW
