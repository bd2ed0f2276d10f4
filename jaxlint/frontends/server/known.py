"""What the abstract tracer knows, for people who point at a name; and hints, when wished for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from jaxlint.check import Tools
from jaxlint.inspection import Inspection, Known
from jaxlint.source import Source, SourceError

if TYPE_CHECKING:
    from jaxlint.frontends.server.server import Server

INLAY_HINTS, CODE_LENS = "inlay-hints", "code-lens"
WISHES = (INLAY_HINTS, CODE_LENS)
"""Settings of the editor besides those of ``[tool.jaxlint]``; both are off by default."""

_WORD = re.compile(r"[^\W\d]\w*")


def answer_what_is_known(server: Server) -> None:
    """Answer the requests for hints and lenses; hovers ask :func:`known_at`."""

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        if not server.wishes.get(INLAY_HINTS):
            return []
        lines = range(params.range.start.line, params.range.end.line + 1)
        return [
            hint
            for known in _names(server, params.text_document.uri)
            if known.is_bound and known.traced and known.span.line - 1 in lines
            for hint in _hint(server, params.text_document.uri, known)
        ]

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        if not server.wishes.get(CODE_LENS):
            return []
        inspection = _inspection(server, params.text_document.uri)
        by_place: dict[int, dict[str, None]] = {}
        for root in inspection.roots() if inspection is not None else ():
            if root.site.place is not None and not root.site.place.file:
                by_place.setdefault(root.site.place.line, {})[root.transform] = None
        return [_lens(line, list(transforms)) for line, transforms in sorted(by_place.items())]


def known_at(server: Server, uri: str, position: lsp.Position) -> list[str]:
    """What is known of the name at a position, in Markdown; nothing where there is none."""
    document = server.document(uri)
    lines = document.text.split("\n")
    if position.line >= len(lines):
        return []
    at = server.workspace.position_codec.position_from_client_units(lines, position)
    word = next(
        (m for m in _WORD.finditer(lines[at.line]) if m.start() <= at.character <= m.end()), None
    )
    inspection = _inspection(server, uri) if word is not None else None
    if word is None or inspection is None:
        return []
    known = _nearest(inspection.names(word[0]), at.line + 1, word.start())
    if known is None:
        return []
    told = [f"`{known.name}`: {value}" for value in known.values]
    uses = inspection.uses_of_key(known.name)
    if uses and any(" key" in value for value in known.values):
        told.append("PRNG key, used " + ", ".join(f"at line {line} by `{by}`" for line, by in uses))
    return ["\\\n".join(told)]


def _nearest(known: list[Known], line: int, column: int) -> Known | None:
    """What is known at a place; of a parameter, at its first use below."""
    here = [k for k in known if (k.span.line, k.span.column) == (line, column)]
    below = [k for k in known if (k.span.line, k.span.column) > (line, column)]
    first = min(below, key=lambda k: (k.span.line, k.span.column), default=None)
    return here[0] if here else first


def _names(server: Server, uri: str) -> list[Known]:
    inspection = _inspection(server, uri)
    return inspection.names() if inspection is not None else []


def _inspection(server: Server, uri: str) -> Inspection | None:
    """A file that is open, followed once more; cells of notebooks are not."""
    if server.owner(uri) != uri:
        return None
    folder = server.folder_of(uri)
    name = str(folder / uri.rpartition("/")[2])
    text = server.document(uri).text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        return Inspection(Source(text, name), server.options(folder), Tools(library=server.library))
    except (SourceError, RecursionError):
        return None


def _hint(server: Server, uri: str, known: Known) -> list[lsp.InlayHint]:
    span = known.span
    place = server.document(uri).range(span.line, span.column, span.end_line, span.end_column)
    words = known.values[0].split(", because")[0]
    return [lsp.InlayHint(place.end, f": {words}", tooltip=known.values[0])]


def _lens(line: int, transforms: list[str]) -> lsp.CodeLens:
    start = lsp.Position(line - 1, 0)
    command = lsp.Command(f"traced by {', '.join(transforms)}", "")
    return lsp.CodeLens(lsp.Range(start, start), command)
