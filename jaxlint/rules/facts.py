"""What a rule may know of a file besides its events."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from jaxlint.cells import Cells
from jaxlint.config import Options
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

    def may_lack(self, gone_since: str) -> bool:
        """Whether the project allows a release from this one on; no release is empty."""
        return bool(gone_since) and self.releases.allow_from(gone_since)
