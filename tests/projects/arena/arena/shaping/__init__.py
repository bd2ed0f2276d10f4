"""Shapings of rewards, imported when they are asked for."""

import importlib

_PLACES = {"bonus": "bonus.Bonus", "clip": "clip.Clip"}


def get(name, **options):
    module, _, kind = _PLACES[name].rpartition(".")
    return getattr(importlib.import_module(f".{module}", __name__), kind)(**options)
