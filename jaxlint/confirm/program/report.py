"""All that there is to say about a run, for the three ways of saying it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from jaxlint.config import Options
from jaxlint.confirm.observation import Observation, Process
from jaxlint.confirm.program.candidates import occurrences
from jaxlint.confirm.program.commit import commit_of
from jaxlint.confirm.program.differences import Difference, differences
from jaxlint.confirm.program.excuses import Excuses
from jaxlint.confirm.program.function_costs import FunctionCost, function_costs
from jaxlint.confirm.program.linted import Linted
from jaxlint.confirm.program.ran import Ending, Member, Ran, names_of
from jaxlint.confirm.program.surprises import Surprise, surprises
from jaxlint.confirm.program.verdicts import OUTCOMES, Verdict, verdicts
from jaxlint.confirm.program.words import count

RAN_ELSEWHERE = "install the project editable, or lint the copy"
"""What to do when not the linted files were run but others that look like them."""


@dataclass(slots=True)
class Report:
    """A run and what is concluded from it.

    Attributes:
        ending: how the command ended.
        verdicts: one for each finding, in the order of files and lines.
        missed: what JAX did that should have been predicted.
        expected: what JAX did where no finding was to be expected, and why.
        costs: compiled functions, the user's own first, the most expensive first.
        remarks: what the user must know about the run itself, a line each.
        commit: of the project, as git names it, and whether files differ from it.
        members: what ran, one or several.
        differences: what the processes of a cluster did differently.
    """

    ending: Ending
    linted: Linted
    observation: Observation
    verdicts: list[Verdict]
    missed: list[Surprise]
    expected: list[Surprise]
    costs: list[FunctionCost]
    remarks: list[str] = field(default_factory=list)
    commit: str = ""
    members: list[Member] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """How many findings have each verdict."""
        counted: Counter[str] = Counter(verdict.outcome for verdict in self.verdicts)
        return {outcome: counted[outcome] for outcome in OUTCOMES}

    @property
    def exit_code(self) -> int | None:
        """Of the whole run; None when nothing failed, and not all of it had ended."""
        is_over = all(each.is_over for each in self.members)
        return self.ending.code if self.ending.code or is_over else None

    @property
    def processes_with_jax(self) -> list[Process]:
        """The processes that imported jax."""
        return [process for process in self.observation.processes if process.jax]

    @property
    def jax(self) -> str:
        """The releases of JAX that ran."""
        return ", ".join(sorted({process.jax for process in self.processes_with_jax}))

    @property
    def devices(self) -> str:
        """What JAX computed on; empty when nothing was computed."""
        most: Counter[str] = Counter()
        for process in self.processes_with_jax:
            most |= Counter(process.devices)
        return ", ".join(f"{n} x {kind}" if n > 1 else kind for kind, n in most.items())

    @property
    def date(self) -> str:
        """When the command began, in the time of the place."""
        return datetime.fromtimestamp(self.ending.began).astimezone().strftime("%Y-%m-%d %H:%M %z")


def conclude(
    ran: Ran, linted: Linted, options: Options, retraces: int,
    ran_elsewhere: str = RAN_ELSEWHERE,
) -> Report:  # fmt: skip
    """Judge the findings and look for what nobody predicted.

    Args:
        retraces: functions with more repeated traces than this are reported.
        ran_elsewhere: what follows when a copy of the linted files was run.
    """
    observation = ran.observation
    costs = function_costs(observation)
    excuses = Excuses(linted.texts, linted.given, options)
    for one in ran.observations:
        one.occurrences += occurrences(linted.candidates, one)
    found = [
        each
        for each in surprises(linted.findings, linted.names, observation, costs, excuses, retraces)
        if each.at.file in linted.files
    ]
    report = Report(
        ran.ending, linted, observation, verdicts(linted.findings, ran.members),
        [each for each in found if not each.expected], [each for each in found if each.expected],
        costs, commit=commit_of(Path.cwd()), members=ran.members,
        differences=list(differences(ran.members)),
    )  # fmt: skip
    report.remarks = list(_remarks(report, ran_elsewhere))
    return report


def _remarks(report: Report, ran_elsewhere: str) -> list[str]:
    observation = report.observation
    found = [report.ending.said] if report.ending.said else []
    if observation.gone:
        found.append("the folder of the run was deleted: what was observed is lost")
    elif not observation.processes and not all(each.is_over for each in report.members):
        found.append("nothing had been observed when this was written")
    elif not observation.processes:
        found.append(
            "the observer was not loaded: the command ran no Python (3.10 or later) that reads "
            "PYTHONPATH; tools that clean the environment must pass PYTHONPATH and "
            "JAXLINT_CONFIRM_RUN on, and python -I, -E and -S do not read it"
        )
    elif not report.processes_with_jax:
        lost = sum(not process.ended for process in observation.processes)
        but = f", or {count(lost, 'process')} could not say so to the end" if lost else ""
        found.append(f"jax was never imported{but}: nothing could be observed")
    if observation.unwritten:
        processes = count(observation.unwritten, "process")
        found.append(f"{processes} could not write what was observed: is the disk full?")
    if observation.strange:
        records = count(observation.strange, "record")
        found.append(f"{records} of the observer could not be read: did something write there?")
    found += _remarks_on_members(report)
    with_jax = report.processes_with_jax
    killed = [each for each in with_jax if each.counted and not each.ended and not each.stuck]
    if killed:
        numbers = ", ".join(str(process.pid) for process in killed[:5])
        found.append(
            f"{len(killed)} of {len(with_jax)} processes with jax did not come to their end "
            f"({numbers}): their counts may be too low"
        )
    for process in with_jax:
        if process.blind:
            found.append(f"process {process.pid}: lines were not seen: {process.blind}")
    copies = sorted(observation.copies.keys() & report.linted.files.keys() - observation.loaded)
    if copies:
        found.append(
            f"{len(copies)} linted files were not run but a copy elsewhere was, for example "
            f"{observation.copies[copies[0]]}: {ran_elsewhere}"
        )
    elif report.processes_with_jax and not observation.loaded & report.linted.files.keys():
        found.append("none of the linted files was run")
    found += [f"not linted: {problem}" for problem in report.linted.problems]
    found += [f"not linted to its end: {problem}" for problem in report.linted.unfinished]
    found += [f"the observer failed, please report it: {t}" for t in observation.troubles[:5]]
    return found


def _remarks_on_members(report: Report) -> Iterator[str]:
    """What there is to say of processes that should have computed together."""
    several = [
        (name, each.of, each.process)
        for name, each in zip(names_of(report.members), report.members, strict=True)
        if each.of > 1 and each.process is not None
    ]
    apart = [name for name, _, process in several if process.index is None]
    if apart:
        who = "the processes" if len(apart) == len(report.members) else ", ".join(apart)
        yield (
            f"{who} never called jax.distributed.initialize(): each computed by itself, as "
            "process 0 of 1"
        )
    for name, of, process in several:
        if process.index is not None and process.of != of:
            yield f"{name} was one of {of}, and told jax.distributed that it was of {process.of}"
