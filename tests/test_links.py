"""Links of codes: each door leads to the page of the site that `docs-url` names."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from jaxlint.pages import SITE, page_address, problem_with_address
from jaxlint.rules.registry import all_rules
from tests.test_command import BAD, jaxlint, on_terminal, write
from tests.test_server import Client, drive

OWN = "https://docs.example.org/jaxlint"
LINK = re.compile(r"\x1b]8;;(.*?)\x1b\\(.*?)\x1b]8;;\x1b\\")


def settings(address: str) -> str:
    return f'[tool.jaxlint]\ndocs-url = "{address}"\n'


def check_as(form: str, cwd: Path) -> Any:
    return json.loads(jaxlint("check", "--output-format", form, cwd=cwd).stdout)


def test_the_address_of_a_page() -> None:
    assert page_address("JXL101") == f"{SITE}rules/JXL101/"
    assert page_address("JXL101", OWN) == page_address("JXL101", f"{OWN}/")
    assert page_address("JXL101", "") == ""


@pytest.mark.parametrize("wrong", ["example.org", "file:///tmp", "https://", "https://[", "ht tp"])
def test_what_is_no_address_is_refused(wrong: str) -> None:
    assert "is no address" in problem_with_address(wrong)


def test_a_wrong_address_is_said(tmp_path: Path) -> None:
    result = jaxlint("check", cwd=write(tmp_path, {"pyproject.toml": settings("docs")}))
    assert result.returncode == 2
    assert "pyproject.toml:2: docs-url: 'docs' is no address" in result.stderr


def test_programs_get_links(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD, "pyproject.toml": settings(OWN)})
    address = f"{OWN}/rules/JXL101/"
    assert [each["url"] for each in check_as("json", tmp_path)] == [address]
    assert check_as("rdjson", tmp_path)["diagnostics"][0]["code"]["url"] == address
    rules = check_as("sarif", tmp_path)["runs"][0]["tool"]["driver"]["rules"]
    assert {rule["id"]: rule["helpUri"] for rule in rules} == {
        rule.code: f"{OWN}/rules/{rule.code}/" for rule in all_rules()
    }
    told = json.loads(jaxlint("rule", "JXL101", "--output-format", "json", cwd=tmp_path).stdout)
    assert told["url"] == address


def test_without_a_site_there_are_no_links(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD, "pyproject.toml": settings("")})
    assert check_as("json", tmp_path)[0]["url"] is None
    assert "helpUri" not in json.dumps(check_as("sarif", tmp_path))
    assert not LINK.search(on_terminal(tmp_path, {}))
    shown = jaxlint("check", "--show-settings", cwd=tmp_path).stdout
    assert '\ndocs-url = ""\n' in shown


def test_codes_are_links_on_a_terminal(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": BAD})
    ((address, text),) = LINK.findall(on_terminal(tmp_path, {}))
    assert address == page_address("JXL101")
    assert "JXL101" in text
    assert not LINK.search(on_terminal(tmp_path, {"TERM": "linux"}))
    command = [sys.executable, "-m", "jaxlint", "check", "--output-format", "grouped"]
    forced = subprocess.run(
        [*command, "--color", "always"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"FORCE_HYPERLINK": "1", "PYTHONPATH": str(Path(__file__).parent.parent)},
    )  # fmt: skip
    assert [address for address, _ in LINK.findall(forced.stdout)] == [page_address("JXL101")]


def test_an_editor_opens_the_page(tmp_path: Path) -> None:
    uri = write(tmp_path, {"a.py": BAD}).joinpath("a.py").as_uri()

    def page(client: Client) -> str:
        (found,) = client.said[uri].diagnostics
        assert found.code_description
        return found.code_description.href

    async def configure(client: Client, address: str) -> None:
        client.workspace_did_change_configuration(
            lsp.DidChangeConfigurationParams({"jaxlint": {"docs-url": address}})
        )
        await client.until(lambda: not page(client).startswith("https:") or OWN in page(client))

    async def session(client: Client) -> None:
        client.open(uri, BAD)
        await client.until(lambda: client.codes(uri) == ["JXL101"])
        assert page(client) == page_address("JXL101")
        await configure(client, OWN)
        assert page(client) == page_address("JXL101", OWN)
        await configure(client, "")
        await client.until(lambda: page(client).startswith("file:"))
        written = Path(page(client).removeprefix("file://"))
        assert written.read_text("utf-8").startswith("# JXL101")

    drive(tmp_path, session)
