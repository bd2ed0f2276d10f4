"""``jaxlint completion``: what a shell needs to complete commands and options."""

from __future__ import annotations

import argparse
import shlex
import sys

from jaxlint.frontends.commands import COMMANDS
from jaxlint.frontends.complaints import fail
from jaxlint.frontends.parser import Parser
from jaxlint.frontends.streams import write

SHELLS = ("bash", "zsh", "fish")


def make_parser() -> Parser:
    """What reads the options."""
    parser = Parser(
        "jaxlint completion",
        "Prints a script that completes commands, options and their values.",
        epilog='bash: eval "$(jaxlint completion bash)" in ~/.bashrc\n'
        'zsh:  eval "$(jaxlint completion zsh)" in ~/.zshrc, below compinit\n'
        "fish: jaxlint completion fish > ~/.config/fish/completions/jaxlint.fish",
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code."""
    text = _fish() if arguments.shell == "fish" else _bash(arguments.shell == "zsh")
    problem = write(text, sys.stdout)
    return fail(f"cannot write: {problem}") if problem else 0


def _choices(parser: Parser) -> dict[str, list[str]]:
    """Option, long or short -> the values it takes, where they are few."""
    return {
        name: list(map(str, action.choices))
        for action in parser._actions
        if action.choices
        for name in action.option_strings or [""]
    }


_BASH = """\
_jaxlint() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words={commands}
    else
        case "${{COMP_WORDS[1]}} $before" in
{values}
            *)
                case "${{COMP_WORDS[1]}}" in
{options}
                esac
                ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _jaxlint jaxlint
"""


def _bash(zsh: bool) -> str:
    values, options = [], []
    for name, command in COMMANDS.items():
        parser = command.parser()
        words = [*parser.option_names, *_choices(parser).get("", [])]
        options.append(f"                    {name}) words={shlex.quote(' '.join(words))} ;;")
        values += [
            f"            {shlex.quote(f'{name} {option}')}) words={shlex.quote(' '.join(of))} ;;"
            for option, of in _choices(parser).items()
            if option
        ]
    script = _BASH.format(
        commands=shlex.quote(" ".join(COMMANDS)), values="\n".join(values),
        options="\n".join(options),
    )  # fmt: skip
    return f"autoload -U +X bashcompinit && bashcompinit\n{script}" if zsh else script


def _fish() -> str:
    lines = []
    for name, command in COMMANDS.items():
        lines.append(
            f"complete -c jaxlint -n __fish_use_subcommand -a {name} -d {_quoted(command.summary)}"
        )
        parser = command.parser()
        for action in parser._actions:
            of = " ".join(map(str, action.choices or ()))
            if not action.option_strings and not of:
                continue
            names = [
                f"-l {each[2:]}" if each.startswith("--") else f"-s {each[1:]}"
                for each in action.option_strings
            ]
            takes = [f"-x -a {_quoted(of)}"] if of else ["-r"] if action.nargs != 0 else []
            about = [f"-d {_quoted(action.help % vars(action))}"] if action.help else []
            words = [*names, *takes, *about]
            when = f"-n {_quoted(f'__fish_seen_subcommand_from {name}')}"
            lines.append(f"complete -c jaxlint {when} {' '.join(words)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
