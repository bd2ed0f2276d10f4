"""How long an editor waits for diagnostics after a key press, measured by a client.

    python benchmarks/server.py FILE ...

For each file: opens it in ``jaxlint server``, then types a character at ten places, and
waits for the diagnostics each time. Beside it, the time of ``libcst.parse_module``.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path

import libcst
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

_EDITS = 10


async def measure(path: Path) -> list[float]:
    """Seconds from an edit to the diagnostics of that version, for each edit."""
    client = LanguageClient("benchmark", "1")
    arrived: dict[int, asyncio.Future[float]] = {}

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(params: lsp.PublishDiagnosticsParams) -> None:
        if params.version in arrived and not arrived[params.version].done():
            arrived[params.version].set_result(time.perf_counter())

    await client.start_io(sys.executable, "-m", "jaxlint", "server")
    await client.initialize_async(
        lsp.InitializeParams(lsp.ClientCapabilities(), root_uri=Path.cwd().as_uri())
    )
    client.initialized(lsp.InitializedParams())
    text = path.read_text("utf-8")
    loop = asyncio.get_running_loop()
    arrived[1] = loop.create_future()
    item = lsp.TextDocumentItem(path.absolute().as_uri(), "python", 1, text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    await arrived[1]
    waited = []
    lines = [n for n, line in enumerate(text.split("\n")) if line.strip().endswith(")")]
    for version in range(2, _EDITS + 2):
        line = lines[len(lines) * (version - 2) // _EDITS]
        at = lsp.Position(line, len(text.split("\n")[line]))
        arrived[version] = loop.create_future()
        document = lsp.VersionedTextDocumentIdentifier(version, item.uri)
        change = lsp.TextDocumentContentChangePartial(lsp.Range(at, at), "  # x")
        begin = time.perf_counter()
        client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [change]))
        waited.append(await arrived[version] - begin)
        await asyncio.sleep(0.1)
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return waited


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    for path in parser.parse_args().files:
        waited = asyncio.run(measure(path))
        text = path.read_text("utf-8")
        begin = time.perf_counter()
        libcst.parse_module(text)
        parse = time.perf_counter() - begin
        median = statistics.median(waited)
        print(
            f"{path}: {text.count(chr(10))} lines, {median * 1000:.0f} ms from edit to diagnostics "
            f"(worst {max(waited) * 1000:.0f}); libcst.parse_module alone {parse * 1000:.0f} ms: "
            f"ratio {median / parse:.2f}"
        )


if __name__ == "__main__":
    main()
