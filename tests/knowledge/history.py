"""Reads which public names each release of JAX has, and writes when they went.

    python -m tests.knowledge.history FOLDER

``FOLDER`` has one folder for each version, with that release's ``jax`` package in it
(``pip download --no-deps jax==VERSION``, unpacked). Nothing of it is imported: names and the
``_deprecations`` tables are read from the source. Writes ``jaxlint/knowledge/history.json``.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[2] / "jaxlint" / "knowledge" / "history.json"
Names = dict[str, str | None]
"""Qualified name -> None, or the message of its deprecation; ``gone:`` begins a removal."""


def version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def modules_of(package: Path) -> dict[str, Path]:
    """Public modules of a release by dotted name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = list(path.relative_to(package.parent).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        private = any(part.startswith("_") for part in parts[1:])
        if not private and "tools" not in parts and "collect_profile" not in parts:
            found[".".join(parts)] = path
    return found


def names_in(module: str, path: Path) -> Names:
    """The public names that a module's source binds, and what it says of deprecated ones."""
    found: Names = {}
    for node in ast.parse(path.read_text("utf-8")).body:
        for statement in _flat(node):
            _bind(module, statement, found)
    return found


def _flat(node: ast.stmt) -> list[ast.stmt]:
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return [inner for statement in node.orelse for inner in _flat(statement)]
    if isinstance(node, ast.If):
        return [inner for part in (node.body, node.orelse) for s in part for inner in _flat(s)]
    if isinstance(node, ast.Try):
        return [inner for statement in node.body for inner in _flat(statement)]
    return [node]


def _bind(module: str, node: ast.stmt, found: Names) -> None:
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            name = alias.asname or alias.name
            local = node.level > 0 or (node.module or "").startswith("jax")
            local = local or alias.asname == alias.name
            if local and not name.startswith("_") and name != "*":
                found.setdefault(f"{module}.{name}", None)
    elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        if not node.name.startswith("_"):
            found.setdefault(f"{module}.{node.name}", None)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                if target.id == "_deprecations" and isinstance(node.value, ast.Dict):
                    _deprecations(module, node.value, found)
                elif not target.id.startswith("_"):
                    found.setdefault(f"{module}.{target.id}", None)


def _deprecations(module: str, table: ast.Dict, found: Names) -> None:
    for key, value in zip(table.keys, table.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(value, ast.Tuple):
            continue
        message, function = value.elts[0], value.elts[1]
        text = message.value if isinstance(message, ast.Constant) else ""
        text = " ".join(str(text).split())
        gone = isinstance(function, ast.Constant) and function.value is None
        found[f"{module}.{key.value}"] = ("gone: " if gone else "") + text


def release(folder: Path) -> Names:
    """Every public name of one release."""
    names: Names = {}
    for module, path in modules_of(folder / "jax").items():
        parent = module.rpartition(".")[0]
        if parent:
            names[module] = None
        names.update(names_in(module, path))
    return names


def history(releases: dict[str, Names]) -> dict[str, Any]:
    """Names that the newest release lacks or deprecates: since when, and what JAX says."""
    versions = sorted(releases, key=version_key)
    newest = releases[versions[-1]]
    rows: dict[str, Any] = {}
    for name in sorted({name for names in releases.values() for name in names}):
        if not _is_public(name):
            continue
        now = newest.get(name, "gone: ") if name in newest else "gone: "
        if now is None:
            continue
        row = _row(name, versions, releases)
        # What goes with its module needs no row of its own.
        above = rows.get(name.rpartition(".")[0], {})
        if row is not None and not ("removed" in above and "says" not in row):
            rows[name] = row
    return {"versions": [versions[0], versions[-1]], "names": rows}


def _is_public(name: str) -> bool:
    """Whether users import it: not what the modules of ``experimental`` import themselves."""
    if name in UNSURE:
        return False
    parts = name.split(".")
    if len(parts) == 2:
        return True
    if parts[1] == "experimental":
        return len(parts) == 3 or name in EXPERIMENTAL
    return parts[1] in PUBLIC and len(parts) <= 4


UNSURE = frozenset({"jax.custom_remat"})
"""Names whose source and behaviour disagree in some release."""

EXPERIMENTAL = frozenset(
    {"jax.experimental.pjit.pjit", "jax.experimental.shard_map.shard_map",
     "jax.experimental.maps.xmap", "jax.experimental.maps.Mesh",
     "jax.experimental.pjit.with_sharding_constraint", "jax.experimental.pjit.PartitionSpec"}
)  # fmt: skip
PUBLIC = frozenset(
    {"numpy", "lax", "random", "nn", "ops", "scipy", "tree_util", "tree", "core", "lib",
     "interpreters", "sharding", "util", "linear_util", "config", "dtypes", "errors", "prng",
     "image", "profiler", "distributed", "monitoring", "stages", "api_util", "custom_derivatives"}
)  # fmt: skip


def _row(name: str, versions: list[str], releases: dict[str, Names]) -> dict[str, str] | None:
    seen = [v for v in versions if _alive(releases[v], name)]
    if not seen:
        return None
    row: dict[str, str] = {}
    deprecated = [v for v in versions if releases[v].get(name) is not None]
    after = [v for v in versions if version_key(v) > version_key(seen[-1])]
    if after:
        row["removed"] = after[0]
    alive = [v for v in deprecated if v in seen]
    if alive:
        row["deprecated"] = alive[0]
    messages = [releases[v][name] for v in deprecated]
    if messages:
        row["says"] = str(messages[-1]).removeprefix("gone: ")
    return row if row else None


def _alive(names: Names, name: str) -> bool:
    return name in names and not str(names[name]).startswith("gone: ")


def main() -> None:
    folders = [path for path in Path(sys.argv[1]).iterdir() if (path / "jax").is_dir()]
    releases = {path.name: release(path) for path in folders if path.name[:2] in ("0.",)}
    releases = {v: names for v, names in releases.items() if version_key(v) >= (0, 4, 1)}
    found = history(releases)
    lines = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in found["names"].items()]
    text = f'{{"versions": {json.dumps(found["versions"])}, "names": {{\n'
    TARGET.write_text(text + ",\n".join(lines) + "\n}}\n", "utf-8")
    print(f"{len(releases)} releases, {len(lines)} names", file=sys.stderr)


if __name__ == "__main__":
    main()
