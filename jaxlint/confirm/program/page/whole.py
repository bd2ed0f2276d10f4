"""The whole page, and what stands at its head. Nothing is loaded from anywhere."""

from __future__ import annotations

import base64
import hashlib
import platform
import shlex
from collections.abc import Iterator
from html import escape
from pathlib import Path

import jaxlint
from jaxlint.confirm.places import shown
from jaxlint.confirm.program.function_costs import seconds_again
from jaxlint.confirm.program.page.explanations import explanations
from jaxlint.confirm.program.page.functions import functions
from jaxlint.confirm.program.page.markup import (
    MISSED,
    VERDICTS,
    code,
    icon,
    seconds,
    shapes,
    slug_of,
    times,
)
from jaxlint.confirm.program.page.members import members
from jaxlint.confirm.program.page.ranked_list import ranked_list
from jaxlint.confirm.program.page.sources import sources
from jaxlint.confirm.program.report import Report
from jaxlint.confirm.program.verdicts import OUTCOMES


def as_page(report: Report) -> str:
    """The whole page."""
    assets = Path(__file__).parent
    style = assets.joinpath("page.css").read_text("utf-8")
    script = assets.joinpath("page.js").read_text("utf-8")
    body = [
        shapes(), *_header(report), "<main>", *_cards(report), *_remarks(report),
        *ranked_list(report), *members(report), *sources(report), *functions(report),
        *_expected(report),
        *explanations(report), "</main>",
    ]  # fmt: skip
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>jaxlint confirm: {escape(shlex.join(report.ending.command))}</title>\n"
        f"<style>\n{style}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + f"\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _policy(script: str) -> str:
    """What a browser may do with the page: show it and run this script, whatever else it holds."""
    digest = base64.b64encode(hashlib.sha256(f"\n{script}".encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _header(report: Report) -> Iterator[str]:
    ending, processes = report.ending, report.processes_with_jax
    again = seconds_again(report.observation.work)
    pythons = ", ".join(sorted({process.python for process in processes}))
    number = len(report.observation.processes)
    counted = f"{number} {'process' if number == 1 else 'processes'}, {len(processes)} with jax"
    code = "none: not all had ended" if report.exit_code is None else str(report.exit_code)
    facts = {
        "exit code": code if not ending.code else f"{code}: the command failed",
        "took": f"{ending.seconds:.1f} s"
        + (f", {seconds(again)} of it tracing and compiling again" if again else ""),
        "date": report.date,
        "commit": report.commit or "none: not in a git repository",
        "device": report.devices or "none: nothing was computed",
        "jax": report.jax or "never imported",
        "python": f"{pythons or platform.python_version()}, {counted}",
        "jaxlint": jaxlint.__version__,
    }
    yield "<header><h1>jaxlint confirm</h1>"
    yield f"<p class=command><code>$ {escape(shlex.join(ending.command))}</code></p>"
    rows = "".join(f"<div><dt>{name}<dd>{escape(fact)}</div>" for name, fact in facts.items())
    yield f"<dl class=facts>{rows}</dl></header>"


def _cards(report: Report) -> Iterator[str]:
    counts = {slug_of(name): report.counts[name] for name in OUTCOMES}
    counts[MISSED] = len(report.missed)
    yield "<section class=cards aria-label='Verdicts'>"
    for slug, number in counts.items():
        name, meaning = VERDICTS[slug]
        yield (
            f"<button class='card {slug}' data-filter={slug} aria-pressed=true>"
            f"<b>{icon(slug)}{number}</b><span>{name}</span><small>{meaning}</small></button>"
        )
    yield "</section>"


def _remarks(report: Report) -> Iterator[str]:
    yield from (f"<p class=remark>{code(remark)}</p>" for remark in report.remarks)


def _expected(report: Report) -> Iterator[str]:
    """What JAX did where tests or handlers wanted it, folded."""
    if not report.expected:
        return
    heading = f"{times(len(report.expected), 'event')} where no finding was to be expected"
    yield f"<section><details class=more><summary>{heading}</summary><ul>"
    for surprise in report.expected:
        at, why = surprise.at, escape(surprise.expected)
        yield f"<li>{escape(shown(at.file))}:{at.line} {escape(surprise.text)} <em>{why}</em></li>"
    yield "</ul></details></section>"
