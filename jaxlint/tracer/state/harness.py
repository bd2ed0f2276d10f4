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
        spent: steps that tests have taken that run often.
    """

    fixtures: dict[int, dict[str, Value]] = field(default_factory=dict)
    given: dict[int, list[tuple[Value, Value]]] = field(default_factory=dict)
    spent: int = 0
