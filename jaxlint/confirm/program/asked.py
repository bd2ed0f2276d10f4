"""What the user asks of a run."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.config import Options


@dataclass(frozen=True, slots=True)
class Asked:
    """What holds for every run of the command.

    Attributes:
        command: program and arguments.
        options: which rules speak, and mend.
        retraces: functions with more repeated traces than this are reported.
        platform: value for ``JAX_PLATFORMS``; as it is when empty.
    """

    command: list[str]
    options: Options
    retraces: int
    platform: str
