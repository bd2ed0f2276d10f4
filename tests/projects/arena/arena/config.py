"""Settings that everything reads."""

import dataclasses

EPSILON = 0.1
GAMMA = 0.9
OPTIONS = {"entropy": 0.5}
CLIP = None


class Scale:
    reward = 2.0


@dataclasses.dataclass(frozen=True)
class Sizes:
    hidden: int = 8
    actions: int = 2
