"""Settings of a run; scripts overwrite some of them."""

WEIGHT_DECAY = 0.25
CLIP = 1.0
WARMUP = 100
TEMPERATURE = 1.0
DROP = 0.5
SIZES = (4, 4)
DEBUG = False
