"""The language server, driven by a real client over its standard streams."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

import jaxlint
from jaxlint.pages import page_address
from jaxlint.source import Source
from jaxlint.syntax.parse import parse
from jaxlint.syntax.reparse import Reparser
from jaxlint.workspace.noqa_comments import with_noqa
from tests.test_command import write

FIXTURES = sorted(Path(__file__).parent.parent.glob("fixtures/*/bad_*.py"))[::7]
BAD = """\
import jax


@jax.jit
def f(x):
    if x > 0:
        return x
    return -x
"""
NOTEBOOK = "import jax.numpy as jnp\nx = jnp.zeros(3)"


class Client(LanguageClient):
    """A client that keeps what the server says."""

    def __init__(self) -> None:
        super().__init__("test", "1")
        self.said: dict[str, lsp.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.count = 0

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: lsp.PublishDiagnosticsParams) -> None:
            self.said[params.uri] = params
            self.count += 1

        @self.feature(lsp.WINDOW_SHOW_MESSAGE)
        def shown(params: lsp.ShowMessageParams) -> None:
            self.messages.append(params.message)

    async def until(self, condition: Callable[[], Any]) -> None:
        for _ in range(1500):
            if condition():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"the server said {self.said}, {self.messages}")

    def codes(self, uri: str) -> list[str] | None:
        return [str(d.code) for d in self.said[uri].diagnostics] if uri in self.said else None

    def open(self, uri: str, text: str) -> None:
        item = lsp.TextDocumentItem(uri, "python", 1, text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def edit(self, uri: str, version: int, text: str, place: lsp.Range | None = None) -> None:
        change: Any = lsp.TextDocumentContentChangeWholeDocument(text)
        if place is not None:
            change = lsp.TextDocumentContentChangePartial(place, text)
        document = lsp.VersionedTextDocumentIdentifier(version, uri)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))


def drive(
    folder: Path,
    session: Callable[[Client], Awaitable[None]],
    capabilities: lsp.ClientCapabilities | None = None,
    **more: Any,
) -> None:
    """Start a server in a folder, run a session with it, and end it properly."""

    async def run() -> None:
        client = Client()
        await client.start_io(sys.executable, "-m", "jaxlint", "server", cwd=str(folder))
        try:
            parameters = lsp.InitializeParams(
                capabilities=capabilities or lsp.ClientCapabilities(),
                root_uri=folder.as_uri(), **more,
            )  # fmt: skip
            await client.initialize_async(parameters)
            client.initialized(lsp.InitializedParams())
            await session(client)
            await client.shutdown_async(None)
            client.exit(None)
        finally:
            await client.stop()

    asyncio.run(asyncio.wait_for(run(), 120))


def test_diagnostics_as_one_types(tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()

    async def session(client: Client) -> None:
        client.open(uri, BAD)
        await client.until(lambda: client.codes(uri) == ["JXL101"])
        (found,) = client.said[uri].diagnostics
        assert found.range == lsp.Range(lsp.Position(5, 7), lsp.Position(5, 12))
        assert found.severity == lsp.DiagnosticSeverity.Error
        assert found.related_information
        assert found.related_information[0].location.range.start.line == 4
        assert found.code_description
        assert found.code_description.href == page_address("JXL101")
        # An edit in the middle, then the version that the answer is about.
        client.edit(uri, 2, "x is None", lsp.Range(lsp.Position(5, 7), lsp.Position(5, 12)))
        await client.until(lambda: client.codes(uri) == [])
        assert client.said[uri].version == 2
        same = lsp.VersionedTextDocumentIdentifier(3, uri)
        client.text_document_did_change(lsp.DidChangeTextDocumentParams(same, []))
        await client.until(lambda: client.said[uri].version == 3)
        client.text_document_did_close(
            lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri))
        )

    drive(tmp_path, session)


def test_hover_and_quick_fixes(tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()
    (tmp_path / "pyproject.toml").write_text("[tool.jaxlint]\nunused-noqa = true\n")
    text = BAD.replace("x > 0:", "x > 0:  # noqa: E501")

    async def session(client: Client) -> None:
        client.open(uri, text)
        await client.until(lambda: client.codes(uri) == ["JXL101"])
        document = lsp.TextDocumentIdentifier(uri)
        hover = await client.text_document_hover_async(
            lsp.HoverParams(document, lsp.Position(5, 9))
        )
        assert hover is not None
        assert isinstance(hover.contents, lsp.MarkupContent)
        assert "branch-on-traced-value" in hover.contents.value
        nothing = lsp.HoverParams(document, lsp.Position(0, 0))
        assert await client.text_document_hover_async(nothing) is None
        fixed = await apply_first_fix(client, uri, text)
        assert "if x > 0:  # noqa: E501, JXL101\n" in fixed
        client.edit(uri, 2, fixed)
        await client.until(lambda: client.codes(uri) == [])
        client.edit(uri, 3, fixed.replace("x > 0", "True"))
        await client.until(lambda: client.codes(uri) == ["JXL001"])
        left = await apply_first_fix(client, uri, fixed.replace("x > 0", "True"))
        assert "if True:  # noqa: E501\n" in left

    drive(tmp_path, session)


async def apply_first_fix(client: Client, uri: str, text: str) -> str:
    found = client.said[uri].diagnostics
    context = lsp.CodeActionContext(diagnostics=found)
    parameters = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), found[0].range, context)
    actions = await client.text_document_code_action_async(parameters) or []
    about_comments = [each for each in actions if "noqa" in each.title or "comment" in each.title]
    action = about_comments[0]
    assert isinstance(action, lsp.CodeAction)
    assert action.edit is not None
    assert action.edit.changes is not None
    ((edit,),) = action.edit.changes.values()
    lines = text.split("\n")
    start, end = edit.range.start, edit.range.end
    assert start.line == end.line
    line = lines[start.line]
    lines[start.line] = line[: start.character] + edit.new_text + line[end.character :]
    return "\n".join(lines)


def test_notebooks_are_linted_across_cells(tmp_path: Path) -> None:
    uri = (tmp_path / "n.ipynb").as_uri()
    cells = [f"vscode-notebook-cell:{tmp_path}/n.ipynb#{number}" for number in range(3)]
    texts = ["# Title", NOTEBOOK, "%timeit x\nx[0] = 1"]
    kinds = [lsp.NotebookCellKind.Markup, lsp.NotebookCellKind.Code, lsp.NotebookCellKind.Code]

    async def session(client: Client) -> None:
        notebook = lsp.NotebookDocument(
            uri, "jupyter-notebook", 1,
            [lsp.NotebookCell(kind, cell) for kind, cell in zip(kinds, cells, strict=True)],
        )  # fmt: skip
        documents = [
            lsp.TextDocumentItem(cell, "python", 1, text)
            for cell, text in zip(cells, texts, strict=True)
        ]
        client.notebook_document_did_open(lsp.DidOpenNotebookDocumentParams(notebook, documents))
        await client.until(lambda: client.codes(cells[2]) == ["JXL112"])
        (found,) = client.said[cells[2]].diagnostics
        assert found.range.start == lsp.Position(1, 0)
        assert client.codes(cells[1]) == []
        hover = lsp.HoverParams(lsp.TextDocumentIdentifier(cells[2]), lsp.Position(1, 0))
        assert await client.text_document_hover_async(hover) is not None
        # An edit in another cell changes what this one means.
        content = lsp.NotebookDocumentCellContentChanges(
            lsp.VersionedTextDocumentIdentifier(2, cells[1]),
            [lsp.TextDocumentContentChangeWholeDocument("x = [1]")],
        )
        change = lsp.NotebookDocumentChangeEvent(
            cells=lsp.NotebookDocumentCellChanges(text_content=[content])
        )
        client.notebook_document_did_change(
            lsp.DidChangeNotebookDocumentParams(
                lsp.VersionedNotebookDocumentIdentifier(2, uri), change
            )
        )
        await client.until(lambda: client.codes(cells[2]) == [])

    drive(tmp_path, session)


def test_settings_are_read_again(tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()
    settings = tmp_path / "pyproject.toml"

    async def session(client: Client) -> None:
        def touched() -> None:
            event = lsp.FileEvent(settings.as_uri(), lsp.FileChangeType.Changed)
            client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))

        client.open(uri, BAD)
        await client.until(lambda: client.codes(uri) == ["JXL101"])
        settings.write_text('[tool.jaxlint]\nignore = ["JXL1"]\n')
        touched()
        await client.until(lambda: client.codes(uri) == [])
        settings.write_text('[tool.jaxlint]\nignroe = ["JXL1"]\n')
        touched()
        await client.until(lambda: client.messages and client.codes(uri) == ["JXL101"])
        assert "unknown key; did you mean 'ignore'?" in client.messages[0]

    drive(tmp_path, session)


STEPS = "import jax\nimport lib.helpers as h\n\n@jax.jit\ndef f(x):\n    return h.clip(x)\n"
HELPERS = "def clip(x):\n    if x > 1:\n        return 1\n    return x\n"
MENDED = "import jax.numpy as jnp\n\ndef clip(x):\n    return jnp.minimum(x, 1)\n"


def test_an_unsaved_module_is_followed_and_so_are_its_importers(tmp_path: Path) -> None:
    write(tmp_path, {"steps.py": STEPS, "lib/helpers.py": HELPERS, "far/pyproject.toml": ""})
    steps, helpers = ((tmp_path / name).as_uri() for name in ("steps.py", "lib/helpers.py"))

    async def session(client: Client) -> None:
        client.open(steps, STEPS)
        await client.until(lambda: client.codes(steps) == ["JXL101"])
        (found,) = client.said[steps].diagnostics
        assert found.range == lsp.Range(lsp.Position(5, 11), lsp.Position(5, 20))
        assert found.related_information
        happens, reason, *_ = found.related_information
        assert happens.location == lsp.Location(
            helpers, lsp.Range(lsp.Position(1, 7), lsp.Position(1, 12))
        )
        assert reason.location.uri == steps
        # As one types there, and without a save.
        client.open(helpers, HELPERS)
        client.edit(helpers, 2, "# above\n" + HELPERS)
        await client.until(lambda: related_line(client, steps) == 2)
        client.edit(helpers, 3, MENDED)
        await client.until(lambda: client.codes(steps) == [])
        # What is thrown away was never there.
        client.text_document_did_close(
            lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(helpers))
        )
        await client.until(lambda: client.codes(steps) == ["JXL101"])

    drive(tmp_path, session)


def related_line(client: Client, uri: str) -> int | None:
    """The line, from 0, in which the first diagnostic says that it happens."""
    for found in client.said[uri].diagnostics:
        return found.related_information[0].location.range.start.line  # type: ignore[index]
    return None


def test_modules_that_change_on_the_disk_are_read_again(tmp_path: Path) -> None:
    write(tmp_path, {"steps.py": STEPS, "alone.py": BAD})
    steps, alone = ((tmp_path / name).as_uri() for name in ("steps.py", "alone.py"))

    async def session(client: Client) -> None:
        def saved(text: str) -> None:
            write(tmp_path, {"lib/helpers.py": text})
            event = lsp.FileEvent(
                (tmp_path / "lib/helpers.py").as_uri(), lsp.FileChangeType.Changed
            )
            client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))

        client.open(alone, BAD)
        client.open(steps, STEPS)
        await client.until(lambda: client.codes(steps) == [] and client.codes(alone) == ["JXL101"])
        client.said.clear()
        saved(HELPERS)
        await client.until(lambda: client.codes(steps) == ["JXL101"])
        saved(MENDED)
        await client.until(lambda: client.codes(steps) == [])
        saved("def clip(:\n")
        saved(HELPERS)
        await client.until(lambda: client.codes(steps) == ["JXL101"])
        assert client.codes(alone) is None, "linted again, and imports nothing that changed"

    drive(tmp_path, session)


def test_rapid_edits_and_many_open_files(tmp_path: Path) -> None:
    uris = [(tmp_path / f"a{number}.py").as_uri() for number in range(40)]

    async def session(client: Client) -> None:
        for uri in uris:
            client.open(uri, BAD)
        for version in range(2, 60):
            client.edit(uris[0], version, BAD + f"\ny = {version}\n")
        client.edit(uris[0], 60, "import jax\n")
        await client.until(lambda: all(client.codes(uri) == ["JXL101"] for uri in uris[1:]))
        await client.until(lambda: client.said[uris[0]].version == 60)
        assert client.codes(uris[0]) == []
        assert client.count < 60, "edits that came in a row were not taken together"

    drive(tmp_path, session)


def test_unsaved_and_broken_files(tmp_path: Path) -> None:
    async def session(client: Client) -> None:
        client.open("untitled:Untitled-1", BAD)
        await client.until(lambda: client.codes("untitled:Untitled-1") == ["JXL101"])
        client.open("file:///no/such/folder/b.py", "import jax\ndef f(:\n")
        await client.until(lambda: client.codes("file:///no/such/folder/b.py") == ["JXL000"])
        wide = "import jax.numpy as jnp\nx = jnp.zeros(3)\ns = '\U0001f40d\U0001f40d'; x[0] = 1\n"
        client.open("untitled:Wide", wide)
        await client.until(lambda: client.codes("untitled:Wide") == ["JXL112"])
        # Two characters outside of the basic plane are four units of UTF-16.
        assert client.said["untitled:Wide"].diagnostics[0].range.start == lsp.Position(2, 12)

    drive(tmp_path, session)


@pytest.mark.parametrize("separator", ["\f", "\u2028", "\x85", "\x1c", "\v"])
def test_what_ends_no_line(tmp_path: Path, separator: str) -> None:
    uri = (tmp_path / "a.py").as_uri()
    text = f"import jax\n# a{separator}b{separator}c\n" + BAD[11:]

    async def session(client: Client) -> None:
        client.open(uri, text)
        await client.until(lambda: client.codes(uri) == ["JXL101"])
        place = lsp.Range(lsp.Position(6, 7), lsp.Position(6, 12))
        assert client.said[uri].diagnostics[0].range == place
        client.edit(uri, 2, "x is None", place)
        await client.until(lambda: client.codes(uri) == [])

    drive(tmp_path, session)


def test_one_failing_file_takes_no_other_along(tmp_path: Path) -> None:
    chain = "import jax\nx = " + " or ".join(["a"] * 8000) + "\n"
    long = f"file:///{'a' * 5000}.py"
    null = "file:///a%00b.py"
    spaced = (tmp_path / "my code ü.py").as_uri()
    uri = (tmp_path / "b.py").as_uri()
    deep = tmp_path / "deep"
    deep.mkdir()
    (deep / "pyproject.toml").write_text("a = " + "[" * 50_000, "utf-8")

    async def session(client: Client) -> None:
        client.open(uri, BAD)
        for name in (long, null, spaced, (deep / "a.py").as_uri()):
            client.open(name, BAD)
        client.open((tmp_path / "chain.py").as_uri(), chain)
        for name in (uri, long, null, spaced, (deep / "a.py").as_uri()):
            await client.until(lambda name=name: client.codes(name) == ["JXL101"])
        await client.until(lambda: client.codes((tmp_path / "chain.py").as_uri()) == ["JXL002"])
        (found,) = client.said[uri].diagnostics
        for data in ({}, {"line": "x"}, [], 5, None, {"line": None}, {"line": -5}):
            found.data = data
            context = lsp.CodeActionContext(diagnostics=[found])
            parameters = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), found.range, context)
            (action, *_) = await client.text_document_code_action_async(parameters) or []
            assert isinstance(action, lsp.CodeAction)
            parameters.text_document.uri = "file:///not/open.py"
            assert not await client.text_document_code_action_async(parameters)

    drive(tmp_path, session)


def test_a_file_that_was_not_followed_to_its_end_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = "import jaxlint.tracer.tracer as t\nt._LEAST_STEPS = t._STEPS_PER_NODE = 0\n"
    write(tmp_path, {"site/sitecustomize.py": few})
    path = os.pathsep.join([str(tmp_path / "site"), str(Path(__file__).parents[1])])
    monkeypatch.setenv("PYTHONPATH", path)
    uri = (tmp_path / "a.py").as_uri()

    async def session(client: Client) -> None:
        client.open(uri, BAD)
        await client.until(lambda: client.codes(uri) == ["JXL002"])

    drive(tmp_path, session)


def test_a_pipe_beside_a_file_is_not_waited_for(tmp_path: Path) -> None:
    for name in ("helper.py", "pyproject.toml", "requirements.txt"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "endless.py").symlink_to("/dev/zero")
    uri = (tmp_path / "a.py").as_uri()

    async def session(client: Client) -> None:
        client.open(uri, BAD.replace("import jax\n", "import jax, helper, endless\n", 1))
        await client.until(lambda: client.codes(uri) == ["JXL101"])

    drive(tmp_path, session)


def test_a_comment_goes_to_its_line_whatever_ends_the_lines() -> None:
    text = "import jax\nx = 1\ny = 2\n"
    for end in ("\n", "\r\n", "\r"):
        assert with_noqa(text.replace("\n", end), "JXL101", 2) == (2, 5, 5, "  # noqa: JXL101")


def test_nothing_is_left_behind_when_it_is_told_to_end(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # Without a site, the pages of rules are files.
    settings = {"pyproject.toml": '[tool.jaxlint]\ndocs-url = ""\n'}
    uri = write(tmp_path_factory.mktemp("project"), settings).joinpath("a.py").as_uri()
    server = subprocess.Popen(
        [sys.executable, "-m", "jaxlint", "server"], cwd=tmp_path,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert server.stdin is not None
    assert server.stdout is not None
    document = {"uri": uri, "languageId": "python", "version": 1, "text": BAD}
    for message in (
        {"id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
    ):
        text = json.dumps({"jsonrpc": "2.0", **message})
        server.stdin.write(f"Content-Length: {len(text)}\r\n\r\n{text}".encode())
    server.stdin.flush()
    seen = b""
    while b"JXL101" not in seen:
        seen += server.stdout.read1(65536)  # type: ignore[attr-defined]
    assert list(tmp_path.glob("jaxlint-*"))
    server.terminate()
    assert server.wait(20) == -signal.SIGTERM
    assert not list(tmp_path.iterdir())


def test_garbage_does_not_end_the_server(tmp_path: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "jaxlint", "server"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert server.stdin is not None
    assert server.stdout is not None

    def send(text: str) -> None:
        assert server.stdin is not None
        server.stdin.write(f"Content-Length: {len(text)}\r\n\r\n{text}".encode())
        server.stdin.flush()

    def request(number: int, method: str, parameters: dict[str, Any]) -> None:
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
        send(json.dumps(message))

    request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    send("{garbage")
    send('{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"wrong": 1}}')
    send('{"jsonrpc": "2.0", "id": 7, "method": "no/such/method", "params": {}}')
    request(2, "textDocument/hover", {"textDocument": {"uri": "file:///x"}, "position": {}})
    request(3, "shutdown", {})
    seen = b""
    while b'"id":3' not in seen.replace(b" ", b""):
        chunk = server.stdout.read1(65536)  # type: ignore[attr-defined]
        assert chunk, f"the server ended: {seen!r}"
        seen += chunk
    send('{"jsonrpc": "2.0", "method": "exit"}')
    assert server.wait(20) == 0


def edited_versions(text: str) -> list[str]:
    lines = text.split("\n")
    middle = len(lines) // 2
    return [
        text,
        "\n".join([*lines[:middle], "", *lines[middle:]]),
        "# first\n\n" + text,
        text + "\n\nlast = 1\nlast = 1\n",
        text.replace("return", "return  ", 1),
    ]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_trees_kept_between_edits_give_the_same_findings(path: Path) -> None:
    from jaxlint.check import Tools, check

    reparse = Tools(Reparser())
    for text in edited_versions(path.read_text("utf-8")):
        source = Source(text, str(path))
        options = jaxlint.Options()
        assert check(source, options, reparse) == check(source, options, Tools(parse))


def test_long_classes_are_parsed_member_by_member() -> None:
    members = "".join(
        f"    # about {n}\n    @jax.jit\n    def f{n}(x):\n        if x:\n            pass\n\n"
        for n in range(40)
    )
    text = f"import jax\n\n\nclass C:\n    '''Text.'''\n\n{members}\n\ny = C()\n"
    reparse = Reparser()
    for version in edited_versions(text):
        tree = reparse(Source(version))
        whole = parse(Source(version))
        # Comments may hang on other nodes; the code is the same.
        assert [type(s) for s in tree.body] == [type(s) for s in whole.body]
        assert reparse(Source(version)).body[-1] is tree.body[-1]
