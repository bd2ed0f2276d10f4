"""The language server: what clients ask for, what it knows of names, settings of the editor."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types as lsp

from jaxlint import check_source
from jaxlint.frontends.server.half_typed import still_true
from tests.test_command import write
from tests.test_server import BAD, Client, apply_first_fix, drive

PULLING = lsp.ClientCapabilities(
    text_document=lsp.TextDocumentClientCapabilities(diagnostic=lsp.DiagnosticClientCapabilities()),
    workspace=lsp.WorkspaceClientCapabilities(
        diagnostics=lsp.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    ),
)
FULL = (
    lsp.RelatedFullDocumentDiagnosticReport,
    lsp.WorkspaceFullDocumentDiagnosticReport,
)


def document(uri: str) -> lsp.TextDocumentIdentifier:
    return lsp.TextDocumentIdentifier(uri)


def test_diagnostics_for_those_who_ask(tmp_path: Path) -> None:
    helper = "def choose(y):\n    if y > 0:\n        return y\n    return -y\n"
    caller = "import jax\nimport helper\n\n\n@jax.jit\ndef f(x):\n    return helper.choose(x)\n"
    write(tmp_path, {"a.py": caller, "helper.py": helper, "c.py": BAD, "gen/d.py": BAD})
    write(tmp_path, {"pyproject.toml": '[tool.jaxlint]\nexclude = ["gen/"]\n'})
    uri, other = (tmp_path / "a.py").as_uri(), (tmp_path / "helper.py").as_uri()

    async def session(client: Client) -> None:
        refreshed: list[None] = []
        client.feature(lsp.WORKSPACE_DIAGNOSTIC_REFRESH)(lambda params: refreshed.append(None))

        async def codes(uri: str, before: str | None = None) -> tuple[list[str] | None, str]:
            report = await client.text_document_diagnostic_async(
                lsp.DocumentDiagnosticParams(document(uri), previous_result_id=before)
            )
            assert report.result_id is not None
            if not isinstance(report, FULL):
                return None, report.result_id
            return [str(each.code) for each in report.items], report.result_id

        client.open(uri, caller)
        client.open(other, helper)
        found, identity = await codes(uri)
        assert found == ["JXL101"]
        assert (await codes(uri, identity))[0] is None, "nothing has changed"
        # An edit of the module: who asks for it learns that its importers are to be asked for.
        client.edit(other, 2, helper.replace("if y > 0", "if True"))
        assert (await codes(other))[0] == []
        await client.until(lambda: refreshed)
        assert (await codes(uri, identity))[0] == []
        assert not client.said, "nothing is pushed to a client that asks"
        report = await client.workspace_diagnostic_async(lsp.WorkspaceDiagnosticParams([]))
        names = {each.uri.rpartition("/")[2]: each for each in report.items}
        assert set(names) == {"a.py", "helper.py", "c.py"}
        third = names["c.py"]
        assert isinstance(third, lsp.WorkspaceFullDocumentDiagnosticReport)
        assert [each.code for each in third.items] == ["JXL101"]
        assert third.result_id is not None
        again = await client.workspace_diagnostic_async(
            lsp.WorkspaceDiagnosticParams([lsp.PreviousResultId(third.uri, third.result_id)])
        )
        kinds = {each.uri.rpartition("/")[2]: each.kind for each in again.items}
        assert kinds == {"a.py": "full", "helper.py": "full", "c.py": "unchanged"}
        write(tmp_path, {"c.py": "import jax\n"})
        last = await client.workspace_diagnostic_async(
            lsp.WorkspaceDiagnosticParams([lsp.PreviousResultId(third.uri, third.result_id)])
        )
        (now,) = (each for each in last.items if each.uri == third.uri)
        assert isinstance(now, lsp.WorkspaceFullDocumentDiagnosticReport)
        assert not now.items

    drive(tmp_path, session, PULLING)


def test_what_the_settings_exclude_is_not_judged(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[tool.jaxlint]\nexclude = ["gen/"]\n'})
    uri, other = (tmp_path / "gen" / "a.py").as_uri(), (tmp_path / "b.py").as_uri()

    async def session(client: Client) -> None:
        client.open(uri, BAD)
        client.open(other, BAD)
        await client.until(lambda: client.codes(other) == ["JXL101"])
        await client.until(lambda: client.codes(uri) == [])

    drive(tmp_path, session)


def test_what_was_found_stays_while_a_line_is_half_typed(tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()
    text = BAD + BAD.replace("import jax\n", "")

    async def session(client: Client) -> None:
        client.open(uri, text)
        await client.until(lambda: client.codes(uri) == ["JXL101", "JXL101"])
        # A new line between the two functions, not finished yet.
        half = text.replace("    return -x\n", "    return -x\n\n\ny = (1,\n", 1)
        client.edit(uri, 2, half)
        await client.until(lambda: "JXL000" in (client.codes(uri) or []))
        assert sorted(client.codes(uri) or []) == ["JXL000", "JXL101", "JXL101"]
        rows = [d.range.start.line for d in client.said[uri].diagnostics if d.code == "JXL101"]
        lines = half.split("\n")
        assert [lines[row] for row in rows] == ["    if x > 0:"] * 2
        client.edit(uri, 3, text.replace("x > 0", "x >", 1))
        await client.until(lambda: sorted(client.codes(uri) or []) == ["JXL000", "JXL101"])

    drive(tmp_path, session)


def test_what_is_edited_loses_its_findings() -> None:
    old = BAD + "\n\n" + BAD.replace("import jax\n", "")
    findings = check_source(old, "a.py")
    assert [each.line for each in findings] == [6, 15]
    moved = still_true(old, "# one\n# two\n" + old, findings)
    assert [each.line for each in moved] == [8, 17]
    assert [note.line for note in moved[0].notes] == [note.line + 2 for note in findings[0].notes]
    assert [each.line for each in still_true(old, old.replace("if x", "if (x", 1), findings)] == [
        15
    ]
    assert still_true(old, "", findings) == []


STEP = """\
import jax
import jax.numpy as jnp


@jax.jit
def step(x, key, n=3):
    y = jnp.sum(x)
    for i in range(n):
        y = y + i
    return y + jax.random.normal(key)


out = step(jnp.ones(3), jax.random.key(0))
"""


def test_hover_says_what_the_tracer_knows(tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()

    async def session(client: Client) -> None:
        client.open(uri, STEP)
        await client.until(lambda: client.codes(uri) == [])

        async def told(line: int, column: int) -> str:
            at = lsp.HoverParams(document(uri), lsp.Position(line, column))
            hover = await client.text_document_hover_async(at)
            if hover is None:
                return ""
            assert isinstance(hover.contents, lsp.MarkupContent)
            return hover.contents.value

        traced = (
            "tracer f32[3], because `x` is a parameter of `step`, which jax.jit traces (line 5)"
        )
        assert await told(6, 16) == f"`x`: {traced}"
        assert await told(5, 9) == f"`x`: {traced}", "a parameter"
        bound = await told(6, 4)
        assert bound.startswith("`y`: tracer f32[], because `y` comes from parameter `x` of `step`")
        assert await told(7, 19) == "`n`: Python int 3: static while tracing"
        key = await told(9, 33)
        assert key.startswith("`key`: tracer key, because")
        assert key.endswith("PRNG key, used at line 10 by `jax.random.normal`")
        assert (await told(12, 1)).startswith("`out`: array f32[]")
        assert await told(3, 0) == ""

    drive(tmp_path, session)


def test_hints_and_lenses_when_they_are_wished_for(tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()
    everything = lsp.Range(lsp.Position(0, 0), lsp.Position(20, 0))

    async def session(client: Client) -> None:
        asked_again: list[str] = []
        for method in (lsp.WORKSPACE_INLAY_HINT_REFRESH, lsp.WORKSPACE_CODE_LENS_REFRESH):
            client.feature(method)(lambda *_, method=method: asked_again.append(method))
        client.open(uri, STEP)
        hints = lsp.InlayHintParams(document(uri), everything)
        lenses = lsp.CodeLensParams(document(uri))
        assert not await client.text_document_inlay_hint_async(hints)
        assert not await client.text_document_code_lens_async(lenses)
        client.workspace_did_change_configuration(
            lsp.DidChangeConfigurationParams({"jaxlint": {"inlay-hints": True, "code-lens": True}})
        )
        found = await client.text_document_inlay_hint_async(hints) or []
        shown = {(each.position.line, each.position.character, each.label) for each in found}
        assert (6, 5, ": tracer f32[]") in shown
        assert not any(line == 12 for line, _, _ in shown), "it is no tracer"
        (lens,) = await client.text_document_code_lens_async(lenses) or []
        assert lens.range.start.line == 5
        assert lens.command is not None
        assert lens.command.title == "traced by jax.jit"
        await client.until(lambda: len(asked_again) == 2)

    refreshing = lsp.WorkspaceClientCapabilities(
        inlay_hint=lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True),
        code_lens=lsp.CodeLensWorkspaceClientCapabilities(refresh_support=True),
    )
    drive(tmp_path, session, capabilities=lsp.ClientCapabilities(workspace=refreshing))


@pytest.mark.parametrize("at_once", [True, False])
def test_settings_of_the_editor_win(tmp_path: Path, at_once: bool) -> None:
    write(tmp_path, {"pyproject.toml": '[tool.jaxlint]\nignore = ["JXL3"]\n'})
    uri = (tmp_path / "a.py").as_uri()
    text = BAD.replace("    if x", "    print(x)\n    if x")
    wanted = {"jaxlint": {"select": ["output-while-tracing"]}}

    async def session(client: Client) -> None:
        client.open(uri, text)
        if not at_once:
            await client.until(lambda: client.codes(uri) == ["JXL101"])
            client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams(wanted))
        await client.until(lambda: client.codes(uri) == ["JXL301"])
        client.workspace_did_change_configuration(
            lsp.DidChangeConfigurationParams({"jaxlint": {"selct": []}})
        )
        await client.until(lambda: client.messages and client.codes(uri) == ["JXL101"])
        said = "settings of the editor: selct: unknown key; did you mean 'select'?"
        assert said in client.messages[0]

    drive(tmp_path, session, initialization_options=wanted if at_once else None)


def test_a_quick_fix_leaves_no_blanks(tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()
    (tmp_path / "pyproject.toml").write_text("[tool.jaxlint]\nunused-noqa = true\n")
    text = BAD.replace("x > 0:", "x > 0:   ")

    async def session(client: Client) -> None:
        client.open(uri, text)
        await client.until(lambda: client.codes(uri) == ["JXL101"])
        fixed = await apply_first_fix(client, uri, text)
        assert "    if x > 0:  # noqa: JXL101\n" in fixed
        idle = fixed.replace("x > 0", "True")
        client.edit(uri, 2, idle)
        await client.until(lambda: client.codes(uri) == ["JXL001"])
        assert "    if True:\n" in await apply_first_fix(client, uri, idle)

    drive(tmp_path, session)


def test_related_places_have_their_whole_range(tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()

    async def session(client: Client) -> None:
        client.open(uri, BAD)
        await client.until(lambda: client.codes(uri) == ["JXL101"])
        (found,) = client.said[uri].diagnostics
        (related,) = found.related_information or []
        assert related.location.range == lsp.Range(lsp.Position(4, 6), lsp.Position(4, 7))

    drive(tmp_path, session)
