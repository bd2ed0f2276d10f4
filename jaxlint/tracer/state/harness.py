"""What a program says to what runs its tests."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxlint.tracer.values.value import Value


@dataclass(slots=True)
class Harness:
    """What a program says to what runs its tests.

    Attributes:
        fixtures: functions that make what tests ask for, by the identity of their code, each with
            the options of its decorator.
        given: to tests, by the identity of their code: names of parameters, and rows of values.
        cases: the same, where each case has its values in the order of the parameters, or by name;
            whether the first is what it is called.
        varied: tests for which the object they are run on has a method that transforms.
        skipped: tests that are not run, by the identity of their code, and classes of them, by that
            of their definition.
        spent: steps that tests have taken that run often.
        replaced: what a test has put into a module, class or object for itself: where, its name,
            and what was there.
    """

    fixtures: dict[int, dict[str, Value]] = field(default_factory=dict)
    given: dict[int, list[tuple[Value, Value]]] = field(default_factory=dict)
    cases: dict[int, list[tuple[bool, Value]]] = field(default_factory=dict)
    varied: set[int] = field(default_factory=set)
    skipped: set[int] = field(default_factory=set)
    spent: int = 0
    replaced: list[tuple[dict[str, Value], str, Value | None]] = field(default_factory=list)
