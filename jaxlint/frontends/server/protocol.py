"""Findings in the words of the language server protocol.

Positions there count from 0, columns in the units that the client asked for.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from lsprotocol import types as lsp
from pygls.workspace import PositionCodec, TextDocument

import jaxlint
from jaxlint.edits import lines_of
from jaxlint.findings import UNUSED_NOQA, Finding
from jaxlint.pages import page_address
from jaxlint.rules.registry import find_rule

SOURCE = "jaxlint"
_SEVERITY = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}
_TAGS = {UNUSED_NOQA: [lsp.DiagnosticTag.Unnecessary], "JXL602": [lsp.DiagnosticTag.Deprecated]}


class Text(TextDocument):
    """A text that is edited. Its lines are those of the protocol: edits are placed by them."""

    @property
    def lines(self) -> list[str]:
        """The lines with their ends."""
        return lines_of(self.source)


class Document:
    """What is needed to speak of one file or cell: its address and its lines."""

    def __init__(self, uri: str, text: str, codec: PositionCodec) -> None:
        self.uri = uri
        self.text = text
        self._lines = lines_of(text)
        self._codec = codec

    def range(self, line: int, column: int, end_line: int, end_column: int) -> lsp.Range:
        """A stretch of it: lines from 1, columns from 0, in characters."""
        last = max(len(self._lines) - 1, 0)
        start = lsp.Position(min(line - 1, last), column)
        end = lsp.Position(min(end_line - 1, last), end_column)
        if not self._lines:
            return lsp.Range(lsp.Position(0, 0), lsp.Position(0, 0))
        return self._codec.range_to_client_units(self._lines, lsp.Range(start, end))


def diagnostic(
    finding: Finding,
    documents: dict[int, Document],
    module: Callable[[str], Document],
    docs_url: str,
) -> lsp.Diagnostic:
    """A finding as a diagnostic.

    Args:
        finding: what was found.
        documents: the cells of a notebook by number; a file is number 0.
        module: gives another file by its path.
        docs_url: the address of the site; empty: the rule's page is written to a file.
    """
    document = documents[finding.cell]
    place = (finding.line, finding.column, finding.end_line, finding.end_column)
    related = [*_happening(finding, module), *_reasons(finding, documents, module)]
    page = page_address(finding.code, docs_url) or _page_as_file(finding.code)
    return lsp.Diagnostic(
        range=document.range(*place),
        message=finding.message,
        severity=_SEVERITY[finding.severity],
        code=finding.code,
        code_description=lsp.CodeDescription(page) if page else None,
        source=SOURCE,
        tags=_TAGS.get(finding.code),
        related_information=related or None,
        data={"line": finding.line},
    )


def _happening(
    finding: Finding, module: Callable[[str], Document]
) -> Iterator[lsp.DiagnosticRelatedInformation]:
    """Where it happens, when that is in another file."""
    at = finding.happens_at
    if at is not None:
        document = module(finding.path(at.file))
        place = document.range(at.line, at.column, at.end_line, at.end_column)
        yield lsp.DiagnosticRelatedInformation(lsp.Location(document.uri, place), "happens here")


def _reasons(
    finding: Finding, documents: dict[int, Document], module: Callable[[str], Document]
) -> Iterator[lsp.DiagnosticRelatedInformation]:
    for note in finding.notes:
        document = module(finding.path(note.file)) if note.file else documents.get(note.cell)
        if document is not None:
            end = (note.end_line, note.end_column) if note.end_line else (note.line, note.column)
            place = document.range(note.line, note.column, *end)
            yield lsp.DiagnosticRelatedInformation(lsp.Location(document.uri, place), note.text)


@cache
def _page_as_file(code: str) -> str:
    """Where the page of a rule can be opened without a site; empty when it has none."""
    rule = find_rule(code)
    if rule is None:
        return ""
    try:
        path = Path(_pages()) / f"{code}.md"
        path.write_text(rule.page(), "utf-8")
    except OSError:
        return ""
    return path.as_uri()


@cache
def _pages() -> str:
    """A folder of this process for pages; editors open them as files."""
    return tempfile.mkdtemp(prefix=f"jaxlint-{jaxlint.__version__}-")


def forget_pages() -> None:
    """Delete the pages that were written."""
    import shutil

    if _pages.cache_info().currsize:
        shutil.rmtree(_pages(), ignore_errors=True)
