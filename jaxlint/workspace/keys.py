"""The keys of ``[tool.jaxlint]``: what each takes, what holds without it, and what it means."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.pages import SITE


@dataclass(frozen=True)
class Key:
    """One key.

    Attributes:
        field: of the options or settings that it fills.
        kind: of value that it takes, one of :data:`KINDS`.
        default: what holds when nobody says, as TOML; or in words.
        example: a line of TOML.
        brief: what it is for, in a few words.
        means: the same for somebody who has not used it yet.
        rules: codes that it steers, or their beginnings, besides whether they are reported.
    """

    field: str
    kind: str
    default: str
    example: str
    brief: str
    means: str
    rules: tuple[str, ...] = ()


KINDS = {
    "codes": "list of codes",
    "table of codes": "table: pattern = list of codes",
    "version": "string, a range of versions",
    "patterns": "list of patterns of file names",
    "names": "list of full names of functions",
    "folders": "list of folders",
    "number": "number",
    "flag": "true or false",
    "exclusions": "list of patterns, as in .gitignore",
    "text": "string, a file",
    "address": "string, an address of the web",
}
"""Kind of value -> what it is, in words."""

KEYS: dict[str, Key] = {
    "select": Key(
        "select", "codes", "every rule that is on by default", 'select = ["JXL1", "JXL401"]',
        "the only rules that speak",
        "Codes, beginnings of codes, names of rules, or ALL. Where several fit, the longest "
        "decides. An empty list selects nothing.",
    ),
    "extend-select": Key(
        "extend_select", "codes", "[]", 'extend-select = ["JXL502"]',
        "rules that speak besides",
        "A code in full, or a name, turns on a rule that is off by default.",
    ),
    "ignore": Key(
        "ignore", "codes", "[]", 'ignore = ["JXL6"]', "rules that do not speak",
        "Wins over `select` where both fit equally well.",
    ),
    "enable": Key(
        "enable", "codes", "[]", 'enable = ["JXL5"]', "rules that are off by default and wanted",
        "Unlike `extend-select` it also takes the beginning of a code.",
    ),
    "per-file-ignores": Key(
        "per_file_ignores", "table of codes", "{}",
        'per-file-ignores = { "scripts/*" = ["JXL301"] }', "rules that do not speak in some files",
        "The patterns fit paths from the folder of pyproject.toml, or names of files alone.",
    ),
    "exclude": Key(
        "exclude", "exclusions", "[]", 'exclude = ["generated/"]', "files and folders left out",
        "Patterns as in .gitignore, from the folder of pyproject.toml. A file that is named on "
        "the command line is linted all the same, unless --force-exclude is given. Hidden "
        "folders, __pycache__, build, dist, node_modules, site-packages and venv are always "
        "left out.",
    ),
    "respect-gitignore": Key(
        "respect_gitignore", "flag", "true", "respect-gitignore = false",
        "leave out what git ignores", "Files that are named on the command line are linted.",
    ),
    "jax": Key(
        "jax", "version", "what your project requires", 'jax = ">=0.4.30,<0.7"',
        "the releases of JAX that the code runs on",
        "Decides which removed names are reported. Without it, jaxlint reads what pyproject.toml, "
        "setup.cfg, requirements.txt and their like ask for.",
        ("JXL123", "JXL601", "JXL602"),
    ),
    "jit-wrappers": Key(
        "jit_wrappers", "names", "[]", 'jit-wrappers = ["mylib.my_jit"]',
        "functions of your own that compile as jax.jit does", "Full dotted names.",
    ),
    "traced-callables": Key(
        "traced_callables", "names", "[]", 'traced-callables = ["mylib.solve"]',
        "functions of your own that trace the functions they are given", "Full dotted names.",
    ),
    "src": Key(
        "src", "folders", "found by jaxlint", 'src = ["src", "lib"]',
        "where the modules of your project lie",
        "From the folder of pyproject.toml. Without it, modules are looked for from the file "
        "upwards to the top of its project, also in src/.",
    ),
    "test-patterns": Key(
        "test_patterns", "patterns",
        '["test_*.py", "*_test.py", "conftest.py", "test.py", "tests.py"]',
        'test-patterns = ["check_*.py"]', "names of test files",
        "Rules about cost and about effects while tracing stay silent there.",
    ),
    "unroll": Key(
        "unroll", "number", "100", "unroll = 20",
        "iterations of a Python loop from which on JXL206 speaks", "The loop is in traced code.",
        ("JXL206",),
    ),
    "max-file-size": Key(
        "max_file_size", "number", "1_000_000", "max-file-size = 200_000",
        "characters of the largest file that is linted",
        "The syntax tree of a file takes about a thousand times as many bytes.",
    ),
    "fixable": Key(
        "fixable", "codes", '["ALL"]', 'fixable = ["JXL1"]', "what --fix may mend",
        "Codes, or beginnings of codes; the longest that fits decides.",
    ),
    "unfixable": Key(
        "unfixable", "codes", "[]", 'unfixable = ["JXL602"]', "what --fix may not mend",
        "It is reported, and left as it is.",
    ),
    "unsafe-fixes": Key(
        "unsafe_fixes", "flag", "false", "unsafe-fixes = true",
        "let --fix do what a person should look at",
        "Such a fix may change what the code means. --no-unsafe-fixes leaves them out again.",
    ),
    "unused-noqa": Key(
        "unused_noqa", "flag", "false", "unused-noqa = true",
        "report noqa comments that silence nothing", "As JXL001, for codes of jaxlint alone.",
    ),
    "baseline": Key(
        "baseline", "text", "none", 'baseline = "jaxlint-baseline.json"',
        "a file of old findings that are not reported",
        "Written by jaxlint check --write-baseline FILE.",
    ),
    "docs-url": Key(
        "docs_url", "address", f'"{SITE}"', 'docs-url = "https://docs.example.org/jaxlint/"',
        "the site that the links of codes lead to",
        "In JSON, SARIF, rdjson, editors and terminals. For a copy of these pages of your own, "
        'made by make docs; "" makes no links, and editors open the page as a file.',
    ),
}  # fmt: skip
"""Name of a key -> the key, in the order in which people need them."""
