"""The programs of ``tests/fixes``: what the fixes make of each, and what real JAX says of that.

A section is a program and what comes of it, or "Stays as it is.". The rules and what every
program begins with stand at the top of a file. ``f`` is run where there is one.
"""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from jaxlint import Options, check_source
from jaxlint.workspace.fixing import fix_bytes

jax = pytest.importorskip("jax")

FOLDER = Path(__file__).parent / "fixes"
BLOCK = re.compile(r"```python\n(.*?)```\n", re.DOTALL)


class Example(NamedTuple):
    """``after`` is empty when nothing is mended."""

    page: str
    codes: tuple[str, ...]
    before: str
    after: str


def read(path: Path) -> dict[str, Example]:
    """The examples of a file by their titles."""
    top, *sections = re.split(r"(?m)^## ", path.read_text("utf-8"))
    head = "".join(f"{block}\n\n" for block in BLOCK.findall(top))
    codes = tuple(re.findall(r"JXL\d{3}", top))
    found = {}
    for section in sections:
        title, text = section.split("\n", 1)
        before, *after = BLOCK.findall(text)
        assert len(after) == (0 if "\nStays as it is.\n" in text else 1), title
        whole = "".join(head + each for each in after)
        found[f"{path.stem}: {title}"] = Example(path.stem, codes, head + before, whole)
    return found


EXAMPLES = {t: each for path in sorted(FOLDER.glob("*.md")) for t, each in read(path).items()}


@pytest.mark.parametrize("title", EXAMPLES)
def test_what_becomes_of_it(title: str) -> None:
    example = EXAMPLES[title]
    options = Options(select=example.codes, extend_select=example.codes, unsafe_fixes=True)
    fixed = fix_bytes("a.py", example.before.encode(), options)
    assert fixed.after.decode() == (example.after or example.before)
    assert bool(fixed.applied) is bool(example.after)
    assert not any(finding.fix for finding in fixed.findings)


def run(text: str, argument: Any = None) -> Any:
    """What ``f`` of a program gives, or the exception that it raises."""
    namespace: dict[str, Any] = {}
    try:
        exec(compile(text, "<example>", "exec"), namespace)
        function: Callable[..., Any] = namespace["f"]
        return function() if argument is None else function(argument)
    except Exception as error:
        return error


def titles(*pages: str) -> list[str]:
    return [t for t, example in EXAMPLES.items() if example.after and example.page in pages]


@pytest.mark.parametrize("title", titles("keys"))
def test_no_key_is_used_twice(title: str) -> None:
    """JAX's own checker is the judge."""
    example, key = EXAMPLES[title], functools.partial(jax.random.key, 0)
    with jax.debug_key_reuse(True):
        assert isinstance(run(example.before, key()), jax.errors.KeyReuseError)
        result = run(example.after, key())
    assert not isinstance(result, Exception), result


@pytest.mark.parametrize("title", titles("donations"))
def test_what_is_read_is_still_there(title: str) -> None:
    example = EXAMPLES[title]
    assert isinstance(run(example.before), (RuntimeError, ValueError))
    result = run(example.after)
    assert not isinstance(result, Exception), result


@pytest.mark.parametrize("title", titles("wrappers", "timings"))
def test_the_results_stay(title: str) -> None:
    example, x = EXAMPLES[title], jax.numpy.arange(3.0)
    before, after = run(example.before, x), run(example.after, x)
    assert not isinstance(after, Exception), after
    if isinstance(before, tuple):
        before, after = before[0], after[0]  # The other one is the time.
    assert str(before) == str(after)


@pytest.mark.parametrize("title", titles("gradients"))
def test_the_gradient_is_a_number(title: str) -> None:
    """The value of ``f`` is what it was, and its ``slope`` is NaN before and nowhere after."""
    example, x = EXAMPLES[title], jax.numpy.array([-1.0, 0.0, 1.0, 3.0])
    before, after = run(example.before, x), run(example.after, x)
    assert not isinstance(after, Exception), after
    assert str(before) == str(after)
    wrong, right = (run(f"{text}\nf = slope\n", x) for text in (example.before, example.after))
    assert jax.numpy.isnan(wrong).any()
    assert not jax.numpy.isnan(right).any()
    same = jax.numpy.isclose(wrong, right) | jax.numpy.isnan(wrong)
    assert same.all()


@pytest.mark.parametrize("title", titles("wrappers"))
def test_it_is_compiled_once(title: str) -> None:
    """What JXL203 finds is traced once before, and only looked up again and again."""
    example, x = EXAMPLES[title], jax.numpy.arange(3.0)
    findings = check_source(example.before, "a.py", Options(select=example.codes))
    before, after = traces(example.before, x), traces(example.after, x)
    if {finding.code for finding in findings} == {"JXL203"}:
        assert after <= before
    else:
        assert after < before


def traces(text: str, x: Any) -> int:
    """How many functions JAX traces while a program runs."""
    count = 0

    def listen(event: str, duration: float, **more: Any) -> None:
        nonlocal count
        count += event == "/jax/core/compile/jaxpr_trace_duration"

    jax.monitoring.register_event_duration_secs_listener(listen)
    run(text, x)
    jax.monitoring.unregister_event_duration_listener(listen)
    return count


@pytest.mark.parametrize("title", titles("options", "aliases"))
def test_it_runs(title: str) -> None:
    example = EXAMPLES[title]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before, after = run(example.before), run(example.after)
    assert not isinstance(after, Exception), after
    assert isinstance(before, Exception) or str(before) == str(after)
