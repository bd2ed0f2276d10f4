"""Hunts for what crashes, hangs, or is lost: random files and settings, from a seed.

    python -m tools.hunts generated --seed 7 --seconds 60
    python -m tools.hunts decorated --files ~/code --count 50000

Every hunt ends by itself, prints its counts, and keeps what it caught.
"""
