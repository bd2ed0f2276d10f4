"""The command; see the package for what it does."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from jaxlint.pages import SITE
from tools.site.built import problems
from tools.site.pages import write_pages
from tools.site.pictures import take_pictures
from tools.site.transcripts import rewrite


def main() -> int:
    """Do what the command line says; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.site", description="The site.")
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write", help="the pages as Markdown")
    write.add_argument("folder", type=Path)
    check = commands.add_parser("check", help="whether each link of the built site leads somewhere")
    check.add_argument("folder", type=Path)
    commands.add_parser("address", help="where the site is to be published")
    commands.add_parser("transcripts", help="write again what the documents show of jaxlint")
    commands.add_parser("pictures", help="take the pictures again; needs JAX and Chromium")
    given = parser.parse_args()
    if given.command == "write":
        write_pages(given.folder)
    elif given.command == "address":
        print(SITE)
    elif given.command == "transcripts":
        print("\n".join(rewrite()) or "nothing has changed")
    elif given.command == "pictures":
        take_pictures()
    else:
        found = problems(given.folder)
        print("\n".join(found) or "each link leads somewhere")
        return 1 if found else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
