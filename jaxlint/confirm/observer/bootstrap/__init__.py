"""The folder that stands first on ``PYTHONPATH`` during a run."""
