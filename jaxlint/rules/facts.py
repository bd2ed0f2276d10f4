"""What a rule may know of a file besides its events."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from jaxlint.cells import Cells
from jaxlint.config import Options
from jaxlint.events import RemovedApi
from jaxlint.knowledge.jax_api import PACKAGE
from jaxlint.project import Releases, may_use_x64, releases_for
from jaxlint.source import Source


@dataclass(frozen=True)
class FileFacts:
    """A file and the options that hold for it; what costs a look at other files is looked up once.

    Attributes:
        source: the file.
        options: what the user asked for.
    """

    source: Source
    options: Options

    @cached_property
    def releases(self) -> Releases:
        """The releases of JAX that the project allows."""
        return releases_for(self.source.filename, self.options.jax)

    @cached_property
    def may_use_x64(self) -> bool:
        """Whether 64 bit types may be on where the file runs."""
        return may_use_x64(self.source.filename, self.source.text)

    @cached_property
    def is_test(self) -> bool:
        """Whether the file is a test."""
        return self.options.is_test_file(self.source.filename)

    @property
    def cells(self) -> Cells | None:
        """The cells of a notebook or percent script; None in other files."""
        return self.source.cells

    def may_lack(self, went: RemovedApi, since: str) -> bool:
        """Whether the project allows a release from ``since`` on; no release is empty."""
        if not since or not self.releases.allow_from(went.needs or since):
            return False
        if went.package == PACKAGE:
            return True
        return releases_for(self.source.filename, package=went.package).allow_from(since)
