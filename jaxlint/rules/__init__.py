"""One file for each rule. ``registry`` finds them; ``rule`` is what they have in common."""
