"""How what runs tests calls them: with what fixtures make, and with what tables of values give.

A test runs once for each kind of row: those with the same functions, classes and names in them
differ in numbers alone, and are joined.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from math import prod

from jaxlint.knowledge import harnesses
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import is_code, takes_receiver
from jaxlint.tracer.following import goes_away, is_followed, kinds
from jaxlint.tracer.language.classes import some_instance
from jaxlint.tracer.modules import look_in, outside, run
from jaxlint.tracer.state.arguments import ANYTHING, Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.joins import any_element, join
from jaxlint.tracer.values.objects import Class, Function, Instance, Partial, Qualified
from jaxlint.tracer.values.value import UNKNOWN, Const, Value, replace

_MOST = 30
"""Runs of one test."""

_AT_LEAST = 6
"""Those that it has whatever they cost."""

_SHARE = 20_000
"""Steps that all others take, of all tests together."""

_DEEPEST = 5
"""Fixtures that ask for each other."""

_NESTING = 2
"""Containers inside of containers in which it is looked for what a row calls."""

Row = dict[object, Value]
"""What tables give: to parameters by their names, to fixtures by the identity of their code."""


@dataclass
class _Run:
    """One run of a test.

    Attributes:
        test: what runs.
        row: what tables give it.
        receiver: the object of which it is a method.
        made: what fixtures have made for it, by the identity of their code.
    """

    test: n.Function
    row: Row
    receiver: Value | None = None
    made: dict[int, Value] = field(default_factory=dict)


def helps_tests(tracer: Tracer, code: n.Function) -> bool:
    """Whether a function is there to be called before tests: they show what it is given."""
    function = tracer.functions.get(id(code))
    owner = function.owner if function is not None else None
    sets_up = owner is not None and code.name in harnesses.SETS_UP
    return sets_up or id(code) in tracer.harness.fixtures


def is_skipped(tracer: Tracer, function: Function) -> bool:
    """Whether a function is a test that is marked not to be run, alone or with all around it."""
    if not _is_run(tracer, function):
        return False
    owner, skipped = function.owner, tracer.harness.skipped
    if id(function.code) in skipped:
        return True
    if owner is not None and (id(owner.definition) in skipped or _skips(owner.attributes)):
        return True
    return _skips(tracer.stack.globals.names)


def _skips(names: dict[str, Value]) -> bool:
    """Whether the mark of all tests in a module or class says that they are not run."""
    marks = names.get(harnesses.MARKS, UNKNOWN)
    listed = _values(marks) if isinstance(marks, Sequence) else [marks]
    said = [mark.function if isinstance(mark, Partial) else mark for mark in listed]
    return any(isinstance(mark, Qualified) and mark.name in harnesses.SKIPS for mark in said)


def ways(tracer: Tracer, function: Function, cls: Class | None) -> Iterator[Row]:
    """The rows with which a function is run, if it is a test; else one that says nothing.

    Where they cost too much, the last ones are joined. ``cls``: of which its object is.
    """
    rows = _ways(tracer, function, cls) if _is_run(tracer, function) else [{}]
    for number in range(len(rows)):
        if number >= _AT_LEAST and tracer.harness.spent > _SHARE:
            yield reduce(_joined, rows[number:])
            return
        left = tracer.steps - tracer.away.given
        tracer.away.runs += number > 0
        yield rows[number]
        if number >= _AT_LEAST:
            tracer.harness.spent += left - (tracer.steps - tracer.away.given)


def as_made(receiver: Value, function: Function) -> Value:
    """The object with which a test runs: of no other class than the one in which it is found."""
    if not isinstance(receiver, Instance) or not function.code.name.startswith(harnesses.TEST):
        return receiver
    return replace(receiver, heir=False) if collects(receiver.cls) else receiver


@contextmanager
def on_share(tracer: Tracer) -> Iterator[bool]:
    """Run a test that has run before, with another object; gives whether there are steps left."""
    left = tracer.steps - tracer.away.given
    yield tracer.harness.spent <= _SHARE
    tracer.harness.spent += left - (tracer.steps - tracer.away.given)


def _ways(tracer: Tracer, function: Function, cls: Class | None) -> list[Row]:
    """All rows with which a test is run: of several tables, each row with each."""
    given = tracer.harness.given.get(id(function.code), ())
    tables = [_by_kind(_rows(names, rows)) for names, rows in given]
    cases = tracer.harness.cases.get(id(function.code), ())
    tables += [_by_kind(_cases(function, each, named)) for named, each in cases]
    for fixture in _asked_for(tracer, function, cls):
        params = tracer.harness.fixtures[id(fixture.code)].get("params")
        rows = _values(params) if params is not None else []
        tables.append(_by_kind([{id(fixture.code): value} for value in rows]))
    tables = [table for table in tables if table]
    while prod(map(len, tables)) > _MOST:
        longest = max(tables, key=len)
        last = longest.pop()
        longest[-1] = _joined(longest[-1], last)
    return [{key: row[key] for row in chosen for key in row} for chosen in product(*tables)]


def arguments(tracer: Tracer, function: Function, row: Row, receiver: Value | None) -> Arguments:
    """What a function is run with that nobody in view calls."""
    given = ANYTHING if receiver is None else ANYTHING.prepend(receiver)
    if not _is_run(tracer, function):
        return given
    run_ = _Run(function.code, row, receiver)
    if isinstance(receiver, Instance):
        _set_up(tracer, run_, receiver)
        if id(function.code) in tracer.harness.varied:
            variant = Qualified(harnesses.TRANSFORM)
            tracer.trail.set(receiver.attributes, harnesses.VARIANT, variant)
    return replace(given, kwargs=_handed(tracer, run_, function, 0))


def needs_own_object(tracer: Tracer, function: Function, cls: Class) -> bool:
    """Whether each run of a method has an object of its own, which others prepare."""
    if not function.code.name.startswith(harnesses.TEST):
        return False
    return any(cls.find(name) for name in harnesses.SETS_UP) or any(_automatic(tracer, cls))


def collects(cls: Class) -> bool:
    """Whether what runs tests looks for them in a class."""
    bases = (base for each in (cls, *cls.above) for base in each.bases)
    names = (base.name for base in bases if isinstance(base, Qualified))
    return cls.name.startswith(harnesses.CLASS) or any(
        name.endswith(harnesses.BASE) for name in names
    )


def _is_run(tracer: Tracer, function: Function) -> bool:
    which = id(function.code)
    harness = tracer.harness
    named = function.code.name.startswith(harnesses.TEST)
    tables = (harness.fixtures, harness.given, harness.cases)
    return named or any(which in table for table in tables)


# ---------------------------------------------------------------------------- tables


def _rows(names: Value, rows: Value) -> list[Row]:
    """The rows of a table; none where they are not in view."""
    listed = _listed(names)
    found: list[Row] = []
    for value in _values(rows):
        values = _parts(value) if len(listed) > 1 else [value]
        if len(values) != len(listed):
            return []
        found.append(dict(zip(listed, values, strict=True)))
    return found


def _cases(function: Function, cases: Value, named: bool) -> list[Row]:
    """The rows of a table of cases, as far as they say what is called; numbers stay unknown."""
    names = [each.name for each in function.code.parameters[takes_receiver(function) :]]
    found: list[Row] = []
    for case in _values(cases):
        if isinstance(case, Mapping):
            row = dict(case.entries.known)
            row.pop(harnesses.CASE_NAME, None)
        else:
            values = _parts(case) if isinstance(case, Sequence) else [case]
            row = dict(zip(names, values[named:], strict=False))
        found.append({name: value for name, value in row.items() if is_code(value)})
    return found


def _listed(names: Value) -> list[str]:
    """The names that are written in one text, or each in one."""
    each = names.items or () if isinstance(names, Sequence) else [names]
    texts = [name.value for name in each if isinstance(name, Const)]
    together = ",".join(text for text in texts if isinstance(text, str))
    return [name.strip() for name in together.split(",") if name.strip()]


def _values(rows: Value) -> list[Value]:
    """The elements of a table: of a row of which something is said, its values."""
    if not isinstance(rows, Sequence) or rows.items is None:
        return []
    return [_told(each) for each in rows.items]


def _told(row: Value) -> Value:
    if not isinstance(row, Instance) or row.cls.frame.globals.library != harnesses.LIBRARY:
        return row
    values = row.attributes.get("values", UNKNOWN)
    alone = isinstance(values, Sequence) and values.items is not None and len(values.items) == 1
    return any_element(values) if alone and isinstance(values, Sequence) else values


def _parts(value: Value) -> list[Value]:
    return list(value.items or ()) if isinstance(value, Sequence) else []


def _by_kind(rows: list[Row]) -> list[Row]:
    """Rows, those joined that call the same."""
    found: dict[object, Row] = {}
    for row in rows:
        which = tuple((name, *kinds([value], _NESTING)) for name, value in row.items())
        found[which] = _joined(found[which], row) if which in found else row
    return list(found.values())


def _joined(one: Row, other: Row) -> Row:
    return {name: join(value, other[name]) for name, value in one.items()}


# -------------------------------------------------------------------------- fixtures


def _asked_for(
    tracer: Tracer, function: Function, cls: Class | None, depth: int = 0
) -> Iterator[Function]:
    """The fixtures that a test asks for, and those that they ask for."""
    for parameter in function.code.parameters if depth < _DEEPEST else ():
        fixture = _fixture(tracer, parameter.name, function, cls)
        if fixture is not None:
            yield fixture
            yield from _asked_for(tracer, fixture, cls, depth + 1)


def _fixture(tracer: Tracer, name: str, asking: Function, cls: Class | None) -> Function | None:
    """The fixture of a name that a function finds: the nearest one that is not itself."""
    for value in _named(tracer, name, asking, cls):
        if isinstance(value, Function) and value.code is not asking.code:
            if id(value.code) in tracer.harness.fixtures:
                return value
    return None


def _named(
    tracer: Tracer, name: str, asking: Function, cls: Class | None
) -> Iterator[Value | None]:
    """What a name means in the class of a test, in its module, and in those shared by tests."""
    project = tracer.settings.project
    module = (asking if cls is None else cls).frame.globals
    if asking.owner is not None:
        yield (cls or asking.owner).find(name)
    yield look_in(tracer, module, name)
    if project is not None and module.file is not None:
        for file in project.beside_and_above(harnesses.SHARED, module.file):
            frame = run(tracer, file)
            yield look_in(tracer, frame, name) if frame is not None else None


def _handed(tracer: Tracer, run_: _Run, function: Function, depth: int) -> dict[str, Value]:
    """What the parameters of a test or fixture get, as far as it is known."""
    found: dict[str, Value] = {}
    own = takes_receiver(function)
    for parameter in function.code.parameters[own:]:
        if parameter.name in run_.row:
            found[parameter.name] = run_.row[parameter.name]
        elif parameter.name == harnesses.REQUEST_NAME:
            found[parameter.name] = _request(tracer, run_, function)
        elif parameter.default is None and depth < _DEEPEST:
            cls = run_.receiver.cls if isinstance(run_.receiver, Instance) else None
            fixture = _fixture(tracer, parameter.name, function, cls)
            if fixture is not None:
                found[parameter.name] = _made(tracer, run_, fixture, depth)
    return found


def _made(tracer: Tracer, run_: _Run, fixture: Function, depth: int = 0) -> Value:
    """What a fixture makes for a run; the same for all that ask for it."""
    which = id(fixture.code)
    if which not in run_.made:
        args = (run_.receiver,) if takes_receiver(fixture) and run_.receiver is not None else ()
        given = Arguments(args, _handed(tracer, run_, fixture, depth + 1), UNKNOWN, UNKNOWN)
        found = _called(tracer, fixture, given, run_.test)
        if fixture.code.is_generator and isinstance(found, Sequence):
            found = any_element(found)
        run_.made[which] = found
    return run_.made[which]


def _called(tracer: Tracer, function: Function, given: Arguments, test: n.Function) -> Value:
    """A fixture of another module is run as a call with something of the file in its hands."""
    if not goes_away(tracer, function):
        return tracer.call(function, given, test)
    if not is_followed(tracer, "own", new=True):
        return UNKNOWN
    with tracer.going_away("own", new=True):
        return tracer.call(function, given, test)


def _request(tracer: Tracer, run_: _Run, fixture: Function) -> Value:
    """The object that tells a fixture which value it is made with."""
    cls = outside(tracer, harnesses.REQUEST)
    param = run_.row.get(id(fixture.code), UNKNOWN)
    if not isinstance(cls, Class):
        return UNKNOWN
    request = some_instance(tracer, cls)
    tracer.trail.set(request.attributes, "param", param)
    return request


def _set_up(tracer: Tracer, run_: _Run, receiver: Instance) -> None:
    """Run what prepares an object of a class of tests."""
    if not run_.test.name.startswith(harnesses.TEST):
        return
    for name in harnesses.SETS_UP:
        if receiver.cls.find(name) is not None:
            tracer.call(tracer.attribute(receiver, name, run_.test), ANYTHING, run_.test)
    for fixture in _automatic(tracer, receiver.cls):
        _made(tracer, run_, fixture)


def _automatic(tracer: Tracer, cls: Class) -> Iterator[Function]:
    """Fixtures of a class that run before each of its tests, who asks for them or not."""
    for each in (cls, *cls.above):
        for value in each.attributes.values():
            if isinstance(value, Function):
                options = tracer.harness.fixtures.get(id(value.code), {})
                automatic = options.get("autouse")
                if isinstance(automatic, Const) and automatic.value is True:
                    yield value


def put_back(tracer: Tracer) -> None:
    """A test is over: what it replaced is there again."""
    for slots, name, before in reversed(tracer.harness.replaced):
        if before is None:
            tracer.trail.drop(slots, name)
        else:
            tracer.trail.set(slots, name, before)
    tracer.version += bool(tracer.harness.replaced)
    tracer.harness.replaced.clear()
