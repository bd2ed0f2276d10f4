"""The pages of settings and of the command line, made from what reads them."""

from __future__ import annotations

import re
from argparse import RawDescriptionHelpFormatter
from functools import partial
from unittest.mock import Mock

from jaxlint.frontends.command_line import help_text
from jaxlint.frontends.commands import COMMANDS, Command
from jaxlint.frontends.flake8_plugin import Plugin
from jaxlint.workspace.keys import KEYS, KINDS, Key
from tools.site.markdown import fenced, table

_WIDTH = 88
_ABOUT_FLAKE8 = """\
flake8 has `select`, `ignore`, `per-file-ignores` and `exclude` of its own; the others are options
of its configuration too, with the names above.

```ini
[flake8]
jaxlint-enable = JXL502,JXL603
jaxlint-jax = >=0.4.30,<0.7
jaxlint-jit-wrappers = mylib.my_jit
jaxlint-traced-callables = mylib.solve
jaxlint-src = ./src,./lib
jaxlint-test-patterns = test_*.py
jaxlint-unroll = 100
jaxlint-max-file-size = 1000000
jaxlint-unused-noqa = true
```
"""


def reference_pages() -> dict[str, str]:
    """Path in the site -> Markdown."""
    return {"settings.md": _settings(), "commands.md": _commands()}


def flake8_options() -> frozenset[str]:
    """The options that the plugin adds to flake8, without ``--``."""
    manager = Mock()
    Plugin.add_options(manager)
    return frozenset(call.args[0].removeprefix("--") for call in manager.add_option.call_args_list)


def _settings() -> str:
    options = set(COMMANDS["check"].parser().option_names)
    rows = [(f"[`{name}`](#{name})", key.brief) for name, key in KEYS.items()]
    return (
        "# Settings\n\nKeys of `[tool.jaxlint]` in the nearest `pyproject.toml` above a file, for "
        "the command and the language server. An unknown key is refused. `jaxlint config KEY` "
        "explains one in the terminal; `jaxlint check --show-settings FILE` prints what holds for "
        "a file, and where it comes from.\n\n"
        "The command line wins: `--select` holds in place of all that the settings say of codes. "
        "What the settings of an editor say, with the same keys, wins too.\n\n"
        + table(("key", "what it is for"), rows)
        + "\n"
        + "".join(_key(name, key, options) for name, key in KEYS.items())
        + f"## All at once\n\n{fenced(_together(), 'toml')}\n"
        + f"## flake8\n\n{_ABOUT_FLAKE8}"
    )


def _together() -> str:
    """Every key in one table, as an example."""
    return "\n".join(["[tool.jaxlint]", *(key.example for key in KEYS.values())])


def _key(name: str, key: Key, options: set[str]) -> str:
    rows = [("type", KINDS[key.kind]), ("default", f"`{key.default}`")]
    if f"--{name}" in options:
        rows.append(("command line", f"`--{name}`"))
    if f"jaxlint-{name}" in flake8_options():
        rows.append(("flake8", f"`jaxlint-{name}`"))
    means = re.sub(r"(?<!`)(--[a-z-]+[a-z])", r"`\1`", key.means)
    return (
        f"## {name}\n\n{key.brief[:1].upper()}{key.brief[1:]}. {means}\n\n"
        f"{table(('', ''), rows)}\n{fenced(f'[tool.jaxlint]{chr(10)}{key.example}', 'toml')}\n"
    )


def _commands() -> str:
    parts = [
        "# Command line\n\nExit codes: 0 nothing found, 1 something found, 2 wrong use, or jaxlint "
        "itself failed; `jaxlint confirm PATHS -- COMMAND` ends with the command's own.\n",
        fenced(help_text(), "text"),
        *(f"## jaxlint {each.name}\n\n{fenced(_help(each), 'text')}" for each in COMMANDS.values()),
    ]
    return "\n".join(parts)


def _help(command: Command) -> str:
    """The help of a command, as wide as the site has room for."""
    parser = command.parser()
    parser.formatter_class = partial(RawDescriptionHelpFormatter, width=_WIDTH)
    return parser.format_help()
