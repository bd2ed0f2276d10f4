"""The server: what editors ask, and when files are linted."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.server import LanguageServer
from pygls.workspace import PositionCodec, TextDocument

import jaxlint
from jaxlint.config import Options
from jaxlint.findings import ABOUT_THE_RUN, UNUSED_NOQA, Finding
from jaxlint.frontends.server.actions import FIX_ALL, fix_all, fixes_of
from jaxlint.frontends.server.buffers import Buffer
from jaxlint.frontends.server.known import WISHES, answer_what_is_known, known_at
from jaxlint.frontends.server.protocol import SOURCE, Document, Text, diagnostic, forget_pages
from jaxlint.frontends.server.pull import answer_pulls
from jaxlint.imports.modules import Library
from jaxlint.project import forget_declared
from jaxlint.rules.registry import find_rule
from jaxlint.workspace.exclusions import is_left_out
from jaxlint.workspace.noqa_comments import with_noqa
from jaxlint.workspace.settings import (
    FILE_NAME,
    SettingsError,
    exclusions_for,
    forget,
    said_by_editor,
    settings_for,
)

PAUSE = 0.02
"""Seconds without a further edit after which a file is linted."""

_NOTEBOOKS = lsp.NotebookDocumentSyncOptions(
    notebook_selector=[
        lsp.NotebookDocumentFilterWithCells(cells=[lsp.NotebookCellLanguage(language="python")])
    ]
)
_SETTINGS = (
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "requirements.txt",
    "uv.lock",
    "poetry.lock",
)


_NOT_SILENCED = ABOUT_THE_RUN | {UNUSED_NOQA}


class Server(LanguageServer):
    """Lints what is open in an editor, the file that was edited last first."""

    def __init__(self) -> None:
        super().__init__("jaxlint", jaxlint.__version__, notebook_document_sync=_NOTEBOOKS)
        self._library = Library()
        self._buffers: dict[str, Buffer] = {}
        self._waiting: dict[str, float] = {}
        self._task: asyncio.Task[None] | None = None
        self._told: set[str] = set()
        self._from_editor: Callable[[Options], Options] = lambda options: options
        self.wishes: dict[str, Any] = {}
        self.pulls = False

    # ------------------------------------------------------------------- linting

    def changed(self, uri: str) -> None:
        """A file or notebook is new, or was edited: lint it soon, unless the client asks."""
        if self.pulls:
            return
        self._waiting.pop(uri, None)
        self._waiting[uri] = asyncio.get_running_loop().time() + PAUSE
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())

    def everything_changed(self) -> None:
        """Settings are different: lint all that is open."""
        forget()
        forget_declared()
        self._library.forget()
        self._told.clear()
        for uri in list(self._buffers):
            self.changed(uri)
        self.refresh()
        self._refresh_what_is_shown()

    def modules_changed(self) -> None:
        """Modules are different on the disk: lint what is open and imports one of them."""
        self._library.forget()
        self._lint_importers()

    def _lint_importers(self) -> None:
        """Lint the open files again that import what is not as it was."""
        stale = [
            uri
            for uri, buffer in self._buffers.items()
            if not buffer.is_current(self.options(buffer.folder))
        ]
        for uri in stale:
            self.changed(uri)
        if stale:
            self.refresh()

    @property
    def library(self) -> Library:
        """The modules that open files import."""
        return self._library

    def folder_of(self, uri: str) -> Path:
        """Where the settings of an open file are looked for."""
        return Path(uris.to_fs_path(uri) or uri.rpartition(":")[2]).parent

    def closed(self, uri: str) -> None:
        """A file or notebook is no longer open: what was said of it goes."""
        self._waiting.pop(uri, None)
        buffer = self._buffers.pop(uri, None)
        if buffer is not None:
            self._library.overlay(buffer.path, None)
            self._lint_importers()

    async def _work(self) -> None:
        while self._waiting:
            uri = next(reversed(self._waiting))
            pause = self._waiting[uri] - asyncio.get_running_loop().time()
            # Also without a pause: edits that came meanwhile are taken first.
            await asyncio.sleep(max(pause, 0))
            due = self._waiting.get(uri)
            if due is not None and due <= asyncio.get_running_loop().time():
                del self._waiting[uri]
                try:
                    self._lint(uri)
                except Exception as error:
                    # The others that wait are linted all the same.
                    self._tell(f"cannot lint {uri[:200]}: {type(error).__name__}: {error}"[:400])

    def _lint(self, uri: str) -> None:
        documents, findings = self.find(uri)
        version = self._version(uri) if 0 in documents else None
        for number, document in documents.items():
            own = self._diagnostics(uri, number, documents, findings)
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(document.uri, own, version)
            )
        self._lint_importers()

    def diagnostics(self, uri: str) -> list[lsp.Diagnostic]:
        """The diagnostics of an open file or cell, as of now."""
        documents, findings = self.find(self.owner(uri))
        self._lint_importers()
        return [
            each
            for number, document in documents.items()
            if document.uri == uri
            for each in self._diagnostics(uri, number, documents, findings)
        ]

    def _diagnostics(
        self, uri: str, number: int, documents: dict[int, Document], findings: list[Finding]
    ) -> list[lsp.Diagnostic]:
        """The diagnostics of one cell of what is open; of a file, which is number 0."""
        docs_url = self.options(self.folder_of(uri)).docs_url
        own = [finding for finding in findings if finding.cell == number]
        return [diagnostic(each, documents, self.module, docs_url) for each in own]

    def find(self, uri: str) -> tuple[dict[int, Document], list[Finding]]:
        """Lint what is open: its cells by number, a file as 0, and the findings in them."""
        notebook = self.workspace.get_notebook_document(notebook_uri=uri)
        name = uris.to_fs_path(uri) or uri.rpartition(":")[2]
        buffer = self._buffers.setdefault(uri, Buffer(name, self._library))
        options = self.options(buffer.folder)
        if notebook is not None:
            documents = self._cells(notebook)
            findings = buffer.lint_cells([(n, d.text) for n, d in documents.items()], options)
        elif self._text(uri) is not None:
            documents = {0: self.document(uri)}
            findings = buffer.lint_text(documents[0].text, options)
        else:
            return {}, []
        return documents, [] if self._is_left_out(buffer) else findings

    def _is_left_out(self, buffer: Buffer) -> bool:
        """Whether the settings exclude the file: then it is read, for others, and not judged."""
        try:
            return is_left_out(exclusions_for, buffer.path)
        except SettingsError:
            return False  # Told already.

    def module(self, name: str) -> Document:
        """A file that is named in a finding of another one, open or not."""
        path = Path(os.path.abspath(name))
        open_as = (uri for uri, buffer in self._buffers.items() if buffer.path == path)
        source = self._library.read(path).source
        return Document(
            next(open_as, path.as_uri()), source.text if source is not None else "", self._codec
        )

    def options(self, folder: Path) -> Options:
        """The options of a folder; a configuration that cannot be used is told once."""
        try:
            return self._from_editor(settings_for(folder).options)
        except SettingsError as error:
            self._tell(str(error))
            return Options()

    def configure(self, said: object) -> None:
        """Take the settings of the editor: the keys of ``[tool.jaxlint]``, and wishes."""
        table = said.get("jaxlint", said) if isinstance(said, dict) else {}
        table = dict(table) if isinstance(table, dict) else {}
        self.wishes = {name: table.pop(name, False) for name in WISHES}
        try:
            self._from_editor = said_by_editor(table)
        except SettingsError as error:
            self._from_editor = lambda options: options
            self._tell(str(error))

    def _tell(self, problem: str) -> None:
        """Show the user what is wrong, once."""
        if problem not in self._told:
            self._told.add(problem)
            message = lsp.ShowMessageParams(lsp.MessageType.Error, f"jaxlint: {problem}")
            self.window_show_message(message)

    def begin_pulling(self) -> None:
        """From now on the client asks for diagnostics, if it can."""
        text = self.client_capabilities.text_document
        self.pulls = text is not None and text.diagnostic is not None

    def refresh(self) -> None:
        """Let a client that asks for diagnostics ask again."""
        workspace = self.client_capabilities.workspace
        asked = workspace.diagnostics if workspace is not None else None
        if self.pulls and asked is not None and asked.refresh_support:
            self.workspace_diagnostic_refresh(None)

    def _refresh_what_is_shown(self) -> None:
        """Let a client that can ask for hints and lenses again: whether they are wished for."""
        workspace = self.client_capabilities.workspace
        hints = workspace.inlay_hint if workspace is not None else None
        lenses = workspace.code_lens if workspace is not None else None
        if hints is not None and hints.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if lenses is not None and lenses.refresh_support:
            self.workspace_code_lens_refresh(None)

    # ----------------------------------------------------------------- documents

    def opened(self, *uris: str) -> None:
        """Texts have been opened: from now on their edits are placed by the protocol's lines."""
        for document in filter(None, map(self._text, uris)):
            # The library makes the documents, and has no way to say of which class.
            document.__class__ = Text

    @property
    def _codec(self) -> PositionCodec:
        return self.workspace.position_codec

    def _version(self, uri: str) -> int | None:
        document = self._text(uri)
        return document.version if document is not None else None

    def _text(self, uri: str) -> TextDocument | None:
        """An open text; the library knows it by its address without escapes."""
        documents: dict[str, TextDocument] = self.workspace.text_documents
        return documents.get(uri) or documents.get(unquote(uri))

    def document(self, uri: str) -> Document:
        """An open text, or an empty one: what the client asks of need not be open."""
        document = self._text(uri)
        return Document(uri, document.source if document is not None else "", self._codec)

    def _cells(self, notebook: lsp.NotebookDocument) -> dict[int, Document]:
        """The code cells of a notebook by number, counting cells of every type."""
        return {
            number: self.document(cell.document)
            for number, cell in enumerate(notebook.cells, 1)
            if cell.kind == lsp.NotebookCellKind.Code
        }

    def owner(self, uri: str) -> str:
        """The notebook of a cell, or the file itself."""
        notebook = self.workspace.get_notebook_document(cell_uri=uri)
        return notebook.uri if notebook is not None else uri

    def found_at(self, uri: str, position: lsp.Position) -> Iterator[tuple[Finding, lsp.Range]]:
        """The findings of a file or cell whose range holds a position."""
        buffer = self._buffers.get(self.owner(uri))
        if buffer is None:
            return
        notebook = self.workspace.get_notebook_document(cell_uri=uri)
        cell = 0
        if notebook is not None:
            cell = 1 + [each.document for each in notebook.cells].index(uri)
        document = self.document(uri)
        for finding in buffer.findings:
            place = (finding.line, finding.column, finding.end_line, finding.end_column)
            if finding.cell == cell and _holds(document.range(*place), position):
                yield finding, document.range(*place)

    def documents(self, uri: str) -> dict[int, Document]:
        """A file as number 0, or the code cells of the notebook that a cell is of."""
        notebook = self.workspace.get_notebook_document(cell_uri=uri)
        return {0: self.document(uri)} if notebook is None else self._cells(notebook)

    def fixes(self, uri: str, wanted: lsp.CodeActionContext) -> list[lsp.CodeAction]:
        """The fixes of what was found in a file or cell; none while its text is newer than that."""
        buffer = self._buffers.get(self.owner(uri))
        documents = self.documents(uri)
        texts = {number: document.text for number, document in documents.items()}
        if buffer is None or buffer.linted != texts:
            return []
        if wanted.only and not any(FIX_ALL.startswith(kind) for kind in wanted.only):
            return fixes_of(buffer.findings, wanted.diagnostics, documents)
        unsafe = self.options(buffer.folder).unsafe_fixes
        all_of_it = fix_all(buffer.findings, unsafe, documents)
        if wanted.only:
            return all_of_it
        return [*fixes_of(buffer.findings, wanted.diagnostics, documents), *all_of_it]

    def quick_fixes(self, uri: str, diagnostics: list[lsp.Diagnostic]) -> list[lsp.CodeAction]:
        """What can be done about the diagnostics of an open file or cell."""
        if self._text(uri) is None:
            return []
        document = self.document(uri)
        actions = []
        for each in diagnostics:
            if each.source != SOURCE or each.code in _NOT_SILENCED:
                continue
            line = each.data.get("line") if isinstance(each.data, dict) else None
            if not isinstance(line, int) or line < 1:
                line = each.range.start.line + 1
            place = with_noqa(document.text, str(each.code), line)
            if place is None:
                continue
            number, column, end, new = place
            edit = lsp.TextEdit(document.range(number, column, number, end), new)
            title = f"Silence {each.code} on this line (noqa)"
            changes = lsp.WorkspaceEdit(changes={uri: [edit]})
            kind = lsp.CodeActionKind.QuickFix
            actions.append(lsp.CodeAction(title, kind, diagnostics=[each], edit=changes))
        return actions


def _holds(place: lsp.Range, position: lsp.Position) -> bool:
    at = (position.line, position.character)
    start, end = place.start, place.end
    return (start.line, start.character) <= at <= (end.line, end.character)


def make_server() -> Server:
    """A server with all that it listens and answers to."""
    server = Server()
    _follow_texts(server)
    _follow_notebooks(server)
    _follow_settings(server)
    _answer_questions(server)
    answer_pulls(server)
    answer_what_is_known(server)
    return server


def _follow_texts(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.opened(params.text_document.uri)
        server.changed(server.owner(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def edited(params: lsp.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        if not params.content_changes:  # A new version of the same text, which pygls passes over.
            server.workspace.get_text_document(document.uri).version = document.version
        server.changed(server.owner(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.closed(uri)
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _follow_notebooks(server: Server) -> None:
    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    def notebook_opened(params: lsp.DidOpenNotebookDocumentParams) -> None:
        server.opened(*(cell.uri for cell in params.cell_text_documents))
        server.changed(params.notebook_document.uri)

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def notebook_edited(params: lsp.DidChangeNotebookDocumentParams) -> None:
        structure = params.change.cells.structure if params.change.cells else None
        server.opened(*(cell.uri for cell in (structure and structure.did_open) or ()))
        for cell in (structure.did_close if structure else None) or ():
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(cell.uri, []))
        server.changed(params.notebook_document.uri)

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def notebook_closed(params: lsp.DidCloseNotebookDocumentParams) -> None:
        server.closed(params.notebook_document.uri)
        for cell in params.cell_text_documents:
            server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(cell.uri, []))


def _follow_settings(server: Server) -> None:
    @server.feature(lsp.INITIALIZE)
    def begin(params: lsp.InitializeParams) -> None:
        server.configure(params.initialization_options or {})

    @server.feature(lsp.INITIALIZED)
    def initialized(params: lsp.InitializedParams) -> None:
        capabilities = server.client_capabilities.workspace
        server.begin_pulling()
        watching = capabilities.did_change_watched_files if capabilities else None
        if watching is not None and watching.dynamic_registration:
            watched = (*_SETTINGS, "*.py")
            watchers = [lsp.FileSystemWatcher(f"**/{name}") for name in watched]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
            method = lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = lsp.Registration("jaxlint-files", method, options)
            server.client_register_capability(lsp.RegistrationParams([registration]))

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        if params.text_document.uri.endswith(FILE_NAME):
            server.everything_changed()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(params: lsp.DidChangeConfigurationParams) -> None:
        server.configure(params.settings)
        server.everything_changed()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: lsp.DidChangeWatchedFilesParams) -> None:
        if any(change.uri.rpartition("/")[2] in _SETTINGS for change in params.changes):
            server.everything_changed()
        else:
            server.modules_changed()


def _answer_questions(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        parts = known_at(server, params.text_document.uri, params.position)
        place = None
        for finding, at in server.found_at(params.text_document.uri, params.position):
            rule = find_rule(finding.code)
            if rule is not None:
                parts, place = [*parts, rule.page()], at
                break
        if not parts:
            return None
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n".join(parts)), place)

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, FIX_ALL])
    )
    def fixes(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri, context = params.text_document.uri, params.context
        found = server.fixes(uri, context)
        if context.only and lsp.CodeActionKind.QuickFix not in context.only:
            return found
        return [*found, *server.quick_fixes(uri, list(context.diagnostics))]


def _leave(number: int, frame: object) -> None:
    """Asked to end: delete what was written, and end as if nobody had asked to be told."""
    forget_pages()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def serve() -> int:
    """Speak with one client over standard input and output until it leaves."""
    # What a library prints must not get between the messages.
    protocol, sys.stdout = sys.stdout, sys.stderr
    signal.signal(signal.SIGTERM, _leave)
    try:
        make_server().start_io(sys.stdin.buffer, protocol.buffer)
    finally:
        sys.stdout = protocol
        forget_pages()
    return 0
