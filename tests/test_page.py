"""The HTML report in a real browser: nothing is loaded, nothing fails, buttons and links work."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
import shutil
import subprocess
import sys
from itertools import combinations
from operator import mul
from pathlib import Path
from typing import Any

import pytest

from jaxlint.confirm.program.page import whole
from jaxlint.confirm.program.page.markup import VERDICTS

pytest.importorskip("jax")

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

PROGRAM = """\
import jax
import jax.numpy as jnp

TEXT = "</script><img src=x onerror=boom()><b>`"  # must not be taken for HTML


@jax.jit
def f(x):
    print(x, "<b>")
    y = x + 1
    return y


@jax.jit
def g(x):
    if x > 0:
        return x
    return -x


def h(x):
    return jax.jit(lambda v: v * 2)(x)


for n in range(3):
    f(jnp.ones(n))
    h(jnp.ones(3))
try:
    g(1.0)
except Exception:
    pass
"""

WATCH = """<script>
window.problems = [];
addEventListener("error", event => problems.push(event.message || "a resource"), true);
</script>"""

PROBE = """<script>
function shown(selector) {
  return [...document.querySelectorAll(selector)].filter(node => node.offsetParent).length;
}
function texts(selector) {
  return [...document.querySelectorAll(selector)].map(node => node.textContent);
}
const seen = { notes: shown(".note.confirmed"), buttons: shown("button.card") };
seen.ranked = texts(".ranked li");
seen.costs = texts(".ranked .cost");
seen.groups = texts(".ranked h3, .ranked summary");
seen.underlined = texts("mark");
seen.waves = [...document.querySelectorAll("mark")].map(
  node => getComputedStyle(node).textDecorationStyle);
seen.facts = texts(".facts dt");
seen.headings = texts("main h2");
seen.coloured = texts(".line i.k");
seen.shapes = [...document.querySelectorAll(".card .icon")].map(
  node => Math.min(node.getBoundingClientRect().width, node.querySelector("use").getBBox().width));
seen.said = texts(".note .said");
seen.fix = texts(".note .fix");
seen.by = texts(".note dd");
seen.rule = texts("#rule-JXL101 h4");
seen.folded_functions = texts("details.more summary");
const card = document.querySelector("[data-filter=confirmed]");
card.click();
seen.hidden = shown(".note.confirmed");
seen.pressed = card.getAttribute("aria-pressed");
card.click();
seen.again = shown(".note.confirmed");
seen.counted = Number(card.querySelector("b").textContent);
seen.bars = [...document.querySelectorAll(".bar i")].filter(bar => bar.offsetWidth > 20).length;
seen.code = texts(".line > code").join("\\n");
seen.resources = performance.getEntriesByType("resource").length;
seen.wide = document.documentElement.scrollWidth > innerWidth;
const fold = document.querySelector("#rule-JXL101");
seen.folded = fold.open;
location.hash = "#rule-JXL101";
setTimeout(() => {
  seen.unfolded = fold.open;
  seen.problems = problems;
  // As narrow as a telephone, and with all unfolded: nothing sticks out.
  for (const each of document.querySelectorAll("details")) each.open = true;
  seen.sticks_out = {};
  for (const width of [360, 800, 1600]) {
    const frame = document.createElement("iframe");
    frame.style.width = `${width}px`;
    document.body.append(frame);
    const inner = frame.contentDocument;
    inner.documentElement.innerHTML = document.documentElement.innerHTML;
    for (const node of inner.querySelectorAll("script, iframe")) node.remove();
    const { scrollWidth, clientWidth } = inner.documentElement;
    seen.sticks_out[width] = clientWidth > width - 30 ? scrollWidth - clientWidth : "too narrow";
    frame.remove();
  }
  dispatchEvent(new Event("afterprint"));
  const note = document.createElement("pre");
  note.id = "probe";
  note.textContent = JSON.stringify(seen);
  document.body.append(note);
}, 200);
</script>"""


SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def digest(page: str) -> str:
    """The source that a content security policy names the script of a page by."""
    (script,) = SCRIPT.findall(page)
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Of two colours, as WCAG 2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def linear(colour: str) -> tuple[float, ...]:
    """Red, green and blue of ``#rrggbb``, as light."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return tuple(p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)


def luminance(light: tuple[float, ...]) -> float:
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]


# Machado, Oliveira, Fernandes 2009: how the colour-blind see, severity 1.
SEEN_BY = {
    "everybody": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopes": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deuteranopes": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritanopes": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


def lab(light: tuple[float, ...]) -> tuple[float, ...]:
    """CIELAB, in which distances are those that one sees."""
    red, green, blue = (min(max(part, 0.0), 1.0) for part in light)
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    )
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def palettes() -> dict[str, dict[str, str]]:
    """The colours of the style sheet by their names, light and dark."""
    style = Path(whole.__file__).with_name("page.css").read_text("utf-8")
    light, dark = (dict(re.findall(r"--([\w-]+): (#\w{6})", part))
                   for part in style.split("* {")[0].split("@media"))  # fmt: skip
    return {"light": light, "dark": dark}


def browser() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), "")
    if not found:
        pytest.skip(f"no browser here (looked for {', '.join(BROWSERS)})")
    return found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    (folder / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "jaxlint", "confirm", ".", "--html", "report.html"]
    subprocess.run([*command, "--", sys.executable, "program.py"], cwd=folder, check=True)
    return (folder / "report.html").read_text("utf-8")


@pytest.fixture(scope="module")
def seen(page: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the probe in the page saw."""
    folder = tmp_path_factory.mktemp("seen")
    page = page.replace("script-src ", f"script-src {digest(PROBE)} ")
    probed = page.replace("<head>", "<head>" + WATCH, 1).replace("</body>", PROBE + "</body>")
    target = folder / "report.html"
    target.write_text(probed, "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"]
    done = subprocess.run(
        [browser(), *options, "--virtual-time-budget=5000", "--dump-dom", target.as_uri()],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    match = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.DOTALL)
    assert match is not None, done.stdout[-2000:]
    found: dict[str, Any] = json.loads(html.unescape(match[1]))
    return found


def test_the_page_works_in_a_browser(seen: dict[str, Any]) -> None:
    assert seen["problems"] == []
    assert seen["resources"] == 0
    assert not seen["wide"]
    assert seen["buttons"] == 4
    assert seen["sticks_out"] == {"360": 0, "800": 0, "1600": 0}
    assert seen["notes"] == seen["again"] == seen["counted"] == 3
    assert seen["hidden"] == 0
    assert seen["pressed"] == "false"
    assert seen["bars"] >= 2
    assert (seen["folded"], seen["unfolded"]) == (False, True)


def test_what_must_be_fixed_comes_first(seen: dict[str, Any]) -> None:
    assert seen["headings"] == [
        "To fix, in this order: 3", "Sources", "Compiled functions", "The rules"
    ]  # fmt: skip
    codes = [re.search(r"JXL\d+", text) for text in seen["ranked"]]
    assert [code and code[0] for code in codes] == ["JXL101", "JXL301", "JXL202"]
    assert seen["groups"] == [
        "Raises: the program stops there (1)", "Raises nothing, but does not do what it says (1)",
        "Costs time (1)",
    ]  # fmt: skip
    (cost,) = seen["costs"]
    assert re.fullmatch(r"\d+\.\d+ m?s", cost)
    assert "program.py:16:8" in seen["ranked"][0]
    assert seen["facts"] == [
        "exit code", "took", "date", "commit", "device", "jax", "python", "jaxlint"
    ]  # fmt: skip


def test_each_finding_says_what_jax_said_and_what_to_write(seen: dict[str, Any]) -> None:
    assert sorted(seen["underlined"]) == [
        'jax.jit(lambda v: v * 2)', 'print(x, "<b>")', "x > 0",
    ]  # fmt: skip
    assert seen["waves"] == ["wavy"] * 3
    assert set(seen["coloured"]) >= {"def", "return", "lambda"}
    (said,) = seen["said"]
    assert said.startswith("TracerBoolConversionError: Attempted boolean conversion")
    assert "The error occurred while tracing the function g at" in said, "all of it"
    assert '- print(x, "<b>")\n+ jax.debug.print("{} <b>", x)\n' in seen["fix"]
    assert any(text.endswith("called from program.py:26") for text in seen["by"])
    assert seen["rule"][:4] == ["What it does", "Why is this bad", "Bad", "Instead"]
    assert seen["folded_functions"][0].startswith("1 function traced once")
    assert len(seen["shapes"]) == 4
    assert min(seen["shapes"]) > 8, "each is drawn"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_verdicts_can_be_told_apart(scheme: str) -> None:
    """By everybody, on the page's ground; a shape and a word stand beside each colour besides."""
    colours = palettes()["light"] | palettes()[scheme]
    ground = linear(colours["paper"])
    for name in (*VERDICTS, "ink", "soft", "link", "k", "s", "n", "c", "f", "d", "b"):
        assert contrast(linear(colours[name]), ground) >= 4.5, name
    for who, matrix in SEEN_BY.items():
        looks = {
            name: lab(tuple(sum(map(mul, row, linear(colours[name]))) for row in matrix))
            for name in VERDICTS
        }
        for one, other in combinations(VERDICTS, 2):
            assert math.dist(looks[one], looks[other]) > 20, (who, one, other)


def test_on_paper_everything_is_unfolded(page: str, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(page, "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    target = tmp_path / "report.pdf"
    command = [browser(), *options, f"--print-to-pdf={target}", "report.html"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, timeout=120)
    assert len(re.findall(rb"/Type\s*/Page\b", target.read_bytes())) > 4, "the rules' pages too"


def test_the_source_is_shown_as_it_is(seen: dict[str, Any]) -> None:
    shown = [line.rstrip() for line in seen["code"].splitlines()]
    assert shown == PROGRAM.splitlines() + [""] * (len(shown) - len(PROGRAM.splitlines()))


def test_no_other_script_may_run(page: str) -> None:
    """Whatever of the program gets into the page: nothing is loaded, one script runs."""
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="(.*?)">', page)
    head = page.partition("<style>")[0]
    assert policy in head
    assert policy.split("; ") == [
        "default-src 'none'", "style-src 'unsafe-inline'", f"script-src {digest(page)}"
    ]  # fmt: skip


def test_the_page_is_one_file(page: str) -> None:
    assert not re.search(r"""(?:src|href)=["'](?!#)""", page)
    assert "@import" not in page
    assert "url(" not in page
