"""What real JAX said of the rules, by release and by platform, as tables."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jaxlint.knowledge.releases import asked, not_confirmed, releases
from jaxlint.rules.rule import Rule
from tools.site.markdown import folded, table

EVIDENCE = Path(__file__).parents[2] / "docs" / "evidence"
PLATFORMS = ("cpu", "gpu", "tpu")


@cache
def collected(platform: str) -> dict[str, Any] | None:
    """The evidence of a platform; None when it was not run there."""
    path = EVIDENCE / f"{platform}.json"
    if not path.exists():
        return None
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def by_platform(rule: Rule) -> str:
    """The fixtures of a rule on each platform: what was to be seen, and what was."""
    rows, details = [], ""
    for platform in PLATFORMS:
        evidence = collected(platform)
        verdicts = [v for v in (evidence or {}).get("verdicts", []) if v["rule"] == rule.code]
        if evidence is None or not verdicts:
            rows.append((platform.upper(), "", "not run yet"))
            continue
        confirmed = sum(verdict["outcome"] == "confirmed" for verdict in verdicts)
        jax = evidence["environment"]["jax"]
        rows.append((platform.upper(), jax, f"{confirmed} of {len(verdicts)}"))
        seen = table(("fixture", "what JAX showed", "verdict"), map(_fixture, verdicts))
        details += folded(f"Fixture by fixture, {platform.upper()}, jax {jax}", seen) + "\n"
    return table(("platform", "jax", "fixtures confirmed"), rows) + "\n" + details


def _fixture(verdict: dict[str, Any]) -> tuple[str, str, str]:
    observed = verdict["observed"].replace("<", "&lt;").replace("\n", " ")
    return f"`{verdict['fixture'].split('/')[-1]}`", observed, verdict["outcome"]


def by_release(rule: Rule) -> str:
    """The fixtures of a rule on each release of JAX that was asked."""
    rows = []
    for release in releases():
        count = asked(rule.code, release)
        missing = not_confirmed(rule.code, release)
        what = f"{count - len(missing)} of {count}" if count else "not run"
        rows.append((release, what, ", ".join(f"`{name}`" for name in missing)))
    return table(("jax", "fixtures confirmed", "not confirmed there"), rows)


def overview() -> str:
    """Each platform, and what was run there."""
    rows = []
    for platform in PLATFORMS:
        evidence = collected(platform)
        if evidence is None:
            rows.append((platform.upper(), "", "not run yet"))
            continue
        verdicts, environment = evidence["verdicts"], evidence["environment"]
        confirmed = sum(verdict["outcome"] == "confirmed" for verdict in verdicts)
        where = f"jax {environment['jax']}, Python {environment['python']}"
        rows.append((platform.upper(), where, f"{confirmed} of {len(verdicts)} fixtures confirmed"))
    return table(("platform", "where", "what"), rows)
