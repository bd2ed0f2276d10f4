"""What the documents show is what the tool says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from jaxlint import Options, check_source
from jaxlint.confirm.fixtures.find import default_folder, find_fixtures
from jaxlint.knowledge.measured import signatures
from jaxlint.rules.registry import all_rules, find_rule
from jaxlint.rules.rule import Rule
from jaxlint.source import read_source
from jaxlint.workspace.keys import KEYS, KINDS
from jaxlint.workspace.settings import read_settings
from tools.site.history import since
from tools.site.pictures import COMMAND, PICTURES, text_of
from tools.site.reference import flake8_options, reference_pages
from tools.site.rule_pages import rule_pages
from tools.site.transcripts import documents, transcripts

REPOSITORY = Path(__file__).parent.parent
README = (REPOSITORY / "README.md").read_text("utf-8")


def section(name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- end -->", README, re.DOTALL)
    assert found is not None
    return found[1]


KEY = re.compile(r"^([a-z-]+) =", re.MULTILINE)
HEADER = """\
import jax, math, sys, time
import jax.numpy as jnp
import numpy as np
from functools import partial
"""


def test_readme_shows_the_demo() -> None:
    path = REPOSITORY / "examples" / "train.py"
    findings = check_source(read_source(path).text, "examples/train.py")
    assert section("demo") == "```\n" + "".join(f"{finding}\n" for finding in findings) + "```\n"


def test_the_picture_shows_a_finding_as_the_command_draws_it() -> None:
    result = jaxlint(*COMMAND.split()[1:], "--no-cache")
    drawn = (PICTURES / "finding.svg").read_text("utf-8")
    again = "python -m tools.site pictures"
    assert text_of(drawn) == "jaxlint" + re.sub(r"\s+", "", f"${COMMAND}{result.stdout}"), again
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
    assert "docs/pictures/finding.svg" in README


def test_documents_show_what_the_command_writes() -> None:
    for path in documents():
        for stands, ought in transcripts(path.read_text("utf-8")):
            assert stands == ought, f"{path.name}: run python -m tools.site transcripts"


def test_the_page_of_settings_is_read(tmp_path: Path) -> None:
    page = reference_pages()["settings.md"]
    (text,) = re.findall(r"## All at once\n\n```toml\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "pyproject.toml"
    path.write_text(text, "utf-8")
    settings = read_settings(path)
    assert settings is not None
    assert set(KEYS) == set(KEY.findall(text))
    assert settings.options.jit_wrappers == ("mylib.my_jit",)
    for name, key in KEYS.items():
        _, _, about = page.partition(f"\n## {name}\n")
        assert all(each in about for each in (KINDS[key.kind], key.default, key.example))
    (flake8,) = re.findall(r"```ini\n\[flake8\]\n(.*?)```", page, re.DOTALL)
    assert set(KEY.findall(flake8)) == flake8_options()


def test_the_page_of_rules_lists_them() -> None:
    page = rule_pages()["rules/index.md"]
    for rule in all_rules():
        assert f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.summary}" in page


def test_the_first_page_counts_what_was_measured() -> None:
    modules = ("jax.numpy.", "jax.lax.", "jax.random.", "jax.nn.", "jax.scipy.", "numpy.")
    count = sum(name.startswith(modules) for name in signatures())
    page = (REPOSITORY / "docs" / "index.md").read_text("utf-8")
    assert f"and NumPy ({count:,}\n" in page


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_every_rule_is_complete(rule: Rule) -> None:
    page = rule.page()
    for heading in ("What it does", "Why is this bad", "Bad", "Instead", "Messages", "Evidence"):
        assert f"## {heading}\n" in page
    assert re.fullmatch(r"JXL\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert not rule.summary.endswith(".")
    assert since(rule.code), "the changelog names it"
    kinds = {fixture.is_bad for fixture in find_fixtures(default_folder(), (rule.code,))}
    assert kinds == {True, False}, "a rule has a bad and a good fixture"


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_the_page_s_bad_example_is_found(rule: Rule) -> None:
    bad, instead = (
        HEADER + code
        for code in re.findall(r"```python\n(.*?)```", rule.page(), re.DOTALL)[:2]
    ) if rule.page().count("```python") >= 2 else (
        HEADER + re.findall(r"```python\n(.*?)```", rule.page(), re.DOTALL)[0],
        "",
    )  # fmt: skip
    every = Options(enable=("JXL",), jax=">=0.4")
    assert rule.code in {finding.code for finding in check_source(bad, "page.py", every)}
    assert rule.code not in {finding.code for finding in check_source(instead, "page.py", every)}


def test_every_folder_of_fixtures_has_its_rule() -> None:
    for folder in default_folder().iterdir():
        if folder.is_dir() and folder.name.startswith("JXL"):
            assert find_rule(folder.name[:6]) is not None, folder.name


def jaxlint(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jaxlint", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_rule_command() -> None:
    assert "# JXL304 stale-value" in jaxlint("rule", "jxl304").stdout
    assert jaxlint("rule", "--all").stdout.count("JXL") == len(all_rules())
    wrong = jaxlint("rule", "stale-valeu")
    assert wrong.returncode == 2
    assert "no rule 'stale-valeu'; did you mean stale-value (JXL304)?" in wrong.stderr


def test_help_teaches() -> None:
    assert "jaxlint confirm" in jaxlint("--help").stdout
    assert jaxlint().returncode == 2
