"""``jaxlint server``: the language server, over standard input and output."""

from __future__ import annotations

import argparse

from jaxlint.frontends.complaints import fail
from jaxlint.frontends.parser import Parser


def make_parser() -> Parser:
    """What reads the options."""
    parser = Parser(
        "jaxlint server",
        "The language server for editors. It speaks over standard input and output.",
    )
    parser.add_argument("--stdio", action="store_true", help="(always)")
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    try:
        from jaxlint.frontends.server.server import serve
    except ImportError as error:
        return fail(f"no {error.name} here; install it: pip install 'flake8-jaxlint[server]'")
    return serve()
