"""What the user asks of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jaxlint.config import Options


@dataclass(frozen=True, slots=True)
class Asked:
    """What holds for every run of the command.

    Attributes:
        command: program and arguments.
        options: which rules speak, and mend.
        retraces: functions with more repeated traces than this are reported.
        platform: value for ``JAX_PLATFORMS``; as it is when empty.
        processes: how many processes of one cluster run the command together; 0: it runs alone.
        patience: seconds after which those are ended when all that still run wait for others; 0:
            never.
        collect: a folder in which the runs are kept; None: they are not.
    """

    command: list[str]
    options: Options
    retraces: int
    platform: str
    processes: int = 0
    patience: float = 0.0
    collect: Path | None = None
