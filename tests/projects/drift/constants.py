"""Constants of nature, and of the runs."""

GRAVITY = 9.81
CUTOFF = 2.5
DT = 0.1
PERIODIC = True
BOX = 10.0
DAMPING = 0.1
