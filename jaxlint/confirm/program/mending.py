"""The user's project as the fixes make it: mended in a copy, where the command is run again."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.config import Options
from jaxlint.confirm.program.asked import Asked
from jaxlint.confirm.program.command import observe
from jaxlint.confirm.program.linted import NOTEBOOK, Linted, lint
from jaxlint.confirm.program.project_copy import CannotCopy, ProjectCopy
from jaxlint.confirm.program.report import Report, conclude
from jaxlint.findings import Finding
from jaxlint.project import top_of_project
from jaxlint.workspace.discovery import python_files
from jaxlint.workspace.fixing import Fixed, FixTask, wanted
from jaxlint.workspace.lint import Linted as LintedFile
from jaxlint.workspace.lint import Task, modules_kept
from jaxlint.workspace.many import lint_files

_MOST_ROUNDS = 5
"""Times that all files are looked at: what imports a module that was mended may show more."""

_RAN_THE_ORIGINAL = "the fixes in them were not tried"


@dataclass
class Mended:
    """A copy of the project with its fixes.

    Attributes:
        copy: where it is.
        files: the files that were linted, in the copy.
        applied: file of the copy -> the findings that were mended there.
        problems: what could not be mended, a line each.
    """

    copy: ProjectCopy
    files: list[Path]
    applied: dict[str, list[Finding]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def titles(self) -> dict[str, Counter[tuple[str, str]]]:
        """File of the project -> code and title of its fixes -> how many."""
        return {
            self.copy.original(path): Counter((f.code, f.fix.title) for f in found if f.fix)
            for path, found in self.applied.items()
        }

    def take(self, fixed: Fixed) -> None:
        """What became of one file in one round."""
        if fixed.problem:
            name = self.copy.original(fixed.filename)
            self.problems.append(f"not mended: {name}: {fixed.problem}")
        elif fixed.applied:
            self.applied.setdefault(fixed.filename, []).extend(fixed.applied)


def nothing_to_mend(linted: Linted, options: Options) -> str:
    """Why there is nothing to mend, for the user; empty when there is something."""
    if any(wanted(finding, options) for finding in linted.findings):
        return ""
    if any(finding.fix is not None for finding in linted.findings):
        return "--fix changed nothing: no finding has a safe fix; --unsafe-fixes has some"
    return "--fix changed nothing: no finding has a fix"


@contextmanager
def mended_copy(paths: Sequence[Path], linted: Linted, options: Options) -> Iterator[Mended]:
    """A copy of the project around the current folder with its fixes; gone in the end.

    Args:
        paths: what the user wants linted.
        linted: what was found there.
        options: which rules speak, and mend.

    Raises:
        CannotCopy: there is no copy.
    """
    here = Path.cwd()
    try:
        within = Path(tempfile.mkdtemp(prefix="jaxlint-fix-"))
    except OSError as error:
        raise CannotCopy(f"no folder for a copy of the project: {error.strerror}") from error
    try:
        files = [file for file in python_files(paths) if file.suffix != NOTEBOOK]
        copy = ProjectCopy(top_of_project(here) or here, files, within)
        mended = Mended(copy, [copy.counterpart(file) for file in files])
        _mend(mended, linted, options)
        yield mended
    finally:
        shutil.rmtree(within, ignore_errors=True)


def _mend(mended: Mended, linted: Linted, options: Options) -> None:
    tasks = [Task(str(file), options) for file in mended.files]
    found = {
        str(mended.copy.counterpart(Path(path))): findings
        for path, findings in linted.files.items()
        if Path(path).is_relative_to(mended.copy.root)
    }
    refused: set[str] = set()
    for _ in range(_MOST_ROUNDS):
        due = [
            FixTask(task.path, options)
            for task in tasks
            if task.path not in refused
            and any(wanted(finding, options) for finding in found.get(task.path, ()))
        ]
        results = [each for each in _all_of(due) if isinstance(each, Fixed)]
        for each in results:
            mended.take(each)
            if each.problem:
                refused.add(each.filename)
        if not any(each.changed for each in results):
            break
        found = {each.filename: each.findings for each in _all_of(tasks)}


def _all_of(tasks: Sequence[Task]) -> list[LintedFile]:
    return lint_files(tasks, None, 0, lambda done, total: None)


def run_again(asked: Asked, mended: Mended, before: Report) -> Report:
    """Run the command in the copy, under the observer, and judge what is found there.

    Args:
        asked: as it was run in the project.
        before: what came of it there.

    Raises:
        jaxlint.confirm.program.command.CannotObserve: nothing was run.
    """
    copy = mended.copy
    modules_kept().forget()
    linted = lint(mended.files, asked.options, lambda done, total: None)
    there = copy.counterpart(Path.cwd())
    environment = {**os.environ, "PWD": str(there)}
    given = environment.get("PYTHONPATH")
    path = [
        *_packages(copy, before.observation.loaded),
        *(given.split(os.pathsep) if given else []),
    ]
    environment["PYTHONPATH"] = os.pathsep.join(map(copy.argument, path))
    command = [copy.argument(each) for each in asked.command]
    ran = observe(asked, linted, environment, command, there)
    return conclude(ran, linted, asked.options, asked.retraces, _RAN_THE_ORIGINAL)


def _packages(copy: ProjectCopy, loaded: Iterable[str]) -> list[str]:
    """The folders from which packages of the project were imported, of the files that ran.

    An editable installation names those of the project itself; the search path goes before it.
    """
    found = set()
    for file in loaded:
        inside = folder = Path(file).parent
        while (folder / "__init__.py").is_file():
            folder = folder.parent
        if folder != inside and folder.is_relative_to(copy.root):
            found.add(str(folder))
    return sorted(found)
