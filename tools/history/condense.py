"""Makes one history of what all releases answered.

The file is an object with ``releases``, the oldest first, to which all numbers in it are
positions; ``unasked``, names of modules that were not looked into; and ``modules``: dotted name ->
a row. A module's row has ``plain``, the names of which
there is nothing more to say, and ``names``, the rows of the others. A row, of a module or a name,
may have:

``there``
    Pairs: the release in which it came, and the one in which it was gone. Absent when that is
    as long as there was its module (for a module: from the first release to the newest).
``takes``
    The signature, or pairs of a release and the signature from then on; empty for "cannot tell".
``deprecated``, ``says``
    The release from which on JAX warned of it, and JAX's own words, the last of them.
``unsure``
    Of a module: some release's could not be read, or its name in the package above is, in some
    release, a function or an object. That a name is not in it says nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tools.history.environments import version_key
from tools.history.inventory import NOT_API

TARGET = Path(__file__).parents[2] / "jaxlint" / "knowledge" / "history.json"

BINDINGS = ("jax.extend.mlir", "jax.experimental.mosaic")
"""Modules of names that are generated from MLIR's: thousands, and of no use to users of JAX."""

Answer = dict[str, str]
Row = dict[str, Any]
Spans = list[list[int]]


def condense(found: dict[str, Any]) -> dict[str, Any]:
    """The history of all releases: version -> what ``inventory.py`` wrote there."""
    releases = sorted(found, key=version_key)
    inventories = [found[release] for release in releases]
    modules = sorted({m for each in inventories for m in [*each["modules"], *each["unread"]]})
    return {
        "releases": releases,
        "unasked": sorted(NOT_API),
        "modules": {module: _module(module, inventories) for module in modules},
    }


def _module(module: str, inventories: list[dict[str, Any]]) -> Row:
    known = [module in each["modules"] or module in each["unread"] for each in inventories]
    spans = _spans(known)
    row: Row = {} if spans == [[0, len(inventories)]] else {"there": _open(spans, inventories)}
    above, _, short = module.rpartition(".")
    if any(
        module in each["unread"]
        or each["modules"].get(above, {}).get(short, {}).get("kind") == "name"
        for each in inventories
    ):
        row["unsure"] = True
    row |= _gone(module, inventories)
    names: dict[str, Row] = {}
    if module.startswith(BINDINGS):
        return {**row, "unsure": True, "plain": "", "names": {}}
    for name in sorted({n for each in inventories for n in each["modules"].get(module, ())}):
        names[name] = _name(module, name, inventories, spans)
    row |= _all_warned(names, spans)
    row["plain"] = " ".join(name for name, each in names.items() if not each)
    row["names"] = {name: each for name, each in names.items() if each}
    return row


def _all_warned(names: dict[str, Row], spans: Spans) -> Row:
    """Since when a module is deprecated whose names, each of those that it had last, warn."""
    end = spans[-1][1]
    last = [
        each for each in names.values() if "there" not in each or each["there"][-1][1:] == [end]
    ]
    warned = [each["deprecated"] for each in last if "deprecated" in each]
    return {"deprecated": min(warned)} if warned and len(warned) == len(last) else {}


def _name(module: str, name: str, inventories: list[dict[str, Any]], above: Spans) -> Row:
    answers = _answers(module, name, inventories)
    row: Row = {}
    spans = _spans([answer is not None for answer in answers])
    if spans != above:
        row["there"] = _open(spans, inventories)
    row |= _takes(answers)
    row |= _warned(answers)
    row |= _gone(f"{module}.{name}", inventories)
    return row


def _answers(module: str, name: str, inventories: list[dict[str, Any]]) -> list[Answer | None]:
    """What each release said; where its module could not be read, what the next one before
    said that could, or else the first one after.
    """
    said = [
        None if module in each["unread"] else (_answer(module, name, each),) for each in inventories
    ]
    last = next((answer for answer in said if answer is not None), (None,))
    answers = []
    for answer in said:
        last = last if answer is None else answer
        answers.append(last[0])
    return answers


def _answer(module: str, name: str, each: dict[str, Any]) -> Answer | None:
    # A module that could not be read is there all the same.
    there = {"kind": "module"} if f"{module}.{name}" in each["unread"] else None
    found: Answer | None = each["modules"].get(module, {}).get(name, there)
    return found


def _spans(there: list[bool]) -> Spans:
    spans: Spans = []
    for position, now in enumerate(there):
        if now and spans and spans[-1][1] == position:
            spans[-1][1] += 1
        elif now:
            spans.append([position, position + 1])
    return spans


def _open(spans: Spans, inventories: list[Any]) -> Spans:
    """The same without the end of what is still there."""
    return [span[:1] if span[1] == len(inventories) else span for span in spans]


def _takes(answers: list[Answer | None]) -> Row:
    changes: list[list[Any]] = []
    for position, answer in enumerate(answers):
        if answer is None:
            continue
        takes = answer.get("takes", "")
        if not changes or changes[-1][1] != takes:
            changes.append([position, takes])
    if len(changes) == 1:
        return {"takes": changes[0][1]} if changes[0][1] else {}
    return {"takes": changes} if changes else {}


def _warned(answers: list[Answer | None]) -> Row:
    """Since when it warns, to the end; nothing when it does so no longer."""
    there = [(position, answer) for position, answer in enumerate(answers) if answer is not None]
    row: Row = {}
    for position, answer in reversed(there):
        if "warns" not in answer:
            break
        row["deprecated"] = position
        row.setdefault("says", answer["warns"])
    return row


def _gone(name: str, inventories: list[dict[str, Any]]) -> Row:
    messages = [each["gone"][name] for each in inventories if name in each["gone"]]
    return {"says": messages[-1]} if messages else {}


def written(history: dict[str, Any]) -> str:
    """The text of the file: a line for each name, so that a difference can be read."""
    lines = [f'{{"releases": {json.dumps(history["releases"])},']
    lines += [f'"unasked": {json.dumps(history["unasked"])},', '"modules": {']
    modules = []
    for module, row in history["modules"].items():
        names = [f"  {json.dumps(name)}: {_compact(each)}" for name, each in row["names"].items()]
        rest = _compact({key: value for key, value in row.items() if key != "names"})
        inner = "{\n" + ",\n".join(names) + "}" if names else "{}"
        modules.append(f' {json.dumps(module)}: {rest[:-1]},"names":{inner}}}')
    return "\n".join([*lines, ",\n".join(modules), "}}\n"])


def _compact(row: Row) -> str:
    return json.dumps(row, separators=(",", ":"))
