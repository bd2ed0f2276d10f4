"""A whole project: its settings, its files, what is known of them, and linting them all."""
