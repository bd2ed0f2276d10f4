"""Sessions with the language server: odd documents, edits, addresses, requests, garbage.

The client keeps each text as the protocol says it must be after the edits; in the end the
server must have said of it what linting it says.
"""

from __future__ import annotations

import json
import os
import queue
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import psutil

from jaxlint.config import Options
from jaxlint.edits import lines_of
from jaxlint.findings import CANNOT_CHECK
from jaxlint.source import Source
from jaxlint.workspace.lint import lint_source
from tools.hunts.outcome import SLOW, Caught, Hunt, Round
from tools.hunts.prey import mutated

_MESSAGES = 60
_PATIENCE = 60.0
"""Seconds of the clock without any work after which a busy machine is no excuse any more."""

_GARBAGE = [
    "{garbage", "[]", "5", '{"jsonrpc": "2.0"}', '{"jsonrpc": "2.0", "id": [], "method": 5}',
    '{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"wrong": 1}}',
    '{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": null}',
    '{"jsonrpc": "2.0", "method": "no/such", "params": {}}', '{"id": 99999, "result": null}',
]  # fmt: skip
_NAMES = [
    "file:///a%00b.py", "file:///" + "a" * 5000 + ".py", "untitled:Untitled-1", "file:///proc/self",
    "vscode-notebook-cell:/a.ipynb#W0", "git:/a.py?x", "file://host/share/a.py", "a.py", "file:///",
    "file:///%F0%9F%90%8D.py", "http://x/a.py", "file:///dev/zero", "file:///a.ipynb", "FILE:///B.py",
]  # fmt: skip
_NEW = ["", "x", "\n", "\r\n", "\r", "    ", "\f", "\U0001f40d", "if x > 0:\n", "'", "("]
_DATA: list[Any] = [None, {}, [], 5, {"line": "x"}, {"line": -5}, {"line": 10**9}, {"line": None}]


class Gone(Exception):
    """The server has ended, or says nothing any more."""


@dataclass
class Session:
    """One server, and what it should know."""

    process: subprocess.Popen[bytes]
    log: Path
    texts: dict[str, tuple[int, str]] = field(default_factory=dict)
    said: dict[str, dict[str, Any]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    _waiting: set[int] = field(default_factory=set)
    _heard: queue.SimpleQueue[dict[str, Any] | None] = field(default_factory=queue.SimpleQueue)
    _number: int = 0

    def listen(self) -> None:
        """Take what the server says, in a thread."""
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            self._heard.put(json.loads(stream.read(length)))
        self._heard.put(None)

    def send(self, text: str) -> None:
        """Send a message as it is."""
        stream = self.process.stdin
        assert stream is not None
        data = text.encode()
        self.sent.append(text)
        try:
            stream.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
            stream.flush()
        except OSError as error:
            raise Gone(f"ended with {self.process.wait()}") from error

    def notify(self, method: str, **parameters: Any) -> None:
        """Send a notification."""
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": parameters}))

    def ask(self, method: str, **parameters: Any) -> None:
        """Send a request, which must be answered."""
        self._number += 1
        self._waiting.add(self._number)
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}
        self.send(json.dumps(request))

    def wait(self, done: Callable[[], bool]) -> None:
        """Listen until something is so, and every request is answered.

        Raises:
            Gone: the server took too long, or has ended.
        """
        watched = psutil.Process(self.process.pid)
        begin = spent = _spent(watched)
        clock = time.monotonic()
        while self._waiting or not done():
            try:
                self._take(self._heard.get(timeout=0.5))
                begin = spent = _spent(watched)  # What it answered is over; the next begins.
            except queue.Empty:
                if _spent(watched) != spent:
                    spent, clock = _spent(watched), time.monotonic()
                if spent - begin > SLOW:
                    raise Gone(f"no answer after {spent - begin:.0f} s") from None
                if time.monotonic() - clock > _PATIENCE:
                    raise Gone("it sleeps, and has not answered") from None

    def _take(self, message: dict[str, Any] | None) -> None:
        if message is None:
            raise Gone(f"ended with {self.process.wait()}")
        if "error" in message and message["error"].get("code") == -32603:
            self.problems.append(str(message["error"])[:300])
        self._waiting.discard(message.get("id") or 0)
        parameters = message.get("params") or {}
        if message.get("method") == "textDocument/publishDiagnostics":
            self.said[parameters["uri"]] = parameters
        elif "cannot lint" in str(parameters.get("message")):
            self.problems.append(parameters["message"])


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def servers(hunt: Hunt) -> Iterator[Round]:
    """Sessions, one after another; a try is a message."""
    files = [path for top in hunt.arguments.files for path in sorted(top.rglob("*.py"))]
    texts = (data.decode("utf-8", "replace") for _, data in mutated(hunt.chance, files))
    folder = hunt.folder / "project"
    folder.mkdir()
    while True:
        number = min(_MESSAGES, hunt.arguments.count)
        yield Round(number, list(_one_session(hunt, folder, texts, number)))


def _one_session(hunt: Hunt, folder: Path, texts: Iterator[str], number: int) -> Iterator[Caught]:
    log = hunt.folder / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "jaxlint", "server"],
            cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stream,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )  # fmt: skip
    session = Session(process, log)
    threading.Thread(target=session.listen, daemon=True).start()
    try:
        session.ask("initialize", processId=None, rootUri=folder.as_uri(), capabilities={})
        session.wait(lambda: True)
        session.notify("initialized")
        for _ in range(number):
            _send_something(hunt.chance, session, folder, texts)
        session.wait(lambda: all(_is_told(session, uri) for uri in session.texts))
        yield from _compared(hunt, session)
        session.ask("shutdown")
        session.wait(lambda: True)
        session.notify("exit")
        process.wait(60)
    except Gone as gone:
        untold = [uri for uri in session.texts if not _is_told(session, uri)]
        wrong = "crashed" if "ended" in str(gone) else "hung" if "after" in str(gone) else "lost"
        what = f"{gone}; not told of {untold[:3]}; {log.read_text('utf-8', 'replace')[-300:]}"
        yield Caught(wrong, _keep(hunt, session, what))  # type: ignore[arg-type]
    finally:
        process.kill()
        process.wait()
    for problem in session.problems:
        yield Caught("crashed", _keep(hunt, session, problem))


def _is_told(session: Session, uri: str) -> bool:
    said = session.said.get(uri)
    return said is not None and said.get("version") == session.texts[uri][0]


def _compared(hunt: Hunt, session: Session) -> Iterator[Caught]:
    """What the server said of each open text, beside what linting it says."""
    for uri, (_, text) in session.texts.items():
        if not uri.endswith("hunted.py"):
            continue
        name = uri.removeprefix("file://")
        source = Source(text.replace("\r\n", "\n").replace("\r", "\n"), name)
        linted = lint_source(source, Options())
        last = max(len(lines_of(text)), 1)
        wanted = sorted((each.code, min(each.line, last)) for each in linted.findings)
        said = session.said[uri]["diagnostics"]
        found = sorted((each["code"], each["range"]["start"]["line"] + 1) for each in said)
        if CANNOT_CHECK in dict(wanted):
            # While a line is half typed, what was found in the lines around it stays.
            found = [each for each in found if each[0] == CANNOT_CHECK]
        if found != wanted:
            yield Caught("lost", _keep(hunt, session, f"{uri}: {found} instead of {wanted}", text))


def _keep(hunt: Hunt, session: Session, what: str, text: str = "") -> str:
    keep: Path = hunt.arguments.keep
    keep.mkdir(exist_ok=True, parents=True)
    kept = keep / f"server_{hunt.arguments.seed}_{time.time_ns():x}.json"
    kept.write_text(json.dumps({"what": what, "text": text, "sent": session.sent}), "utf-8")
    return f"{kept}: {what}"


# ------------------------------------------------------------------------- what is sent


def _send_something(
    chance: random.Random, session: Session, folder: Path, texts: Iterator[str]
) -> None:
    """One message, or a few that belong together."""
    kind = chance.choice(_KINDS)
    if kind is _edit and not session.texts:
        kind = _open
    kind(chance, session, folder, texts)


def _open(chance: random.Random, session: Session, folder: Path, texts: Iterator[str]) -> None:
    uri = f"{folder.as_uri()}/{chance.randrange(8)}_hunted.py"
    if chance.random() < 0.1:
        uri = chance.choice(_NAMES)
    if uri in session.texts:
        return
    text = _with_odd_ends(chance, next(texts))
    version = chance.randrange(10)
    if not uri.endswith(".ipynb") and uri.startswith(("file:///", "untitled")):
        session.texts[uri] = (version, text)
    item = {"uri": uri, "languageId": "python", "version": version, "text": text}
    session.said.pop(uri, None)
    session.notify("textDocument/didOpen", textDocument=item)


def _with_odd_ends(chance: random.Random, text: str) -> str:
    if chance.random() < 0.3:
        text = text.replace("\n", chance.choice(["\r\n", "\r"]))
    odd = chance.choice(["", "", "\f", "\U0001f40d", "\u2028"])
    return text.replace(" = ", f" = {odd}", 3)


def _edit(chance: random.Random, session: Session, folder: Path, texts: Iterator[str]) -> None:
    uri = chance.choice(sorted(session.texts))
    version, text = session.texts[uri]
    changes: list[dict[str, Any]] = []
    for _ in range(chance.randrange(1, 4)):
        new = chance.choice(_NEW)
        if chance.random() < 0.1:
            text = next(texts)
            changes.append({"text": text})
            continue
        start, end = sorted(chance.randrange(len(text) + 1) for _ in range(2))
        end = min(end, start + chance.choice([0, 0, 1, 30, 2000]))
        places = _position(text, start), _position(text, end)
        if None not in places:
            changes.append({"range": dict(zip(("start", "end"), places, strict=True)), "text": new})
            text = text[:start] + new + text[end:]
    session.texts[uri] = (version + 1, text)
    document = {"uri": uri, "version": version + 1}
    session.notify("textDocument/didChange", textDocument=document, contentChanges=changes)


def _position(text: str, index: int) -> dict[str, int] | None:
    """Where a character is, in units of UTF-16; None between the halves of a line end."""
    if text[index - 1 : index + 1] == "\r\n":
        return None
    lines = lines_of(text[:index] + "x")
    column = len(lines[-1][:-1].encode("utf-16-le", "surrogatepass")) // 2
    return {"line": len(lines) - 1, "character": column}


def _close(chance: random.Random, session: Session, folder: Path, texts: Iterator[str]) -> None:
    uri = chance.choice([*session.texts, *_NAMES])
    session.texts.pop(uri, None)
    session.notify("textDocument/didClose", textDocument={"uri": uri})


def _question(chance: random.Random, session: Session, folder: Path, texts: Iterator[str]) -> None:
    uri = chance.choice([*session.texts] or _NAMES)
    place = {"line": chance.choice([0, 5, 10**6]), "character": chance.choice([0, 4, 10**6])}
    if chance.random() < 0.5:
        session.ask("textDocument/hover", textDocument={"uri": uri}, position=place)
        return
    said = list(session.said.get(uri, {}).get("diagnostics", []))
    odd = {"range": {"start": place, "end": place}, "message": "", "source": "jaxlint"}
    said.append({**odd, "code": chance.choice(["JXL101", "JXL001", 5, ""])})
    for each in said:
        each["data"] = chance.choice(_DATA)
    span = {"start": {"line": 0, "character": 0}, "end": place}
    context = {"diagnostics": said}
    session.ask("textDocument/codeAction", textDocument={"uri": uri}, range=span, context=context)


def _notebook(chance: random.Random, session: Session, folder: Path, texts: Iterator[str]) -> None:
    uri = f"{folder.as_uri()}/{chance.randrange(10**9)}.ipynb"
    sources = list(islice(texts, chance.randrange(4)))
    cells = [{"kind": chance.choice([1, 2]), "document": f"{uri}#{n}"} for n in range(len(sources))]
    items = [
        {"uri": f"{uri}#{number}", "languageId": "python", "version": 1, "text": text}
        for number, text in enumerate(sources)
    ]
    document = {"uri": uri, "notebookType": "jupyter-notebook", "version": 1, "cells": cells}
    session.notify(
        "notebookDocument/didOpen", notebookDocument=document, cellTextDocuments=items
    )  # fmt: skip
    if chance.random() < 0.5:
        named = [{"uri": item["uri"]} for item in items]
        session.notify(
            "notebookDocument/didClose", notebookDocument={"uri": uri}, cellTextDocuments=named
        )  # fmt: skip


def _settings(chance: random.Random, session: Session, folder: Path, texts: Iterator[str]) -> None:
    session.notify("workspace/didChangeConfiguration", settings=chance.choice([None, {}, 5]))
    name = chance.choice(["pyproject.toml", "0_hunted.py", "x"])
    changes = [{"uri": f"{folder.as_uri()}/{name}", "type": chance.choice([1, 2, 3])}]
    session.notify("workspace/didChangeWatchedFiles", changes=changes)


def _garbage(chance: random.Random, session: Session, folder: Path, texts: Iterator[str]) -> None:
    session.send(chance.choice(_GARBAGE))


_Kind = Callable[[random.Random, Session, Path, Iterator[str]], None]
_KINDS: list[_Kind] = [
    _open, _open, _edit, _edit, _edit, _edit, _edit, _close, _question, _question, _notebook,
    _settings, _garbage,
]  # fmt: skip
