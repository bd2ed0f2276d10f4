"""Compiled wrappers that are made again and again: made once, before the loop or the function."""

from __future__ import annotations

import libcst as cst

from jaxlint.edits import Edit, Fix
from jaxlint.events import ChangingStatic, FreshTransform
from jaxlint.fixes.assignments import (
    bound_names,
    bound_roots,
    declared_names,
    free_names,
    root,
    targets,
    walk,
    written_names,
)
from jaxlint.fixes.code import Code
from jaxlint.fixes.layout import Statement
from jaxlint.knowledge.transforms import TRANSFORMS

_PARTIAL = "functools.partial"
_BLANK_LINES = 2
"""Between what stands at the top of a file."""


def lifted(event: FreshTransform, code: Code) -> Fix | None:
    """Makes a wrapper once: before the loop that makes it, or at the top of the file.

    Only one that is the same each time: of names that nothing around it assigns to.
    """
    made, loop = code.node(event.site), code.node(event.repeated_at)
    if made is None or (event.repeated == "loop" and loop is None):
        return None
    before = code.statement(loop) if event.repeated == "loop" and loop is not None else None
    home = before if before is not None else _top(made, code)
    if home is None or not code.stands_alone(home):
        return None
    lift = _Lift(made, home, before is None, code)
    decorated = code.parent(made)
    if isinstance(decorated, cst.Decorator):
        return lift.definition(decorated)
    return lift.expression(event) if isinstance(made, cst.Call) else None


def lifted_argument(event: ChangingStatic, code: Code) -> Fix | None:
    """Makes a function or an object once, before the loop: a lambda, or a call of a class."""
    made, loop = code.node(event.subject), code.node(event.loop_at)
    if not event.fresh or not isinstance(loop, (cst.For, cst.While)):
        return None
    lift = _Lift(made, loop, False, code) if made is not None else None
    return lift.object() if lift is not None else None


def _top(node: cst.CSTNode, code: Code) -> Statement | None:
    """The definition at the top of the file that a node is in."""
    for each in code.around(node):
        if isinstance(each, (cst.FunctionDef, cst.ClassDef)):
            if isinstance(code.parent(each), cst.Module):
                return each
    return None


class _Lift:
    """A wrapper on its way out.

    Args:
        made: its syntax.
        home: the statement that it will stand before.
        to_the_top: that one is a definition at the top of the file; else a loop.
        code: the file.
    """

    def __init__(self, made: cst.CSTNode, home: Statement, to_the_top: bool, code: Code) -> None:
        self._made = made
        self._home = home
        self._to_the_top = to_the_top
        self._code = code

    def expression(self, event: FreshTransform) -> Fix | None:
        """``jax.jit(f)(x)``: ``f_jit = jax.jit(f)`` before, and ``f_jit(x)``."""
        made, code = self._made, self._code
        assert isinstance(made, cst.Call)
        if not self._is_constant(made) or not self._is_the_same(made) or _has_long_string(made):
            return None
        statement = code.parent(made)
        if isinstance(statement, cst.Assign) and self._can_move(statement):
            moved = code.taken_out(statement)
            if moved is not None:
                return self._fix(*moved)
        name = code.new_name(_name_of(made, event.transform), made, made)
        return self._fix(f"{name} = {self._text(made)}", code.replace(made, name))

    def object(self) -> Fix | None:
        """``f(lambda v: v, x)``: ``function = lambda v: v`` before, and ``f(function, x)``."""
        made, code = self._made, self._code
        if isinstance(made, cst.Lambda):
            base = "function"
        elif isinstance(made, cst.Call) and isinstance(made.func, cst.Name):
            base = made.func.value.lower()
            if not all(not each.star and self._is_constant(each.value) for each in made.args):
                return None
        else:
            return None
        if not self._is_the_same(made) or _has_long_string(made):
            return None
        name = code.new_name(base, made, made)
        return self._fix(f"{name} = {self._text(made)}", code.replace(made, name))

    def definition(self, decorator: cst.Decorator) -> Fix | None:
        """A decorated function that reads nothing of what is around it."""
        code = self._code
        function = code.parent(decorator)
        if not isinstance(function, cst.FunctionDef) or _has_long_string(function):
            return None
        constant = all(self._is_constant(each.decorator) for each in function.decorators)
        if not constant or not self._is_the_same(function):
            return None
        if not self._is_alone(function.name) or not self._is_inside(function):
            return None
        within = self._home.body if isinstance(self._home, (cst.For, cst.While)) else None
        if within is not None and code.parent(function) is not within:
            return None
        moved = code.taken_out(function)
        if moved is None:
            return None
        text, gone = moved
        if not self._to_the_top:
            text = f"{text}\n" if code.is_spaced(self._home) else f"\n{text}\n"
        return self._fix(text, gone)

    def _text(self, node: cst.CSTNode) -> str:
        """What is written there, as it would be at the margin."""
        return self._code.text(node).replace(f"\n{self._code.indent(node)}", "\n")

    def _fix(self, text: str, gone: Edit) -> Fix | None:
        code = self._code
        blank = "\n" * _BLANK_LINES if self._to_the_top else ""
        into = code.insert_above(self._home, f"{text}{blank}")
        return code.fix("Make it once", into, gone, safe=False)

    def _is_constant(self, node: cst.CSTNode) -> bool:
        """Whether an expression only wraps, names or writes out what it is about."""
        if isinstance(node, cst.Call):
            wraps = self._wraps(node.func)
            return wraps and all(not a.star and self._is_constant(a.value) for a in node.args)
        if isinstance(node, (cst.Tuple, cst.List)):
            return all(
                isinstance(each, cst.Element) and self._is_constant(each.value)
                for each in node.elements
            )
        if isinstance(node, cst.UnaryOperation):
            return isinstance(node.expression, cst.BaseNumber)
        if isinstance(node, cst.Attribute):
            return root(node) is not None
        return isinstance(node, (cst.Name, cst.Lambda, cst.BaseNumber, cst.SimpleString))

    def _wraps(self, function: cst.BaseExpression) -> bool:
        """Whether calling something only makes a function of another one."""
        if isinstance(function, cst.Call):
            return self._is_constant(function)
        name = self._code.qualified(function)
        return name == _PARTIAL or name in TRANSFORMS

    def _is_the_same(self, node: cst.CSTNode) -> bool:
        """Whether all that an expression or function reads is there before, and stays."""
        names = free_names(node)
        if self._to_the_top:
            return all(self._is_there(each) for each in names)
        code, home = self._code, self._home
        objects = {root(each) for each in walk(node) if isinstance(each, cst.Attribute)}
        held = {each.value for each in objects if each is not None and not code.qualified(each)}
        bound, own = code.once(bound_roots, home), bound_roots(node)
        written, inside = code.once(written_names, home), written_names(node)
        return all(bound[each.value] == own[each.value] for each in names) and all(
            written[name] == inside[name] for name in held
        )

    def _is_there(self, name: cst.Name) -> bool:
        """Whether a name is the module's or a builtin, and bound once, before what it moves to."""
        code = self._code
        *_, module = code.around(name)
        if not code.is_global(name):
            return False
        last = code.once(_last_bound, module, code).get(name.value, (0, 0))
        declared = code.once(declared_names, module)
        return last < code.span(self._home)[:2] and name.value not in declared

    def _can_move(self, statement: cst.Assign) -> bool:
        """Whether an assignment can be made before as it is."""
        target = statement.targets[0].target
        return (
            len(statement.targets) == 1
            and isinstance(target, cst.Name)
            and self._is_alone(target)
            and self._is_inside(statement)
        )

    def _is_inside(self, node: cst.CSTNode) -> bool:
        return any(each is self._home for each in self._code.around(node))

    def _is_alone(self, target: cst.Name) -> bool:
        """Whether nothing but what moves, and binds a name, does so where both places see it."""
        code = self._code
        *_, module = code.around(target)
        if self._to_the_top:
            body = code.body_around(code.statement(target))
            within = code.once(written_names, body)[target.value] if body is not None else 0
            if code.once(written_names, module)[target.value] > within:
                return False
        around = self._home if not self._to_the_top else module
        return code.once(bound_names, around)[target.value] == 1


def _last_bound(module: cst.CSTNode, code: Code) -> dict[str, tuple[int, int]]:
    """Where the names of a module are bound for the last time."""
    own = (each for each in targets(module) if isinstance(each, cst.Name) and code.is_global(each))
    return dict(sorted(((each.value, code.span(each)[:2]) for each in own), key=lambda of: of[1]))


def _name_of(made: cst.Call, transform: str) -> str:
    """``f_jit`` for ``jax.jit(f)``; what has no name of its own is just compiled."""
    wrapped = made.args[0].value if made.args else None
    if isinstance(wrapped, cst.Attribute):
        wrapped = wrapped.attr
    if isinstance(wrapped, cst.Name):
        return f"{wrapped.value}_{transform.rpartition('.')[2]}"
    return "compiled"


def _has_long_string(node: cst.CSTNode) -> bool:
    """Whether a string in it goes over several lines: moving those would change it."""
    return any(
        isinstance(each, (cst.SimpleString, cst.FormattedStringText)) and "\n" in each.value
        for each in walk(node)
    )
