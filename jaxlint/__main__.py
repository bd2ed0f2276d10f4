"""``python -m jaxlint``."""

import sys

from jaxlint.frontends.command_line import main

sys.exit(main())
