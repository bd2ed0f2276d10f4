"""All that there is to say about a run, for the three ways of saying it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from jaxlint.config import Options
from jaxlint.confirm.observation import Observation, Process
from jaxlint.confirm.program.candidates import occurrences
from jaxlint.confirm.program.command import Ending
from jaxlint.confirm.program.excuses import Excuses
from jaxlint.confirm.program.function_costs import FunctionCost, function_costs
from jaxlint.confirm.program.linted import Linted
from jaxlint.confirm.program.surprises import Surprise, surprises
from jaxlint.confirm.program.verdicts import Verdict, verdicts

OUTCOMES = ("confirmed", "refuted", "not reached")

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
    """

    ending: Ending
    linted: Linted
    observation: Observation
    verdicts: list[Verdict]
    missed: list[Surprise]
    expected: list[Surprise]
    costs: list[FunctionCost]
    remarks: list[str] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """How many findings have each verdict."""
        counted: Counter[str] = Counter(verdict.outcome for verdict in self.verdicts)
        return {outcome: counted[outcome] for outcome in OUTCOMES}

    @property
    def processes_with_jax(self) -> list[Process]:
        """The processes that imported jax."""
        return [process for process in self.observation.processes if process.jax]

    @property
    def jax(self) -> str:
        """The releases of JAX that ran."""
        return ", ".join(sorted({process.jax for process in self.processes_with_jax}))


def conclude(
    ending: Ending, linted: Linted, observation: Observation, options: Options, retraces: int,
    ran_elsewhere: str = RAN_ELSEWHERE,
) -> Report:  # fmt: skip
    """Judge the findings and look for what nobody predicted.

    Args:
        retraces: functions with more repeated traces than this are reported.
        ran_elsewhere: what follows when a copy of the linted files was run.
    """
    costs = function_costs(observation)
    excuses = Excuses(linted.texts, linted.given, options)
    observation.occurrences += occurrences(linted.candidates, observation)
    found = [
        each
        for each in surprises(linted.findings, linted.names, observation, costs, excuses, retraces)
        if each.at.file in linted.files
    ]
    report = Report(
        ending, linted, observation, verdicts(linted.findings, observation),
        [each for each in found if not each.expected], [each for each in found if each.expected],
        costs,
    )  # fmt: skip
    report.remarks = list(_remarks(report, ran_elsewhere))
    return report


def _remarks(report: Report, ran_elsewhere: str) -> list[str]:
    observation = report.observation
    found = [report.ending.said] if report.ending.said else []
    if observation.gone:
        found.append("the folder of the run was deleted: what was observed is lost")
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
    killed = [process for process in report.processes_with_jax if not process.ended]
    if killed:
        numbers = ", ".join(str(process.pid) for process in killed[:5])
        found.append(
            f"{len(killed)} of {len(report.processes_with_jax)} processes with jax did not come to "
            f"their end ({numbers}): their counts may be too low"
        )
    for process in report.processes_with_jax:
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


def count(number: int, what: str) -> str:
    """ "1 process", "2 processes"."""
    many = "es" if what.endswith("s") else "s"
    return f"{number} {what}{'' if number == 1 else many}"
