"""Between events and findings: who speaks, what is one mistake, and how far jaxlint got."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import jaxlint.tracer.run
import jaxlint.tracer.tracer
from jaxlint import Options, check_source, events
from jaxlint.check import examine
from jaxlint.events import Context, Place, Site
from jaxlint.findings import Checked, Finding
from jaxlint.fixes.code import Code
from jaxlint.frontends.formats import github, json_list, junit, sarif, text
from jaxlint.frontends.formats.report import Report
from jaxlint.frontends.formats.statistics import as_text
from jaxlint.frontends.server.protocol import _SEVERITY
from jaxlint.program.lower import lower
from jaxlint.rules.facts import FileFacts
from jaxlint.rules.judging import judge, report
from jaxlint.rules.registry import all_rules, by_event, find_rule
from jaxlint.rules.rule import Rule, RuleOn
from jaxlint.source import Source
from jaxlint.syntax.parse import parse
from jaxlint.tracer.run import Traced
from jaxlint.tracer.tracer import Settings
from jaxlint.workspace.lint import Linted, lint_source
from tests.test_command import write

KEYS = """\
import jax

key = jax.random.key(0)
a = jax.random.normal(key)
b = jax.random.normal(key)
c = jax.random.uniform(key)

d = jax.random.bernoulli(key)
"""
OTHER_KEY = """\
other = jax.random.key(1)
e = jax.random.normal(other)
f = jax.random.normal(other)
"""
WIDE = """\
import jax.numpy as jnp

a, b = jnp.zeros(3, dtype=jnp.float64), jnp.ones(3, dtype=jnp.float64)
c = jnp.zeros(3, dtype=jnp.int64)
d = jnp.ones(3, dtype=jnp.float64)
"""


PASSES = """\
import jax


def advance(state):
    return state[0] + jax.random.normal(state[1]), state[1]


def train(x, rng):
    state = x, rng
    for _ in range(3):
        rng, _ = jax.random.split(rng)
        state = x + jax.random.normal(rng), rng
        state = advance(state)
        state = state[0] + jax.random.uniform(rng), state[1]
        x, rng = state
    return x


train(1.0, jax.random.key(0))
"""
CALLER = """\
import jax


def twice(key):
    x = jax.random.normal(key)
    z = 1
    return x + jax.random.normal(key) + z


def run(key):
    a = twice(key)
    return a + jax.random.uniform(key)


run(jax.random.key(0))
"""
CHAIN = """\
import jax


@jax.jit
def f(x):
    if x > 0:
        if x > 2:
            x = x + 1
        x = -x
    elif x < -1:
        x = x * 2
    return x
"""


def found(program: str, options: Options | None = None) -> list[tuple[int, str]]:
    return [(each.line, each.code) for each in check_source(program, "a.py", options)]


# ------------------------------------------------------------------------------- one cause


def test_a_key_reused_again_and_again_is_one_finding() -> None:
    (finding,) = check_source(KEYS, "a.py")
    assert (finding.line, finding.places) == (5, [(0, 5), (0, 6), (0, 8)])
    assert finding.parts == (
        "PRNG key `key` was already used by `random.normal` at line 4: both draw the same "
        "random bits (also at lines 6 and 8)",
        "split it and use each part once",
    )
    assert [(note.line, note.text, note.again) for note in finding.notes] == [
        (6, "here too", True),
        (8, "here too", True),
    ]


def test_one_key_by_other_names_and_in_the_next_pass_is_one_finding() -> None:
    assert found(PASSES) == [(11, "JXL401")]
    assert found(PASSES, Options(group=False)) == [(line, "JXL401") for line in (11, 13, 14)]


def test_one_key_misused_by_a_function_and_by_its_caller_is_two_findings() -> None:
    assert found(CALLER) == [(7, "JXL401"), (12, "JXL401")]


def test_an_if_and_its_elif_are_one_finding() -> None:
    (one, other) = check_source(CHAIN, "a.py")
    assert (one.places, other.places) == ([(0, 6), (0, 10)], [(0, 7)])


def test_each_place_may_be_asked_for() -> None:
    assert found(KEYS, Options(group=False)) == [(5, "JXL401"), (6, "JXL401"), (8, "JXL401")]


def test_two_keys_are_two_findings() -> None:
    assert found(KEYS + OTHER_KEY) == [(5, "JXL401"), (11, "JXL401")]


def test_wide_types_are_one_finding_for_the_missing_setting() -> None:
    (narrow,) = check_source(WIDE, "a.py")
    assert (narrow.line, narrow.places) == (3, [(0, 3), (0, 3), (0, 4), (0, 5)])
    assert "turns it on (also at lines 4 and 5); " in narrow.message


def test_a_comment_silences_its_own_line_alone() -> None:
    assert found(KEYS.replace("\nc =", "  # noqa\nc =")) == [(6, "JXL401")]
    assert found(KEYS.replace("uniform(key)", "uniform(key)  # noqa: JXL401")) == [(5, "JXL401")]
    every = KEYS.replace("(key)\n", "(key)  # noqa: JXL401\n")
    assert found(every.replace("normal(key)  # noqa: JXL401", "normal(key)", 1)) == []


def test_a_comment_within_a_group_is_in_use() -> None:
    program = KEYS.replace("uniform(key)", "uniform(key)  # noqa: JXL401")
    assert found(program, Options(unused_noqa=True)) == [(5, "JXL401")]


STALE = """\
import jax


class Model:
    def __init__(self):
        self.scale = 1.0

    @jax.jit
    def both(x):
        return x * model.scale + model.scale

    @jax.jit
    def once(x):
        return x * model.scale


model = Model()
print(Model.both(1.0), Model.once(1.0))
model.scale = 2.0
print(Model.both(1.0), Model.once(1.0))
"""


def test_a_stale_attribute_is_one_finding_for_each_function() -> None:
    findings = check_source(STALE, "a.py")
    assert [(each.line, each.code, each.places) for each in findings] == [
        (10, "JXL304", [(0, 10), (0, 10)]),
        (14, "JXL304", [(0, 14)]),
    ]


# --------------------------------------------------------------------------------- rules


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rule_listens_to_what_it_is_typed_on(rule: Rule) -> None:
    assert isinstance(rule, RuleOn)
    assert rule.listens_to
    assert all(issubclass(event, events.Event) for event in rule.listens_to)
    assert all(rule in by_event()[event] for event in rule.listens_to)


def placed(line: int) -> Site:
    return Site(object(), Place(line, 0, line, 1), "flag")


def test_what_awaits_an_argument_says_so() -> None:
    program = Source("import jax\n\nif flag:\n    pass\n", "a.py")
    facts = FileFacts(program, Options())
    tree = parse(program)
    code = Code(program, tree, lower(tree), facts.releases_of)
    plain, latent = (
        report(judge([events.BoolConversion(context, "if")], facts), facts, code)[0]
        for context in (
            Context(placed(3), placed(3)),
            Context(placed(3), placed(3), latent="x"),
        )
    )
    wrong, advice = plain.parts
    assert latent.parts == (f"{wrong}, as soon as a call passes `x`", advice)


def test_what_a_project_may_meet_decides() -> None:
    removed = events.RemovedApi(Context(placed(1)), "jax.tree_map", "0.6.0", "0.4.26", "")
    for allowed, code in ((">=0.6", "JXL601"), ("<0.6", "JXL602"), ("<0.4.26", "")):
        facts = FileFacts(Source("import jax\n", "a.py"), Options(jax=allowed))
        assert "".join(each.rule.code for each in judge([removed], facts)) == code


# --------------------------------------------------------------------------- not finished


@pytest.fixture
def unfinished(monkeypatch: pytest.MonkeyPatch) -> Checked:
    """A file whose budget of steps is spent at its third line."""
    whole = jaxlint.tracer.run.trace

    def trace(module: Any, settings: Settings, *more: Any) -> Traced:
        traced = whole(module, settings, *more)
        return Traced(traced.events, Site(module.body[1].origin))

    monkeypatch.setattr(jaxlint.tracer.run, "trace", trace)
    return examine(Source(KEYS, "a.py"), Options())


def test_a_whole_file_is_complete() -> None:
    checked = examine(Source(KEYS, "a.py"), Options())
    assert checked.complete
    assert checked.shown == checked.findings == check_source(KEYS, "a.py")


def test_who_gave_up_says_where(unfinished: Checked) -> None:
    assert not unfinished.complete
    assert unfinished.gave_up_at == Place(3, 0, 3, 23)
    assert [(each.line, each.code) for each in unfinished.findings] == [(5, "JXL401")]
    assert [(each.line, each.code, each.severity) for each in unfinished.shown] == [
        (3, "JXL002", "note"),
        (5, "JXL401", "warning"),
    ]


def test_who_gives_up_in_another_module_says_where_the_file_goes_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper = "import jax.numpy as jnp\n\n\ndef work(x):\n" + "    x = jnp.sin(x + 1)\n" * 400
    write(tmp_path, {"helper.py": helper + "    return x\n"})
    text = "import jax\nfrom helper import work\n\n\n@jax.jit\ndef step(x):\n    return work(x)\n"
    monkeypatch.setattr(jaxlint.tracer.tracer, "_LEAST_STEPS", 200)
    monkeypatch.setattr(jaxlint.tracer.tracer, "_STEPS_PER_IMPORTED_NODE", 0)
    linted = lint_source(Source(text, str(tmp_path / "main.py")), Options())
    assert [(each.line, each.code) for each in linted.findings] == [(7, "JXL002")]


def test_a_note_cannot_be_deselected_and_blames_no_comment(unfinished: Checked) -> None:
    options = Options(select=("JXL1",), unused_noqa=True)
    source = Source(KEYS.replace("normal(key)", "normal(key)  # noqa: JXL101", 1), "a.py")
    assert [each.code for each in lint_source(source, options).findings] == ["JXL002"]


def note() -> Finding:
    finding = Checked("a.py", [], Place(3, 0, 3, 23)).note
    assert finding is not None
    return finding


def test_every_format_shows_the_note() -> None:
    made = Report([Linted("a.py", [note()])], {"a.py": Source(KEYS, "a.py")})
    assert made.mistakes == []
    drawn = text.write(made)
    assert "JXL002 jaxlint followed the file only to here" in drawn
    assert drawn.endswith("No findings in 1 file; 1 file not followed to the end.\n")
    first = as_text(made).splitlines()[0]
    assert first.split()[:3] == ["1", "JXL002", "not-finished"]
    assert json.loads(json_list.write(made))[0]["severity"] == "note"
    assert github.write(made).startswith("::notice title=jaxlint JXL002,")
    suite = ET.fromstring(junit.write(made))[0]
    assert (suite.attrib["failures"], suite.attrib["skipped"]) == ("0", "1")
    (run,) = json.loads(sarif.write(made))["runs"]
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert (notification["level"], run["results"]) == ("note", [])
    assert _SEVERITY["note"].name == "Information"


def test_the_note_has_a_page_of_its_own() -> None:
    from jaxlint.frontends.rule_command import ABOUT_ITSELF

    assert find_rule("JXL002") is None
    assert "budget of steps" in ABOUT_ITSELF["JXL002"]
