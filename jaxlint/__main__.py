"""``python -m jaxlint``."""

import sys

if not getattr(sys.flags, "safe_path", False):
    # Python has put the current folder first on the search path: a module of the folder
    # that is linted must not be taken for one of the libraries that jaxlint needs.
    del sys.path[0]

from jaxlint.frontends.command_line import main
from jaxlint.frontends.interrupts import leave

leave(main())
