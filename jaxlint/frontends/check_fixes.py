"""``jaxlint check --fix``: mends files, or shows what would be mended."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from jaxlint.frontends.complaints import fail
from jaxlint.frontends.streams import write
from jaxlint.workspace.fixing import Fixed, FixTask, fix_bytes, wanted
from jaxlint.workspace.lint import Linted, Task
from jaxlint.workspace.many import lint_files

_MOST_ROUNDS = 5
"""Times that all files are looked at: what imports a module that was mended may show more."""

Lint = Callable[[], list[Linted]]


class Mending:
    """One run that mends files.

    Args:
        writes: files are written; else it only comes out what would be.
        jobs: processes; 0: one for each core of this machine that is worth it.

    Attributes:
        fixed: what became of each file that had something to mend.
        piped: what was mended went to standard output.
    """

    def __init__(self, writes: bool, jobs: int) -> None:
        self._writes = writes
        self._jobs = jobs
        self._refused: set[str] = set()
        self.fixed: list[Fixed] = []
        self.piped = False

    @property
    def count(self) -> int:
        """How many findings were mended."""
        return sum(len(each.applied) for each in self.fixed)

    @property
    def changed(self) -> list[Fixed]:
        """The files that are, or would be, different."""
        return [each for each in self.fixed if each.changed]

    @property
    def failed(self) -> bool:
        """Whether a file could not be mended."""
        return bool(self._refused)

    def files(self, tasks: Sequence[Task], lint: Lint) -> list[Linted]:
        """Mend files; returns what is found in all of them in the end.

        Args:
            tasks: the files.
            lint: finds what is in them now.
        """
        linted = lint()
        for _ in range(_MOST_ROUNDS):
            due = [
                FixTask(task.path, task.options, self._writes)
                for task, each in zip(tasks, linted, strict=True)
                if task.path not in self._refused
                and any(wanted(finding, task.options) for finding in each.findings)
            ]
            fixed = lint_files(due, None, self._jobs, lambda done, total: None)
            mended = {each.filename: each for each in fixed if isinstance(each, Fixed)}
            self._take(list(mended.values()))
            if not self._writes:
                return [mended.get(each.filename, each) for each in linted]
            if not any(each.changed for each in mended.values()):
                break
            linted = lint()
        return linted

    def text(self, task: Task, data: bytes) -> Fixed:
        """Mend what came on standard input; what comes out goes to standard output."""
        fixed = fix_bytes(task.path, data, task.options)
        self._take([fixed])
        if self._writes:
            self.piped = True
            sys.stdout.buffer.write(fixed.after)
            sys.stdout.buffer.flush()
        return fixed

    def _take(self, fixed: list[Fixed]) -> None:
        self.fixed += fixed
        for each in fixed:
            if each.problem:
                self._refused.add(each.filename)
                fail(f"{each.filename}: not mended: {each.problem}")

    def listed(self) -> str:
        """What was done in each file."""
        return "".join(f"{line}\n" for line in self._list())

    def show(self) -> str:
        """Write the differences; returns what went wrong, or nothing."""
        problem = write("".join(each.diff() for each in self.changed), sys.stdout)
        return problem and f"cannot write the difference: {problem}"

    def _list(self) -> Iterator[str]:
        for each in self.changed:
            yield f"{each.filename}:"
            titles = Counter((f.code, f.fix.title) for f in each.applied if f.fix is not None)
            for (code, title), count in titles.items():
                yield f"    {count} x {code}: {title}"

    def summary(self) -> str:
        """How much was done, in a line."""
        would = "" if self._writes else "would be "
        findings = "1 finding" if self.count == 1 else f"{self.count} findings"
        files = "1 file" if len(self.changed) == 1 else f"{len(self.changed)} files"
        return f"{findings} {would}fixed in {files}.\n"
