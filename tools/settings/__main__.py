"""The command: see the package."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import tools.settings
from jaxlint.knowledge import settings
from tools.settings.programs import (
    CALLS,
    OPTIONS,
    STARTED,
    TEXTS,
    VARIABLES,
    Moment,
    Trial,
    outcome,
    program,
)

_VALUES = """\
import json, jax
plain = (bool, int, float, str, type(None))
values = jax.config.values.items()
print(json.dumps({name: value if type(value) in plain else repr(value) for name, value in values}))
"""

_MOMENTS: tuple[Moment, ...] = ("first", "imported", *STARTED)
_TOO_LATE: dict[Moment, settings.Deadline] = {
    "imported": "import", "named": "start", "started": "default"
}  # fmt: skip


def measured() -> dict[str, Any]:
    """What JAX reads when: the table."""
    release = outcome("import jax; print(jax.__version__)")
    with ThreadPoolExecutor(2) as pool:
        special = {
            title: dict(_read(trials, pool))
            for title, trials in (("variables", VARIABLES), ("options", OPTIONS), ("calls", CALLS))
        }
    special["variables"] = dict(sorted({**_of_options(), **special["variables"]}.items()))
    return {"jax": release, **special}


def _of_options() -> dict[str, str]:
    """The variables of the options of ``jax.config``, all at once: each option shows its own."""
    usual: dict[str, Any] = json.loads(outcome(_VALUES))
    changed = {name: _other(name, value) for name, value in usual.items()}
    change = "; ".join(
        f"os.environ[{name.upper()!r}] = {value!r}" for name, value in changed.items() if value
    )
    found: list[dict[str, Any]] = [
        json.loads(outcome(program(Trial(change, _VALUES), moment))) for moment in _MOMENTS[:2]
    ]
    return {
        name.upper(): "import"
        for name, value in usual.items()
        if found[0][name] != value and found[1][name] == value
    }


def _other(name: str, value: object) -> str:
    """Another value of an option, as a variable has it; empty when none is known."""
    if isinstance(value, bool):
        return str(int(not value))
    if isinstance(value, (int, float)):
        return str(value + 1)
    return TEXTS.get(name, "")


def _read(trials: dict[str, Trial], pool: ThreadPoolExecutor) -> Iterator[tuple[str, str]]:
    """Name -> the last moment before which it must be set; those that can be set any time are
    left out."""
    for name, last in zip(trials, pool.map(_last_moment, trials.values()), strict=True):
        if last:
            yield name, last


def _last_moment(trial: Trial) -> str:
    usual = outcome(program(trial, None))
    moments = _MOMENTS[_MOMENTS.index(trial.early) :]
    works = [_works(outcome(program(trial, moment)), usual, trial, moment) for moment in moments]
    if not works[0] or works[-1]:
        return ""  # Nothing shows it, or it always works.
    return _TOO_LATE[moments[works.index(False)]]


def _works(found: str, usual: str, trial: Trial, moment: Moment) -> bool:
    """Whether a change had an effect: a refusal of the change itself is none."""
    if moment in STARTED and found.startswith("raises"):
        return outcome(program(Trial(trial.change, "print()"), moment)) != found
    if trial in CALLS.values():
        return found == usual
    return found != usual


def differences(found: dict[str, Any], known: dict[str, Any]) -> Iterable[str]:
    """What another run says differently."""
    for title in ("variables", "options", "calls"):
        for name in sorted(found[title].keys() | known[title].keys()):
            one, other = found[title].get(name, "any time"), known[title].get(name, "any time")
            if one != other:
                yield f"{name}: {one}, and the table says {other}"


def main() -> int:
    """Measure; write the table, or compare with it."""
    parser = argparse.ArgumentParser(description=tools.settings.__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, print differences")
    arguments = parser.parse_args()
    found = measured()
    if arguments.check:
        wrong = list(differences(found, settings.table()))
        print("\n".join([*wrong, f"jax {found['jax']}: {len(wrong)} rows differ"]))
        return 1 if wrong else 0
    Path(settings.__file__).with_name("settings.json").write_text(
        json.dumps(found, indent=1) + "\n", "utf-8"
    )
    print(f"jax {found['jax']}: {', '.join(f'{len(found[t])} {t}' for t in list(found)[1:])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
