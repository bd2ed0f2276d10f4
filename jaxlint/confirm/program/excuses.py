"""Why no finding was to be expected where JAX minded something."""

from __future__ import annotations

import ast

from jaxlint.check import deliberate
from jaxlint.config import Options
from jaxlint.confirm.event_kinds import KEY_REUSE, WIDE_DTYPE
from jaxlint.confirm.observation import Occurrence
from jaxlint.knowledge.jax_api import SHUFFLES
from jaxlint.project import may_use_x64
from jaxlint.rules.registry import find_rule
from jaxlint.source import Source, SourceError

IN_TESTS = "in a test file: not for {}"
FROM_TESTS = "only tests call it in this way"
MAY_BE_WIDE = "x64 may be on elsewhere: not for JXL503"
CAUGHT = "the code around it expects it"
SHUFFLED = "several arrays are often shuffled alike with one key"
SILENCED = "silenced by a noqa comment"
NOT_WANTED = "not selected: {}"


class Excuses:
    """Looks at the code around surprises; each file is read once, and only if it has any."""

    def __init__(self, texts: dict[str, str], given: dict[str, str], options: Options) -> None:
        self._texts = texts
        self._given = given
        self._options = options
        self._expected: dict[str, set[int]] = {}

    def __call__(self, occurrence: Occurrence, codes: tuple[str, ...]) -> str:
        """The excuse, or nothing when the linter should have spoken.

        Args:
            occurrence: what JAX did.
            codes: the rules that would have reported it.
        """
        file, line = occurrence.at.file, occurrence.at.line
        source = Source(self._texts.get(file, ""), file)
        if any(source.is_silenced(code, line) for code in codes):
            return SILENCED
        if line in self._expected_lines(source):
            return CAUGHT
        if occurrence.construct.endswith("Error") and line in awaited_lines(source):
            return CAUGHT
        if occurrence.kind == KEY_REUSE and f"jax.random.{occurrence.construct}" in SHUFFLES:
            return SHUFFLED
        if occurrence.kind == WIDE_DTYPE and may_use_x64(file, source.text):
            return MAY_BE_WIDE
        if occurrence.callers and all(map(self._is_test, occurrence.callers)):
            return FROM_TESTS
        rules = [rule for rule in map(find_rule, codes) if rule is not None]
        if rules and self._is_test(file):
            if not any(rule.in_tests for rule in rules):
                return IN_TESTS.format(" and ".join(codes[:2]))
        if rules and not any(self._options.wants(rule.code) for rule in rules):
            return NOT_WANTED.format(" and ".join(codes[:2]))
        return ""

    def _is_test(self, file: str) -> bool:
        return self._options.is_test_file(self._given.get(file, file))

    def _expected_lines(self, source: Source) -> set[int]:
        if source.filename not in self._expected:
            lines: set[int] = set()
            try:
                for event in deliberate(source):
                    place = event.site.place
                    if place is not None and not place.file:
                        lines |= set(range(place.line, place.end_line + 1))
            except (SourceError, RecursionError):
                pass
            self._expected[source.filename] = lines
        return self._expected[source.filename]


def awaited_lines(source: Source) -> set[int]:
    """The lines on which a test says that it wants an exception."""
    lines: set[int] = set()
    for node in ast.walk(source.tree_if_any or ast.Module([], [])):
        if isinstance(node, (ast.With, ast.AsyncWith)) and any(map(_awaits, node.items)):
            last = node.body[-1]
            lines |= set(range(node.body[0].lineno, (last.end_lineno or last.lineno) + 1))
    return lines


def _awaits(item: ast.withitem) -> bool:
    """``pytest.raises(...)``, ``self.assertRaises(...)`` and their like."""
    call = item.context_expr
    if not isinstance(call, ast.Call) or not isinstance(call.func, (ast.Attribute, ast.Name)):
        return False
    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
    return name in ("raises", "suppress") or name.startswith("assertRaises")
