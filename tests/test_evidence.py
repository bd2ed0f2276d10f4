"""The kinds of evidence: each has its file, each file is needed, each says what it is."""

from __future__ import annotations

import inspect

import pytest

from jaxlint.confirm.evidence.kind import EvidenceKind
from jaxlint.confirm.evidence.registry import all_kinds
from jaxlint.rules.registry import all_rules


def test_every_kind_that_a_rule_names_has_its_file() -> None:
    named = {rule.evidence.kind for rule in all_rules()}
    assert named == set(all_kinds())


@pytest.mark.parametrize("name", all_kinds())
def test_a_kind_is_whole(name: str) -> None:
    kind = type(all_kinds()[name])
    assert kind.__name__ == name.title().replace("_", "")
    assert inspect.getmodule(kind).__doc__
    assert kind.__doc__ != EvidenceKind.__doc__
    for method in ("promise", "shown", "judge"):
        said = getattr(kind, method) is not getattr(EvidenceKind, method)
        assert said, f"{name} does not say {method}"


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rule_promises_something(rule) -> None:  # type: ignore[no-untyped-def]
    kind = all_kinds()[rule.evidence.kind]
    assert kind.promise(rule.evidence)
    assert kind.absence(rule.evidence)
