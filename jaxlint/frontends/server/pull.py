"""Diagnostics for clients that ask for them, of open files and of the whole workspace."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls import uris

from jaxlint.frontends.server.protocol import Document, diagnostic
from jaxlint.imports.modules import Modules
from jaxlint.source import SourceError, is_notebook, read_source
from jaxlint.workspace.discovery import find
from jaxlint.workspace.lint import Linted, Task
from jaxlint.workspace.settings import SettingsError, exclusions_for

if TYPE_CHECKING:
    from jaxlint.config import Options
    from jaxlint.frontends.server.server import Server


@dataclass
class _Known:
    """What was found in a file on the disk, when it was as it was then."""

    when: tuple[int, int]
    options: Options
    linted: Linted


def answer_pulls(server: Server) -> None:
    """Answer the requests for diagnostics."""
    known: dict[Path, _Known] = {}

    @server.feature(
        lsp.TEXT_DOCUMENT_DIAGNOSTIC,
        lsp.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True),
    )
    def of_document(params: lsp.DocumentDiagnosticParams) -> lsp.DocumentDiagnosticReport:
        items = server.diagnostics(params.text_document.uri)
        identity = _identity(items)
        if identity == params.previous_result_id:
            return lsp.RelatedUnchangedDocumentDiagnosticReport(identity)
        return lsp.RelatedFullDocumentDiagnosticReport(items, result_id=identity)

    @server.feature(lsp.WORKSPACE_DIAGNOSTIC)
    async def of_workspace(params: lsp.WorkspaceDiagnosticParams) -> lsp.WorkspaceDiagnosticReport:
        before = {each.uri: each.value for each in params.previous_result_ids}
        items: list[lsp.WorkspaceDocumentDiagnosticReport] = []
        for path in list(_files(server)):
            uri = path.as_uri()
            if uri in server.workspace.text_documents:
                found = server.diagnostics(uri)
            else:
                found = _on_disk(server, path, known)
            items.append(_report(uri, found, before.get(uri)))
            # Others ask too: they are answered between two files.
            await asyncio.sleep(0)
        return lsp.WorkspaceDiagnosticReport(items)


def _identity(items: list[lsp.Diagnostic]) -> str:
    return hashlib.blake2b(repr(items).encode("utf-8", "replace"), digest_size=8).hexdigest()


def _report(
    uri: str, items: list[lsp.Diagnostic], before: str | None
) -> lsp.WorkspaceDocumentDiagnosticReport:
    identity = _identity(items)
    if identity == before:
        return lsp.WorkspaceUnchangedDocumentDiagnosticReport(uri, identity)
    return lsp.WorkspaceFullDocumentDiagnosticReport(uri, items, result_id=identity)


def _files(server: Server) -> Iterator[Path]:
    """The Python files of the workspace, without what is left out. Notebooks have cells."""
    folders = [uris.to_fs_path(uri) for uri in server.workspace.folders] or [
        server.workspace.root_path
    ]
    tops = [Path(folder) for folder in folders if folder]
    try:
        found = find(tops, exclusions_for).files
    except SettingsError:
        found = find(tops).files
    return (file for file in found if not is_notebook(file.name))


def _on_disk(server: Server, path: Path, known: dict[Path, _Known]) -> list[lsp.Diagnostic]:
    options = server.options(path.parent)
    try:
        status = path.stat()
    except OSError:
        return []
    when = (status.st_mtime_ns, status.st_size)
    kept = known.get(path)
    current = kept is not None and (kept.when, kept.options) == (when, options)
    if kept is None or not current or not _still(server, kept, options):
        kept = known[path] = _Known(when, options, Task(str(path), options).run())
    if not kept.linted.findings:
        return []
    try:
        text = read_source(path).text
    except SourceError:
        text = ""
    document = Document(path.as_uri(), text, server.workspace.position_codec)
    return [
        diagnostic(each, {0: document}, server.module, options.docs_url)
        for each in kept.linted.findings
    ]


def _still(server: Server, kept: _Known, options: Options) -> bool:
    """Whether the modules that its findings depend on are what they were."""
    return Modules(server.library, options.sources).still(kept.linted.probed)
