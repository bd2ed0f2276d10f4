"""Expressions: one method for each node, named after it."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from jaxlint.events import ArrayConversion, BoolConversion, IndexConversion
from jaxlint.knowledge import jax_api
from jaxlint.program import nodes as n
from jaxlint.tracer import protocols
from jaxlint.tracer.frames import Frame, Loop, Moment
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.narrowing import narrow
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.values import (
    FALSE,
    NONE,
    SOMETHING,
    TRUE,
    UNKNOWN,
    Array,
    AtProperty,
    Bounds,
    Class,
    Clock,
    Const,
    Donated,
    External,
    Function,
    Host,
    Instance,
    Mapping,
    NumpyArray,
    Qualified,
    Ref,
    Sequence,
    Tree,
    Unknown,
    Value,
    is_number,
    join,
    join_all,
    type_name,
)

_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_DIRECTIVE = re.compile(r"%[-+ #0]*[\d.]*([a-zA-Z])")
_NUMBER_DIRECTIVES = frozenset("dieEfFgGxXo")
_FOLDABLE = (int, float, str, bool)
_LARGEST_FOLD = 1 << 64


class Expressions(Machine):
    """Evaluates expressions."""

    def evaluate(self, node: n.Node) -> Value:
        self.steps -= 1
        if self.steps < 0:
            self.step(node)
        method = _EXPRESSIONS.get(type(node))
        if method is None:
            return UNKNOWN
        value: Value = method(self, node)
        return value

    # ------------------------------------------------------------------ tests

    def test(self, node: n.Node, construct: str) -> bool | None:
        """Ask an expression for its truth value on behalf of ``construct``."""
        if isinstance(node, n.BooleanOperation):
            left = self.test(node.left, construct)
            if left is not None and left is (node.operator == "or"):
                return left
            right = self._given(node.left, node.operator == "and", node.right, construct)
            if left is not None:
                return right
            return right if right is (node.operator == "or") else None
        if isinstance(node, n.UnaryOperation) and node.operator == "not":
            inner = self.test(node.operand, construct)
            return None if inner is None else not inner
        if isinstance(node, n.Comparison) and len(node.operators) > 1:
            return protocols.truth(self, self._chain(node, construct), node, construct)
        return protocols.truth(self, self.evaluate(node), node, construct)

    def _given(self, known: n.Node, holds: bool, node: n.Node, construct: str) -> bool | None:
        """The truth of ``node`` where ``known`` holds (or does not)."""
        frame = self.frame
        before = frame.names
        frame.names = dict(before)
        narrow(self, known, holds)
        try:
            return self.test(node, construct)
        finally:
            added = {k: v for k, v in frame.names.items() if k not in before}
            frame.names = before
            frame.names.update(added)

    # ------------------------------------------------------------------ atoms

    def _constant(self, node: n.Constant) -> Value:
        if node.value is None:
            return NONE
        return Const(node.value)

    def _name(self, node: n.Name) -> Value:
        return self.load(node)

    def _attribute(self, node: n.Attribute) -> Value:
        if node.attr in jax_api.ATTRIBUTES_OF_DELETED and isinstance(node.value, n.Name):
            value = self.look_up(node.value)
            if isinstance(value, Donated):
                return UNKNOWN
        return self.attribute(self.evaluate(node.value), node.attr, node)

    def _opaque(self, node: n.Opaque) -> Value:
        return UNKNOWN

    def _display(self, node: n.Display) -> Value:
        items: list[Value] = []
        known = True
        for element in node.elements:
            if isinstance(element, n.Starred):
                inner = protocols.iterate(self, self.evaluate(element.value), element)
                if isinstance(inner, list):
                    items.extend(inner)
                else:
                    items.append(inner)
                    known = False
            else:
                items.append(self.evaluate(element))
        if node.kind == "set":
            refused = next((item for item in items if isinstance(item, Array)), UNKNOWN)
            protocols.hashed(self, refused, node, "set element")
        if known and node.kind != "set":
            return Sequence(node.kind, items, UNKNOWN, self.moment())
        joined = join_all(items) if items else UNKNOWN
        return Sequence(node.kind, None if items else [], joined, self.moment())

    def _dict(self, node: n.DictDisplay) -> Value:
        entries: dict[Any, Value] = {}
        rest: Value | None = None
        for key_node, value_node in node.items:
            key = self.evaluate(key_node) if key_node is not None else UNKNOWN
            value = self.evaluate(value_node)
            if key_node is None:
                if isinstance(value, Mapping):
                    entries.update(value.entries)
                    value = value.rest if value.rest is not None else value
                if not isinstance(value, Mapping):
                    rest = value if rest is None else join(rest, value)
            elif isinstance(key, Const):
                entries[key.value] = value
            else:
                protocols.hashed(self, key, key_node, "dict key")
                rest = value if rest is None else join(rest, value)
        return Mapping(entries, rest, self.moment())

    def _formatted_string(self, node: n.FormattedString) -> Value:
        for part in node.parts:
            if isinstance(part, n.Formatted):
                value = self.evaluate(part.value)
                self.waited(value, part.value, "format")
                if part.spec and not part.conversion:
                    protocols.scalar(self, value, part.value, "format spec")
            elif not isinstance(part, n.Constant):
                self.evaluate(part)
        return Host("str")

    def _lambda(self, node: n.Lambda) -> Value:
        return self.make_function(node.function)

    def make_function(self, code: n.Function) -> Function:
        """The function object that a ``def`` or ``lambda`` makes here and now."""
        defaults = {
            parameter.name: self.evaluate(parameter.default)
            for parameter in code.parameters
            if parameter.default is not None
        }
        function = Function(code, self.frame, defaults, self.moment())
        self.functions[id(code)] = function
        return function

    def _walrus(self, node: n.Walrus) -> Value:
        value = self.evaluate(node.value)
        self.store(node.target, value, node)
        return value

    def _await(self, node: n.Await) -> Value:
        self.evaluate(node.value)
        return UNKNOWN

    def _yield(self, node: n.Yield) -> Value:
        if node.value is not None:
            self.frame.yielded.append(self.evaluate(node.value))
        return UNKNOWN

    def _starred(self, node: n.Starred) -> Value:
        self.evaluate(node.value)
        return UNKNOWN

    def _slice(self, node: n.Slice) -> Value:
        parts = (node.lower, node.upper, node.step)
        return Bounds([self.evaluate(part) for part in parts if part is not None])

    # -------------------------------------------------------------- operators

    def _unary(self, node: n.UnaryOperation) -> Value:
        if node.operator == "not":
            truth = self.test(node.operand, "not")
            return Host("bool") if truth is None else (FALSE if truth else TRUE)
        value = self.evaluate(node.operand)
        if isinstance(value, Tree):
            value = value.as_array()
        if isinstance(value, Array):
            return self.array([value], node, "", value.rank, value.dtype)
        if isinstance(value, Host):
            return value
        if isinstance(value, NumpyArray):
            return value
        return Host(type_name(value)) if is_number(value) else UNKNOWN

    def _binary(self, node: n.BinaryOperation) -> Value:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if node.operator == "%" and isinstance(left, Const) and isinstance(left.value, str):
            self._format_numbers(left.value, right, node.right)
        return self.binary(node.operator, left, right, node)

    def _format_numbers(self, text: str, value: Value, node: n.Node) -> None:
        """``"%.2f" % value``: each number directive asks for a Python number."""
        directives = _DIRECTIVE.findall(text.replace("%%", ""))
        values = value.items if isinstance(value, Sequence) and value.items else [value]
        if len(directives) == len(values):
            for directive, item in zip(directives, values, strict=True):
                if directive in _NUMBER_DIRECTIVES:
                    protocols.scalar(self, item, node, "% format")

    def binary(self, operator: str, left: Value, right: Value, node: n.Node) -> Value:
        """``left operator right``."""
        if isinstance(left, Array) or isinstance(right, Array):
            return self._array_operation(operator, left, right, node)
        if isinstance(left, Const) and isinstance(right, Const):
            return _fold(operator, left.value, right.value)
        if isinstance(left, Tree) or isinstance(right, Tree):
            return self._tree_operation(operator, left, right, node)
        if isinstance(left, Sequence) and isinstance(right, Sequence) and operator == "+":
            return self._concatenate(left, right)
        if isinstance(left, (Const, Host)) and isinstance(right, (Const, Host)):
            if operator == "-" and isinstance(left, Clock) and isinstance(right, Clock):
                self.elapsed(left, right)
            return _host_operation(operator, left, right)
        if isinstance(left, NumpyArray) or isinstance(right, NumpyArray):
            other = right if isinstance(left, NumpyArray) else left
            return NumpyArray() if isinstance(other, (NumpyArray, Const, Host)) else UNKNOWN
        return UNKNOWN

    def _array_operation(self, operator: str, left: Value, right: Value, node: n.Node) -> Value:
        sensible = (Array, Const, Host, NumpyArray, Tree, Unknown)
        if not (isinstance(left, sensible) and isinstance(right, sensible)):
            return UNKNOWN
        ranks = [_rank(value) for value in (left, right)]
        rank = max(ranks) if None not in ranks and operator != "@" else None  # type: ignore[type-var]
        both_bool = operator in "&|^" and _dtype(left) == _dtype(right) == "bool"
        result = self.array([left, right], node, "", rank, "bool" if both_bool else None)
        if operator != "@":
            result.sized_by = _sized_by(left) or _sized_by(right)
        return result

    def _tree_operation(self, operator: str, left: Value, right: Value, node: n.Node) -> Value:
        other = right if isinstance(left, Tree) else left
        if isinstance(other, (Sequence, Mapping, Instance)) or type_name(other) == "str":
            return UNKNOWN
        return self.array([left, right], node)

    def _concatenate(self, left: Sequence, right: Sequence) -> Value:
        if left.items is not None and right.items is not None:
            return Sequence(left.kind, left.items + right.items, UNKNOWN, self.moment())
        element = join(left.any_element(), right.any_element())
        return Sequence(left.kind, None, element, self.moment())

    def _boolean(self, node: n.BooleanOperation) -> Value:
        left = self.evaluate(node.left)
        truth = protocols.truth(self, left, node.left, node.operator)
        if truth is not None:
            return left if truth is (node.operator == "or") else self.evaluate(node.right)
        before = self.frame.names
        self.frame.names = dict(before)
        narrow(self, node.left, node.operator == "and")
        with self.arm(self.frame.names, True):
            right = self.evaluate(node.right)
        self.frame.names = before
        return join(left, right)

    def _comparison(self, node: n.Comparison) -> Value:
        if len(node.operators) > 1:
            return self._chain(node, "chained comparison")
        left, right = self.evaluate(node.left), self.evaluate(node.comparators[0])
        return self.compare(node.operators[0], left, right, node)

    def _chain(self, node: n.Comparison, construct: str) -> Value:
        left = self.evaluate(node.left)
        result: Value = TRUE
        for position, (op, comparator) in enumerate(
            zip(node.operators, node.comparators, strict=True)
        ):
            right = self.evaluate(comparator)
            result = self.compare(op, left, right, node)
            if position + 1 < len(node.operators):
                if protocols.truth(self, result, node, construct) is False:
                    return FALSE
            left = right
        return result

    def compare(self, operator: str, left: Value, right: Value, node: n.Node) -> Value:
        """``left operator right`` for a comparison operator."""
        if operator in ("is", "is not"):
            found = _identical(left, right)
            return Host("bool") if found is None else Const(found is (operator == "is"))
        if operator in ("in", "not in"):
            return self._contains(operator, left, right, node)
        if isinstance(left, Const) and isinstance(right, Const):
            return _fold(operator, left.value, right.value)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, (Array, Tree)):
                return self._array_comparison(operator, one, other, node)
        if isinstance(left, NumpyArray) or isinstance(right, NumpyArray):
            return NumpyArray()
        if isinstance(left, (Host, Const)) and isinstance(right, (Host, Const)):
            return Host("bool")
        return UNKNOWN

    def _array_comparison(
        self, operator: str, one: Array | Tree, other: Value, node: n.Node
    ) -> Value:
        if operator in ("==", "!=") and not isinstance(other, (Array, Tree, NumpyArray)):
            if other is NONE or type_name(other) == "str":
                return Const(operator == "!=") if isinstance(one, Array) else Host("bool")
            if not is_number(other):
                return UNKNOWN
        if isinstance(other, (Sequence, Mapping, Instance)) or type_name(other) == "str":
            return UNKNOWN
        ranks = (_rank(one), _rank(other))
        rank = max(ranks) if None not in ranks else None  # type: ignore[type-var]
        return self.array([one, other], node, "", rank, "bool")

    def _contains(self, operator: str, left: Value, right: Value, node: n.Node) -> Value:
        if isinstance(right, Mapping) or (isinstance(right, Sequence) and right.kind == "set"):
            protocols.hashed(self, left, node, "in")
        if isinstance(right, Mapping) or isinstance(left, Const):
            if isinstance(right, Mapping) and isinstance(left, Const) and right.rest is None:
                return Const((left.value in right.entries) is (operator == "in"))
        elif protocols.refuses_bool(left) and isinstance(right, Sequence) and right.kind != "set":
            # A list compares one by one, which asks each comparison for its truth.
            elements = right.items if right.items is not None else [right.element]
            if any(is_number(item) or isinstance(item, Array) for item in elements):
                self.emit(BoolConversion(self.context(node, node, left), "in"))
            return Host("bool")
        if protocols.refuses_bool(right) and (is_number(left) or isinstance(left, Array)):
            self.emit(BoolConversion(self.context(node, node, right), "in"))
        return Host("bool")

    def _conditional(self, node: n.Conditional) -> Value:
        truth = self.test(node.test, "conditional expression")
        if truth is not None:
            return self.evaluate(node.body if truth else node.orelse)
        frame = self.frame
        before = frame.names
        values: list[Value] = []
        frame.conditional += 1
        for holds, branch in ((True, node.body), (False, node.orelse)):
            frame.names = dict(before)
            narrow(self, node.test, holds)
            with self.arm(values, holds):
                values.append(self.evaluate(branch))
        frame.conditional -= 1
        frame.names = before
        return join(*values)

    # ---------------------------------------------------------------- indexing

    def _subscript(self, node: n.Subscript) -> Value:
        return self.item(self.evaluate(node.value), self.evaluate(node.index), node)

    def item(self, value: Value, index: Value, node: n.Subscript) -> Value:
        """``value[index]``."""
        if isinstance(value, Array):
            if self.refused_index(index, node):
                return UNKNOWN
            return self.sliced(self._array_item(value, index, node), index)
        if isinstance(value, (Sequence, Mapping)):
            self._ask_for_index(value, index, node)
        if isinstance(value, Sequence):
            found = _sequence_item(value, index, node.index)
            return found if isinstance(index, Const) else self.fresh_keys(found)
        if isinstance(value, Mapping):
            found = _mapping_item(value, index)
            return found if isinstance(index, Const) else self.fresh_keys(found)
        if isinstance(value, Instance) and value.cls.pytree == "namedtuple":
            fields = Sequence("tuple", list(value.attributes.values()))
            return _sequence_item(fields, index, node.index)
        if isinstance(value, Tree):
            if self.refused_index(index, node):
                return UNKNOWN
            if isinstance(index, Const) and isinstance(index.value, str):
                return Tree(value.reason, value.concreteness)
            if isinstance(node.index, (n.Slice, n.Display)) and not value.container:
                return value.as_array() if isinstance(node.index, n.Display) else value
            return Tree(value.reason, value.concreteness)
        if isinstance(value, AtProperty):
            self.refused_index(index, node, at=True)
            return AtProperty(value.array, indexed=True)
        if isinstance(value, Ref):
            return self.array([], node, "ref[...]")
        if isinstance(value, Qualified):
            return self.call_qualified(Qualified(f"{value.name}.__getitem__"), Arguments(), node)
        if isinstance(value, Host):
            slicing = isinstance(node.index, n.Slice)
            return Host("shape" if slicing else "int") if value.type == "shape" else Host("object")
        if isinstance(value, NumpyArray):
            if not protocols.refuses_bool(index):
                return (
                    UNKNOWN
                    if isinstance(index, (Array, Tree))
                    else self.sliced(NumpyArray(), index)
                )
            self.emit(ArrayConversion(self.context(node, node.index, index), "index"))
            return UNKNOWN
        if isinstance(value, Const) and isinstance(value.value, str):
            return Host("str")
        return UNKNOWN

    def _ask_for_index(self, value: Value, index: Value, node: n.Subscript) -> None:
        """What a Python container does with an index: ``__index__`` or ``hash``."""
        if isinstance(index, Tree) and _is_parameter(index, node.index):
            index = index.as_array()
        if isinstance(value, Mapping):
            protocols.hashed(self, index, node.index, "dict key")
        elif isinstance(value, Sequence) and value.kind in ("list", "tuple"):
            parts = index.parts if isinstance(index, Bounds) else [index]
            for part in parts:
                if protocols.refuses_bool(part):
                    self.emit(IndexConversion(self.context(node, node.index, part), value.kind))

    def _array_item(self, value: Array, index: Value, node: n.Subscript) -> Value:
        rank: int | None = None
        if value.rank is not None:
            if isinstance(node.index, n.Slice):
                rank = value.rank
            elif type_name(index) == "int" or (isinstance(index, Array) and index.rank == 0):
                rank = max(value.rank - 1, 0)
        item = self.array([value, index], node, "", rank, value.dtype)
        if value.prng is not None:
            if isinstance(index, Const) and isinstance(index.value, int):
                item.prng = self.key_at(value.prng, index.value)
            else:
                item.prng = self.fresh_key(value.prng)
        return item

    # ----------------------------------------------------------- comprehensions

    def _comprehension(self, node: n.Comprehension) -> Value:
        first = self.evaluate(node.clauses[0].iterable)
        outer = self.frame
        frame = Frame(node.scope, outer, outer.level)
        frame.certain = outer.certain
        frame.conditional, frame.guards = outer.conditional, outer.guards
        frame.function, frame.owner = outer.function, outer.owner
        loop = Loop(node, frame, frame.conditional)
        frame.loops = (*outer.loops, loop)
        operations = self.operations
        self.frame = frame
        try:
            return self._run_clauses(node, first)
        finally:
            self.frame = outer
            self.note_unrolled(node, first, operations, node.clauses[0].iterable)

    def _run_clauses(self, node: n.Comprehension, first: Value) -> Value:
        rounds: list[Value] | None = None
        for position, clause in enumerate(node.clauses):
            iterable = first if position == 0 else self.evaluate(clause.iterable)
            elements = protocols.iterate(self, iterable, clause.iterable)
            if elements == []:
                return _nothing(node, self.moment())
            if isinstance(elements, list):
                single = len(node.clauses) == 1 and not clause.tests
                if single and node.kind != "dict" and len(elements) <= 4:
                    rounds = elements
                elements = join_all(elements) if elements else UNKNOWN
            if rounds is None:
                self.assign(clause.target, self.counted(elements, node), clause)
            for test in clause.tests:
                if self.test(test, "comprehension if") is False:
                    return _nothing(node, self.moment())
                narrow(self, test, True)
        if rounds is not None:
            items = []
            for element in rounds:
                self.assign(node.clauses[0].target, element, node)
                items.append(self.evaluate(node.element))
            kind = "list" if node.kind == "list" else "iterator"
            if node.kind == "set":
                return Sequence("set", None, join_all(items) if items else UNKNOWN, self.moment())
            return Sequence(kind, items, UNKNOWN, self.moment())  # type: ignore[arg-type]
        used = len(self.key_uses)
        value = self.evaluate(node.element)
        if used != len(self.key_uses):
            # Another pass, in which the elements are other ones.
            again = join_all(elements) if isinstance(elements, list) else elements
            self.assign(node.clauses[-1].target, self.fresh_keys(again), node)
            self.evaluate(node.element)
        if node.kind == "dict":
            assert node.value is not None
            return Mapping({}, self.evaluate(node.value), self.moment())
        kinds: dict[str, Any] = {"list": "list", "set": "set", "generator": "iterator"}
        return Sequence(kinds[node.kind], None, value, self.moment())

    # ------------------------------------------------------------------- calls

    def _call(self, node: n.Call) -> Value:
        function = self.evaluate(node.function)
        arguments = Arguments()
        for item in node.arguments:
            value = self.evaluate(item.value)
            if item.star == "*":
                elements = protocols.iterate(self, value, item.value)
                if isinstance(elements, list) and arguments.open_args is None:
                    arguments.args.extend(elements)
                else:
                    arguments.open_args = elements if isinstance(elements, Value) else UNKNOWN
            elif item.star == "**":
                if isinstance(value, Mapping):
                    for key, entry in value.entries.items():
                        arguments.kwargs[str(key)] = entry
                    arguments.open_kwargs = value.rest or arguments.open_kwargs
                else:
                    arguments.open_kwargs = UNKNOWN
            elif item.keyword is not None:
                arguments.kwargs[item.keyword] = value
            elif arguments.open_args is None:
                arguments.args.append(value)
        return self.call(function, arguments, node)


def _is_parameter(value: Tree, node: n.Node) -> bool:
    """Whether an expression is a parameter as such, and not a part of one."""
    reason = value.reason
    named = isinstance(node, n.Name) and reason is not None and reason.subject == node.id
    return named and reason is not None and reason.role == "parameter" and not value.optional


def _nothing(node: n.Comprehension, moment: Moment) -> Value:
    """What a comprehension gives whose test never holds."""
    if node.kind == "dict":
        return Mapping({}, None, moment)
    kinds: dict[str, Any] = {"list": "list", "set": "set", "generator": "iterator"}
    return Sequence(kinds[node.kind], [], UNKNOWN, moment)


def _fold(operator: str, left: Any, right: Any) -> Value:
    fold = _FOLD.get(operator)
    if fold is None or not isinstance(left, _FOLDABLE) or not isinstance(right, _FOLDABLE):
        if fold is not None and operator in ("==", "!="):
            return Const(bool(fold(left, right)))
        return Host("object")
    try:
        value = fold(left, right)
    except (TypeError, ValueError, ArithmeticError):
        return UNKNOWN
    if isinstance(value, int) and abs(value) > _LARGEST_FOLD:
        return Host("int")
    if isinstance(value, str) and len(value) > 200:
        return Host("str")
    return Const(value)


def _host_operation(operator: str, left: Value, right: Value) -> Value:
    kinds = {type_name(left), type_name(right)}
    if kinds <= {"int", "bool"}:
        loops = [value.changes for value in (left, right) if isinstance(value, Host)]
        # What grows with the loop still does so after these.
        grows = operator in ("+", "-", "*", "**")
        changes = next((loop for loop in loops if loop), None) if grows else None
        return Host("float" if operator == "/" else "int", changes)
    if kinds <= {"int", "bool", "float"}:
        return Host("float")
    if operator == "%" and type_name(left) == "str":
        return Host("str")
    if len(kinds) == 1 and kinds <= {"str", "shape"}:
        return Host(kinds.pop())
    return Host("object")


def _rank(value: Value) -> int | None:
    if isinstance(value, Array):
        return value.rank
    return 0 if is_number(value) else None


def _sized_by(value: Value) -> n.Node | None:
    return value.sized_by if isinstance(value, (Array, NumpyArray)) else None


def _dtype(value: Value) -> str | None:
    return value.dtype if isinstance(value, Array) else None


def _identical(left: Value, right: Value) -> bool | None:
    for one, other in ((left, right), (right, left)):
        if other is NONE:
            if one is NONE:
                return True
            if isinstance(one, Array):
                return None if one.assumed else False
            if one is SOMETHING:
                return False
            if isinstance(one, (Unknown, Tree)):
                return None
            if isinstance(one, (Const, Sequence, Mapping, Function, Class, Qualified)):
                return False
            if isinstance(one, (Instance, External, NumpyArray)):
                return False
            if isinstance(one, Host):
                return None if one.type == "object" else False
            return None
    if isinstance(left, Const) and isinstance(right, Const):
        return left.value is right.value
    return None


def _sequence_item(value: Sequence, index: Value, index_node: n.Node) -> Value:
    if isinstance(index_node, n.Slice):
        if value.items is None:
            return value
        bounds: list[int | None] = []
        for part in (index_node.lower, index_node.upper, index_node.step):
            if part is None:
                bounds.append(None)
            elif isinstance(part, n.Constant) and isinstance(part.value, int):
                bounds.append(part.value)
            else:
                return Sequence(value.kind, None, value.any_element(), value.moment)
        try:
            return Sequence(value.kind, value.items[slice(*bounds)], UNKNOWN, value.moment)
        except ValueError:
            return UNKNOWN
    if isinstance(index, Const) and isinstance(index.value, int) and value.items is not None:
        if -len(value.items) <= index.value < len(value.items):
            return value.items[index.value]
        return UNKNOWN
    if isinstance(index, (Array, Tree)):
        return UNKNOWN
    return value.any_element()


def _mapping_item(value: Mapping, index: Value) -> Value:
    if isinstance(index, Const):
        found = value.entries.get(index.value)
        if found is not None:
            return found
        return value.rest if value.rest is not None else UNKNOWN
    return value.any_value()


_EXPRESSIONS: dict[type[n.Node], Callable[..., Value]] = {
    n.Constant: Expressions._constant,
    n.Name: Expressions._name,
    n.Attribute: Expressions._attribute,
    n.Subscript: Expressions._subscript,
    n.Slice: Expressions._slice,
    n.Call: Expressions._call,
    n.UnaryOperation: Expressions._unary,
    n.BinaryOperation: Expressions._binary,
    n.BooleanOperation: Expressions._boolean,
    n.Comparison: Expressions._comparison,
    n.Conditional: Expressions._conditional,
    n.Starred: Expressions._starred,
    n.Display: Expressions._display,
    n.DictDisplay: Expressions._dict,
    n.Comprehension: Expressions._comprehension,
    n.FormattedString: Expressions._formatted_string,
    n.Lambda: Expressions._lambda,
    n.Walrus: Expressions._walrus,
    n.Await: Expressions._await,
    n.Yield: Expressions._yield,
    n.Opaque: Expressions._opaque,
}
