"""The site: its pages are whole, its links lead somewhere, its pictures are true."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path

import pytest

from jaxlint import Options
from jaxlint.frontends.commands import COMMANDS
from jaxlint.frontends.rule_command import ABOUT_ITSELF
from jaxlint.inspection import Inspection
from jaxlint.knowledge.releases import releases
from jaxlint.pages import SITE, page_address
from jaxlint.rules.registry import all_rules
from jaxlint.source import Source
from tools.site.built import problems
from tools.site.history import since
from tools.site.links import dead_links, slug
from tools.site.markdown import outside_code
from tools.site.navigation import navigation, paths
from tools.site.pages import all_pages, write_pages
from tools.site.prose import DOCS, assets
from tools.site.rule_pages import complete

CODES = [*ABOUT_ITSELF, *(rule.code for rule in all_rules())]


@cache
def pages() -> dict[str, str]:
    return all_pages()


def test_no_link_is_dead() -> None:
    assert dead_links(pages(), [path for path, _ in assets()]) == []


def test_dead_links_are_found() -> None:
    text = "# A\n\n[a](b.md) [b](#no) [c](#a) ![d](e.png) [e](https://example.org) [f](c/)\n"
    assert dead_links({"a.md": text, "b.md": ""}, []) == [
        "a.md: #no: no such heading", "a.md: e.png", "a.md: c/"
    ]  # fmt: skip


def test_each_link_that_jaxlint_makes_has_a_page() -> None:
    for code in CODES:
        path = page_address(code).removeprefix(SITE)
        assert pages()[f"{path.rstrip('/')}.md"].startswith(f"# {code} ")


def test_every_page_can_be_reached() -> None:
    listed = paths(navigation())
    assert sorted(listed) == sorted(pages())
    assert len(listed) == len(set(listed))


def test_pages_of_rules_are_whole() -> None:
    wanted = [
        "What it does",
        "Why is this bad",
        "Bad",
        "Instead",
        "Messages",
        "Evidence",
        "Settings",
    ]
    for rule in all_rules():
        page = pages()[f"rules/{rule.code}.md"]
        headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
        assert [each for each in headings if each in wanted] == wanted, rule.code
        said = page.partition("jaxlint says:")[2]
        assert said.lstrip().startswith(f"```{{ .text .said }}\n{rule.code} "), rule.code
        assert f"**since** | {since(rule.code)} |" in page
        assert all(f"    | {release} | " in page for release in releases())
        for platform in ("CPU", "GPU", "TPU"):
            assert f"| {platform} |" in page


def test_since_is_the_oldest_version_that_names_a_code() -> None:
    with pytest.raises(LookupError, match="does not name JXL999"):
        since("JXL999")


def test_an_example_gets_its_imports() -> None:
    assert complete("jnp.zeros(3)\n") == "import jax.numpy as jnp\n\njnp.zeros(3)\n"
    assert complete("x.at[0].set(1)\n") == "import jax\n\nx.at[0].set(1)\n"
    assert complete("import jax as j\nj.jit\n") == "import jax as j\nj.jit\n"


def test_the_page_of_commands_has_every_option() -> None:
    page = pages()["commands.md"]
    for command in COMMANDS.values():
        for option in command.parser().option_names:
            assert option in page, f"{command.name} {option}"


def test_codes_are_links_where_they_are_no_code() -> None:
    text = "A `B\nC` [D](d.md) A\n\n# A\n\n```\nA\n```\n"
    assert outside_code(text, lambda part: part.replace("A", "x")) == text.replace(
        "A", "x", 2
    ).replace("x\n\n# A", "x\n\n# A")
    assert "[JXL401](rules/JXL401.md)" in pages()["first-run.md"]
    assert "`jaxlint\nrule JXL401`" in pages()["first-run.md"]


def test_anchors_are_those_of_the_site() -> None:
    assert slug("Why was *nothing* found?") == "why-was-nothing-found"
    assert slug("per-file-ignores") == "per-file-ignores"


def test_only_what_differs_is_written(tmp_path: Path) -> None:
    write_pages(tmp_path)
    home = tmp_path / "index.md"
    before = home.stat().st_mtime_ns
    (tmp_path / "old.md").write_text("# Old\n")
    write_pages(tmp_path)
    assert home.stat().st_mtime_ns == before
    assert not (tmp_path / "old.md").exists()


def test_a_built_site_is_looked_through(tmp_path: Path) -> None:
    for code in CODES:
        page = tmp_path / "rules" / code / "index.html"
        page.parent.mkdir(parents=True)
        page.write_text("<h2 id=fix>Fix</h2><a href='../JXL101/#fix'>a</a> <a href='/'>b</a>")
    home = tmp_path / "index.html"
    home.write_text(f"<a href='{page_address('JXL102')}'>a</a><a href='https://example.org'>b</a>")
    assert problems(tmp_path) == []
    home.write_text(
        "<a href='rules/'>a</a><a href='rules/JXL101/#no'>b</a>"
        "<script src='https://example.org/a.js'></script><img src='a.png'>"
    )
    (tmp_path / "rules" / "JXL304" / "index.html").unlink()
    assert problems(tmp_path) == [
        "index.html: rules/",
        "index.html: rules/JXL101/#no: nothing is called so there",
        "index.html: loads https://example.org/a.js from elsewhere",
        "index.html: a.png",
        f"no page at {SITE}rules/JXL304/",
    ]


def test_the_drawing_of_values_is_what_the_tracer_knows() -> None:
    drawing = (DOCS / "pictures" / "values.svg").read_text("utf-8")
    texts = re.findall(r'<text class="jl-([crg])" x="\d+" y="(\d+)"[^>]*>(.*?)</text>', drawing)
    lines = {(int(y) - 26) // 20: unescape(text) for kind, y, text in texts if kind == "c"}
    program = "\n".join(lines.get(number, "") for number in range(max(lines) + 1))
    known = Inspection(Source(program, "a.py"), Options()).names()
    told = {(k.span.line, f"{k.name}: {value}") for k in known for value in k.values}
    said = [(int(y), text) for kind, y, text in texts if kind != "c"]
    assert len(said) == 6
    for y, text in said:
        line = (y - 26) // 20 + 1
        assert any(at == line and each.startswith(text) for at, each in told), text
