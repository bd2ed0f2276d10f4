"""The HTML report in a real browser: nothing is loaded, nothing fails, buttons and links work."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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
    h(f(jnp.ones(n)))
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
const seen = { notes: shown(".note.confirmed"), buttons: shown("button.card") };
const card = document.querySelector("[data-filter=confirmed]");
card.click();
seen.hidden = shown(".note.confirmed");
seen.pressed = card.getAttribute("aria-pressed");
card.click();
seen.again = shown(".note.confirmed");
seen.counted = Number(card.querySelector("b").textContent);
seen.bars = [...document.querySelectorAll(".bar i")].filter(bar => bar.offsetWidth > 20).length;
seen.code = [...document.querySelectorAll(".line code")].map(line => line.textContent).join("\\n");
seen.resources = performance.getEntriesByType("resource").length;
seen.wide = document.documentElement.scrollWidth > innerWidth;
const fold = document.querySelector("#rule-JXL101");
seen.folded = fold.open;
location.hash = "#rule-JXL101";
setTimeout(() => {
  seen.unfolded = fold.open;
  seen.problems = problems;
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


def look_at(page: str, folder: Path) -> dict[str, Any]:
    """What the probe in the page saw."""
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
    seen: dict[str, Any] = json.loads(html.unescape(match[1]))
    return seen


def test_the_page_works_in_a_browser(page: str, tmp_path: Path) -> None:
    seen = look_at(page, tmp_path)
    assert seen["problems"] == []
    assert seen["resources"] == 0
    assert not seen["wide"]
    assert seen["buttons"] == 4
    assert seen["notes"] == seen["again"] == seen["counted"] == 3
    assert seen["hidden"] == 0
    assert seen["pressed"] == "false"
    assert seen["bars"] >= 2
    assert (seen["folded"], seen["unfolded"]) == (False, True)


def test_the_source_is_shown_as_it_is(page: str, tmp_path: Path) -> None:
    shown = [line.rstrip() for line in look_at(page, tmp_path)["code"].splitlines()]
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
