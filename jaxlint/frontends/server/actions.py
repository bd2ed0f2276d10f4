"""Fixes as an editor offers them: for the finding under the cursor, and for a whole file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lsprotocol import types as lsp

from jaxlint.edits import Edit
from jaxlint.findings import Finding
from jaxlint.frontends.server.protocol import Document
from jaxlint.workspace.fixing import that_fit

FIX_ALL = "source.fixAll.jaxlint"
"""The action that editors run when a file is saved, where users ask for it."""


def fixes_of(
    findings: Iterable[Finding],
    diagnostics: Iterable[lsp.Diagnostic],
    documents: Mapping[int, Document],
) -> list[lsp.CodeAction]:
    """The fixes of findings that an editor shows, each as an action of its own.

    Args:
        findings: of a file or notebook, as its text is now.
        diagnostics: those that the editor asks about.
        documents: the cells of a notebook by number; a file is number 0.
    """
    asked = {(each.code, each.range.start.line, each.range.start.character): each
             for each in diagnostics}  # fmt: skip
    actions = []
    for finding in findings:
        document = documents.get(finding.cell)
        if finding.fix is None or document is None:
            continue
        place = document.range(finding.line, finding.column, finding.end_line, finding.end_column)
        diagnostic = asked.get((finding.code, place.start.line, place.start.character))
        if diagnostic is None:
            continue
        title = finding.fix.title if finding.fix.safe else f"{finding.fix.title} (unsafe)"
        actions.append(
            lsp.CodeAction(
                title,
                lsp.CodeActionKind.QuickFix,
                diagnostics=[diagnostic],
                is_preferred=finding.fix.safe,
                edit=_edit(finding.fix.edits, documents),
            )
        )
    return actions


def fix_all(
    findings: Iterable[Finding], unsafe: bool, documents: Mapping[int, Document]
) -> list[lsp.CodeAction]:
    """The action that applies all fixes that fit together; nothing when there is none.

    Args:
        findings: of a file or notebook, as its text is now.
        unsafe: those that a person should look at are among them.
        documents: the cells of a notebook by number; a file is number 0.
    """
    mended = [each for each in findings if each.fix is not None and (each.fix.safe or unsafe)]
    fixes = [each.fix for each in that_fit(mended) if each.fix is not None]
    edits = dict.fromkeys(edit for fix in fixes for edit in fix.edits)
    if not edits:
        return []
    return [lsp.CodeAction("Fix all that jaxlint can fix", FIX_ALL, edit=_edit(edits, documents))]


def _edit(edits: Iterable[Edit], documents: Mapping[int, Document]) -> lsp.WorkspaceEdit:
    changes: dict[str, list[lsp.TextEdit]] = {}
    for edit in edits:
        document = documents[edit.cell]
        place = document.range(edit.line, edit.column, edit.end_line, edit.end_column)
        changes.setdefault(document.uri, []).append(lsp.TextEdit(place, edit.text))
    return lsp.WorkspaceEdit(changes=changes)
