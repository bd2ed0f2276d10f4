"""``match`` statements: which cases a subject may take, and what they bind."""

from __future__ import annotations

from jaxlint.events import BoolConversion
from jaxlint.program import nodes as n
from jaxlint.tracer.language.expressions import ask
from jaxlint.tracer.language.loops import is_of_this_pass
from jaxlint.tracer.language.narrowing import narrow
from jaxlint.tracer.operations.comparison import is_no_such
from jaxlint.tracer.operations.stores import store
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, refuses_bool
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import Instance, Qualified
from jaxlint.tracer.values.value import UNKNOWN, Const, Value

_IS_INSTANCE = Qualified("builtins.isinstance")
_NO_SEQUENCES = (Array, NumpyArray, Mapping, Const)
_NO_CONSTANTS = (Array, NumpyArray, Instance)


def match(tracer: Tracer, node: n.Match) -> None:
    """Run the cases that the subject may take, each from the same state."""
    subject = tracer.evaluate(node.subject)
    possible: list[n.Case] = []
    exhaustive = False
    for case in node.cases:
        if case.pattern.compares and refuses_bool(subject):
            context = tracer.context(case.pattern, node.subject, subject)
            tracer.emit(BoolConversion(context, "match"))
        taken = _matches(tracer, case.pattern, subject)
        if taken is False:
            continue
        possible.append(case)
        exhaustive = taken is True and case.guard is None
        if exhaustive:
            break
    if exhaustive and len(possible) == 1:
        frame, passing = tracer.stack.frame, is_of_this_pass(tracer, node.subject)
        frame.conditional += passing
        _run(tracer, possible[0], subject)
        frame.conditional -= passing
        return
    with tracer.fork() as fork:
        for case in possible:
            with fork.arm(case):
                _run(tracer, case, subject)
        if not exhaustive:
            with fork.arm(None):
                pass


def _run(tracer: Tracer, case: n.Case, subject: Value) -> None:
    _bind(tracer, case.pattern, subject, case)
    if case.guard is not None:
        ask(tracer, case.guard, "match")
        narrow(tracer, case.guard, True)
    tracer.execute(case.body)


def _matches(tracer: Tracer, pattern: n.Pattern, subject: Value) -> bool | None:
    """Whether a pattern matches; None when that is open."""
    if pattern.irrefutable:
        return True
    if pattern.kind == "or":
        answers = [_matches(tracer, part, subject) for part in pattern.parts]
        return True if True in answers else (None if None in answers else False)
    if pattern.kind == "value" or pattern.kind == "is":
        return _equals(tracer, pattern, subject)
    if pattern.kind == "class":
        return _is_instance(tracer, pattern, subject)
    if pattern.kind == "mapping" and isinstance(subject, Mapping):
        return _has_entries(pattern, subject)
    return _has_elements(tracer, pattern, subject) if pattern.kind == "sequence" else None


def _equals(tracer: Tracer, pattern: n.Pattern, subject: Value) -> bool | None:
    value = tracer.evaluate(pattern.value) if pattern.value is not None else UNKNOWN
    if not isinstance(value, Const):
        return None
    if isinstance(subject, Const):
        same = type(subject.value) is type(value.value) or pattern.kind == "value"
        return bool(same and subject.value == value.value)
    if isinstance(subject, (Sequence, Mapping)) or is_no_such(subject, value):
        return False
    return False if pattern.kind == "is" and isinstance(subject, _NO_CONSTANTS) else None


def _is_instance(tracer: Tracer, pattern: n.Pattern, subject: Value) -> bool | None:
    if pattern.value is None:
        return None
    arguments = Arguments((subject, tracer.evaluate(pattern.value)))
    answer = tracer.call(_IS_INSTANCE, arguments, pattern)
    known = answer.value if isinstance(answer, Const) else None
    if known and not all(part.irrefutable for part in pattern.parts):
        return None
    return bool(known) if known is not None else None


def _has_entries(pattern: n.Pattern, subject: Mapping) -> bool | None:
    """Whether a dict of which all keys are known has those of a pattern."""
    known = subject.entries.known
    if subject.entries.rest is not None or "" in pattern.keys:
        return None
    if not all(key in known for key in pattern.keys):
        return False
    return True if all(part.irrefutable for part in pattern.parts) else None


def _has_elements(tracer: Tracer, pattern: n.Pattern, subject: Value) -> bool | None:
    if isinstance(subject, _NO_SEQUENCES):
        return False
    items = _items(subject)
    if items is None:
        return None
    rows = _by_part(pattern, items)
    if rows is None:
        return False
    answers = [
        True if part.kind == "star" else _matches(tracer, part, value[0]) for part, value in rows
    ]
    return False if False in answers else (None if None in answers else True)


def _items(subject: Value) -> tuple[Value, ...] | None:
    known = isinstance(subject, Sequence) and subject.kind in ("tuple", "list")
    return subject.items if isinstance(subject, Sequence) and known else None


def _by_part(
    pattern: n.Pattern, items: tuple[Value, ...]
) -> list[tuple[n.Pattern, tuple[Value, ...]]] | None:
    """The elements that each part gets; None where there are too few or too many."""
    stars = [place for place, part in enumerate(pattern.parts) if part.kind == "star"]
    more = len(items) - len(pattern.parts)
    if more < -len(stars) or (more and not stars):
        return None
    rows, at = [], 0
    for part in pattern.parts:
        count = more + 1 if part.kind == "star" else 1
        rows.append((part, tuple(items[at : at + count])))
        at += count
    return rows


def _bind(tracer: Tracer, pattern: n.Pattern, subject: Value, node: n.Node) -> None:
    """Bind the names of a pattern that has matched."""
    if pattern.name is not None:
        whole = pattern.kind not in ("star", "mapping")
        store(tracer, pattern.name, subject if whole else UNKNOWN, node)
    items = _items(subject) if pattern.kind == "sequence" else None
    rows = _by_part(pattern, items) if items is not None else None
    if rows is not None:
        for part, values in rows:
            _bind(tracer, part, values[0] if part.kind != "star" else UNKNOWN, node)
        return
    for part, value in zip(pattern.parts, _inside(tracer, pattern, subject), strict=True):
        _bind(tracer, part, value, node)


def _inside(tracer: Tracer, pattern: n.Pattern, subject: Value) -> list[Value]:
    """What the parts of a pattern are about."""
    if pattern.kind == "or":
        return [subject for _ in pattern.parts]
    if pattern.kind == "class" and isinstance(subject, Instance):
        return [
            tracer.attribute(subject, name, pattern) if name else UNKNOWN
            for name in _attributes(pattern, subject)
        ]
    if pattern.kind == "mapping" and isinstance(subject, Mapping):
        entries = subject.entries
        return [entries.known.get(key) or entries.rest or UNKNOWN for key in pattern.keys]
    return [UNKNOWN for _ in pattern.parts]


def _attributes(pattern: n.Pattern, subject: Instance) -> list[str]:
    """The attributes of an object that a pattern names, or counts; empty for those nobody knows."""
    count = len(pattern.parts) - len(pattern.keys)
    fields = list(subject.cls.traits.fields or ())[:count]
    return [*fields, *[""] * (count - len(fields)), *pattern.keys]
